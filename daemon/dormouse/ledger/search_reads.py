"""Finding facts by words that were segmented before. It ranks by BM25 and decides nothing more."""

from collections.abc import Iterable, Sequence

from dormouse.facts import Look
from dormouse.ledger.base import as_list, clean, visible
from dormouse.ledger.fact_reads import COLUMNS, WIDTH, fact_of
from dormouse.ledger.rows import Hit
from dormouse.ledger.vector_reads import VectorReads, held, numbers

MANY = 50_000  # counting a word further than this takes over 2 ms; no search would use it


def match_any(terms: Sequence[str]) -> str:
    """An FTS5 query for any of *terms*, each quoted: nothing in a term is an operator."""
    quoted = (clean(term).replace('"', '""') for term in terms)
    return " OR ".join(f'"{term}"' for term in quoted if term.strip())


class SearchReads(VectorReads):
    """The words leg of recall."""

    def search(
        self,
        terms: Sequence[str],
        look: Look,
        *,
        limit: int = 50,
        as_of: str | None = None,
        history: bool = False,
    ) -> list[Hit]:
        """The best facts that hold any of *terms*; current ones unless *history* or *as_of*.

        Without their sources and details, see ``whole``.
        """
        query = match_any(terms)
        if not query:
            return []
        table = "facts" if history or as_of is not None else "current_facts"
        seen, values = visible(look)
        when, more = held(as_of)
        # FTS5 sorts by rank itself, so facts are read, and filtered, only until there are enough:
        # each that lies outside the cache costs 10 us to decrypt.
        sql = (
            f"SELECT {COLUMNS}, s.rank, f.nr, f.words"
            f" FROM search AS s CROSS JOIN {table} AS f ON f.nr = s.rowid"
            f" WHERE s.search MATCH ? AND {seen}{when} ORDER BY s.rank LIMIT ?"
        )
        rows = self._all(sql, query, *values, *more, limit)
        rows.sort(key=lambda row: (row[WIDTH], row[0]))
        facts = map(fact_of, rows)
        turns = self.talk_places([row[WIDTH + 1] for row in rows])
        return [
            Hit(fact, max(0.0, -rank), nr, turns.get(nr), words)
            for fact, (rank, nr, words) in zip(facts, (row[WIDTH:] for row in rows), strict=True)
        ]

    def talk_places(self, facts: Sequence[int]) -> dict[int, tuple[str, int]]:
        """Which of these facts stand in a stored conversation, in which and where."""
        rows = self._all(
            "SELECT fact_nr, conversation, place FROM conversation_facts WHERE fact_nr IN"
            " (SELECT value FROM json_each(?))",
            numbers(facts),
        )
        return {int(nr): (str(conversation), int(place)) for nr, conversation, place in rows}

    def occurrences(self, stems: Iterable[str]) -> dict[str, int]:
        """In how many facts each stem occurs, as porter leaves it; three times as fast as counting.

        The words of neighbours are not counted.
        """
        asked = {stem: clean(stem) for stem in stems}
        rows = self._all(
            "SELECT t.term, t.doc FROM json_each(?) AS j CROSS JOIN search_terms AS t"
            " ON t.term = j.value AND t.col = 'words'",
            as_list(sorted(set(asked.values()))),
        )
        counts = {str(term): int(doc) for term, doc in rows}
        return {stem: counts.get(term, 0) for stem, term in asked.items()}

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many facts each term occurs; frequent ones are counted up to MANY only."""
        return {term: self._frequency(term) for term in terms}

    def _frequency(self, term: str) -> int:
        query = match_any([term])
        if not query:
            return 0
        return int(
            self._scalar(
                "SELECT count(*) FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?)",
                f"words : ({query})", MANY,
            )
        )  # fmt: skip
