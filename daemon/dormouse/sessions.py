"""What agents say: turns, events and answers. Plain values."""

from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """Who said a turn. Only PERSON has the user's trust."""

    PERSON = "person"
    ASSISTANT = "assistant"
    SUBAGENT = "subagent"
    SUMMARY = "summary"
    TOOL = "tool"


class Moment(StrEnum):
    """What an event means, whatever the host calls it."""

    SESSION_START = "session_start"
    PROMPT = "prompt"
    TURN_END = "turn_end"
    COMPACTION = "compaction"
    SUBAGENT_END = "subagent_end"
    SESSION_END = "session_end"
    TOOL = "tool"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing a person or an agent said in a session.

    ``line_id`` is the transcript line's own id where there is one, ``host_turn_id`` the host's id
    of the prompt and its answer. ``attended`` is False when the host says that no person sat there,
    None when it does not say. ``original_length`` is set where ``text`` is an excerpt (characters).
    """

    role: Role
    text: str = field(repr=False)
    session_id: str
    at: str | None = None
    line_id: str | None = None
    host_turn_id: str | None = None
    attended: bool | None = None
    original_length: int | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One hook event, read. ``source`` is SessionStart's: startup, resume, clear, compact, fork.

    ``used`` is a tool's name with a path or a program, never what it printed; ``failure`` why a
    turn ended without an answer, one reason a line.
    """

    agent: str
    name: str
    moment: Moment
    session_id: str
    cwd: str | None = None
    transcript_path: str | None = None
    source: str | None = None
    turn: Turn | None = None
    subagent: bool = False
    used: str | None = None
    failure: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What an event is answered with. ``context`` goes to the model, ``message`` to the person."""

    context: str | None = field(default=None, repr=False)
    message: str | None = field(default=None, repr=False)
