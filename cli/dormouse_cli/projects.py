"""Projects: what is known of them, and joining two that are one repository."""

from typing import Annotated, Any

import typer

from dormouse_cli import owner
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import Json, Yes, example
from dormouse_cli.output import emit, say, short, table

COLUMNS = ("id", "name", "kind", "facts", "paths")

app = typer.Typer(rich_markup_mode=None)


@app.callback(
    invoke_without_command=True,
    epilog=example("dormouse projects", "dormouse projects join 7k3f2a 9m2q4c"),
)
def projects(context: typer.Context, as_json: Json = False) -> None:
    """List the known projects. Join two that are clones of one repository."""
    if context.invoked_subcommand is not None:
        return
    found = ask("GET", route("projects"))
    emit(found, as_json, lambda: _list(found))


@app.command(epilog=example("dormouse projects join 7k3f2a 9m2q4c"))
def join(
    one: Annotated[str, typer.Argument(metavar="A", help="The project that stays.")],
    other: Annotated[str, typer.Argument(metavar="B", help="The project that goes into it.")],
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Make two projects one: each sees the other's facts from then on."""
    body = {"a": one, "b": other} | owner.prove("joining projects", yes=yes)
    answer = ask("POST", route("projects", "join"), body)
    emit(answer, as_json, lambda: say(f"joined {other} into {one}"))


def _list(found: list[dict[str, Any]]) -> None:
    rows = [
        [
            short(each["id"]),
            str(each.get("name")),
            str(each.get("kind")),
            str(each.get("facts")),
            ", ".join(each.get("paths") or ()),
        ]
        for each in found
    ]
    table(COLUMNS, rows, nothing="no project is known yet")
    for each in found:
        for other in each.get("proposals_to_join") or ():
            pair = f"{short(each['id'])} {short(other)}"
            say(f"the same repository? `dormouse projects join {pair}` makes them one")
