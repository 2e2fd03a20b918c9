"""The user service: install, remove, status. Without a service manager nothing is written."""

import typer

from dormouse_cli import daemon
from dormouse_cli.managers import manager
from dormouse_cli.options import Json, example
from dormouse_cli.output import emit, say
from dormouse_wire.paths import Home

NO_MANAGER = (
    "no service manager of yours answers here; the daemon starts by itself when an agent or a"
    " command needs it"
)
SAID = {
    "running": "installed, the daemon runs",
    "listening": "installed, the daemon starts with the first request",
    "stopped": "installed, stopped: `dormouse up` starts it",
    "not_installed": "not installed; the daemon starts by itself when it is needed",
    "no_manager": NO_MANAGER,
    "installed": "installed: the daemon is started by the first request, also after a login",
    "removed": "removed; the daemon starts by itself when it is needed",
}

app = typer.Typer(rich_markup_mode=None)


@app.callback(epilog=example("dormouse service install", "dormouse service status"))
def service() -> None:
    """The user service. With it your system starts and guards the daemon."""


@app.command(epilog=example("dormouse service install"))
def install(as_json: Json = False) -> None:
    """Let systemd or launchd start the daemon. Harmless when that was done already."""
    home = Home.from_environment()
    found = manager(home)
    if not home.exists():
        daemon.may_start(home)  # says how to set it up first
    if not found.there():
        _say("no_manager", [], as_json)
        return
    if found.state() != "running":
        daemon.stop(home)  # one that was started by hand would keep its socket
    files = found.install()
    home.stopped.unlink(missing_ok=True)
    _say("installed", [str(path) for path in files], as_json)


@app.command(epilog=example("dormouse service remove"))
def remove(as_json: Json = False) -> None:
    """Take the service away. The memory stays as it is."""
    found = manager(Home.from_environment())
    was = found.installed()
    gone = found.remove() if was else []
    _say("removed" if was else "not_installed", [str(path) for path in gone], as_json)


@app.command(epilog=example("dormouse service status"))
def status(as_json: Json = False) -> None:
    """Say whether a service manager looks after the daemon."""
    found = manager(Home.from_environment())
    there = found.there()
    _say(found.state() if there or found.installed() else "no_manager", [], as_json)


def _say(state: str, files: list[str], as_json: bool) -> None:
    def text() -> None:
        say(SAID[state])
        for file in files:
            say(f"  {file}")

    emit({"state": state, "files": files}, as_json, text)
