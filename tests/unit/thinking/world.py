"""A door on scripted thinkers, a ledger of calls in memory, and a clock that is set by hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from dormouse.thinking import (
    CallRow,
    Caps,
    Door,
    Level,
    Result,
    Said,
    Stop,
    Thinker,
    Thought,
)
from dormouse.times import parse, stamp

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["supersede", "keep", "unsure"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
THOUGHT = Thought("judge", "You judge.", '{"text":"x"}', SCHEMA, 100)
KEEP = Said(Result.ANSWERED, '{"verdict":"keep"}', 100, 20)


class Clock:
    """Stands still until it is set."""

    def __init__(self, now: str = "2026-06-01T09:00:00+00:00") -> None:
        self.now = parse(now)

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Calls:
    """The ledger of calls, in memory."""

    clock: Clock
    rows: list[CallRow] = field(default_factory=list)

    def begin(self, *, who: str, level: Level, task: str, sent: int, estimated: int) -> str:
        id = str(len(self.rows))
        at = stamp(self.clock())
        self.rows.append(CallRow(id, at, who, level, task, sent, estimated))
        return id

    def end(
        self, id: str, *, result: Result, received: int, tokens: int | None, took_ms: float
    ) -> None:
        row = self.rows[int(id)]
        self.rows[int(id)] = replace(
            row, result=result, received=received, tokens=tokens, took_ms=took_ms
        )

    def since(self, at: str) -> Sequence[CallRow]:
        return [row for row in self.rows if row.at >= at]


@dataclass
class Scripted:
    """A thinker that says what it is told to, and notes what it was asked."""

    name: str = "claude-code"
    says: Said | Callable[[Thought, Stop], Said] = KEEP
    there: bool = True
    asked: list[Thought] = field(default_factory=list)

    def ready(self) -> bool:
        return self.there

    def ask(self, thought: Thought, stop: Stop) -> Said:
        self.asked.append(thought)
        return self.says(thought, stop) if callable(self.says) else self.says


@dataclass
class World:
    """What a test holds in its hands."""

    thinkers: list[Thinker] = field(default_factory=lambda: [Scripted()])
    level: Level = Level.AGENTS
    calls: int = 40
    tokens: int = 200_000
    order: tuple[str, ...] = ()
    clock: Clock = field(default_factory=Clock)
    log: Calls = field(init=False)

    def __post_init__(self) -> None:
        self.log = Calls(self.clock)

    def door(self) -> Door:
        """A door as a daemon makes it at its start: everything it knows is in the ledger."""
        caps = Caps(self.log, self.clock, calls=self.calls, tokens=self.tokens)
        return Door(lambda: self.thinkers, lambda: self.level, caps, self.log, self.order)
