"""The agents: connect, disconnect, uninstall. Only dormouse_plugins.connect touches their files."""

import contextlib
import fcntl
import json
import os
import shlex
import shutil
from dataclasses import asdict
from typing import Annotated, Any

import typer

from dormouse_cli import daemon, errors, managers
from dormouse_cli.lifecycle import stop_for_good
from dormouse_cli.options import Json, example
from dormouse_cli.output import emit, say, table, when
from dormouse_plugins import connect as plugins
from dormouse_wire.hosts import HOSTS, Host
from dormouse_wire.paths import Home

STATES = {
    "connected": "connected",
    "waiting_for_approval": "connected, waits for your approval",
    "not_found": "not found on this machine",
    "failed": "failed",
    "removed": "disconnected",
}


def _complete(beginning: str) -> list[str]:
    return [name for name in HOSTS if name.startswith(beginning)]


Agents = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[AGENT...]",
        help=f"Which ones; without a name, all that are found: {', '.join(HOSTS)}.",
        autocompletion=_complete,
    ),
]

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog=example("dormouse connect", "dormouse connect claude-code codex"))
def connect(
    agents: Agents = None,
    approve_tools: Annotated[
        bool,
        typer.Option("--approve-tools", help="Codex: let our tools run without asking each time."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Let the agents on this machine use the memory."""
    home = Home.from_environment()
    _known(agents)
    if daemon.ask("GET", daemon.HEALTH).get("state") == "locked":
        # It could not be told which transcripts are old.
        raise daemon.why_closed() or errors.Locked(home=home.root)
    changes = [_not_found(name) for name in _missing(agents)]
    for host in plugins.find(agents or None):
        change = asdict(plugins.connect(home, host, approve_tools=approve_tools))
        if change["state"] in ("connected", "waiting_for_approval"):
            _tell(host, True)
        changes.append(change)
    emit(changes, as_json, lambda: _say(changes, nothing="no agent was found on this machine"))
    _exit(changes)


@app.command(epilog=example("dormouse disconnect", "dormouse disconnect codex"))
def disconnect(agents: Agents = None, as_json: Json = False) -> None:
    """Take the memory out of the agents. Their other settings stay as they are."""
    home = Home.from_environment()
    _known(agents)
    changes = [_not_found(name) for name in _missing(agents)]
    changes += _disconnect(home, agents or None)
    emit(changes, as_json, lambda: _say(changes, nothing="no agent was connected"))
    _exit(changes)


@app.command(epilog=example("dormouse uninstall"))
def uninstall(as_json: Json = False) -> None:
    """Disconnect all agents and stop. The memory itself stays, and you are told where."""
    home = Home.from_environment()
    changes = _disconnect(home, None)
    stop_for_good(home)
    if (service := managers.manager(home)).installed():
        service.remove()
    key = _key_file(home)
    _clear(home)
    there = home.exists()
    answer = {
        "agents": changes,
        "store": str(home.ledger) if there else None,
        "key": key,
        "remove_command": _remove_command(home, key) if there else None,
    }
    emit(answer, as_json, lambda: _uninstalled(answer))
    if any(change["state"] == "failed" for change in changes):
        raise typer.Exit(1)


COLUMNS = (
    "agent", "last event", "sessions", "tasks", "finished", "first time right", "handoffs",
    "facts held", "corrected",
)  # fmt: skip


@app.command("agents", epilog=example("dormouse agents"))
def list_(as_json: Json = False) -> None:
    """Show the agents side by side. When each was last heard, and how its tasks and facts did."""
    found = daemon.ask("GET", daemon.route("agents"))
    rows = [_row(record) for record in found]
    emit(found, as_json, lambda: table(COLUMNS, rows, nothing="no agent was heard yet"))


def _row(record: dict[str, Any]) -> list[str]:
    host = HOSTS.get(record["agent"])
    heard = when(record["last_event_at"]) or "never"
    counts = ("sessions", "tasks", "finished", "first_time_right")
    return [
        host.title if host else record["agent"],
        heard,
        *(str(record[name]) for name in counts),
        f"{record['given']} given, {record['taken']} taken",
        str(record["facts_held"]),
        str(record["facts_corrected"]),
    ]


def _known(agents: list[str] | None) -> None:
    """Raise Usage for a name that is no agent's, before anything is done or started."""
    for name in agents or ():
        if name not in HOSTS:
            hint = f"Known agents: {', '.join(HOSTS)}."
            raise errors.Usage(hint, what=f"There is no agent {name[:40]!r}.")


def _missing(agents: list[str] | None) -> list[str]:
    """Which of the named agents are not on this machine."""
    if not agents:
        return []
    found = {host.id for host in plugins.find(agents)}
    return [name for name in dict.fromkeys(agents) if name not in found]


def _not_found(name: str) -> dict[str, Any]:
    return {"agent": name, "state": "not_found", "files": [], "note": None}


def _disconnect(home: Home, agents: list[str] | None) -> list[dict[str, Any]]:
    changes = []
    for host in plugins.find(agents):
        changes.append(asdict(plugins.disconnect(home, host)))
        _tell(host, False)
    return changes


def _tell(host: Host, connected: bool) -> None:
    """Let the daemon know. Disconnecting goes on without one; it then hears of no more events."""
    folder = host.settings_folder()
    body = {
        "connected": connected,
        "root": str(folder / host.transcripts) if host.transcripts else None,
        "settings": str(folder / (host.settings or "")),
    }
    with contextlib.ExitStack() as stack:
        if not connected:
            stack.enter_context(contextlib.suppress(errors.CliError))
        daemon.ask("POST", daemon.route("agents", host.id), body, autostart=connected)


def _exit(changes: list[dict[str, Any]]) -> None:
    states = {change["state"] for change in changes}
    if "failed" in states:
        raise typer.Exit(1)
    if "not_found" in states:
        raise typer.Exit(4)


def _say(changes: list[dict[str, Any]], *, nothing: str) -> None:
    for change in changes:
        host = HOSTS.get(change["agent"])
        title = host.title if host else change["agent"]
        say(f"{title}: {STATES.get(change['state'], change['state'])}")
        for file in change["files"]:
            say(f"  {file}")
        if change.get("note"):
            say(f"  {change['note']}")
    if not changes:
        say(nothing)


def _key_file(home: Home) -> str | None:
    """The key file's path as keyslots.json has it; it is only named, never read or removed."""
    try:
        slots = json.loads(home.keyslots.read_bytes()).get("slots") or []
        paths = [slot.get("path") for slot in slots if slot.get("kind") == "keyfile"]
    except (OSError, ValueError, AttributeError):
        return None
    return next((path for path in paths if isinstance(path, str)), None)


def _clear(home: Home) -> None:
    """Remove what set-up and daemon make anew. The lock is held, so that no daemon starts now."""
    with contextlib.suppress(OSError):
        lock = os.open(home.lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for file in (home.socket, home.ballast, home.lock):
                file.unlink(missing_ok=True)
        finally:
            os.close(lock)
    for folder in (home.bin, home.log):
        shutil.rmtree(folder, ignore_errors=True)


def _remove_command(home: Home, key: str | None) -> str:
    command = f"rm -r -- {shlex.quote(str(home.root))}"
    return f"{command} && rm -- {shlex.quote(key)}" if key else command


def _uninstalled(answer: dict[str, Any]) -> None:
    _say(answer["agents"], nothing="no agent was connected")
    if answer["store"] is None:
        say("removed; there was no memory here")
        return
    say("removed; the memory itself is still here:")
    say(f"  store  {answer['store']}")
    say(f"  key    {answer['key'] or 'a passphrase, no file'}")
    say(f"this destroys both for good: {answer['remove_command']}")
