"""Recall: what the memory knows about something. A miss is an answer, not an error."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from dormouse_cli import fact_text
from dormouse_cli.daemon import SWITCHED_OFF, ask, route
from dormouse_cli.options import Json, Project, example, folder, text_of
from dormouse_cli.output import emit, say, short

app = typer.Typer(rich_markup_mode=None)

REASONS = {
    "no_match": "no match",
    "silenced": "no match that is good enough to show",
    "private": SWITCHED_OFF,
    "empty": "no match: nothing is remembered here yet",
}


SAYINGS = {
    "found_by": "found by {}",
    "matched": "words in common: {}",
    "words": "its words fit {} of 1",
    "bm25_share": "{} of the best by words",
    "meaning": "its meaning is {} near",
    "fit": "both together fit {} of 1",
    "around": "{}",
    "shown_because": "shown because {}",
    "scope": "holds for {}",
    "trust": "{}",
    "importance": "importance {}",
    "said": "said {}",
}


@app.command(
    epilog=example(
        'dormouse recall "where is staging"',
        'dormouse recall "on-call" --as-of 2026-05-15 --why',
    )
)
def recall(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for; - reads stdin.")],
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="How many.")] = None,
    project: Project = None,
    as_of: Annotated[
        str | None, typer.Option(metavar="TIME", help="What held at that time.")
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="Retired facts too.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Say why each one is shown.")] = False,
    as_json: Json = False,
) -> None:
    """Find facts. Those of this project and those that hold everywhere."""
    body = {
        "query": text_of(query),
        "limit": limit,
        "project": folder(project),
        "as_of": as_of,
        "history": history or None,
        "why": why or None,
    }
    given = {name: value for name, value in body.items() if value is not None}
    answer = ask("POST", route("recall"), given)
    emit(answer, as_json, lambda: _hits(answer, why))


def _hits(answer: Mapping[str, Any], why: bool) -> None:
    hits = answer.get("hits") or []
    for hit in hits:
        state = "" if fact_text.current(hit) else f"  [{fact_text.state_of(hit)}]"
        say(f"{short(hit['id'])}  {hit.get('score') or 0:.2f}  {hit['text']}{state}")
        if why and hit.get("why"):
            say(f"              {_reasons(hit['why'])}")
    for level in answer.get("compaction") or ():
        (before, after), (units, left) = level["records"], level["units"]
        say(f"for a prompt, {level['name']}: {before} → {after} facts, {units} → {left} units")
    if not hits:
        reason = str(answer.get("reason"))
        say(REASONS.get(reason, "no match"))
    if answer.get("left_out"):
        say(f"… {answer['left_out']} more; --limit shows them")


def _reasons(why: Any) -> str:
    """The parts of a score as a sentence; what is new to this program stands at its end by name."""
    if not isinstance(why, Mapping):
        return str(why)
    rest = dict(why)
    parts = []
    for name, says in SAYINGS.items():
        value = rest.pop(name, None)
        if value not in (None, ""):
            parts.append(says.format(_figure(value)))
    parts += [f"{name} {_figure(value)}" for name, value in rest.items()]
    return "; ".join(parts)


def _figure(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
