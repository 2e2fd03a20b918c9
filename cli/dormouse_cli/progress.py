"""Following a night on a terminal: which step it is at. It only looks; the daemon does the work."""

import time
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from dormouse_cli.daemon import ask, route
from dormouse_cli.output import colours

STEPS = {
    "catch_up": "reading transcripts on",
    "read_day": "reading the day",
    "settle": "settling contradictions",
    "consolidate": "consolidating",
    "tidy": "tidying",
}
LOOK_S = 0.2
GOING_ON = ("running", "paused")


def follow(made: dict[str, Any]) -> dict[str, Any]:
    """Show the steps of a run until it has ended; the run as it is then."""
    run = str(made.get("run"))
    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=20),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    console = Console(no_color=not colours(), highlight=False, markup=False, emoji=False)
    with Progress(*columns, console=console, transient=True) as shown:
        bar = shown.add_task("falling asleep", total=len(STEPS))
        while made.get("state") in GOING_ON:
            made = ask("GET", route("rem", "runs", run), autostart=False)
            steps = made.get("steps") or [{}]
            done = {step.get("step") for step in steps if step.get("state") == "done"}
            shown.update(bar, completed=len(done), description=_said(made, steps[-1]))
            time.sleep(LOOK_S if made.get("state") in GOING_ON else 0)
    return made


def _said(made: dict[str, Any], step: dict[str, Any]) -> str:
    if made.get("state") == "paused":
        return "an agent speaks, waiting"
    return STEPS.get(str(step.get("step")), str(step.get("step") or "falling asleep"))
