"""Looking at judgments, runs, chains and open questions."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from dormouse.errors import NotFound
from dormouse.facts import Fact, Look
from dormouse.judgments import Decision, Outcome, Ruling, Verdict, Veto
from dormouse.ledger.base import as_list, visible
from dormouse.ledger.fact_reads import FactReads
from dormouse.ledger.rows import JudgmentRow, Link, Question, RunRow

OWNER = "owner"
_JUDGMENT = (
    "j.id, j.older_id, j.newer_id, j.verdict, j.judge, j.probability, j.reason, j.vetoed_by,"
    " j.prompt_hash, j.took_ms, j.level, j.run_id, j.asked_at"
)
_RUN = "id, kind, state, started_at, ended_at, facts_before, facts_after, report"
_CHAIN = """
WITH RECURSIVE chain (id) AS (
  SELECT ?
  UNION
  SELECT edge.other FROM chain JOIN (
    SELECT superseded_by AS id, id AS other FROM facts WHERE superseded_by IS NOT NULL
    UNION ALL SELECT id, superseded_by FROM facts WHERE superseded_by IS NOT NULL
    UNION ALL SELECT older_id, newer_id FROM judgments WHERE verdict = 'supersede'
      AND EXISTS (SELECT 1 FROM outcomes WHERE judgment_id = judgments.id
        AND outcome = 'carried_out')
    UNION ALL SELECT newer_id, older_id FROM judgments WHERE verdict = 'supersede'
      AND EXISTS (SELECT 1 FROM outcomes WHERE judgment_id = judgments.id
        AND outcome = 'carried_out')
  ) AS edge ON edge.id = chain.id
)
SELECT id FROM chain
"""


def _ruling(row: Sequence[Any]) -> Ruling:
    vetoed = Veto(row[4]) if row[4] is not None else None
    return Ruling(Verdict(row[0]), row[1], row[2], row[3], vetoed, row[5], row[6])


def _run_row(row: Sequence[Any]) -> RunRow:
    return RunRow(*(*row[:7], json.loads(row[7])))


class JudgmentReads(FactReads):
    """What was judged, what came of it, and what waits for the owner."""

    def judgments(
        self, *, fact_id: str | None = None, run_id: str | None = None
    ) -> list[JudgmentRow]:
        """The judgments of a fact (in either role) or of a run, oldest first."""
        wheres, values = ["1"], []
        if fact_id is not None:
            wheres.append("(j.older_id = ? OR j.newer_id = ?)")
            values += [fact_id, fact_id]
        if run_id is not None:
            wheres.append("j.run_id = ?")
            values.append(run_id)
        return self._judgments(" AND ".join(wheres), *values)

    def answered(self) -> list[tuple[Fact, Fact, Verdict]]:
        """The pairs on which the owner has spoken, with the latest word; oldest pair first."""
        said: dict[tuple[str, str], Verdict] = {}
        for row in self._judgments("j.judge = ? AND j.verdict <> 'unsure'", OWNER):
            said[row.older_id, row.newer_id] = row.ruling.verdict
        facts = self.facts_by_id(id for pair in said for id in pair)
        return [
            (facts[older], facts[newer], verdict)
            for (older, newer), verdict in said.items()
            if older in facts and newer in facts
        ]

    def judgment(self, id: str) -> JudgmentRow:
        """One judgment by its whole id. Raises NotFound."""
        rows = self._judgments("j.id = ?", id)
        if not rows:
            raise NotFound(what="judgment", id=id)
        return rows[0]

    def settled_pairs(self, older_id: str, newer_id: str) -> list[JudgmentRow]:
        """What was ever said of this pair, oldest first."""
        return self._judgments("j.older_id = ? AND j.newer_id = ?", older_id, newer_id)

    def is_final(self, older_id: str, newer_id: str) -> bool:
        """Whether no judge may be asked: the owner's word or an undo stands for this pair.

        It stands as well for the same older fact and a newer one of equal text, or one that
        corrects the newer one.
        """
        row = self._one(
            "WITH RECURSIVE same (id) AS (SELECT ?2 UNION SELECT f.id FROM same JOIN facts AS f"
            " ON f.superseded_by = same.id WHERE f.retired_because = 'corrected')"
            " SELECT 1 FROM judgments AS j WHERE (j.older_id = ?1 AND (j.newer_id = ?2 OR"
            " j.newer_id IN (SELECT id FROM facts WHERE text_hash IN"
            " (SELECT text_hash FROM facts WHERE id IN (SELECT id FROM same))))"
            " OR j.older_id = ?2 AND j.newer_id = ?1)"
            " AND (j.judge = 'owner' OR EXISTS (SELECT 1 FROM outcomes WHERE judgment_id = j.id"
            " AND outcome IN ('undone', 'overruled'))) LIMIT 1",
            older_id, newer_id,
        )  # fmt: skip
        return row is not None

    def questions(self, look: Look) -> list[Question]:
        """Open pairs of which both facts are current, oldest question first."""
        rows = self._all(
            "SELECT id, older_id, newer_id, reason, asked_at FROM open_questions ORDER BY nr"
        )
        wanted = {id for row in rows for id in row[1:3]}
        facts = self._seen(wanted, look)
        return [
            Question(row[0], facts[row[1]], facts[row[2]], row[3], row[4])
            for row in rows
            if row[1] in facts and row[2] in facts
        ]

    def _seen(self, ids: Iterable[str], look: Look) -> dict[str, Fact]:
        seen, values = visible(look)
        rows = self._all(
            f"SELECT f.id FROM current_facts AS f WHERE {seen}"
            " AND f.id IN (SELECT value FROM json_each(?))",
            *values, as_list(ids),
        )  # fmt: skip
        return self.facts_by_id(row[0] for row in rows)

    def open_pairs(self, fact_ids: Iterable[str]) -> set[str]:
        """Which of *fact_ids* are "not yet judged": they stand in an open question, or a thinker
        that was asked about them gave no answer."""
        ids = set(fact_ids)
        if not ids:
            return set()
        open_ids = self._all(
            "SELECT older_id, newer_id FROM open_questions UNION ALL SELECT a.id, b.id"
            " FROM unsure_pairs AS p JOIN facts AS a ON a.nr = p.older_nr"
            " JOIN facts AS b ON b.nr = p.newer_nr WHERE p.asked > 0"
            " AND a.retired_at IS NULL AND b.retired_at IS NULL"
        )
        return ids & {id for row in open_ids for id in row}

    def chain(self, id: str) -> list[Link]:
        """The whole chain that the fact stands in, oldest valid_from first."""
        facts = self.facts_by_id(row[0] for row in self._all(_CHAIN, self.fact(id).id))
        return [
            self._link(fact) for fact in sorted(facts.values(), key=lambda f: (f.valid_from, f.id))
        ]

    def _link(self, fact: Fact) -> Link:
        rows = self._judgments("j.older_id = ? AND j.verdict = 'supersede'", fact.id)
        done = [row for row in rows if any(o[0] is Outcome.CARRIED_OUT for o in row.outcomes)]
        if not done:
            return Link(fact, None, None)
        return Link(fact, done[-1], done[-1].outcome)

    def run(self, id: str) -> RunRow:
        """One run by its whole id. Raises NotFound."""
        row = self._one(f"SELECT {_RUN} FROM runs WHERE id = ?", id)
        if row is None:
            raise NotFound(what="run", id=id, hint="See `dormouse rem log`.")
        return _run_row(row)

    def runs(self, limit: int = 100) -> list[RunRow]:
        """The last runs, newest first."""
        sql = f"SELECT {_RUN} FROM runs ORDER BY nr DESC LIMIT ?"
        return [_run_row(row) for row in self._all(sql, limit)]

    def retired_by_judges_since(self, at: str, *, scope_key: str | None) -> int:
        """How many facts judges retired since *at*, not undone: of a project, or the user (None).

        What the owner carried out, a stopped plan too, is the owner's.
        """
        return int(
            self._scalar(
                "SELECT count(*) FROM outcomes AS o JOIN judgments AS j ON j.id = o.judgment_id"
                " JOIN facts AS f ON f.id = j.older_id"
                " WHERE o.outcome = 'carried_out' AND o.at >= ? AND o.by <> 'owner'"
                " AND CASE WHEN f.scope IN ('user', 'organisation') THEN NULL ELSE f.project_id END"
                " IS ? AND NOT EXISTS (SELECT 1 FROM outcomes AS later WHERE"
                " later.judgment_id = j.id AND later.outcome IN ('undone', 'overruled'))",
                at, scope_key,
            )
        )  # fmt: skip

    def stopped_decisions(self, run_id: str) -> list[Decision]:
        """The plan that a stopped run did not carry out."""
        plan = self._scalar("SELECT plan FROM runs WHERE id = ?", run_id)
        return [
            Decision(older, newer, _ruling(ruling))
            for older, newer, *ruling in json.loads(plan or "[]")
        ]

    def _judgments(self, where: str, *values: object) -> list[JudgmentRow]:
        rows = self._all(
            f"SELECT {_JUDGMENT} FROM judgments AS j WHERE {where} ORDER BY j.nr", *values
        )
        outcomes: dict[str, list[tuple[Outcome, str, str]]] = {row[0]: [] for row in rows}
        if rows:
            for id, outcome, by, at in self._all(
                "SELECT judgment_id, outcome, by, at FROM outcomes"
                " WHERE judgment_id IN (SELECT value FROM json_each(?)) ORDER BY nr",
                as_list(outcomes),
            ):
                outcomes[id].append((Outcome(outcome), by, at))
        return [
            JudgmentRow(*(*row[:3], _ruling(row[3:10]), *row[10:], tuple(outcomes[row[0]])))
            for row in rows
        ]
