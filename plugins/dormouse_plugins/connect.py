"""Connecting agents: which are here, and our hook entries in or out of their settings files.

One way in and one way out for every agent of dormouse_wire.hosts. It never touches an entry that is
not ours, switches nothing of the host off, and keeps no copy of a settings file.
"""

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

from dormouse_plugins import mcp_entries, other_texts
from dormouse_plugins.bin import WRAPPER, command_prefix, write_bin, write_whole
from dormouse_plugins.hooks_text import Entry, Unreadable, add, remove
from dormouse_wire.hosts import HOSTS, Host
from dormouse_wire.paths import Home

__all__ = ["Change", "connect", "disconnect", "find", "write_bin"]

MAX_SETTINGS = 8 * 2**20
ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Change:
    """What came of connecting or disconnecting one agent, and which settings file it is about."""

    agent: str
    state: str  # connected | waiting_for_approval | failed | removed
    files: list[str] = field(default_factory=list)
    note: str | None = None


def find(agents: Sequence[str] | None = None) -> list[Host]:
    """The agents on this machine: all of them, or those of *agents*."""
    wanted = [host for host in HOSTS.values() if not agents or host.id in agents]
    return [host for host in wanted if host.settings_folder().is_dir() or which(host.program)]


def connect(home: Home, host: Host, *, approve_tools: bool = False) -> Change:
    """Put our hooks into the host's settings file, where they are not in it yet, and our server.

    A host without hooks gets the server alone, and fails where that can't be written.
    """
    if host.settings is None or not host.events:
        files, notes = _add_mcp(home, host, approve_tools=approve_tools)
        note = " ".join([*host.notes, *notes]) or None
        return Change(host.id, "connected" if files else "failed", files, note)
    prefix = command_prefix(home)
    entries = [
        Entry(event.name, f"{prefix}{host.id} {event.name}", event.timeout) for event in host.events
    ]
    path = host.settings_folder() / host.settings
    try:
        rewrite(path, lambda text: _added(home, host, text, entries))
    except (Unreadable, OSError) as error:
        return _failed(host, path, error)
    files, notes = _add_mcp(home, host, approve_tools=approve_tools)
    state = "waiting_for_approval" if host.needs_approval else "connected"
    return Change(host.id, state, [str(path), *files], " ".join([*host.notes, *notes]) or None)


def _added(home: Home, host: Host, text: str | None, entries: Sequence[Entry]) -> str:
    """A settings file's text with our hooks, in the form that the file has."""
    if str(host.settings).endswith(".js"):
        return other_texts.add_plugin(text, str(home.bin / WRAPPER))
    if str(host.settings).endswith(".yaml"):
        return other_texts.add_yaml(text, entries)
    return add(text, entries)


def _removed(host: Host, text: str, prefix: str) -> str | None:
    if str(host.settings).endswith(".js"):
        return other_texts.remove_plugin(text)
    if str(host.settings).endswith(".yaml"):
        return other_texts.remove_yaml(text)
    return remove(text, prefix)


def _add_mcp(home: Home, host: Host, *, approve_tools: bool) -> tuple[list[str], list[str]]:
    """Register our MCP server; which files that changed, and what is left to do by hand."""
    if host.mcp == "program":
        note = mcp_entries.add_to_claude(home, host)
        return [], [note] if note else []
    path = host.settings_folder() / str(host.mcp)
    by_table = path.suffix == ".toml"
    try:
        if by_table:
            rewrite(path, lambda text: mcp_entries.add_table(text, home, host.id, approve_tools))
        else:
            rewrite(path, lambda text: mcp_entries.add_entry(text, home, host))
        allowed = not by_table or mcp_entries.is_approved(path.read_text("utf-8"))
    except (Unreadable, OSError) as error:
        given = f"{mcp_entries.command(home)} --agent {host.id}"
        by_hand = f"Add an MCP server with the command: {given}"
        return [], [f"Its tools are not registered: {_failed(host, path, error).note} {by_hand}"]
    asks = (
        "It asks before a tool retires facts: `dormouse connect codex --approve-tools` allows it."
    )
    files = [] if host.mcp == host.settings else [str(path)]
    return files, [] if allowed else [asks]


def _remove_mcp(home: Home, host: Host) -> tuple[list[str], str | None]:
    if host.mcp == "program":
        return [], mcp_entries.remove_from_claude(home, host)
    path = host.settings_folder() / str(host.mcp)

    def without(text: str | None) -> str | None:
        if text is None or path.suffix == ".toml":
            return None if text is None else mcp_entries.remove_table(text)
        return mcp_entries.remove_entry(text, home, host)

    try:
        changed = rewrite(path, without)
    except (Unreadable, OSError) as error:
        return [], _failed(host, path, error).note
    return [str(path)] if changed else [], None


def disconnect(home: Home, host: Host, *, settings: Path | None = None) -> Change:
    """Take our hooks out again; *settings* names the file if it was another one at the time."""
    files, note = _remove_mcp(home, host)  # what came in last goes out first
    if settings is None and host.settings is None:
        return Change(host.id, "removed", files, note)
    path = settings or host.settings_folder() / str(host.settings)
    prefix = command_prefix(home)
    try:
        changed = rewrite(path, lambda text: None if text is None else _removed(host, text, prefix))
    except (Unreadable, OSError) as error:
        return _failed(host, path, error)
    touched = [*([str(path)] if changed else []), *files]
    return Change(host.id, "removed", list(dict.fromkeys(touched)), note)


def _failed(host: Host, path: Path, error: Exception) -> Change:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return Change(host.id, "failed", [], f"{path} was left as it is: {why}.")


def rewrite(path: Path, change: Callable[[str | None], str | None]) -> bool:
    """Replace a file's text by what *change* makes of it (None: no file); whether it did.

    A symbolic link stays one, the mode is kept, and what somebody else writes in between is not
    lost. Raises OSError, Unreadable.
    """
    target = Path(os.path.realpath(path))
    for _ in range(ATTEMPTS):
        before, mode = _read(target)
        try:
            text = change(None if before is None else before.decode())
        except UnicodeDecodeError:
            raise Unreadable("it is not UTF-8 text") from None
        after = None if text is None else text.encode()
        if after == before:
            return False
        if before is not None and not os.access(target, os.W_OK):
            raise Unreadable("it is read-only")
        if after is None:
            target.unlink()
            return True
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _read(target)[0] == before:
            write_whole(target, after, mode)
            return True
    raise Unreadable("somebody else keeps writing to it")


def _read(path: Path) -> tuple[bytes | None, int]:
    """A file's content and mode; None where there is no file. Raises OSError, Unreadable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None, 0o600
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise Unreadable("it is no regular file")
        if about.st_size > MAX_SETTINGS:
            raise Unreadable("it is too large to be a settings file")
        return file.read(), stat.S_IMODE(about.st_mode)
