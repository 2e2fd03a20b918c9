"""Facts: keep, list, show, retire, restore, correct, pin. Everything is done by the daemon."""

from typing import Annotated, Any

import typer

from dormouse_cli import errors, fact_text, owner, speaking
from dormouse_cli.daemon import ask, none_here, route, verify
from dormouse_cli.options import (
    GONE,
    Id,
    Json,
    Kind,
    Layer,
    Project,
    Scope,
    Yes,
    example,
    folder,
    only,
    text_of,
)
from dormouse_cli.output import emit, pairs, say, short, table

EVERYWHERE = (Scope.USER, Scope.ORGANISATION)  # these need no folder
RETIRED_AT_ONCE = 10  # forget.per_session: more at once is the owner's to do

app = typer.Typer(rich_markup_mode=None)


@app.command(
    epilog=example(
        'dormouse remember "the staging server is at 10.0.0.5"',
        'dormouse remember "I prefer short answers" --scope user --pin',
        "git log -1 --format=%s | dormouse remember -",
    )
)
def remember(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The statement; - reads stdin.")],
    kind: Annotated[Kind | None, typer.Option(help="What it is about.")] = None,
    layer: Annotated[Layer | None, typer.Option(help="Which layer holds it.")] = None,
    scope: Annotated[
        Scope | None,
        typer.Option(help="Whom it holds for. What is for one session is said in that session."),
    ] = None,
    project: Project = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="When it was said and began to hold; not ahead."),
    ] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Show it in every session.")] = False,
    steps: Annotated[
        list[str] | None, typer.Option(metavar="STEP", help="One step of a procedure; repeat it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Keep a fact, and say for whom it was kept."""
    place = folder(project)
    if place is None and scope not in EVERYWHERE:
        hint = "Name a project with --project DIR, or keep it for you everywhere: --scope user."
        raise errors.Usage(hint, what=GONE)
    body = {
        "text": text_of(text),
        "kind": kind,
        "layer": layer,
        "scope": scope,
        "project": place,
        "at": at,
        "pin": pin or None,
        "steps": steps or None,
    }
    given = {name: value for name, value in body.items() if value is not None}
    fact = speaking.tell(route("facts"), {**speaking.here(), **given}, once=True)
    emit(fact, as_json, lambda: _done(fact, *fact_text.noted(fact)))


@app.command(epilog=example("dormouse facts", "dormouse facts --retired --project ~/src/api"))
def facts(
    retired: Annotated[bool, typer.Option("--retired", help="Only retired ones.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Current and retired ones.")] = False,
    project: Project = None,
    layer: Annotated[Layer | None, typer.Option(help="Only those of one layer.")] = None,
    as_json: Json = False,
) -> None:
    """List this project's facts. Those that hold everywhere too, newest first."""
    if retired and every:
        raise errors.Usage(what="Give --retired or --all, not both.")
    which = "all" if every else "retired" if retired else "current"
    here = folder(project)
    found = ask("GET", route("facts", which=which, project=here, layer=layer))
    nothing = "no facts here" if found or as_json else none_here(here, "no facts here")
    rows = [fact_text.row(fact) for fact in found]
    emit(found, as_json, lambda: table(fact_text.FACT_COLUMNS, rows, nothing=nothing))


@app.command(epilog=example("dormouse show 7k3f2a"))
def show(identifier: Id, as_json: Json = False) -> None:
    """Show one fact with its sources and judgments."""
    fact = ask("GET", route("facts", identifier))
    emit(fact, as_json, lambda: pairs(fact_text.details(fact)))


@app.command(epilog=example("dormouse history 7k3f2a"))
def history(identifier: Id, as_json: Json = False) -> None:
    """Show how a fact changed. The whole chain, oldest first, and who judged each step."""
    chain = ask("GET", route("facts", identifier, "history"))
    emit(chain, as_json, lambda: _chain(chain))


@app.command(epilog=example("dormouse retired", "dormouse retired --project ."))
def retired(project: Project = None, as_json: Json = False) -> None:
    """List what was struck through. All projects, with successor, judge and time."""
    found = ask("GET", route("retired", project=only(project)))
    rows = [fact_text.retired_row(fact) for fact in found]
    nothing = "nothing has been retired"
    emit(found, as_json, lambda: table(fact_text.RETIRED_COLUMNS, rows, nothing=nothing))


@app.command(epilog=example('dormouse retire 7k3f2a --why "the server is gone"'))
def retire(
    identifiers: Annotated[
        list[str], typer.Argument(metavar="ID...", help="One or more ids or their beginnings.")
    ],
    why: Annotated[
        str | None, typer.Option(metavar="REASON", help="Why it is struck through; needed.")
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Strike a fact through. Agents are no longer shown it; `restore` brings it back."""
    proved = len(identifiers) > RETIRED_AT_ONCE
    if proved:
        verify(owner.prove(f"retiring more than {RETIRED_AT_ONCE} facts at once", yes=yes))
    if len(identifiers) > 1 or not why:  # all or, where one id names nothing, none
        agent, place = (None, None) if proved else (owner.agent(), speaking.here().get("project"))
        found = [
            ask("GET", route("facts", each, project=place), agent=agent) for each in identifiers
        ]
        identifiers = [fact["id"] for fact in found]
    if not why:
        raise errors.Usage("Say why: `dormouse retire ID --why REASON`.", what="Missing --why.")
    struck = [
        speaking.of_fact(each, "retire", {"why": why}, as_owner=proved) for each in identifiers
    ]
    value = struck[0] if len(struck) == 1 else struck
    lines = [f"retired {short(fact['id'])}: {fact['text']}" for fact in struck]
    lines.append("`dormouse restore ID` brings it back")
    emit(value, as_json, lambda: _lines(lines) if proved else _done(struck[0], *lines))


@app.command(epilog=example("dormouse restore 7k3f2a"))
def restore(identifier: Id, as_json: Json = False) -> None:
    """Take a retirement back. Your word is final: no judge retires it for the same reason again."""
    fact = speaking.of_fact(identifier, "restore")
    emit(fact, as_json, lambda: say(f"restored {short(fact['id'])}: {fact['text']}"))


@app.command(epilog=example('dormouse correct 7k3f2a "the staging server is at 10.0.0.9"'))
def correct(
    identifier: Id,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="How it is right; - reads stdin.")],
    as_json: Json = False,
) -> None:
    """Put a right fact in the place of a wrong one. The wrong one is retired."""
    fact = speaking.of_fact(identifier, "correct", {"text": text_of(text)}, once=True)
    said = f"noted {short(fact['id'])} in place of {identifier}: {fact.get('text')}"
    emit(fact, as_json, lambda: _done(fact, speaking.proposed(fact) or said))


@app.command(epilog=example("dormouse pin 7k3f2a"))
def pin(identifier: Id, as_json: Json = False) -> None:
    """Show a fact at the start of every session."""
    fact = speaking.of_fact(identifier, "pin")
    said = f"pinned {short(fact['id'])}: {fact.get('text')}"
    emit(fact, as_json, lambda: _done(fact, speaking.proposed(fact) or said))


@app.command(epilog=example("dormouse unpin 7k3f2a"))
def unpin(identifier: Id, as_json: Json = False) -> None:
    """Take a pin off; the fact stays."""
    fact = speaking.of_fact(identifier, "unpin")
    said = f"unpinned {short(fact['id'])}: {fact.get('text')}"
    emit(fact, as_json, lambda: _done(fact, speaking.proposed(fact) or said))


def _done(fact: dict[str, Any], *lines: str) -> None:
    """What became of a change, and whose word it was where it was not the owner's."""
    _lines([*lines, *(["see `dormouse proposals`"] if fact.get("proposal") else [])])
    speaking.say_for_whom()


def _lines(lines: list[str]) -> None:
    for line in lines:
        say(line)


def _chain(chain: list[dict[str, Any]]) -> None:
    for link in chain:
        fact = link["fact"]
        say(f"{short(fact['id'])}  {fact_text.state_of(fact)}: {fact['text']}")
        if link.get("judgment"):
            outcome = f" [{link['outcome']}]" if link.get("outcome") else ""
            say(f"        {fact_text.judgment_line(link['judgment'])}{outcome}")
