"""A store of facts in a real FTS5 table, with the tokenizer and the BM25 that the ledger has."""

import random
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from hypothesis import settings

from dormouse.facts import Fact, Kind, Layer, Look, Scope, Slot, Trust
from dormouse.recall.rank import FLOOR, Ranked, rank
from dormouse.recall.same import others
from dormouse.recall.stem import porter
from dormouse.recall.words import index_text, prune, query_terms

SLOW_IS_FINE = settings(deadline=None)  # the machine is shared
TODAY = date(2026, 6, 10)
LOOK = Look(project_id="p")
DEPTH = 50

_PLAIN = Fact(
    id="a" * 16,
    text="",
    kind=Kind.PROJECT,
    layer=Layer.SEMANTIC,
    scope=Scope.PROJECT,
    project_id="p",
    project_name="shop",
    branch=None,
    session_id=None,
    slot=Slot(),
    language=None,
    trust=Trust.USER,
    confidence=0.9,
    importance=0.5,
    weight=0.0,
    pinned=False,
    stated_at="2026-06-01T10:00:00.000+00:00",
    captured_at="2026-06-01T10:00:00.000+00:00",
    valid_from="2026-06-01T10:00:00.000+00:00",
    valid_to=None,
    retired_at=None,
    retired_because=None,
    superseded_by=None,
)


def fact(id: str, text: str, **fields: object) -> Fact:
    return replace(_PLAIN, id=id, text=text, **fields)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Hit:
    fact: Fact
    words: float
    turn: tuple[str, int] | None = None
    tokens: str = ""


class Store:
    """Facts, found as the ledger finds them."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.facts = list(facts)
        self.db = sqlite3.connect(":memory:")
        self.db.execute(
            "CREATE VIRTUAL TABLE search USING fts5"
            " (words, tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        self.db.execute("CREATE VIRTUAL TABLE terms USING fts5vocab (search, row)")
        self.db.executemany(
            "INSERT INTO search (rowid, words) VALUES (?, ?)",
            ((row, index_text(each.text)) for row, each in enumerate(self.facts)),
        )

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        found = {}
        for term in terms:
            row = self.db.execute(
                "SELECT doc FROM terms WHERE term = ?", (porter(term),)
            ).fetchone()
            found[term] = int(row[0]) if row else 0
        return found

    def search(self, terms: Sequence[str]) -> list[Hit]:
        if not terms:
            return []
        rows = self.db.execute(
            "SELECT rowid, -bm25(search) FROM search WHERE search MATCH ?"
            " ORDER BY 2 DESC, 1 LIMIT ?",
            (" OR ".join(f'"{term}"' for term in terms), DEPTH),
        )
        return [
            Hit(self.facts[row], score, tokens=index_text(self.facts[row].text))
            for row, score in rows
        ]

    def recall(
        self, prompt: str, *, floor: float = FLOOR, explicit: bool = False, limit: int = 6
    ) -> list[Ranked]:
        terms = query_terms(prompt, explicit=explicit)
        every = others(terms)
        frequencies = self.frequencies(every)
        hits = self.search(prune(every, frequencies, len(self.facts)))
        ranked = rank(
            hits, terms, LOOK, TODAY,
            floor=floor, frequencies=frequencies, total=len(self.facts),
        )  # fmt: skip
        return ranked[:limit]


def found(ranked: Sequence[Ranked]) -> list[str]:
    return [each.fact.id for each in ranked]


_THINGS = "payment shipping checkout cart refund invoice order CI release build catalogue customer"
_THINGS += " warehouse tax voucher login search stock mail report"
_KINDS = (
    "service job page worker queue webhook export import form module script table endpoint test"
)
_NAMES = (
    "falcon amber delta Rust Go Python TypeScript atlas beacon cobalt ember fable granite harbor"
)
_ENDS = (
    "runs every {n} minutes", "is owned by team {w}", "writes to table {w}_{n}",
    "retries {n} times before it gives up", "was moved to node-{n}", "needs version {n}.{n}",
    "times out after {n} seconds", "is written in {w}", "logs to channel #{w}",
    "must not be changed before ticket SHOP-{n} is closed", "uses the library {w}",
    "is deployed by {w}", "is slow when there are more than {n} orders", "calls the provider {w}",
)  # fmt: skip


def web_shop(count: int) -> list[Fact]:
    """*count* facts about payments, shipping, CI: the crowd in which an answer has to be found."""
    dice = random.Random(1)
    return [
        fact(
            f"n{number:015d}",
            f"the {dice.choice(_THINGS.split())} {dice.choice(_KINDS.split())} "
            + dice.choice(_ENDS).format(n=dice.randint(2, 9_999), w=dice.choice(_NAMES.split())),
        )
        for number in range(count)
    ]


def store_of(facts: Mapping[str, str], crowd: int = 0) -> Store:
    return Store([*(fact(id, text) for id, text in facts.items()), *web_shop(crowd)])
