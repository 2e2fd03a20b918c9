"""Keeping vectors, and a stored conversation's order. It makes no vector and reads no text."""

from collections.abc import Sequence
from typing import NamedTuple

from dormouse.facts import Fact
from dormouse.ledger.vector_reads import VectorReads

MOVES_KEPT = 20_000  # changes; who missed more reads all vectors again


class Vector(NamedTuple):
    """A vector on its way into the ledger; the id says that its number still means that fact."""

    nr: int
    id: str
    blob: bytes


class VectorWrites(VectorReads):
    """What the background worker writes."""

    def keep_vectors(self, model: str, revision: str, vectors: Sequence[Vector]) -> int:
        """Keep *vectors*; those of facts that are gone are dropped. How many were kept."""
        self._run(
            "INSERT OR IGNORE INTO embedders (model, revision) VALUES (?, ?)", model, revision
        )
        embedder = self.embedder(model, revision)
        kept = 0
        for vector in vectors:
            kept += self._run(
                "INSERT OR IGNORE INTO vectors (embedder, fact_nr, vector)"
                " SELECT ?, nr, ? FROM facts WHERE nr = ? AND id = ?",
                embedder, vector.blob, vector.nr, vector.id,
            ).rowcount  # fmt: skip
        last = self.last_move()
        self._run("DELETE FROM moved WHERE nr <= ?", last - MOVES_KEPT)
        return kept

    def drop_other_vectors(self, embedder: int, limit: int = 2_000) -> int:
        """Let go of some vectors of other embedders: how many were dropped."""
        return int(
            self._run(
                "DELETE FROM vectors WHERE embedder <> ?1 AND fact_nr IN (SELECT fact_nr FROM"
                " vectors INDEXED BY vectors_by_fact WHERE embedder <> ?1 LIMIT ?2)",
                embedder,
                limit,
            ).rowcount
        )

    def follow(self, fact: Fact, conversation: str) -> None:
        """Note that *fact* is the next turn of a stored conversation, for its place alone."""
        place = "|".join((conversation, fact.scope, fact.project_id or "", fact.branch or ""))
        self._run(
            "INSERT OR IGNORE INTO conversation_facts (conversation, place, fact_nr)"
            " SELECT ?1, (SELECT coalesce(max(place), 0) + 1 FROM conversation_facts"
            " WHERE conversation = ?1), nr FROM facts WHERE id = ?2",
            place,
            fact.id,
        )
