"""REM: sleep now, the reports, taking a run back. Judging and retiring are the daemon's work."""

from typing import Annotated, Any

import typer

from dormouse_cli import errors, owner, progress, speaking
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import Json, Yes, example
from dormouse_cli.output import counted, emit, listed, on_terminal, pairs, say, short, table, when

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
    if wait and on_terminal() and not as_json:
        made = progress.follow(ask("POST", route("rem", "runs"), {"wait": False}))
    else:
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
        answer = speaking.tell(route("rem", "runs", run, "undo"), long=True)
        undone = [answer]
    else:
        answer = undone = speaking.tell(route("rem", "undo"), {"since": since}, long=True)
    emit(answer, as_json, lambda: _undone(undone))


@app.command(epilog=example("dormouse rem approve 7k3f2a"))
def approve(run: Run, yes: Yes = False, as_json: Json = False) -> None:
    """Carry out a stopped run. It was stopped because it would have retired too much."""
    body = owner.prove("approving a stopped run", yes=yes)
    made = ask("POST", route("rem", "runs", run, "approve"), body, long=True)
    emit(made, as_json, lambda: _report(made))


def _settled(made: dict[str, Any]) -> str:
    settled = made.get("settled") or {}
    return _verdicts(settled) or "-"


def _report(made: dict[str, Any]) -> None:
    retired = [short(identifier) for identifier in made.get("retired") or ()]
    pairs(
        [
            ("run", str(made.get("run"))),
            ("state", f"{made.get('state')} ({made.get('kind')})"),
            ("came in", listed(made.get("came_in") or {})),
            ("settled", _settled(made)),
            *_by(made),
            ("facts", f"{made.get('facts_before')} before, {made.get('facts_after')} after"),
            ("retired", ", ".join(retired) or "-"),
            *_changed(made),
            ("waits for you", listed(made.get("waits") or {})),
            ("cost", _cost(made)),
            *_steps(made),
        ]
    )
    if made.get("no_thinker"):
        say(f"no thinker was asked: {made['no_thinker']}")
    if made.get("state") == "stopped":
        say("it would have retired too much: nothing was carried out")
        say(f"`dormouse rem approve {short(made.get('run'))}` carries it out")


def _by(made: dict[str, Any]) -> list[tuple[str, str]]:
    """Who said what, where it was said by somebody."""
    return [
        ("by" if number == 0 else "", f"{judge}: " + _verdicts(said))
        for number, (judge, said) in enumerate((made.get("by") or {}).items())
    ]


def _verdicts(said: dict[str, int]) -> str:
    return ", ".join(f"{said[word]} {word}" for word in VERDICTS if said.get(word))


def _changed(made: dict[str, Any]) -> list[tuple[str, str]]:
    names = {
        "made": ("candidate made a fact", "candidates made facts"),
        "folded": ("duplicate folded", "duplicates folded"),
        "raised": ("episode made lasting", "episodes made lasting"),
    }
    said = [counted(made[name], *words) for name, words in names.items() if made.get(name)]
    read = made.get("read") or {}
    said += [f"{counted(read[name], name[:-1])} read" for name in read if read[name]]
    return [("changed", ", ".join(said))] if said else []


def _cost(made: dict[str, Any]) -> str:
    tokens = made.get("thinker_tokens")
    spent = f" ({counted(tokens, 'token')})" if tokens else ""
    return f"{counted(made.get('thinker_calls'), 'thinker call')}{spent}, {_took(made)}"


def _steps(made: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (
            "steps" if number == 0 else "",
            f"{step.get('step')} {step.get('state')}, {step.get('facts_before')} →"
            f" {step.get('facts_after')} facts",
        )
        for number, step in enumerate(made.get("steps") or ())
    ]


def _took(made: dict[str, Any]) -> str:
    return f"{made.get('took_ms') or 0:.0f} ms"


def _undone(undone: list[dict[str, Any]]) -> None:
    for made in undone:
        say(f"undone {short(made.get('run'))}: {counted(len(made.get('retired') or ()), 'fact')}")
    if not undone:
        say("no run to take back")
