"""What was said beside a fact: steps, tools, outcome, context. Rows are added, never changed.

Of what was said at different times the newest counts, but a weaker speaker's never over a stronger
one's.
"""

import json
from collections.abc import Iterable
from dataclasses import replace

from dormouse.facts import NO_DETAIL, Detail, Trust
from dormouse.ledger.base import Connected, as_list


class DetailReads(Connected):
    """Details by their facts."""

    def details_of(self, fact_ids: Iterable[str]) -> dict[str, Detail]:
        """For each of *fact_ids* of which more was said: what counts."""
        rows = self._all(
            "SELECT fact_id, trust, steps, tools, outcome, context, origin FROM details"
            " WHERE fact_id IN (SELECT value FROM json_each(?)) ORDER BY nr",
            as_list(fact_ids),
        )
        rows.sort(key=lambda row: Trust(row[1]).rank)  # stable: the newest of the strongest is last
        found: dict[str, Detail] = {}
        for fact_id, by, steps, tools, outcome, context, origin in rows:
            lists = tuple(json.loads(steps)), tuple(json.loads(tools))
            said = Detail(*lists, outcome, context, origin, Trust(by))
            found[fact_id] = said.over(found.get(fact_id, NO_DETAIL))
        return found


class DetailWrites(DetailReads):
    """Adding to them."""

    def add_detail(self, fact_id: str, said: Detail, trust: Trust) -> None:
        """Note what was said of a fact, unless it is known. Every text is prepared first."""
        fit = Detail(
            tuple(self._prepared(step).text for step in said.steps),
            tuple(self._prepared(tool).text for tool in said.tools),
            self._prepared(said.outcome).text if said.outcome else None,
            self._prepared(said.context).text if said.context else None,
            said.origin,
        )
        known = self.details_of([fact_id]).get(fact_id, NO_DETAIL)
        if replace(fit.over(known), by=None) == replace(known, by=None):
            return
        self._run(
            "INSERT INTO details (fact_id, trust, at, steps, tools, outcome, context, origin)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            fact_id, str(trust), self._now(), json.dumps(fit.steps, ensure_ascii=False),
            json.dumps(fit.tools, ensure_ascii=False), fit.outcome, fit.context, fit.origin,
        )  # fmt: skip
