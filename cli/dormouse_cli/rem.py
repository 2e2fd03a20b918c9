"""REM: sleep now, the reports, taking a run back. Judging and retiring are the daemon's work."""

from typing import Annotated, Any

import typer

from dormouse_cli import errors, owner
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import Json, Yes, example
from dormouse_cli.output import counted, emit, pairs, say, short, table, when

COLUMNS = ("run", "kind", "started", "state", "settled", "facts")
FAILED = ("failed", "stopped")
VERDICTS = ("supersede", "keep", "unsure")

Run = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, or its beginning.")]

app = typer.Typer(rich_markup_mode=None)


@app.callback(epilog=example("dormouse rem run --wait", "dormouse rem log"))
def rem() -> None:
    """Sleep. Settle what is pending, show the reports, take runs back."""


@app.command(epilog=example("dormouse rem run --wait"))
def run(
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it has ended.")] = False,
    as_json: Json = False,
) -> None:
    """Sleep now: settle what is pending. With --wait, failed and stopped runs exit 1."""
    made = ask("POST", route("rem", "runs"), {"wait": wait}, long=wait)
    emit(made, as_json, lambda: _report(made))
    if wait and made.get("state") in FAILED:
        raise typer.Exit(1)


@app.command(epilog=example("dormouse rem log"))
def log(as_json: Json = False) -> None:
    """List the runs, newest first."""
    runs = ask("GET", route("rem", "runs"))
    rows = [
        [
            short(made["run"]),
            str(made.get("kind")),
            when(made.get("started_at")) or "-",
            str(made.get("state")),
            _settled(made),
            f"{made.get('facts_before')} → {made.get('facts_after')}",
        ]
        for made in runs
    ]
    emit(runs, as_json, lambda: table(COLUMNS, rows, nothing="no run so far"))


@app.command(epilog=example("dormouse rem show 7k3f2a"))
def show(run: Run, as_json: Json = False) -> None:
    """Show one run's report."""
    made = ask("GET", route("rem", "runs", run))
    emit(made, as_json, lambda: _report(made))


@app.command(
    epilog=example("dormouse rem undo 7k3f2a", "dormouse rem undo --since 2026-06-01T22:00")
)
def undo(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="The run's id, or its beginning.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Every run from this time on.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Take a run back. What it retired is current again; its pairs wait as questions."""
    if (run is None) == (since is None):
        raise errors.Usage("See `dormouse rem undo --help`.", what="Give a RUN or --since TIME.")
    if run is not None:
        answer = ask("POST", route("rem", "runs", run, "undo"), {}, long=True)
        undone = [answer]
    else:
        answer = undone = ask("POST", route("rem", "undo"), {"since": since}, long=True)
    emit(answer, as_json, lambda: _undone(undone))


@app.command(epilog=example("dormouse rem approve 7k3f2a"))
def approve(run: Run, yes: Yes = False, as_json: Json = False) -> None:
    """Carry out a stopped run. It was stopped because it would have retired too much."""
    body = owner.prove("approving a stopped run", yes=yes)
    made = ask("POST", route("rem", "runs", run, "approve"), body, long=True)
    emit(made, as_json, lambda: _report(made))


def _settled(made: dict[str, Any]) -> str:
    settled = made.get("settled") or {}
    said = [f"{settled[word]} {word}" for word in VERDICTS if settled.get(word)]
    return ", ".join(said) or "-"


def _report(made: dict[str, Any]) -> None:
    retired = [short(identifier) for identifier in made.get("retired") or ()]
    pairs(
        [
            ("run", str(made.get("run"))),
            ("state", f"{made.get('state')} ({made.get('kind')})"),
            ("settled", _settled(made)),
            ("facts", f"{made.get('facts_before')} before, {made.get('facts_after')} after"),
            ("retired", ", ".join(retired) or "-"),
            ("cost", f"{counted(made.get('thinker_calls'), 'thinker call')}, {_took(made)}"),
        ]
    )
    if made.get("no_thinker"):
        say(f"no thinker was asked: {made['no_thinker']}")
    if made.get("state") == "stopped":
        say("it would have retired too much: nothing was carried out")
        say(f"`dormouse rem approve {short(made.get('run'))}` carries it out")


def _took(made: dict[str, Any]) -> str:
    return f"{made.get('took_ms') or 0:.0f} ms"


def _undone(undone: list[dict[str, Any]]) -> None:
    for made in undone:
        say(f"undone {short(made.get('run'))}: {counted(len(made.get('retired') or ()), 'fact')}")
    if not undone:
        say("no run to take back")
