"""Looking at what waits for the owner, at what was suppressed, and at small kept values."""

import json
from collections.abc import Sequence
from typing import Any

from dormouse.facts import Look, Slot
from dormouse.ledger.base import Connected, visible
from dormouse.ledger.fact_reads import KINDS, SCOPES
from dormouse.ledger.rows import CandidateRow, ProposalRow
from dormouse.projects.values import Known

CANDIDATE = (
    "f.id, f.text, f.kind, f.scope, f.project_id,"
    " (SELECT name FROM projects WHERE id = f.project_id),"
    " f.first_turn, f.sightings, f.confidence, f.at, f.last_turn, f.branch"
)
PROPOSAL = "id, what, payload, by, at, state"
_COUNTS = {
    "candidates": "SELECT count(*) FROM candidates",
    "proposals": "SELECT count(*) FROM proposals WHERE state = 'open'",
    "questions": "SELECT count(*) FROM open_questions",
    "unsettled": "SELECT count(*) FROM unsettled",
    "turns": "SELECT count(*) FROM turns",
    "turns_pending": "SELECT count(*) FROM turns WHERE state = 'pending'",
    "turns_parked": "SELECT count(*) FROM turns WHERE state = 'parked'",
    "turns_tool": "SELECT count(*) FROM turns WHERE role = 'tool'",
}


def candidate_of(row: Sequence[Any]) -> CandidateRow:
    """The candidate of one row of CANDIDATE."""
    return CandidateRow(row[0], row[1], KINDS[row[2]], SCOPES[row[3]], *row[4:])


def proposal_of(row: Sequence[Any]) -> ProposalRow:
    """The proposal of one row of PROPOSAL."""
    return ProposalRow(row[0], row[1], json.loads(row[2]), *row[3:])


class WaitingReads(Connected):
    """Candidates, proposals, suppressions, projects, answers and settings."""

    def candidates(self, look: Look | None = None) -> list[CandidateRow]:
        """Candidates that *look* may see (all, if None), most sighted first."""
        seen, values = visible(look or Look(everything=True))
        seen = seen.replace("f.session_id = ?", "? IS NULL")  # a candidate is of no session
        rows = self._all(
            f"SELECT {CANDIDATE} FROM candidates AS f WHERE {seen}"
            " ORDER BY f.sightings DESC, f.confidence DESC, f.at, f.id",
            *values,
        )
        return [candidate_of(row) for row in rows]

    def proposals(self, *, state: str = "open") -> list[ProposalRow]:
        """Proposals in *state*, oldest first."""
        rows = self._all(f"SELECT {PROPOSAL} FROM proposals WHERE state = ? ORDER BY at, id", state)
        return [proposal_of(row) for row in rows]

    def suppressed(self, *, text_hash: str, slot: Slot, look: Look) -> bool:
        """Whether this text, or this value of its slot, was forgotten: not to be learnt again."""
        place = "1" if look.everything else "(project_id IS NULL OR project_id IS ?)"
        values = () if look.everything else (look.project_id,)
        row = self._one(
            "SELECT 1 FROM suppressions WHERE (text_hash = ? OR (subject = ? AND attribute = ?"
            f" AND (value IS NULL OR value = ?))) AND {place} LIMIT 1",
            text_hash, slot.subject, slot.attribute, slot.value, *values,
        )  # fmt: skip
        return row is not None

    def kept_answer(self, key: str) -> tuple[str, str] | None:
        """The (fingerprint, answer) that was kept under an idempotency key."""
        row = self._one("SELECT fingerprint, answer FROM kept_answers WHERE key = ?", key)
        return None if row is None else (row[0], row[1])

    def setting(self, name: str) -> str | None:
        """A value that was set under *name*."""
        value = self._scalar("SELECT value FROM settings WHERE name = ?", name)
        return None if value is None else str(value)

    def counts(self) -> dict[str, int]:
        """How many rows of each sort there are; ``pending`` is what waits to be worked on."""
        current, retired = self._one(
            "SELECT count(*) - count(retired_at), count(retired_at) FROM facts"
        )
        found = {"facts_current": current, "facts_retired": retired}
        found |= {name: int(self._scalar(sql)) for name, sql in _COUNTS.items()}
        found["pending"] = found["unsettled"] + found["turns_pending"]
        return found

    def known_projects(self) -> list[Known]:
        """Every known project. A joined one stands in the list again, under the id it joined."""
        paths: dict[str, list[str]] = {}
        for project_id, path in self._all(
            "SELECT project_id, path FROM project_paths ORDER BY project_id, path"
        ):
            paths.setdefault(project_id, []).append(path)
        rows = self._all(
            "SELECT p.id, coalesce(into_.id, p.id), coalesce(into_.name, p.name), p.kind,"
            " p.common_dir, p.common_id, p.first_commit, p.remote"
            " FROM projects AS p LEFT JOIN projects AS into_ ON into_.id = p.joined_into"
            " ORDER BY p.joined_into IS NOT NULL, p.nr"
        )
        return [
            Known(row[1], row[2], row[3], row[4], row[5], tuple(paths.get(row[0], ())), *row[6:])
            for row in rows
        ]
