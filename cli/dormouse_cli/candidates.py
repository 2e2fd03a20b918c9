"""Candidates: statements that may become facts. They are never recalled until accepted."""

import typer

from dormouse_cli import fact_text, speaking
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import Id, Json, Project, example, only
from dormouse_cli.output import emit, say, short, table

COLUMNS = ("id", "seen", "confidence", "kind", "text")

app = typer.Typer(rich_markup_mode=None)


@app.callback(
    invoke_without_command=True,
    epilog=example("dormouse candidates", "dormouse candidates accept 7k3f2a"),
)
def candidates(context: typer.Context, project: Project = None, as_json: Json = False) -> None:
    """See what may become a fact. Accept or drop it."""
    if context.invoked_subcommand is not None:
        return
    found = ask("GET", route("candidates", project=only(project)))
    rows = [
        [
            short(each["id"]),
            f"{each.get('sightings')} x",
            str(each.get("confidence")),
            str(each.get("kind")),
            str(each["text"]),
        ]
        for each in found
    ]
    emit(found, as_json, lambda: table(COLUMNS, rows, nothing="no candidates"))


@app.command(epilog=example("dormouse candidates accept 7k3f2a"))
def accept(identifier: Id, as_json: Json = False) -> None:
    """Make a candidate a fact."""
    fact = speaking.tell(route("candidates", identifier, "accept"), once=True)
    emit(fact, as_json, lambda: say(fact_text.noted(fact)[0]))


@app.command(epilog=example("dormouse candidates drop 7k3f2a"))
def drop(identifier: Id, as_json: Json = False) -> None:
    """Drop a candidate."""
    answer = speaking.tell(route("candidates", identifier, "drop"))
    emit(answer, as_json, lambda: say(f"dropped {short(answer['id'])}"))
