"""Vectors of facts, and which facts still lack one. It compares none.

A vector belongs to one embedder (model and revision) and lies under its fact's number.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from dormouse.facts import Fact, Look
from dormouse.ledger.base import visible
from dormouse.ledger.fact_reads import COLUMNS, WIDTH, FactReads, fact_of


class Lying(NamedTuple):
    """Where a fact lies, for a memory that holds its vector: its scope's key, whether retired."""

    nr: int
    place: str
    retired: bool
    vector: bytes


class Unembedded(NamedTuple):
    """A fact without a vector."""

    nr: int
    id: str
    text: str


# One string for everything that decides who may see a fact; `place_keys` lists those of a view.
_PLACE = (
    "CASE f.scope WHEN 'project' THEN 'p ' || f.project_id"
    " WHEN 'branch' THEN 'b ' || f.project_id || ' ' || f.branch"
    " WHEN 'session' THEN 's ' || f.session_id ELSE 'u' END"
)
_LYING = f"SELECT f.nr, {_PLACE}, f.retired_at IS NOT NULL, v.vector FROM vectors AS v"
_JOIN = " JOIN facts AS f ON f.nr = v.fact_nr WHERE v.embedder = ?"


def place_keys(look: Look) -> frozenset[str] | None:
    """The keys of what *look* may see; None for everything."""
    if look.everything:
        return None
    keys = {"u"}
    if look.project_id is not None:
        keys.add(f"p {look.project_id}")
        if look.branch is not None:
            keys.add(f"b {look.project_id} {look.branch}")
    if look.session_id is not None:
        keys.add(f"s {look.session_id}")
    return frozenset(keys)


def numbers(values: Iterable[int]) -> str:
    """Numbers for ``IN (SELECT value FROM json_each(?))``."""
    return f"[{','.join(map(str, values))}]"


class VectorReads(FactReads):
    """The meaning leg's part of the ledger."""

    def embedder(self, model: str, revision: str) -> int | None:
        """The number under which an embedder's vectors lie, if it has any."""
        number = self._scalar(
            "SELECT nr FROM embedders WHERE model = ? AND revision = ?", model, revision
        )
        return None if number is None else int(number)

    def vectors(self, embedder: int, after: int, limit: int) -> list[Lying]:
        """The next *limit* vectors above the fact number *after*, by number."""
        rows = self._all(
            f"{_LYING}{_JOIN} AND v.fact_nr > ? ORDER BY v.fact_nr LIMIT ?", embedder, after, limit
        )
        return [Lying(row[0], row[1], bool(row[2]), row[3]) for row in rows]

    def vectors_of(self, embedder: int, facts: Iterable[int]) -> list[Lying]:
        """Those of the facts with these numbers."""
        rows = self._all(
            f"{_LYING}{_JOIN} AND v.fact_nr IN (SELECT value FROM json_each(?))",
            embedder,
            numbers(facts),
        )
        return [Lying(row[0], row[1], bool(row[2]), row[3]) for row in rows]

    def last_move(self) -> int:
        """The number of the last change that a holder of vectors has to know of."""
        return int(self._scalar("SELECT coalesce(max(nr), 0) FROM moved"))

    def moves(self, after: int) -> list[int] | None:
        """Numbers of facts that changed after that; None if some are no longer known."""
        first = self._scalar("SELECT min(nr) FROM moved")
        if first is not None and first > after + 1:
            return None
        rows = self._all("SELECT fact_nr FROM moved WHERE nr > ? ORDER BY nr", after)
        return list(dict.fromkeys(int(row[0]) for row in rows))

    def unembedded(self, embedder: int | None, after: int, limit: int) -> list[Unembedded]:
        """The next facts above the number *after* that have no vector of this embedder."""
        rows = self._all(
            "SELECT f.nr, f.id, f.text FROM facts AS f WHERE f.nr > ? AND NOT EXISTS"
            " (SELECT 1 FROM vectors AS v WHERE v.embedder = ? AND v.fact_nr = f.nr)"
            " ORDER BY f.nr LIMIT ?",
            after, embedder, limit,
        )  # fmt: skip
        return [Unembedded(*row) for row in rows]

    def last_fact(self) -> int:
        """The highest number of a fact, 0 where there is none."""
        return int(self._scalar("SELECT coalesce(max(nr), 0) FROM facts"))

    def embedded(self, embedder: int | None) -> int:
        """How many facts have a vector of this embedder."""
        return int(
            self._scalar(
                "SELECT count(*) FROM vectors INDEXED BY vectors_by_fact WHERE embedder = ?",
                embedder,
            )
        )

    def facts_by_number(
        self,
        facts: Sequence[int],
        look: Look,
        *,
        as_of: str | None = None,
        history: bool = False,
    ) -> dict[int, tuple[Fact, str]]:
        """Those of these facts that *look* may see: current ones, unless *history* or *as_of*.

        Each with the tokens of its search row, without its sources and details, see ``whole``.
        """
        seen, values = visible(look)
        when, more = held(as_of)
        table = "facts" if history or as_of is not None else "current_facts"
        rows: list[Any] = self._all(
            # CROSS JOIN: by number, not through all facts of the place (24 ms at 100 k).
            f"SELECT {COLUMNS}, f.nr, f.words FROM json_each(?) AS j CROSS JOIN {table} AS f"
            f" ON f.nr = j.value WHERE {seen}{when}",
            numbers(facts), *values, *more,
        )  # fmt: skip
        return {int(row[WIDTH]): (fact_of(row), row[WIDTH + 1]) for row in rows}


def held(as_of: str | None) -> tuple[str, tuple[str, ...]]:
    """The condition for facts that held at *as_of*, and its values."""
    if as_of is None:
        return "", ()
    when = " AND f.valid_from <= ? AND coalesce(f.valid_to, f.retired_at, '~') > ?"
    return when, (as_of, as_of)
