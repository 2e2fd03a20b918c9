"""What a night came to, put together from what its steps noted and what was judged. No text."""

from datetime import timedelta
from typing import Any

from dormouse.judgments import Outcome, Verdict
from dormouse.ledger import Reader, StepRow
from dormouse.times import parse

SUMS = (
    "turns",
    "read",
    "facts",
    "new_facts",
    "new_candidates",
    "candidates",
    "summed_up",
    "thinker_calls",
    "thinker_tokens",
)
LISTS = ("made", "folded", "raised")


def waiting(r: Reader) -> int:
    """How much there is to do for a night: new since the last good one, or still waiting."""
    new = r.new_since(r.last_good_sleep())
    return sum(new.values())


def report_of(r: Reader, run_id: str) -> dict[str, Any]:
    """The report of a run: what went in, what was settled and by whom, what waits, what it cost."""
    steps = r.run_steps(run_id)
    report: dict[str, Any] = {
        "settled": {"supersede": 0, "keep": 0, "unsure": 0},
        "by": {},
        "retired": [],
        "thinker_calls": 0,
    }
    for row in r.judgments(run_id=run_id):
        verdict = str(row.ruling.verdict)
        report["settled"][verdict] += 1
        by = report["by"].setdefault(row.ruling.judge, {})
        by[verdict] = by.get(verdict, 0) + 1
        if row.ruling.verdict is Verdict.SUPERSEDE and row.outcome is Outcome.CARRIED_OUT:
            report["retired"].append(row.older_id)
    for step in steps:
        for name in SUMS:
            if name in step.report:
                report[name] = report.get(name, 0) + step.report[name]
        for name in LISTS:
            if name in step.report:
                report[name] = report.get(name, 0) + len(step.report[name])
        report["retired"] += [fold["fact"] for fold in step.report.get("folded", [])]
        told = ("why", "backup", "no_thinker")
        report |= {name: step.report[name] for name in told if name in step.report}
    report["waits"] = waits(r)
    report["took_ms"] = round(sum(map(_took, steps), timedelta()).total_seconds() * 1000)
    return report


def waits(r: Reader) -> dict[str, int]:
    """What waits for the owner."""
    counts = r.counts()
    return {name: counts[name] for name in ("candidates", "proposals", "questions")}


def _took(step: StepRow) -> timedelta:
    if step.ended_at is None:
        return timedelta()
    return max(parse(step.ended_at) - parse(step.started_at), timedelta())
