"""What a reader of one agent is: three methods. It holds no state of a session and does no work."""

from typing import Protocol

from dormouse.quota import Limit
from dormouse.sessions import Answer, Event, Turn


class TranscriptReader(Protocol):
    """Reads one transcript, line by line."""

    unknown: int  # lines that could not be read: the host's format has moved on
    limits: list[Limit]  # what the lines said of the agent's limit

    def read(self, line: bytes) -> Turn | None:
        """Return the turn that *line* holds, None for everything else. Never raises."""
        ...


class HostReader(Protocol):
    """One agent's events, transcripts and answers."""

    def read_event(self, name: str, body: bytes) -> Event:
        """Read a hook's input. Raises BadRequest or TooLarge; an unknown *name* is Moment.OTHER."""
        ...

    def transcript(self, head: bytes) -> TranscriptReader:
        """A reader for the file that begins with the line *head* (b"" where it is not known)."""
        ...

    def render(self, event: Event, answer: Answer) -> str:
        """The exact text that the hook prints, "" for nothing."""
        ...
