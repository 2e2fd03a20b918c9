"""What a fact is. Plain values: no clock, no disk, no network."""

from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """What a fact is about. A current fact of kind FEEDBACK is a rule."""

    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


class Layer(StrEnum):
    """Which of the lasting layers holds a fact."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    CORE = "core"


class Scope(StrEnum):
    """Whom a fact holds for."""

    USER = "user"
    ORGANISATION = "organisation"
    PROJECT = "project"
    BRANCH = "branch"
    SESSION = "session"


class Trust(StrEnum):
    """Who vouches for a fact. Compare by ``rank``: a fact never retires one of a higher rank."""

    USER = "user"
    PROJECT_FILE = "project_file"
    ASSISTANT = "assistant"
    TOOL = "tool"

    @property
    def rank(self) -> int:
        return {"user": 3, "project_file": 2, "assistant": 1, "tool": 0}[self.value]


class How(StrEnum):
    """How a source came in."""

    EXPLICIT = "explicit"
    IMPLICIT = "implicit"
    ASSISTANT = "assistant"
    TOOL = "tool"
    IMPORT = "import"
    HUMAN = "human"
    REM = "rem"
    MERGE = "merge"


class Because(StrEnum):
    """Why a fact was retired."""

    SUPERSEDED = "superseded"
    DUPLICATE = "duplicate"
    FORGOTTEN = "forgotten"
    CORRECTED = "corrected"
    EXPIRED = "expired"
    MERGED = "merged"
    OWNER = "owner"
    ERASED = "erased"


@dataclass(frozen=True, slots=True)
class Slot:
    """What a statement is about: *attribute* of *subject* is *value*; each may be unknown."""

    subject: str | None = None
    attribute: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact comes from. ``how`` human means the owner's own program."""

    agent: str | None
    session_id: str | None
    turn_id: str | None
    how: How
    at: str


@dataclass(frozen=True, slots=True)
class Detail:
    """What was said beside a statement: how it is done, with what, what came of it, when it holds.

    ``origin`` is where its speaker says to have it from; it changes nobody's trust. ``by`` is how
    far the weakest of those is trusted who said any of it.
    """

    steps: tuple[str, ...] = field(default=(), repr=False)
    tools: tuple[str, ...] = field(default=(), repr=False)
    outcome: str | None = field(default=None, repr=False)
    context: str | None = field(default=None, repr=False)
    origin: str | None = None
    by: Trust | None = None

    def over(self, other: "Detail") -> "Detail":
        """This one, with what it leaves unsaid taken from *other*."""
        mine = (self.steps, self.tools, self.outcome, self.context, self.origin)
        theirs = (other.steps, other.tools, other.outcome, other.context, other.origin)
        adds = any(b and not a for a, b in zip(mine, theirs, strict=True))
        by = min(filter(None, (self.by, other.by if adds else None)), key=_rank, default=None)
        return Detail(
            self.steps or other.steps,
            self.tools or other.tools,
            self.outcome or other.outcome,
            self.context or other.context,
            self.origin or other.origin,
            by,
        )


def _rank(trust: Trust) -> int:
    return trust.rank


NO_DETAIL = Detail()


@dataclass(frozen=True, slots=True)
class Fact:
    """One remembered statement. Its text never changes after capture. Times: see ``times``."""

    id: str
    text: str = field(repr=False)
    kind: Kind
    layer: Layer
    scope: Scope
    project_id: str | None
    project_name: str | None
    branch: str | None
    session_id: str | None
    slot: Slot = field(repr=False)
    language: str | None
    trust: Trust
    confidence: float
    importance: float
    weight: float
    pinned: bool
    stated_at: str
    captured_at: str
    valid_from: str
    valid_to: str | None
    retired_at: str | None
    retired_because: Because | None
    superseded_by: str | None
    sources: tuple[Source, ...] = ()
    detail: Detail = NO_DETAIL

    @property
    def current(self) -> bool:
        """Whether an agent may be shown this fact."""
        return self.retired_at is None


@dataclass(frozen=True, slots=True)
class NewFact:
    """A statement on its way into the ledger; ``id`` is random, made by the caller."""

    id: str
    text: str = field(repr=False)
    source: Source
    kind: Kind = Kind.PROJECT
    layer: Layer = Layer.SEMANTIC
    scope: Scope = Scope.USER
    project_id: str | None = None
    branch: str | None = None
    session_id: str | None = None
    slot: Slot = field(default=Slot(), repr=False)
    language: str | None = None
    trust: Trust = Trust.USER
    confidence: float = 0.99
    importance: float = 0.5
    weight: float = 0.0
    pinned: bool = False
    stated_at: str = ""
    valid_from: str = ""
    detail: Detail = NO_DETAIL


@dataclass(frozen=True, slots=True)
class Look:
    """Whose facts a reader may see: one project's (and branch's, session's) beside the user's.

    ``everything`` is the owner's view over all projects; agents never get it.
    """

    project_id: str | None = None
    branch: str | None = None
    session_id: str | None = None
    everything: bool = False
