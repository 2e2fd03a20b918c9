"""The privacy level: what each part sends to whom, and the owner's word on it. It sends nothing."""

import contextlib
import sys
from typing import Annotated, Any

import typer

from dormouse_cli import errors, owner
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import Json, Level, Yes, example
from dormouse_cli.output import emit, say

app = typer.Typer(rich_markup_mode=None)
RANK = {level: rank for rank, level in enumerate(Level)}
ASKED = """
Who may help to judge which facts still hold?
  local   nobody: nothing leaves this machine
  agents  your own agents' programs, with your own subscriptions
Level hosted (an endpoint of your choice) can be set with `dormouse privacy hosted`."""


@app.command(epilog=example("dormouse privacy", "dormouse privacy agents"))
def privacy(
    level: Annotated[
        Level | None, typer.Argument(help="The level from now on; without one it is shown.")
    ] = None,
    secret: Annotated[
        bool,
        typer.Option(
            "--secret", help="Also set the endpoint's key: typed, or one line on standard input."
        ),
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Show or set how far a text may go, and what each part would send to whom."""
    found: dict[str, Any] = ask("GET", route("privacy"))
    if level is not None or secret:
        body: dict[str, Any] = {} if level is None else {"level": level}
        now = RANK[Level(found["level"])]
        if secret or (level is not None and (RANK[level] > now or level is Level.HOSTED)):
            body |= owner.prove("raising the privacy level", yes=yes)
        if secret:
            body["secret"] = owner.secret("The endpoint's key: ")
        found = ask("POST", route("privacy"), body)
    emit(found, as_json, lambda: show(found))


def show(found: dict[str, Any]) -> None:
    """The level and its table."""
    unanswered = "" if found.get("answered", True) else "  (until you answer)"
    say(f"privacy level: {found['level']}{unanswered}")
    for part in found["parts"]:
        say(f"  {part['part']}: {part['sends']}, to {part['to']}")
    if found["level"] != Level.LOCAL:
        say("`dormouse privacy local` lets nothing leave this machine")


def ask_once() -> None:
    """Ask for the level if the owner never answered, on a terminal; without one it stays local."""
    if owner.marker() is not None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    with contextlib.suppress(OSError, errors.CliError):  # `up` has done its work already
        if not ask("GET", route("privacy")).get("answered"):
            _ask()


def _ask() -> None:
    with owner.terminal() as tty:
        tty.write(f"{ASKED.strip()}\n")
        for part in ask("GET", route("privacy", level=Level.AGENTS))["parts"]:
            if part["level"] == Level.AGENTS:
                tty.write(f"          {part['part']}: {part['sends']}, to {part['to']}\n")
        tty.write("Type local or agents [local]: ")
        answer = tty.readline().strip().lower()
        level = Level.AGENTS if answer in ("agents", "a") else Level.LOCAL
        ask("POST", route("privacy"), {"level": level})
        tty.write(f"It is {level}; `dormouse privacy` shows and changes it.\n")
