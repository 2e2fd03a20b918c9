"""The journal: the turns that are held for a while, and how to drop those of a session."""

from typing import Annotated, Any

import typer

from dormouse_cli import errors, speaking
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import Json, example
from dormouse_cli.output import counted, emit, say, table, when

COLUMNS = ("at", "agent", "session", "who", "text")

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog=example("dormouse journal", "dormouse journal --drop eaf70cd2-1e0d-4a09-916f"))
def journal(
    session: Annotated[
        str | None, typer.Option(metavar="SESSION", help="Only the turns of one session.")
    ] = None,
    drop: Annotated[
        str | None, typer.Option(metavar="SESSION", help="Drop the turns of a session.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show or drop the turns that are held. Facts made from them stay."""
    if session is not None and drop is not None:
        raise errors.Usage(what="Give --session or --drop, not both.")
    if drop is not None:
        answer = speaking.tell(route("journal", "drop"), {"session": drop})
        emit(answer, as_json, lambda: say(_dropped(answer)))
        return
    found = ask("GET", route("journal", session=session))
    rows = [
        [
            when(turn.get("at")),
            str(turn.get("agent") or ""),
            str(turn.get("session") or ""),
            str(turn.get("role") or ""),
            str(turn.get("text") or ""),
        ]
        for turn in found
    ]
    emit(found, as_json, lambda: table(COLUMNS, rows, nothing="the journal holds no turns"))


def _dropped(answer: Any) -> str:
    number = answer.get("dropped") if isinstance(answer, dict) else None
    return f"dropped {counted(number, 'turn')}" if isinstance(number, int) else "dropped"
