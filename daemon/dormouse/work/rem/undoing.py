"""Taking a night back, and carrying a stopped plan out: the owner's decisions."""

from dataclasses import replace
from typing import Any

from dormouse.errors import Conflict
from dormouse.facts import Because, Layer
from dormouse.judgments import Verdict
from dormouse.ledger import CandidateRow, RunRow, StepRow, Writer
from dormouse.work.owner import drop_candidate
from dormouse.work.rem.consolidate import KEPT
from dormouse.work.rem.night import READ
from dormouse.work.settle import LEVEL

DID = ("made", "raised", "folded", "new_facts", "found", "confirmed")


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
    """Take everything back that a run retired or made; its pairs wait as questions."""
    run = w.run(run_id)
    if run.state == "stopped":  # nothing was carried out: the plan is dropped, its questions stay
        w.close_run(run_id, state="undone", report=run.report)
        return w.run(run_id)
    if run.state not in ("done", "paused", "failed"):
        raise Conflict(what=f"run {run_id} can't be undone, it is {run.state}")
    for step in reversed(w.run_steps(run_id)):
        if step.step == READ:
            _unread(w, step)
        for made in step.report.get("made", ()):
            _unmake(w, made)
        for fact_id in step.report.get("raised", ()):
            _lower(w, fact_id)
    w.undo_run(run_id, by="owner")
    return w.run(run_id)


def _unread(w: Writer, step: StepRow) -> None:
    """Take back what reading the day made, found and confirmed."""
    agreed = {made["fact"]: made for made in step.report.get("agreed", ())}
    for fact_id in w.made_by_sleep(step.started_at, step.ended_at or step.started_at):
        _unmake(w, agreed.get(fact_id, {"fact": fact_id}))
    for found in reversed(step.report.get("found", ())):
        _unfind(w, found)
    for one in reversed(step.report.get("confirmed", ())):
        if w.facts_by_id([one["fact"]]):
            w.take_source_back(one["fact"], one["turn"], one["confidence"])


def _unfind(w: Writer, found: dict[str, Any]) -> None:
    """A candidate that the night found goes and is not found again; one it saw is as before."""
    row = next((row for row in w.candidates() if row.id == found["candidate"]), None)
    if row is None:
        return
    if (before := found.get("before")) is None:
        drop_candidate(w, row.id)
        return
    w.drop_candidate(row.id)
    w.bring_back_candidate(replace(row, **before))


def _unmake(w: Writer, made: dict[str, Any]) -> None:
    """A fact that the night made is retired; what it was made from waits again, for the owner."""
    fact = w.facts_by_id([made["fact"]]).get(made["fact"])
    if fact is None or not fact.current:
        return
    run = w.open_run("owner")
    w.retire(fact.id, because=Because.OWNER, by="undo", run_id=run)
    w.close_run(run, state="done", report={"retired": [fact.id]})
    w.suppress(
        text_hash=w.hash_of(fact.text), slot=fact.slot, project_id=fact.project_id, by="owner"
    )
    noted = made.get("candidate")
    if noted is None:
        return
    project = fact.project_id, fact.project_name
    w.bring_back_candidate(
        CandidateRow(
            noted["id"],
            fact.text,
            fact.kind,
            fact.scope,
            *project,
            noted["first_turn"],
            noted["sightings"],
            noted["confidence"],
            noted["at"],
            noted["last_turn"],
            fact.branch,
        )
    )


def _lower(w: Writer, fact_id: str) -> None:
    """An episode that the night made lasting is an episode again, and stays one."""
    fact = w.facts_by_id([fact_id]).get(fact_id)
    if fact is not None and fact.layer is Layer.SEMANTIC:
        w.set_layer(fact_id, Layer.EPISODIC)
        w.set_setting(KEPT + fact_id, "taken back")


def undo_since(w: Writer, since: str) -> list[RunRow]:
    """Undo every run that began at or after *since*, newest first."""
    runs = [run for run in w.runs(limit=10_000) if run.started_at >= since]
    return [
        undo(w, run.id)
        for run in runs
        if run.state in ("done", "paused", "failed") and run.kind != "owner" and _did(w, run)
    ]


def _did(w: Writer, run: RunRow) -> bool:
    """Whether there is anything to take back."""
    if any(row.ruling.verdict is Verdict.SUPERSEDE for row in w.judgments(run_id=run.id)):
        return True
    noted = [step.report for step in w.run_steps(run.id)]
    return any(report.get(name) for report in noted for name in DID)
