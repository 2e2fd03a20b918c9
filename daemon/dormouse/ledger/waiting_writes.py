"""Keeping what waits for the owner, known projects, answers and settings."""

import json
from typing import Any

from dormouse.errors import Conflict, KeyReused, NotFound
from dormouse.facts import Kind, NewFact, Scope
from dormouse.ledger.fact_writes import FactWrites
from dormouse.ledger.ids import new_id
from dormouse.ledger.rows import CandidateRow, Captured, ProposalRow
from dormouse.ledger.waiting_reads import (
    CANDIDATE,
    PROPOSAL,
    WaitingReads,
    candidate_of,
    proposal_of,
)
from dormouse.projects.values import Known


class WaitingWrites(WaitingReads, FactWrites):
    """Candidates, proposals, projects, answers and settings."""

    def add_candidate(
        self,
        text: str,
        *,
        kind: Kind = Kind.PROJECT,
        scope: Scope = Scope.USER,
        project_id: str | None = None,
        branch: str | None = None,
        turn_id: str | None = None,
        confidence: float = 0.7,
    ) -> CandidateRow:
        """Keep a statement that is not yet a fact, or count one more sighting, once a turn."""
        self._refuse_if_full()
        prepared = self._prepared(text)
        row = self._one(
            "SELECT id, last_turn FROM candidates WHERE text_hash = ? AND scope = ?"
            " AND project_id IS ?",
            prepared.hash, str(scope), project_id,
        )  # fmt: skip
        if row is None:
            id = new_id()
            self._run(
                "INSERT INTO candidates (id, text, text_hash, kind, scope, project_id, branch,"
                " first_turn, last_turn, sightings, confidence, at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
                id, prepared.text, prepared.hash, str(kind), str(scope), project_id,
                branch or None, turn_id, turn_id, confidence, self._now(),
            )  # fmt: skip
            return self.candidate(id)
        if turn_id is None or row[1] != turn_id:
            self._run(
                "UPDATE candidates SET sightings = sightings + 1, last_turn = ?,"
                " confidence = max(confidence, ?) WHERE id = ?",
                turn_id, confidence, row[0],
            )  # fmt: skip
        return self.candidate(row[0])

    def candidate(self, id: str) -> CandidateRow:
        """One candidate by its whole id. Raises NotFound."""
        row = self._one(f"SELECT {CANDIDATE} FROM candidates AS f WHERE f.id = ?", id)
        if row is None:
            raise NotFound(what="candidate", id=id, hint="See `dormouse candidates`.")
        return candidate_of(row)

    def drop_candidate(self, id: str) -> None:
        """Let a candidate go. Raises NotFound."""
        if self._run("DELETE FROM candidates WHERE id = ?", id).rowcount != 1:
            raise NotFound(what="candidate", id=id, hint="See `dormouse candidates`.")

    def accept_candidate(self, id: str, new: NewFact) -> Captured:
        """Make a candidate a fact. Raises NotFound."""
        self.drop_candidate(id)
        return self.capture(new)

    def propose(self, what: str, payload: dict[str, Any], by: str) -> ProposalRow:
        """Let something wait for the owner's yes; an equal open proposal is returned instead."""
        self._refuse_if_full()
        text = json.dumps(self._fit(payload), ensure_ascii=False, sort_keys=True)
        row = self._one(
            f"SELECT {PROPOSAL} FROM proposals WHERE state = 'open' AND what = ? AND payload = ?",
            what, text,
        )  # fmt: skip
        if row is None:
            row = (new_id(), what, text, by, self._now(), "open")
            self._run(f"INSERT INTO proposals ({PROPOSAL}) VALUES (?, ?, ?, ?, ?, ?)", *row)
        return proposal_of(row)

    def _fit(self, value: Any) -> Any:
        """*value* with every text in it prepared: a payload is stored like a fact."""
        if isinstance(value, str):
            return self._prepared(value).text
        if isinstance(value, dict):
            return {key: self._fit(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._fit(inner) for inner in value]
        return value

    def close_proposal(self, id: str, state: str) -> ProposalRow:
        """Note the owner's accepted or rejected. Raises NotFound, Conflict if it is closed."""
        done = self._run(
            "UPDATE proposals SET state = ?, closed_at = ? WHERE id = ? AND state = 'open'",
            state, self._now(), id,
        )  # fmt: skip
        row = self._one(f"SELECT {PROPOSAL} FROM proposals WHERE id = ?", id)
        if row is None:
            raise NotFound(what="proposal", id=id, hint="See `dormouse proposals`.")
        if done.rowcount != 1:
            raise Conflict(what=f"proposal {id} is {row[5]} already")
        return proposal_of(row)

    def keep_project(self, known: Known) -> None:
        """Note a project as it is known now, with all its paths; paths once known stay."""
        nr = self._scalar(
            "SELECT nr FROM projects WHERE id = ?1 OR joined_into = ?1"
            " ORDER BY common_id IS ?2 DESC, joined_into IS NULL DESC LIMIT 1",
            known.id, known.common_id,
        )  # fmt: skip
        if nr is None:
            self._run(
                "INSERT INTO projects (id, name, kind, common_dir, common_id, first_commit, remote,"
                " at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                known.id, known.name, known.kind, known.common_dir, known.common_id,
                known.first_commit, known.remote, self._now(),
            )  # fmt: skip
            row_id = known.id
        else:
            row_id = self._scalar("SELECT id FROM projects WHERE nr = ?", nr)
            self._run(
                "UPDATE projects SET common_dir = ?, common_id = ?, first_commit = ?, remote = ?,"
                " name = CASE WHEN joined_into IS NULL THEN ? ELSE name END WHERE nr = ?",
                known.common_dir, known.common_id, known.first_commit, known.remote, known.name, nr,
            )  # fmt: skip
        for path in known.paths:
            self._run(
                "INSERT OR IGNORE INTO project_paths (project_id, path) VALUES (?, ?)", row_id, path
            )

    def join_projects(self, a: str, b: str) -> None:
        """From now on *b* is *a*, with all that belongs to it. Raises NotFound, Conflict."""
        for id in (a, b):
            if self._one("SELECT 1 FROM projects WHERE id = ?", id) is None:
                raise NotFound(what="project", id=id, hint="See `dormouse projects`.")
        a = self._scalar("SELECT coalesce(joined_into, id) FROM projects WHERE id = ?", a)
        b = self._scalar("SELECT coalesce(joined_into, id) FROM projects WHERE id = ?", b)
        if a == b:
            raise Conflict(what="these are one project already")
        self._run("UPDATE projects SET joined_into = ? WHERE id = ? OR joined_into = ?", a, b, b)
        for table in (
            "facts",
            "sessions",
            "turns",
            "candidates",
            "suppressions",
            "handoffs",
            "focus",
        ):
            self._run(f"UPDATE {table} SET project_id = ? WHERE project_id = ?", a, b)

    def keep_answer(self, key: str, fingerprint: str, answer: str) -> None:
        """Keep an answer under an idempotency key. Raises KeyReused for another request."""
        kept = self.kept_answer(key)
        if kept is not None and kept[0] != fingerprint:
            raise KeyReused
        self._run(
            "INSERT OR IGNORE INTO kept_answers (key, fingerprint, answer, at) VALUES (?, ?, ?, ?)",
            key, fingerprint, answer, self._now(),
        )  # fmt: skip

    def set_setting(self, name: str, value: str) -> None:
        """Set a value, and log that it was."""
        self._run(
            "INSERT INTO settings (name, value) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            name, value,
        )  # fmt: skip
        self._run(
            "INSERT INTO settings_log (name, value, at) VALUES (?, ?, ?)", name, value, self._now()
        )
