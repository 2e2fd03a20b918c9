"""What goes through the door and what comes back. Frozen values; none shows a text when printed."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol

from dormouse.thinking.levels import Level

Task = Literal["judge", "extract", "summary", "split"]

# Every text for a thinker begins with this, so that the daemon knows its own thinking again
# wherever it comes back: in a hook's prompt, or in a transcript.
SIGNATURE = "[dormouse-thinker]"


@dataclass(frozen=True, slots=True)
class Thought:
    """One request. ``user`` holds the data; it is redacted and goes out on standard input only.

    ``system`` and ``schema`` are constants of ours, since they may stand in a program's arguments:
    never a fact's text. ``prefers`` is the agent that has seen the data already.
    ``last_resort``: nobody else was sure, so a hosted endpoint may be asked.
    """

    task: Task
    system: str = field(repr=False)
    user: str = field(repr=False)
    schema: Mapping[str, Any] = field(repr=False)
    max_output_tokens: int = 1_000
    prefers: str | None = None
    last_resort: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that fits the schema of its thought, and who gave it."""

    value: Any = field(repr=False)
    who: str
    level: Level
    tokens: int | None
    took_ms: float


class Result(StrEnum):
    """How a call ended. STARTED stays where the daemon died in the middle of one."""

    STARTED = "started"
    ANSWERED = "answered"
    UNAVAILABLE = "unavailable"  # nothing was sent
    QUOTA = "quota"
    TIMEOUT = "timeout"
    RUBBISH = "rubbish"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Said:
    """What a thinker gave: ``text`` is its answer as it came, ``tokens`` the whole call's."""

    result: Result
    text: str = field(default="", repr=False)
    tokens: int | None = None
    received: int = 0  # bytes


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call as the ledger of calls keeps it. No text."""

    id: str
    at: str
    who: str
    level: Level
    task: str
    sent: int  # bytes
    estimated: int  # tokens
    result: Result = Result.STARTED
    received: int = 0  # bytes
    tokens: int | None = None
    took_ms: float = 0.0

    @property
    def spent(self) -> int:
        """Tokens to count: those told, else those estimated. What was never sent cost nothing."""
        if self.result is Result.UNAVAILABLE:
            return 0
        return self.estimated if self.tokens is None else self.tokens


class CallLog(Protocol):
    """The ledger of calls. ``begin`` returns once the call is on disk."""

    def begin(self, *, who: str, level: Level, task: str, sent: int, estimated: int) -> str: ...
    def end(
        self, id: str, *, result: Result, received: int, tokens: int | None, took_ms: float
    ) -> None: ...
    def since(self, at: str) -> Sequence[CallRow]: ...


class Stop:
    """Ends a running call from another thread: an agent speaks, or the daemon stops."""

    def __init__(self) -> None:
        self._set = threading.Event()
        self._lock = threading.Lock()
        self._do: list[Callable[[], None]] = []

    def __bool__(self) -> bool:
        return self._set.is_set()

    def set(self) -> None:
        with self._lock:
            self._set.set()
            waiting, self._do = self._do, []
        for do in waiting:
            do()

    def then(self, do: Callable[[], None]) -> None:
        """Call *do* when this is set; at once if it is."""
        with self._lock:
            if not self._set.is_set():
                self._do.append(do)
                return
        do()


class Thinker(Protocol):
    """One way to a model. Gets a thought that may leave, returns what was said; never raises."""

    @property
    def name(self) -> str:
        """Its row in ``levels.TABLE``."""
        ...

    def ready(self) -> bool:
        """Whether it could be asked now; sends nothing."""
        ...

    def ask(self, thought: Thought, stop: Stop) -> Said: ...
