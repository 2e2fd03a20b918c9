"""A bed whose door leads to a scripted thinker that answers by what it is asked."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dormouse.facts import Fact, How, Kind, Scope, Trust
from dormouse.ledger import ThinkerCall, new_id
from dormouse.sessions import Role, Turn
from dormouse.thinking import Caps, Door, Result, Said, Stop, Thought
from dormouse.work import thinkers
from dormouse.work.places import Where
from dormouse.work.read_day import Read, read_day
from dormouse.work.remember import Speaker, Wish, remember
from dormouse.work.settle import settle_pending
from dormouse.work.unsure import ThoughtOver, think_over
from tests.night import Bed

PROJECT = "projectprojectpr"
WHERE = Where(PROJECT, "shop", "main")
Says = Callable[[str, Any], Any]  # (task, data) -> the value it answers with, or a Result


@dataclass
class Obliging:
    """Answers with what *says* makes of the data; notes every request."""

    says: Says
    name: str = "claude-code"
    tokens: int = 100
    asked: list[Thought] = field(default_factory=list)

    def ready(self) -> bool:
        return True

    def ask(self, thought: Thought, stop: Stop) -> Said:
        self.asked.append(thought)
        value = self.says(thought.task, json.loads(thought.user))
        if isinstance(value, Result):
            return Said(value, "", self.tokens)
        text = value if isinstance(value, str) else json.dumps(value)
        return Said(Result.ANSWERED, text, self.tokens, len(text))


def verdicts(word: str) -> Says:
    """Says *word* of every pair."""

    def says(task: str, data: Any) -> Any:
        return {"verdicts": [{"pair": pair["pair"], "verdict": word} for pair in data["pairs"]]}

    return says


class Thinking:
    """A bed, its thinkers, and what a test does with them. Level agents unless said otherwise."""

    def __init__(self, folder: Path, *made: Obliging, level: str = "agents", **settings: Any):
        self.bed = Bed(folder, **settings)
        self.thinkers = list(made)
        self.level(level)
        self.restart()

    def restart(self) -> None:
        """The daemon ends and starts again."""
        self.bed.again()
        memory = self.bed.memory
        log = thinkers.LedgerLog(memory.ledger)
        settings = memory.settings
        caps = Caps(
            log,
            memory.clock,
            calls=settings.thinkers_calls_per_day,
            tokens=settings.thinkers_tokens_per_day,
        )
        memory.door = Door(
            lambda: self.thinkers, lambda: memory.ledger.read(thinkers.level), caps, log
        )

    def level(self, level: str) -> None:
        self.bed.memory.ledger.write(lambda w: w.set_setting(thinkers.PRIVACY, level)).result()

    def settle(self) -> None:
        """What capture does: the judges at hand, at once."""
        asyncio.run(settle_pending(self.bed.memory))

    def night(self, go_on: Callable[[], bool] = lambda: True) -> ThoughtOver:
        self.settle()
        return asyncio.run(think_over(self.bed.memory, None, go_on))

    def read(self) -> Read:
        return asyncio.run(read_day(self.bed.memory))

    def say(self, text: str, *, at: str = "", trust: Trust = Trust.USER, **more: Any) -> Fact:
        """A fact of the project."""
        who = Speaker("claude-code", "s1", None, trust, How.EXPLICIT)
        wish = Wish(text, Kind.PROJECT, scope=Scope.PROJECT, at=at or None, **more)
        kept = self.bed.memory.ledger.write(
            lambda w: remember(w, wish, who, WHERE, self.bed.memory.now())
        ).result()
        assert kept.fact is not None
        return kept.fact

    def turn(self, text: str, role: Role = Role.PERSON, session: str = "s1") -> str:
        """A turn in the project's journal; its id."""
        turn = Turn(role, text, session, host_turn_id=new_id())
        return self.bed.memory.ledger.write(
            lambda w: w.journal(
                "codex",
                turn,
                project_id=PROJECT,
                branch="main",
                at=self.bed.memory.now(),
                state="done",
            )[0]
        ).result()

    def fact(self, id: str) -> Fact:
        return self.bed.memory.ledger.read(lambda r: r.fact(id))

    def texts(self) -> set[str]:
        """The current facts."""
        return set(self.bed.facts())

    def questions(self) -> int:
        return self.bed.memory.ledger.read(lambda r: r.counts())["questions"]

    def calls(self) -> list[ThinkerCall]:
        """The ledger of calls."""
        return self.bed.memory.ledger.read(lambda r: r.thinker_calls(since=""))


Make = Callable[..., Thinking]
