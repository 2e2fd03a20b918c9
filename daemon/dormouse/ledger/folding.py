"""One statement, said in two facts, becomes one fact with the sources of both; and back again."""

from dormouse.facts import Because, Fact, Layer, Source
from dormouse.ledger.fact_writes import SUPPORT, SUREST
from dormouse.ledger.parts import PartWrites
from dormouse.ledger.rows import CandidateRow

BY = "rem"


class FoldWrites(PartWrites):
    """The duplicate is retired, never lost; what its sources vouched for goes over to the other."""

    def fold(self, duplicate: str, into: str, *, run_id: str) -> Fact:
        """Retire *duplicate* in favour of *into*, which gets its sources. Raises Conflict."""
        kept, old = self.fact(into), self.fact(duplicate)
        self.retire(duplicate, because=Because.DUPLICATE, by=BY, run_id=run_id, superseded_by=into)
        self._run(
            "UPDATE retirements SET support_before = ? WHERE fact_id = ? AND ended_at IS NULL",
            kept.confidence, duplicate,
        )  # fmt: skip
        known = {_said(source) for source in kept.sources}
        doubt = 1 - kept.confidence
        for source in old.sources:
            if _said(source) in known:
                continue
            known.add(_said(source))
            nr = self._next_source(into)
            self._insert_source(into, nr, source)
            self._run(
                "UPDATE sources SET from_fact = ? WHERE fact_id = ? AND nr = ?",
                duplicate, into, nr,
            )  # fmt: skip
            doubt *= 1 - SUPPORT
        self._set_confidence(into, max(kept.confidence, min(SUREST, 1 - doubt)))
        self._fold_uses(duplicate, into)
        return self.fact(into)

    def _fold_uses(self, duplicate: str, into: str) -> None:
        """Who was shown the one knows the other, and is not told that the one is no longer true."""
        self._run(
            "INSERT OR IGNORE INTO uses (agent, session_id, fact_id, at, how, shown, used)"
            " SELECT agent, session_id, ?, at, how, shown, used FROM uses WHERE fact_id = ?",
            into, duplicate,
        )  # fmt: skip
        self._run("UPDATE uses SET told_current = 0 WHERE fact_id = ?", duplicate)

    def _unfold(self, duplicate: str, into: str | None) -> None:
        """Give back what ``fold`` moved, after the duplicate was brought back."""
        row = self._one(
            "SELECT because, support_before FROM retirements WHERE fact_id = ?"
            " ORDER BY nr DESC LIMIT 1",
            duplicate,
        )
        if into is None or row is None or row[0] != str(Because.DUPLICATE) or row[1] is None:
            return
        self._take_sources_back(into, "from_fact = ?", duplicate, row[1])
        self._run(
            "UPDATE uses SET told_current = 1 WHERE fact_id = ? AND taken_back_at IS NULL",
            duplicate,
        )

    def take_source_back(self, fact_id: str, turn_id: str, confidence: float) -> None:
        """Let a source go that a night's reading added; *confidence* is what it was before."""
        which = "how = 'rem' AND nr > 1 AND turn_id = ?"
        self._take_sources_back(fact_id, which, turn_id, confidence)

    def _take_sources_back(self, fact_id: str, which: str, value: str, confidence: float) -> None:
        """Delete the sources *which* names; those that came later still support the fact."""
        last = self._scalar(
            f"SELECT max(nr) FROM sources WHERE fact_id = ? AND {which}", fact_id, value
        )
        self._run(f"DELETE FROM sources WHERE fact_id = ? AND {which}", fact_id, value)
        doubt = 1 - confidence
        if last is not None:
            later = self._scalar(
                "SELECT count(*) FROM sources WHERE fact_id = ? AND nr > ?", fact_id, last
            )
            doubt *= (1 - SUPPORT) ** later
        self._set_confidence(fact_id, max(confidence, min(SUREST, 1 - doubt)))

    def set_layer(self, id: str, layer: Layer) -> None:
        """Put a fact into another layer: an episode whose lesson lasts becomes semantic."""
        self._run("UPDATE facts SET layer = ? WHERE id = ?", str(layer), id)

    def bring_back_candidate(self, row: CandidateRow) -> None:
        """Let a candidate wait again as it did before it was made a fact."""
        prepared = self._prepared(row.text)
        self._run(
            "INSERT OR IGNORE INTO candidates (id, text, text_hash, kind, scope, project_id,"
            " branch, first_turn, last_turn, sightings, confidence, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row.id, prepared.text, prepared.hash, str(row.kind), str(row.scope), row.project_id,
            row.branch, row.first_turn, row.last_turn, row.sightings, row.confidence, row.at,
        )  # fmt: skip

    def _set_confidence(self, id: str, confidence: float) -> None:
        self._run("UPDATE facts SET confidence = ? WHERE id = ?", confidence, id)


def _said(source: Source) -> tuple[str | None, str | None, str | None]:
    """What makes two sources one: the same session; without one, the same moment."""
    return source.agent, source.session_id, None if source.session_id else source.at
