"""Looking at facts. Agents get current ones only, through the view ``current_facts``."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from dormouse.errors import IdTooShort, NotFound, NotUnique
from dormouse.facts import (
    NO_DETAIL,
    Because,
    Detail,
    Fact,
    How,
    Kind,
    Layer,
    Look,
    Scope,
    Slot,
    Source,
    Trust,
)
from dormouse.ledger.base import as_list, visible
from dormouse.ledger.detail_rows import DetailReads
from dormouse.ledger.ids import SHORTEST, as_named, could_be_id, shortest_unique
from dormouse.ledger.rows import Retirement, Which

COLUMNS = (
    "f.id, f.text, f.kind, f.layer, f.scope, f.project_id,"
    " (SELECT name FROM projects WHERE id = f.project_id), f.branch, f.session_id,"
    " f.subject, f.attribute, f.value, f.language, f.trust, f.confidence, f.importance, f.weight,"
    " f.pinned, f.stated_at, f.captured_at, f.valid_from, f.valid_to, f.retired_at,"
    " f.retired_because, f.superseded_by"
)
WIDTH = 25
# Looking a word up in a dict is ten times faster than calling the enum, 6 times a row.
KINDS = {k.value: k for k in Kind}
LAYERS = {k.value: k for k in Layer}
SCOPES = {k.value: k for k in Scope}
TRUSTS = {k.value: k for k in Trust}
BECAUSE = {k.value: k for k in Because}
HOWS = {k.value: k for k in How}

RESOLVABLE = {
    "facts": ("fact", "facts"),
    "candidates": ("candidate", "candidates"),
    "proposals": ("proposal", "proposals"),
    "questions": ("question", "open_questions"),
    "runs": ("run", "runs"),
    "projects": ("project", "projects"),
}
NAMED_AT_MOST = 5
LISTED_BY = {
    "candidate": "See `dormouse candidates`.",
    "proposal": "See `dormouse proposals`.",
    "question": "See `dormouse questions`.",
    "run": "See `dormouse rem log`.",
    "project": "See `dormouse projects`.",
}
_FROM: dict[Which, tuple[str, str]] = {
    "current": ("current_facts", "1"),
    "retired": ("facts", "f.retired_at IS NOT NULL"),
    "all": ("facts", "1"),
}


def fact_of(
    row: Sequence[Any], sources: tuple[Source, ...] = (), detail: Detail = NO_DETAIL
) -> Fact:
    """The fact of one row of COLUMNS."""
    return Fact(
        row[0], row[1], KINDS[row[2]], LAYERS[row[3]], SCOPES[row[4]], row[5], row[6], row[7],
        row[8], Slot(row[9], row[10], row[11]), row[12], TRUSTS[row[13]], row[14], row[15],
        row[16], bool(row[17]), row[18], row[19], row[20], row[21], row[22],
        BECAUSE[row[23]] if row[23] is not None else None, row[24], sources, detail,
    )  # fmt: skip


class FactReads(DetailReads):
    """Facts by id, place, slot and text."""

    def fact(self, id: str) -> Fact:
        """The fact with this whole id. Raises NotFound."""
        row = self._one(f"SELECT {COLUMNS} FROM facts AS f WHERE f.id = ?", id)
        if row is None:
            raise NotFound(what="fact", id=id)
        return self._with_sources([row])[0]

    def facts_by_id(self, ids: Iterable[str]) -> dict[str, Fact]:
        """Those of *ids* that exist, current or retired."""
        wanted = as_list(ids)
        if wanted == "[]":
            return {}
        sql = f"SELECT {COLUMNS} FROM facts AS f WHERE f.id IN (SELECT value FROM json_each(?))"
        return {fact.id: fact for fact in self._with_sources(self._all(sql, wanted))}

    def facts(
        self,
        look: Look,
        *,
        which: Which = "current",
        layer: Layer | None = None,
        kind: Kind | None = None,
        pinned: bool | None = None,
        limit: int | None = None,
    ) -> list[Fact]:
        """What *look* may see, newest stated first, ties by id."""
        table, condition = _FROM[which]
        seen, values = visible(look)
        wheres: list[str] = [condition, seen]
        more: list[object] = list(values)
        for column, value in (("layer", layer), ("kind", kind), ("pinned", pinned)):
            if value is not None:
                wheres.append(f"f.{column} = ?")
                more.append(int(value) if isinstance(value, bool) else str(value))
        # The inner part sorts without texts; it can be answered from an index.
        sql = (
            f"SELECT {COLUMNS} FROM facts AS f WHERE f.nr IN (SELECT f.nr FROM {table} AS f"
            f" WHERE {' AND '.join(wheres)} ORDER BY f.stated_at DESC, f.id LIMIT ?)"
            " ORDER BY f.stated_at DESC, f.id"
        )
        return self._with_sources(self._all(sql, *more, -1 if limit is None else limit))

    def by_slot(
        self, subject: str, attribute: str | None, look: Look, *, which: Which = "current"
    ) -> list[Fact]:
        """Facts about *attribute* of *subject*; about any attribute if it is None."""
        table, condition = _FROM[which]
        seen, values = visible(look)
        slot = "f.subject = ?" + ("" if attribute is None else " AND f.attribute = ?")
        named = (subject,) if attribute is None else (subject, attribute)
        sql = (
            f"SELECT {COLUMNS} FROM {table} AS f WHERE {slot} AND {condition} AND {seen}"
            " ORDER BY f.valid_from, f.id"
        )
        return self._with_sources(self._all(sql, *named, *values))

    def by_hash(self, text_hash: str, look: Look) -> list[Fact]:
        """Facts of equal text, retired ones included, oldest first."""
        seen, values = visible(look)
        sql = (
            f"SELECT {COLUMNS} FROM facts AS f WHERE f.text_hash = ? AND {seen}"
            " ORDER BY f.valid_from, f.id"
        )
        return self._with_sources(self._all(sql, text_hash, *values))

    def facts_from_turns(
        self, turn_ids: Iterable[str], *, retired: bool | None = None
    ) -> list[Fact]:
        """Facts that these turns are a source of; only (not) retired ones if *retired* is given."""
        which = "" if retired is None else f" AND f.retired_at IS {'NOT ' if retired else ''}NULL"
        sql = (
            f"SELECT {COLUMNS} FROM facts AS f WHERE f.id IN (SELECT fact_id FROM sources"
            f" WHERE turn_id IN (SELECT value FROM json_each(?))){which} ORDER BY f.nr"
        )
        return self._with_sources(self._all(sql, as_list(turn_ids)))

    def resolve(self, prefix: str, table: str = "facts") -> str:
        """The whole id that begins with *prefix*. Raises NotFound, NotUnique, IdTooShort."""
        what, name = RESOLVABLE[table]
        prefix = prefix.strip().lower()
        if len(prefix) < SHORTEST:
            raise IdTooShort(id=prefix)
        if not could_be_id(prefix):
            raise NotFound(what=what, id=as_named(prefix), hint=LISTED_BY.get(what))
        rows = self._all(
            f"SELECT id FROM {name} WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
            prefix, prefix + "~", NAMED_AT_MOST,
        )  # fmt: skip
        if not rows:
            raise NotFound(what=what, id=prefix, hint=LISTED_BY.get(what))
        if len(rows) > 1:
            raise NotUnique(id=prefix, among=", ".join(row[0] for row in rows))
        return str(rows[0][0])

    def short(self, ids: Iterable[str]) -> dict[str, str]:
        """For each id the shortest beginning (at least 4) that no other fact has."""
        rows = self._all(
            # The cast lets SQLite use the index: a value of JSON has no type of its own.
            "SELECT v, (SELECT id FROM facts WHERE id < v ORDER BY id DESC LIMIT 1),"
            " (SELECT id FROM facts WHERE id > v ORDER BY id LIMIT 1)"
            " FROM (SELECT CAST(value AS TEXT) AS v FROM json_each(?))",
            as_list(ids),
        )
        return {id: shortest_unique(id, before, after) for id, before, after in rows}

    def has_facts(self, look: Look, *, retired: bool = False) -> bool:
        """Whether *look* may see any fact: a current one, or a retired one too if *retired*."""
        seen, values = visible(look)
        state = "" if retired else " AND f.retired_at IS NULL"
        return (
            self._one(f"SELECT 1 FROM facts AS f WHERE {seen}{state} LIMIT 1", *values) is not None
        )

    def count(self, look: Look) -> tuple[int, int]:
        """How many facts *look* may see: current, retired."""
        seen, values = visible(look)
        row = self._one(
            f"SELECT count(*) - count(f.retired_at), count(f.retired_at) FROM facts AS f"
            f" WHERE {seen}",
            *values,
        )
        return int(row[0]), int(row[1])

    def retirements(self, ids: Iterable[str]) -> dict[str, Retirement]:
        """How those of *ids* that are retired came to be so."""
        rows = self._all(
            "SELECT fact_id, at, because, by, run_id, superseded_by FROM retirements"
            " WHERE ended_at IS NULL AND fact_id IN (SELECT value FROM json_each(?))",
            as_list(ids),
        )
        return {row[0]: Retirement(row[0], row[1], BECAUSE[row[2]], *row[3:]) for row in rows}

    def made_by_sleep(self, since: str, until: str) -> list[str]:
        """Current facts that a night's reading made from *since* to *until*."""
        rows = self._all(
            "SELECT f.id FROM current_facts AS f JOIN sources AS s ON s.fact_id = f.id"
            " WHERE s.nr = 1 AND s.how = 'rem' AND s.from_fact IS NULL"
            " AND f.captured_at BETWEEN ? AND ? ORDER BY f.nr",
            since, until,
        )  # fmt: skip
        return [row[0] for row in rows]

    def pending_settle(self, limit: int = 500) -> list[str]:
        """Facts that were captured but not yet looked at for contradictions, oldest first."""
        rows = self._all(
            "SELECT f.id FROM unsettled JOIN facts AS f ON f.nr = fact_nr ORDER BY fact_nr LIMIT ?",
            limit,
        )
        return [row[0] for row in rows]

    def _with_sources(self, rows: Sequence[Any]) -> list[Fact]:
        sources, details = self._more_of([row[0] for row in rows])
        return [
            fact_of(row, tuple(sources[row[0]]), details.get(row[0], NO_DETAIL)) for row in rows
        ]

    def whole(self, facts: Sequence[Fact]) -> list[Fact]:
        """*facts* with their sources and details, which those that were only found do not have."""
        sources, details = self._more_of([fact.id for fact in facts])
        return [
            replace(fact, sources=tuple(sources[fact.id]), detail=details.get(fact.id, NO_DETAIL))
            for fact in facts
        ]

    def _more_of(self, ids: Sequence[str]) -> tuple[dict[str, list[Source]], dict[str, Detail]]:
        sources: dict[str, list[Source]] = {id: [] for id in ids}
        if not ids:
            return sources, {}
        for fact_id, agent, session_id, turn_id, how, at in self._all(
            "SELECT fact_id, agent, session_id, turn_id, how, at FROM sources"
            " WHERE fact_id IN (SELECT value FROM json_each(?)) ORDER BY fact_id, nr",
            as_list(ids),
        ):
            sources[fact_id].append(Source(agent, session_id, turn_id, HOWS[how], at))
        return sources, self.details_of(ids)
