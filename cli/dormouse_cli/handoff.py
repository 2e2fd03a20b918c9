"""Handoffs: a task on its way from one agent to another. The daemon decides who gets it."""

from typing import Annotated, Any

import typer

from dormouse_cli import owner
from dormouse_cli.daemon import ask, none_here, route
from dormouse_cli.options import Json, Project, example, folder
from dormouse_cli.output import emit, pairs, say, short, table, when
from dormouse_wire.hosts import HOSTS

HandoffId = Annotated[
    str, typer.Argument(metavar="ID", help="The id, or its first characters (4 or more).")
]
As = Annotated[str | None, typer.Option("--as", metavar="AGENT", help="Which agent does it.")]
Token = Annotated[
    int | None, typer.Option("--token", metavar="N", help="The token that came with taking it.")
]
COLUMNS = ("id", "state", "from", "to", "taken by", "given", "goal")

app = typer.Typer(rich_markup_mode=None)


@app.callback(epilog=example("dormouse handoff give --to codex", "dormouse handoff list"))
def handoff() -> None:
    """Hand a task on to another agent, and see what became of it."""


@app.command(epilog=example("dormouse handoff give --to codex", "dormouse handoff give"))
def give(
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="AGENT", help="For whom; else whoever comes first."),
    ] = None,
    goal: Annotated[
        str | None, typer.Option("--goal", metavar="TEXT", help="What the task is for.")
    ] = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Hand the task of this project's last session on to another agent."""
    body = {"to": to, "goal": goal, "from": _agent_here(), "project": folder(project)}
    item = ask("POST", route("handoffs"), _given(body), once=True, long=True)
    whom = item["to"] or "whoever comes first"
    emit(item, as_json, lambda: say(f"offered {short(item['id'])} to {whom}: {item['goal']}"))


@app.command("list", epilog=example("dormouse handoff list"))
def list_(project: Project = None, as_json: Json = False) -> None:
    """List this project's handoffs, newest first, those that are over too."""
    here = folder(project)
    found = ask("GET", route("handoffs", project=here))
    nothing = "no handoffs here" if found or as_json else none_here(here, "no handoffs here")
    rows = [
        (
            short(item["id"]),
            item["state"],
            item["from"]["agent"] or "",
            item["to"] or "anybody",
            item["taken_by"] or "",
            when(item["at"]),
            item["goal"],
        )
        for item in found
    ]
    emit(found, as_json, lambda: table(COLUMNS, rows, nothing=nothing))


@app.command(epilog=example("dormouse handoff show 7k3f2a"))
def show(identifier: HandoffId, project: Project = None, as_json: Json = False) -> None:
    """Show all that is handed on, and what became of it."""
    item = ask("GET", route("handoffs", identifier, project=folder(project)))
    emit(item, as_json, lambda: _whole(item))


@app.command(epilog=example("dormouse handoff take 7k3f2a --as codex"))
def take(
    identifier: HandoffId, as_: As = None, project: Project = None, as_json: Json = False
) -> None:
    """Take a task. One that another agent holds is refused, and you are told who and until when."""
    body = {"as": as_ or _agent_here(), "project": folder(project)}
    item = ask("POST", route("handoffs", identifier, "take"), _given(body))
    emit(item, as_json, lambda: _whole(item))


@app.command(epilog=example("dormouse handoff finish 7k3f2a"))
def finish(
    identifier: HandoffId,
    as_: As = None,
    token: Token = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Say that a task is done. It stays readable and is offered to nobody again."""
    _step(identifier, "finish", as_, token, folder(project), as_json)


@app.command("return", epilog=example("dormouse handoff return 7k3f2a"))
def return_(
    identifier: HandoffId,
    as_: As = None,
    token: Token = None,
    project: Project = None,
    as_json: Json = False,
) -> None:
    """Give a task back that was taken. It is offered again."""
    _step(identifier, "return", as_, token, folder(project), as_json)


def _step(
    identifier: str, verb: str, as_: str | None, token: int | None, place: str | None, as_json: bool
) -> None:
    body = _given({"as": as_, "token": token, "project": place})
    item = ask("POST", route("handoffs", identifier, verb), body)
    emit(item, as_json, lambda: say(f"{short(item['id'])} is {item['state']}: {item['goal']}"))


def _given(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def _agent_here() -> str | None:
    """The agent in whose shell this command runs, if it is one that can take a task."""
    found = owner.agent()
    return found if found in HOSTS else None


def _whole(item: dict[str, Any]) -> None:
    state = item["state"]
    if item["until"]:
        state += f" by {item['taken_by']} until {when(item['until'])}, token {item['token']}"
    pairs([("state", state)])
    for line in item["text"].splitlines():
        say(f"  {line}")
    pairs([(when(e["at"]), f"{e['what']} {e['agent'] or ''}".rstrip()) for e in item["history"]])
