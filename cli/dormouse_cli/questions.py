"""Questions: pairs of facts that no judge was sure of. Only the owner answers them."""

from typing import Annotated, Any

import typer

from dormouse_cli import fact_text, owner
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import Answer, Id, Json, Project, Yes, example, only
from dormouse_cli.output import emit, say, short, when

app = typer.Typer(rich_markup_mode=None)


@app.callback(
    invoke_without_command=True,
    epilog=example("dormouse questions", "dormouse questions answer 7k3f2a supersede"),
)
def questions(context: typer.Context, project: Project = None, as_json: Json = False) -> None:
    """See pairs that no judge was sure of. Say which fact holds."""
    if context.invoked_subcommand is not None:
        return
    found = ask("GET", route("questions", project=only(project)))
    emit(found, as_json, lambda: _list(found))


@app.command(
    epilog=example(
        "dormouse questions answer 7k3f2a supersede", "dormouse questions answer 7k3f2a keep"
    )
)
def answer(
    identifier: Id,
    verdict: Annotated[
        Answer,
        typer.Argument(help="supersede: the newer one retires the older. keep: both hold."),
    ],
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Answer a question. Your word is final."""
    body = {"verdict": verdict} | owner.prove("answering a question", yes=yes)
    fact = ask("POST", route("questions", identifier, "answer"), body)
    emit(fact, as_json, lambda: say(_done(fact, verdict)))


def _list(found: list[dict[str, Any]]) -> None:
    if not found:
        say("no questions")
    for question in found:
        older, newer = question["older"], question["newer"]
        say(f"{short(question['id'])}  asked {when(question.get('asked_at'))}")
        say(f"  older  {short(older['id'])}  {when(older.get('valid_from'))}  {older['text']}")
        say(f"  newer  {short(newer['id'])}  {when(newer.get('valid_from'))}  {newer['text']}")
        if question.get("why"):
            say(f"  why    {question['why']}")
    if found:
        say("answer with `dormouse questions answer ID supersede` or `… keep`")


def _done(fact: dict[str, Any], verdict: Answer) -> str:
    if "text" not in fact:
        return f"answered {short(fact.get('id'))}: {verdict}"
    return f"{short(fact['id'])} is {fact_text.state_of(fact)}: {fact['text']}"
