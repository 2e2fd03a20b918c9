"""Sleep: runs that settle what is pending. Catches broadly, to note a failed step in its report."""

import logging
import time
from dataclasses import dataclass

from dormouse.errors import Conflict
from dormouse.facts import Look
from dormouse.judgments import Verdict
from dormouse.ledger import RunRow, Writer
from dormouse.work import catchup
from dormouse.work.memory import Memory
from dormouse.work.settle import LEVEL, report, settle_pending

log = logging.getLogger("dormouse")
EVERYTHING = Look(everything=True)


@dataclass(slots=True)
class Night:
    """The run that is going on, if any: only one at a time."""

    running: str | None = None


async def sleep(memory: Memory, night: Night) -> str:
    """Catch up, then settle what is pending; returns the run's id. Raises Conflict if one runs."""
    if night.running is not None:
        raise Conflict(what=f"run {night.running} is still going on")
    run_id = await memory.write(lambda w: w.open_run("rem"))
    night.running = run_id
    began = time.monotonic()
    state, found = "done", {}
    try:
        await memory.aside(lambda: catchup.everything(memory))
        settled = await settle_pending(memory, run_id)
        found = report(settled)
        state = "stopped" if settled.state == "stopped" else "done"
        await memory.write(
            lambda w: w.trim_journal(memory.settings.journal_days, memory.settings.journal_mb)
        )
        await memory.aside(memory.ledger.checkpoint)
    except Exception:
        log.exception("run %s failed", run_id)
        state = "failed"
    finally:
        night.running = None
        found["took_ms"] = round((time.monotonic() - began) * 1000)
        await memory.write(lambda w: w.close_run(run_id, state=state, report=found))
    return run_id


def approve(w: Writer, run_id: str) -> RunRow:
    """Carry a stopped plan out after all: the owner's decision. Each pair is looked at again."""
    run = w.run(run_id)
    if run.state != "stopped":
        raise Conflict(what=f"run {run_id} was not stopped, it is {run.state}")
    decisions = w.stopped_decisions(run_id)
    result = w.carry_out(decisions, run_id=run_id, level=LEVEL)
    settled = {"supersede": len(result.retired), "keep": result.kept, "unsure": result.asked}
    done = {**run.report, "settled": settled, "retired": [older for older, _ in result.retired]}
    w.close_run(run_id, state="done", report=done)
    return w.run(run_id)


def undo(w: Writer, run_id: str) -> RunRow:
    """Take everything back that a run retired; its pairs wait as questions."""
    run = w.run(run_id)
    if run.state == "stopped":  # nothing was carried out: the plan is dropped, its questions stay
        w.close_run(run_id, state="undone", report=run.report)
        return w.run(run_id)
    if run.state not in ("done", "paused", "failed"):
        raise Conflict(what=f"run {run_id} can't be undone, it is {run.state}")
    w.undo_run(run_id, by="owner")
    return w.run(run_id)


def undo_since(w: Writer, since: str) -> list[RunRow]:
    """Undo every run that began at or after *since*, newest first."""
    runs = [run for run in w.runs(limit=10_000) if run.started_at >= since]
    return [
        undo(w, run.id)
        for run in runs
        if run.state == "done" and run.kind != "owner" and _retired_something(w, run)
    ]


def _retired_something(w: Writer, run: RunRow) -> bool:
    return any(row.ruling.verdict is Verdict.SUPERSEDE for row in w.judgments(run_id=run.id))
