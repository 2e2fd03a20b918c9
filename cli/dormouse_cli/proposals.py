"""Proposals: what agents may not do by themselves and what therefore waits for the owner's yes."""

from typing import Any

import typer

from dormouse_cli import fact_text, owner, speaking
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import Id, Json, Yes, example
from dormouse_cli.output import emit, say, short, table, when

COLUMNS = ("id", "what", "by", "at", "text")

app = typer.Typer(rich_markup_mode=None)


@app.callback(
    invoke_without_command=True,
    epilog=example("dormouse proposals", "dormouse proposals accept 7k3f2a"),
)
def proposals(context: typer.Context, as_json: Json = False) -> None:
    """See what agents proposed. Accept or reject it."""
    if context.invoked_subcommand is not None:
        return
    found = ask("GET", route("proposals"))
    rows = [_row(each) for each in found]
    emit(found, as_json, lambda: table(COLUMNS, rows, nothing="no proposals"))


@app.command(epilog=example("dormouse proposals accept 7k3f2a"))
def accept(identifier: Id, yes: Yes = False, as_json: Json = False) -> None:
    """Say yes to a proposal. An agent can't do this for you."""
    body = owner.prove("accepting a proposal", yes=yes)
    answer = ask("POST", route("proposals", identifier, "accept"), body, once=True)
    emit(answer, as_json, lambda: say(_done(answer, "accepted")))


@app.command(epilog=example("dormouse proposals reject 7k3f2a"))
def reject(identifier: Id, as_json: Json = False) -> None:
    """Say no to a proposal."""
    answer = speaking.tell(route("proposals", identifier, "reject"))
    emit(answer, as_json, lambda: say(_done(answer, "rejected")))


def _row(proposal: dict[str, Any]) -> list[str]:
    return [
        short(proposal["id"]),
        str(proposal.get("what")),
        str(proposal.get("by") or ""),
        when(proposal.get("at")),
        _text(proposal),
    ]


def _text(proposal: dict[str, Any]) -> str:
    """All that a yes would say yes to: what goes, what comes, and what was said beside it."""
    gone = proposal.get("fact") if proposal.get("what") == "correct" else None
    first = f"in place of {short(gone)}: " if gone else ""
    return f"{first}{proposal.get('text') or ''}" + fact_text.in_short(proposal.get("detail"))


def _done(answer: dict[str, Any], verb: str) -> str:
    if "text" in answer and "scope" in answer:
        return fact_text.noted(answer)[0]
    return f"{verb} {short(answer['id'])}"
