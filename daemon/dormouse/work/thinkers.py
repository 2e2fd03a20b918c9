"""Our own thinkers must not be remembered: their sessions and folders are known here."""

from pathlib import Path

from dormouse.sessions import Event

FOLDER_PREFIX = "dormouse-thinker-"  # the empty folder that a thinker is started in
_sessions: set[str] = set()


def register(session_id: str) -> None:
    """Make a thinker's session known, before it is started."""
    _sessions.add(session_id)


def is_thinker(event: Event) -> bool:
    """Whether *event* comes from a session that this daemon started to think."""
    if event.session_id in _sessions:
        return True
    return event.cwd is not None and any(
        part.startswith(FOLDER_PREFIX) for part in Path(event.cwd).parts
    )
