"""Facts made of another fact's clauses: kept as its parts, taken back with its retirement."""

from collections.abc import Sequence

from dormouse.facts import Because, Fact, NewFact
from dormouse.ledger.fact_writes import FactWrites


class PartWrites(FactWrites):
    """A part remembers the fact it was cut from, so that undoing and erasing find it."""

    def _capture_parts(self, of: str, parts: Sequence[NewFact]) -> list[Fact]:
        """Capture *parts* of the fact *of*; one that is known already stays what it is."""
        made = []
        for new in parts:
            captured = self.capture(new)
            if captured.state == "new":
                self._run(
                    "UPDATE sources SET from_fact = ? WHERE fact_id = ?", of, captured.fact.id
                )
            made.append(captured.fact)
        return made

    def _take_parts_back(self, of: str, by: str) -> None:
        """The whole fact holds again: its parts would say the same twice."""
        rows = self._all(
            "SELECT s.fact_id FROM sources AS s JOIN current_facts AS f ON f.id = s.fact_id"
            " WHERE s.from_fact = ? AND s.how = 'rem'"
            " AND NOT EXISTS (SELECT 1 FROM sources WHERE fact_id = s.fact_id AND nr > 1)",
            of,
        )
        for (part,) in rows:
            self.retire(part, because=Because.DUPLICATE, by=by, run_id=None, superseded_by=of)
