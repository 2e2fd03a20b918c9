"""The steps of a night as checkpoints: begun, noted on while they work, ended. No fact's text."""

import json
from collections.abc import Mapping
from typing import Any

from dormouse.ledger.base import Connected
from dormouse.ledger.judgment_reads import _RUN, _run_row
from dormouse.ledger.rows import RunRow, StepRow

_STEP = "run_id, step, state, started_at, ended_at, before, after, report"
_FACTS = "(SELECT count(*) FROM current_facts)"


def _step_row(row: tuple[Any, ...]) -> StepRow:
    return StepRow(*(*row[:7], json.loads(row[7] or "{}")))


class StepReads(Connected):
    """What each step of a run did, and how often it failed."""

    def run_steps(self, run_id: str) -> list[StepRow]:
        """Every attempt at a step of the run, oldest first."""
        sql = f"SELECT {_STEP} FROM run_steps WHERE run_id = ? ORDER BY started_at"
        return [_step_row(row) for row in self._all(sql, run_id)]

    def last_sleep(self) -> RunRow | None:
        """The newest run of kind rem, whatever its state."""
        sql = f"SELECT {_RUN} FROM runs WHERE kind = 'rem' ORDER BY nr DESC LIMIT 1"
        row = self._one(sql)
        return None if row is None else _run_row(row)

    def last_good_sleep(self) -> str | None:
        """When a run of kind rem last ended well."""
        value = self._scalar(
            "SELECT ended_at FROM runs WHERE kind = 'rem' AND state = 'done'"
            " ORDER BY nr DESC LIMIT 1"
        )
        return None if value is None else str(value)

    def failures(self) -> dict[str, tuple[int, str]]:
        """By step: how often it failed since it last ended well, and when it last did."""
        rows = self._all(
            "SELECT step, count(*), max(coalesce(ended_at, started_at)) FROM run_steps AS s"
            " WHERE state IN ('failed', 'interrupted') AND started_at > coalesce((SELECT"
            " max(started_at) FROM run_steps WHERE step = s.step AND state = 'done'), '')"
            " GROUP BY step"
        )
        return {row[0]: (int(row[1]), str(row[2])) for row in rows}

    def new_since(self, at: str | None) -> dict[str, int]:
        """What came in since *at* (ever, if None) or waits anyway: the work of a night."""
        since = at or ""
        found = {
            "facts": "SELECT count(*) FROM facts WHERE captured_at > ?1",
            "turns": "SELECT count(*) FROM turns WHERE at > ?1 OR state = 'pending'",
            "unsettled": "SELECT count(*) FROM unsettled WHERE ?1 IS NOT NULL",
            "candidates": "SELECT count(*) FROM candidates WHERE at > ?1",
        }
        return {name: int(self._scalar(sql, since)) for name, sql in found.items()}


class StepWrites(StepReads):
    """A step's row is written before it works and again with whatever it does."""

    def go_on_with(self, run_id: str) -> None:
        """A run that was paused, failed or cut off is running again."""
        self._run("UPDATE runs SET state = 'running', ended_at = NULL WHERE id = ?", run_id)

    def pause_run(self, run_id: str) -> None:
        """An agent speaks: the run waits at its checkpoint."""
        self._run("UPDATE runs SET state = 'paused' WHERE id = ?", run_id)

    def cut_off_runs(self) -> int:
        """Whatever a killed daemon left running is paused, its step interrupted; how many runs."""
        self._run(
            "UPDATE run_steps SET state = 'interrupted', ended_at = ? WHERE state = 'running'",
            self._now(),
        )
        return int(
            self._run(
                "UPDATE runs SET state = 'paused' WHERE kind = 'rem' AND state = 'running'"
            ).rowcount
        )

    def begin_step(self, run_id: str, step: str) -> str:
        """Note that a step begins; the time that is its key, together with run and step."""
        now = self._now()
        self._run(
            f"INSERT INTO run_steps (run_id, step, state, started_at, before)"
            f" VALUES (?, ?, 'running', ?, {_FACTS})",
            run_id, step, now,
        )  # fmt: skip
        return now

    def step_report(self, run_id: str, step: str, started_at: str) -> dict[str, Any]:
        """What the step has noted so far."""
        text = self._scalar(
            "SELECT report FROM run_steps WHERE run_id = ? AND step = ? AND started_at = ?",
            run_id, step, started_at,
        )  # fmt: skip
        report: dict[str, Any] = json.loads(text or "{}")
        return report

    def note_step(self, run_id: str, step: str, started_at: str, report: Mapping[str, Any]) -> None:
        """Keep what a step did, in the transaction in which it did it."""
        self._run(
            "UPDATE run_steps SET report = ? WHERE run_id = ? AND step = ? AND started_at = ?",
            json.dumps(dict(report)), run_id, step, started_at,
        )  # fmt: skip

    def end_step(self, run_id: str, step: str, started_at: str, state: str) -> None:
        """Note how a step ended: done, paused, failed or stopped."""
        self._run(
            f"UPDATE run_steps SET state = ?, ended_at = ?, after = {_FACTS}"
            " WHERE run_id = ? AND step = ? AND started_at = ?",
            state, self._now(), run_id, step, started_at,
        )  # fmt: skip
