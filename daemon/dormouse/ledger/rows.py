"""What the ledger hands out beside facts. Frozen values; none of them shows a text when printed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from dormouse.facts import Because, Fact, Kind, Scope
from dormouse.judgments import Outcome, Ruling
from dormouse.sessions import Role

SummedBy = Literal["host", "thinker", "rules"]
Which = Literal["current", "retired", "all"]


class Prepared(NamedTuple):
    """A text as it may be stored: redacted, normalised, its hash.

    ``words_of`` gives a text's words for searching. Only facts are searched, so what is merely
    journalled is not segmented, which takes longer than writing it.
    """

    text: str
    types: tuple[str, ...]
    hash: str
    words_of: Callable[[str], str]

    def __repr__(self) -> str:
        return f"Prepared(types={self.types!r})"


@dataclass(frozen=True, slots=True)
class Hit:
    """A fact that was found; ``words`` is BM25 turned round, >= 0, higher is better.

    ``nr`` is the number of its search row, ``tokens`` what stands in it; ``turn``: in which
    stored conversation it stands, and where; the words of its neighbours count then too.
    """

    fact: Fact
    words: float
    nr: int = 0
    turn: tuple[str, int] | None = None
    tokens: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of a capture: a fact of its own, or one that was known and has a source more."""

    fact: Fact
    state: Literal["new", "known"]


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """One judgment and what was done with it since, as (outcome, by, at), oldest first."""

    id: str
    older_id: str
    newer_id: str
    ruling: Ruling
    level: str
    run_id: str | None
    asked_at: str
    outcomes: tuple[tuple[Outcome, str, str], ...] = ()

    @property
    def outcome(self) -> Outcome | None:
        """The last thing that was done with it."""
        return self.outcomes[-1][0] if self.outcomes else None


@dataclass(frozen=True, slots=True)
class Link:
    """One fact of a chain, with the judgment that retired it (last) and that one's outcome."""

    fact: Fact
    judgment: JudgmentRow | None
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class Retirement:
    """How a fact came to be retired: ``by`` is a judge, an agent or the owner."""

    fact_id: str
    at: str
    because: Because
    by: str
    run_id: str | None
    superseded_by: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """A pair that waits for the owner. ``id`` is that of the judgment that left it open."""

    id: str
    older: Fact
    newer: Fact
    why: str | None = field(repr=False)
    asked_at: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run: kind settle, rem or owner; running, done, stopped, paused, failed or undone."""

    id: str
    kind: str
    state: str
    started_at: str
    ended_at: str | None
    facts_before: int
    facts_after: int | None
    report: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class StepRow:
    """One attempt at a step: running, done, paused, failed, stopped or interrupted.

    ``before`` and ``after`` are numbers of current facts.
    """

    run_id: str
    step: str
    state: str
    started_at: str
    ended_at: str | None
    before: int
    after: int | None
    report: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """What carrying a plan out came to. ``retired`` are (older, newer) pairs."""

    retired: list[tuple[str, str]]
    kept: int
    asked: int
    skipped: int


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A statement that is not yet a fact and is never recalled."""

    id: str
    text: str = field(repr=False)
    kind: Kind
    scope: Scope
    project_id: str | None
    project_name: str | None
    first_turn: str | None
    sightings: int
    confidence: float
    at: str
    last_turn: str | None = None
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """What waits for the owner's yes."""

    id: str
    what: str
    payload: dict[str, Any] = field(repr=False)
    by: str
    at: str
    state: str

    @property
    def text(self) -> str | None:
        """The statement it is about, where it is about one."""
        text = self.payload.get("text")
        return text if isinstance(text, str) else None


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn of the journal: pending, done or parked (then ``reason`` says why)."""

    id: str
    agent: str
    session_id: str
    role: Role
    text: str = field(repr=False)
    at: str
    state: str
    reason: str | None
    line_id: str | None
    host_turn_id: str | None
    project_id: str | None
    branch: str | None
    original_length: int | None = None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session of an agent. ``attended`` None: its host has not said."""

    agent: str
    id: str
    project_id: str | None
    branch: str | None
    cwd: str | None
    started_at: str
    last_at: str
    ended_at: str | None
    attended: bool | None
    transcript_path: str | None
    forked_from: str | None
    summary: str | None = field(default=None, repr=False)
    summed_by: SummedBy | None = None


@dataclass(frozen=True, slots=True)
class UseRow:
    """That a session was shown a fact.

    ``told_current`` is what the session was last told of it; ``shown`` is False once a compaction
    may have made the session forget it, so that it may be shown again.
    """

    fact_id: str
    at: str
    how: str
    taken_back_at: str | None
    told_current: bool
    shown: bool = True


@dataclass(frozen=True, slots=True)
class TranscriptRow:
    """How far an agent's transcript was read; ``skipped`` counts lines that could not be."""

    path: str
    agent: str
    session_id: str | None
    offset: int
    inode: int
    size: int
    skipped: int


@dataclass(frozen=True, slots=True)
class AgentRow:
    """What is known of an agent: whether it is connected and when it last rang."""

    id: str
    connected: bool
    root: str | None
    settings_path: str | None
    connected_at: str | None
    last_event: str | None
    last_event_at: str | None
    undelivered: int


@dataclass(frozen=True, slots=True)
class ThinkerCall:
    """One call of a thinker: bytes sent and received, tokens estimated and told, how it ended."""

    id: str
    at: str
    who: str
    level: str
    task: str
    sent: int
    estimated: int
    result: str
    received: int
    tokens: int | None
    took_ms: float


@dataclass(frozen=True, slots=True)
class UnsurePair:
    """A pair that waits for a thinker; ``asked`` counts how often one was unsure, too."""

    older_id: str
    newer_id: str
    asked: int
    next_at: str


@dataclass(frozen=True, slots=True)
class Erased:
    """What erasing came to, in rows. ``still_in`` names the copies that still hold it."""

    facts: int
    vectors: int
    turns: int
    derived: int
    derived_ids: tuple[str, ...] = ()
    still_in: tuple[str, ...] = ()
    checkpointed: bool = True
