"""The door: whether, whom and what is asked. One call at a time; better none than a bad answer.

Everything is checked here: the level, the caps, the breaker. What leaves is redacted once more, and
each call is in the ledger of calls before it is made. No text is logged.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from dormouse.capture.redaction import redact
from dormouse.errors import DormouseError
from dormouse.thinking.caps import Caps, Usage
from dormouse.thinking.levels import ASKED, TABLE, Level, may
from dormouse.thinking.schema import Misfit, parse
from dormouse.thinking.values import Answer, CallLog, Result, Said, Stop, Thinker, Thought

log = logging.getLogger("dormouse")


@dataclass(slots=True)
class Door:
    """``thinkers`` gives those at hand now; ``level`` the owner's word as it stands now."""

    thinkers: Callable[[], Sequence[Thinker]]
    level: Callable[[], Level]
    caps: Caps
    calls: CallLog
    order: tuple[str, ...] = ()
    _one: threading.Lock = field(default_factory=threading.Lock)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _stop: Stop = field(default_factory=Stop)
    _closed: bool = False

    def think(self, thought: Thought, *, at_most: Level | None = None) -> Answer | None:
        """Ask one thinker; None if none may, can, or says something that fits. Never raises.

        *at_most* narrows the level, it never widens it. Blocks: call it off the event loop.
        """
        try:
            thought = replace(thought, user=redact(thought.user).text)
            with self._one:
                return self._ask(thought, at_most)
        except DormouseError as error:  # too slow to redact, or the ledger refuses the call
            log.warning("thinking %s: %s", thought.task, error.code)
            return None

    def why_not(self, thought: Thought | None = None) -> str | None:
        """Why no call would be made now, in a person's words; None if one would."""
        over = self.caps.exhausted()
        if over is not None:
            return over
        thought, level = thought or Thought("judge", "", "", {}, 0), self.level()
        may_be = self._choose(thought, level)
        may_be += self._choose(replace(thought, last_resort=True), level)
        if not may_be:
            return f"no thinker is at hand that may be asked at level {level}"
        reasons = [self.caps.resting(thinker.name) for thinker in may_be]
        return None if None in reasons else reasons[0]

    def who(self, thought: Thought) -> list[str]:
        """The thinkers that might be asked now, in the order they would be."""
        chosen = self._choose(thought, self.level())
        return [thinker.name for thinker in chosen if self.caps.resting(thinker.name) is None]

    def usage(self) -> Usage:
        """What thinking has cost today."""
        return self.caps.usage()

    def stop(self, *, for_good: bool = False) -> None:
        """End the call that is going on, if any; *for_good*: and make no other."""
        with self._guard:
            self._closed = self._closed or for_good
            self._stop.set()

    def close(self) -> None:
        """Stop for good and wait for the call to end."""
        self.stop(for_good=True)
        with self._one:
            return

    def _choose(self, thought: Thought, level: Level) -> list[Thinker]:
        """Who may be asked, best first: the machine's own, the agent that knows it, the others."""
        order = list(self.order or ASKED)
        there = {t.name: t for t in self.thinkers() if t.name in order and t.ready()}
        allowed = [name for name in order if name in there and may(level, name, thought.task)]
        hosted = [name for name in allowed if TABLE[name].least is Level.HOSTED]
        if thought.last_resort:
            return [there[name] for name in hosted]
        agents = [name for name in allowed if TABLE[name].least is Level.AGENTS]
        best = iter(sorted(agents, key=lambda name: name != thought.prefers))
        return [
            there[next(best) if name in agents else name] for name in allowed if name not in hosted
        ]

    def _ask(self, thought: Thought, at_most: Level | None) -> Answer | None:
        level = self.level()
        if at_most is not None and at_most.rank < level.rank:
            level = at_most
        with self._guard:
            if self._closed:
                return None
            self._stop = stop = Stop()
        for thinker in self._choose(thought, level):
            if self.caps.resting(thinker.name) is not None:
                continue
            sent = _size(thought)
            refused = self.caps.refuses(sent, thought.max_output_tokens)
            if refused is not None:
                log.info("thinking %s: %s", thought.task, refused)
                return None
            said, answer = self._call(thinker, thought, level, sent, stop)
            if said.result is not Result.UNAVAILABLE:
                return answer  # whoever was told something has been asked: nobody else is told
        return None

    def _call(
        self, thinker: Thinker, thought: Thought, level: Level, sent: int, stop: Stop
    ) -> tuple[Said, Answer | None]:
        id = self.calls.begin(
            who=thinker.name,
            level=level,
            task=thought.task,
            sent=sent,
            estimated=self.caps.estimate(sent, thought.max_output_tokens),
        )
        began = time.monotonic()
        answer = None
        said = Said(Result.FAILED)
        try:
            said = thinker.ask(thought, stop)
            if said.result is Result.ANSWERED:
                said, answer = _read(said, thought, thinker.name, began)
        except Exception as error:  # a thinker's fault must not be ours
            log.error("thinker %s failed: %s", thinker.name, type(error).__name__)
        took_ms = (time.monotonic() - began) * 1000
        self.calls.end(
            id, result=said.result, received=said.received, tokens=said.tokens, took_ms=took_ms
        )
        log.info("thinker %s, %s: %s in %d ms", thinker.name, thought.task, said.result, took_ms)
        return said, answer


def _read(said: Said, thought: Thought, who: str, began: float) -> tuple[Said, Answer | None]:
    try:
        value = parse(said.text, thought.schema)
    except Misfit:
        return replace(said, result=Result.RUBBISH), None
    took_ms = (time.monotonic() - began) * 1000
    return said, Answer(value, who, TABLE[who].least, said.tokens, took_ms)


def _size(thought: Thought) -> int:
    """Bytes that a thought sends, its schema included."""
    return len(f"{thought.system}{thought.user}{thought.schema}".encode("utf-8", "replace"))
