"""The daemon's life: up, down, restart. The store itself is made by the daemon's own set-up."""

import contextlib
import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dormouse_cli import daemon, errors, managers, owner, privacy, slots
from dormouse_cli.options import Json, example
from dormouse_cli.output import emit, say
from dormouse_plugins import connect
from dormouse_wire import __version__, launch
from dormouse_wire.paths import Home, key_folder

SETUP_S = 60.0

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog=example("dormouse up", "dormouse up --passphrase"))
def up(
    passphrase: Annotated[
        bool,
        typer.Option(
            "--passphrase",
            help="A new memory opens with a passphrase only: typed twice, or one line on stdin."
            " Refused where there is a memory already.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Set Dormouse up if that was not done yet, and start it. Harmless when it runs already."""
    home = Home.from_environment()
    daemon.health(home)  # not answering, or a sandbox: nothing is made or started
    new = not home.exists()
    if passphrase and not new:
        raise _exists(home)
    _make_folder(home.root)
    secret = owner.secret("Passphrase: ", twice=True) if passphrase else None
    made = _set_up(home, secret) if new else {"created": False}
    if passphrase and not made.get("created"):  # somebody else made it while this one was typed
        raise _exists(home)
    connect.write_bin(home, sys.executable)
    with contextlib.suppress(FileNotFoundError):
        home.stopped.unlink()
    health = daemon.health(home) or start(home)
    if health.get("state") == "locked" and secret is not None:
        daemon.ask("POST", daemon.route("unlock"), {"passphrase": secret}, long=True)
        health = daemon.health(home) or health
    _raise_if_closed(health)
    if health.get("state") != "locked" and not as_json:
        privacy.ask_once()
    answer = _answer(home, health, created=bool(made.get("created")))
    emit(answer, as_json, lambda: _next_step(home, answer, health))


@app.command(epilog=example("dormouse down"))
def down(as_json: Json = False) -> None:
    """Stop the daemon. Neither hooks nor commands start it again until `dormouse up`."""
    home = Home.from_environment()
    pid = daemon.peer_pid(home)
    was_running = stop_for_good(home)
    answer = _answer(home, {"pid": pid if was_running else None}, created=False)
    said = "stopped" if was_running else "no daemon was running"
    emit(answer, as_json, lambda: say(f"{said}; `dormouse up` starts it again"))


@app.command(epilog=example("dormouse restart"))
def restart(as_json: Json = False) -> None:
    """Stop the daemon and start it again."""
    home = Home.from_environment()
    if not home.exists():
        raise errors.NotSetUp(socket=home.socket, home=home.root)
    stop(home)
    with contextlib.suppress(FileNotFoundError):
        home.stopped.unlink()
    health = start(home)
    answer = _answer(home, health, created=False)
    emit(answer, as_json, lambda: _again(health))


def _again(health: dict[str, Any]) -> None:
    say(f"running again: {health.get('state')}")
    _say_if_locked(health)


def _say_if_locked(health: dict[str, Any]) -> None:
    """What opens a locked memory is the daemon's to say: it knows the slots and the key file."""
    if health.get("state") == "locked":
        why = daemon.why_closed() or errors.Locked(home="")
        say(f"it is locked: {why.hint}")


def stop_for_good(home: Home) -> bool:
    """Write the mark that keeps everybody from starting a daemon, then stop it; was one running?"""
    if home.root.is_dir():
        _make_folder(home.bin)
        home.stopped.touch(mode=0o600)
    return stop(home)


def stop(home: Home) -> bool:
    """Stop the daemon, by its service manager where it has one; was one running?"""
    found = managers.installed(home)
    if found is None:
        return daemon.stop(home)
    was_running = daemon.peer_pid(home) is not None and found.state() == "running"
    found.stop()  # the socket too: else the next connection would start it again
    return daemon.stop(home) or was_running


def start(home: Home) -> dict[str, Any]:
    """Start the daemon, by its service manager where it has one, and wait until it answers."""
    found = managers.installed(home)
    if found is not None:
        found.start()
    return daemon.start_now(home, launched=found is not None)


def _make_folder(path: Path) -> None:
    """A folder that only its owner can enter; one that is here already is closed to others."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(0o700)
    except OSError as error:
        raise errors.Failed(
            "Make the folder above it writable, or set DORMOUSE_HOME to another place.",
            what=f"The folder {path} can't be made: {error.strerror}.",
        ) from error


def _set_up(home: Home, secret: str | None) -> dict[str, Any]:
    """Let the daemon's program make a new store; secrets go in on its standard input."""
    wish: dict[str, Any] = {"slots": ["keyfile"], "key_folder": str(key_folder())}
    if secret is not None:
        wish |= {"slots": ["passphrase"], "passphrase": secret}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "dormouse.main", "--setup"],
            input=json.dumps(wish).encode(),
            capture_output=True,
            env=launch.scrubbed_environment() | {"DORMOUSE_HOME": str(home.root)},
            timeout=SETUP_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise errors.Failed(what=f"Nothing could be set up in {home.root}.") from error
    if done.returncode != 0:
        raise _set_up_failed(home, done)
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def _set_up_failed(home: Home, done: subprocess.CompletedProcess[bytes]) -> errors.CliError:
    """What the set-up said for itself: an error object, or the last line of its complaint."""
    with contextlib.suppress(ValueError, AttributeError):
        found = json.loads(done.stdout)
        if found.get("error"):
            return errors.FromDaemon(500, found)
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    failed = errors.Failed("", what=f"Setting up {home.root} failed. {' '.join(said)}".strip())
    failed.exit_code = done.returncode if 0 < done.returncode <= 7 else 1
    return failed


def _exists(home: Home) -> errors.MemoryExists:
    """A passphrase for a memory that is there already would open nothing: say so."""
    found = slots.kinds(home)
    ways = ", ".join(found) or "what its keyslots.json names"
    if "passphrase" in found:
        hint = "Start it with `dormouse up`, open it with `dormouse unlock`."
        return errors.MemoryExists(hint, home=home.root, ways=ways)
    return errors.MemoryExists(home=home.root, ways=ways)


def _raise_if_closed(health: dict[str, Any]) -> None:
    """A daemon that answers without an open memory (damaged, foreign file) says why when asked."""
    facts = health.get("facts") or {}
    if facts.get("current") is None and health.get("state") == "degraded":
        why = daemon.why_closed()
        if why is not None:
            raise why


def _answer(home: Home, health: dict[str, Any], *, created: bool) -> dict[str, Any]:
    return {
        "pid": health["pid"] if "pid" in health else daemon.peer_pid(home),
        "socket": str(home.socket),
        "version": health.get("version", __version__),
        "created": created,
    }


def _next_step(home: Home, answer: dict[str, Any], health: dict[str, Any]) -> None:
    say(f"a new memory was made in {home.root}" if answer["created"] else "Dormouse is up")
    if health.get("key"):
        say(str(health["key"]))
    _say_if_locked(health)
    connected = [each for each in (health.get("agents") or {}).values() if each.get("connected")]
    if not connected:
        say("next: `dormouse connect` lets your agents use it")
