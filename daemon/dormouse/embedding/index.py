"""The vectors in memory: sign bits to look through, halves to compare. Reads no ledger.

Any thread may search; only one may change it. What it finds is a proposal: the ledger says which of
these facts may be seen and are current.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dormouse.embedding.seam import Prompts
from dormouse.embedding.weights import Floats

FULL = 100_000  # facts up to which whole vectors are held: 77 MB; above, 48 bytes for each
RERANKED = 200  # best by sign bits that are compared in full: recall@10 .995 at 100 k facts
_STRIDE = 65_536  # facts looked through at once, so that it stays in the cache
_FAR = 2_000  # farther than any: no vector has so many signs
_PULLING = 10  # prompts nearest to a fact that say how much it attracts whatever is asked

Halves = NDArray[np.float16]


class Row(Protocol):
    """A fact's vector as the ledger hands it out: halves in *vector*."""

    @property
    def nr(self) -> int: ...
    @property
    def place(self) -> str: ...
    @property
    def retired(self) -> bool: ...
    @property
    def vector(self) -> bytes: ...


class Near(NamedTuple):
    """How near a fact is to what is asked, and to prompts whatever they ask."""

    nr: int
    cosine: float
    pull: float


@dataclass(slots=True)
class _Table:
    """Parallel columns with room to grow. Replaced as a whole when it grows."""

    nr: NDArray[np.int64]
    place: NDArray[np.int32]
    hidden: NDArray[np.uint8]  # 1 retired, 2 gone
    bits: NDArray[np.uint64]  # one row for each word of 64 signs
    pull: NDArray[np.float16]  # not a number until somebody asks
    halves: Halves | None

    @classmethod
    def of(cls, room: int, dim: int, *, whole: bool) -> "_Table":
        return cls(
            np.zeros(room, np.int64),
            np.zeros(room, np.int32),
            np.full(room, 2, np.uint8),
            np.zeros((dim // 64, room), np.uint64),
            np.full(room, np.nan, np.float16),
            np.zeros((room, dim), np.float16) if whole else None,
        )


Fetch = Callable[[Sequence[int]], Iterable[Row]]


class Index:
    """Vectors of one model. *fetch* reads vectors from the ledger when they are not held whole."""

    def __init__(self, dim: int, prompts: Prompts, *, full: int = FULL) -> None:
        self._dim, self._full = dim, full
        self._prompts = prompts
        self._table = _Table.of(1_024, dim, whole=True)
        self._count = 0
        self._places: dict[str, int] = {}

    def __len__(self) -> int:
        return int((self._table.hidden[: self._count] < 2).sum())

    # -- changing, by one thread ------------------------------------------------------------------

    def change(self, touched: Iterable[int], rows: Sequence[Row]) -> None:
        """Bring it in step: *rows* are what is left of the facts *touched*."""
        left = {row.nr: row for row in rows}
        known = np.flatnonzero(np.isin(self._table.nr[: self._count], np.array(list(touched))))
        for at in known.tolist():
            row = left.pop(int(self._table.nr[at]), None)
            if row is not None and self._table.hidden[at] < 2:
                self._put(at, row)
            else:
                self._forget(at)
                if row is not None:
                    left[row.nr] = row
        self.add(list(left.values()))

    def add(self, rows: Sequence[Row]) -> None:
        """Take in facts that it does not hold."""
        self._make_room(self._count + len(rows))
        for at, row in enumerate(rows, self._count):
            self._put(at, row)
        self._count += len(rows)

    def _make_room(self, wanted: int) -> None:
        old, held = self._table, len(self._table.nr)
        whole = wanted <= self._full
        if wanted <= held and whole == (old.halves is not None):
            return
        new = _Table.of(max(wanted, held + held // 2), self._dim, whole=whole)
        n = self._count
        new.nr[:n], new.place[:n], new.hidden[:n] = old.nr[:n], old.place[:n], old.hidden[:n]
        new.bits[:, :n], new.pull[:n] = old.bits[:, :n], old.pull[:n]
        if new.halves is not None and old.halves is not None:
            new.halves[:n] = old.halves[:n]
        self._table = new

    def _put(self, at: int, row: Row) -> None:
        table, vector = self._table, np.frombuffer(row.vector, np.float16)
        table.nr[at] = row.nr
        table.place[at] = self._places.setdefault(row.place, len(self._places))
        table.bits[:, at] = _signs(vector)
        if table.halves is not None:
            table.halves[at] = vector
        table.pull[at] = np.nan
        table.hidden[at] = int(row.retired)

    def _forget(self, at: int) -> None:
        table = self._table
        table.hidden[at], table.nr[at], table.bits[:, at] = 2, 0, 0
        if table.halves is not None:
            table.halves[at] = 0

    def _held(self) -> tuple[_Table, int]:
        table = self._table
        return table, min(self._count, len(table.nr))

    # -- looking ----------------------------------------------------------------------------------

    def search(
        self,
        query: Floats,
        fetch: Fetch,
        *,
        places: Iterable[str] | None,
        retired: bool,
        limit: int = 50,
    ) -> list[Near]:
        """The facts of *places* (None: all) that are nearest to *query*, best first."""
        table, count = self._held()
        far = self._distances(table, count, query, places, retired)
        return self._compared(table, _nearest(far), query, fetch, limit)

    def compare(self, query: Floats, facts: Sequence[int], fetch: Fetch) -> list[Near]:
        """How near these facts are; those that it does not hold are left out."""
        table, count = self._held()
        numbers = table.nr[:count]
        wanted = np.zeros(max(numbers.max(initial=0), *facts, 0) + 1, bool)
        wanted[list(facts)] = True  # by numpy's isin 1.2 ms at 100 k facts, so .1
        rows = np.flatnonzero(wanted[numbers] & (table.hidden[:count] < 2))
        return self._compared(table, rows, query, fetch, len(rows))

    def _distances(
        self,
        table: _Table,
        count: int,
        query: Floats,
        places: Iterable[str] | None,
        retired: bool,
    ) -> NDArray[np.uint16]:
        asked = _signs(query)
        far = np.empty(count, np.uint16)
        seen = np.ones(max(len(self._places), 1), bool)
        if places is not None:
            seen[:] = False
            seen[[self._places[place] for place in places if place in self._places]] = True
        for start in range(0, count, _STRIDE):
            part = slice(start, min(start + _STRIDE, count))
            total = np.bitwise_count(table.bits[0, part] ^ asked[0]).astype(np.uint16)
            for word in range(1, len(asked)):
                total += np.bitwise_count(table.bits[word, part] ^ asked[word])
            shown = table.hidden[part] <= int(retired)
            shown &= np.take(seen, table.place[part], mode="clip")  # a place may just have come
            far[part] = np.where(shown, total, np.uint16(_FAR))
        return far

    def _compared(
        self, table: _Table, rows: NDArray[np.intp], query: Floats, fetch: Fetch, limit: int
    ) -> list[Near]:
        if not len(rows):
            return []
        numbers = table.nr[rows].tolist()
        if table.halves is not None:
            vectors = table.halves[rows].astype(np.float32)
        else:
            held = {row.nr: row.vector for row in fetch(numbers)}
            there = [at for at, nr in enumerate(numbers) if nr in held]
            rows, numbers = rows[there], [numbers[at] for at in there]
            raw = b"".join(held[nr] for nr in numbers)
            vectors = np.frombuffer(raw, np.float16).reshape(-1, self._dim).astype(np.float32)
        cosines = vectors @ query
        best = np.lexsort((numbers, -cosines))[:limit]
        pull = self._pull(table, rows[best], vectors[best])
        return [
            Near(numbers[at], float(cosines[at]), float(pulled))
            for at, pulled in zip(best.tolist(), pull, strict=True)
        ]

    def _pull(self, table: _Table, rows: NDArray[np.intp], vectors: Floats) -> NDArray[np.float16]:
        """How much these facts attract whatever is asked. Any thread may note it."""
        pull = table.pull[rows]
        new = np.isnan(pull)
        if new.any():
            found = [nearness(vectors[new], rows, _PULLING) for rows in self._prompts.examples]
            pull[new] = np.mean(found, axis=0)
            table.pull[rows] = pull
        return pull


def _nearest(far: NDArray[np.uint16]) -> NDArray[np.intp]:
    """Where the RERANKED smallest distances are; by counting, a third of what a partition takes."""
    upto = np.cumsum(np.bincount(far, minlength=_FAR)[:_FAR])
    last = int(np.searchsorted(upto, RERANKED))
    nearer = np.flatnonzero(far < last)
    if last >= _FAR:
        return nearer
    return np.concatenate([nearer, np.flatnonzero(far == last)[: RERANKED - len(nearer)]])


def nearness(vectors: Floats, others: Floats, nearest: int) -> Floats:
    """How near each of *vectors* is to its *nearest* of *others*, on average; 0 without any."""
    if not len(others) or not len(vectors):
        return np.zeros(len(vectors), np.float32)
    cosines = vectors @ others.T
    nearest = min(nearest, len(others))
    found: Floats = np.partition(cosines, -nearest, axis=1)[:, -nearest:].mean(1)
    return found


def pack(vectors: Floats) -> list[bytes]:
    """Vectors as the ledger keeps them."""
    return [row.tobytes() for row in vectors.astype(np.float16)]


def _signs(vector: NDArray[np.floating]) -> NDArray[np.uint64]:
    return np.packbits(vector > 0).view(np.uint64)
