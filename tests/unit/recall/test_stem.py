"""Stems: the same as SQLite's own, letter for letter."""

import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dormouse.recall import rank, render, segments, stem, words
from dormouse.recall.stem import german, porter
from tests.unit.recall.support import SLOW_IS_FINE


def kept_by_fts5(tokens: Iterable[str]) -> dict[str, str]:
    """What FTS5 makes of each token."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'porter unicode61')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)")
    listed = sorted(set(tokens))
    db.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", enumerate(listed))
    return {listed[doc]: term for term, doc in db.execute("SELECT term, doc FROM v")}


def assert_same(tokens: Iterable[str]) -> None:
    kept = kept_by_fts5(tokens)
    assert {token: porter(token) for token in kept} == kept


def test_porter_makes_of_every_word_in_our_own_sources_what_sqlite_makes_of_it() -> None:
    text = " ".join(
        Path(module.__file__ or "").read_text(encoding="utf-8")
        for module in (rank, render, segments, stem, words, re)
    )
    assert_same(re.findall(r"[a-z]{1,70}", text.lower()))


RULES = """
caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized
hopping tanned falling hissing fizzed failing filing happy sky relational conditional rational
valenci hesitanci digitizer conformabli radicalli differentli vileli analogousli vietnamization
predication operator feudalism decisiveness hopefulness callousness formaliti sensitiviti
sensibiliti triplicate formative formalize electriciti electrical hopeful goodness revival allowance
inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent
adoption homologou communism activate angulariti homologous effective bowdlerize probate rate cease
controll roll ing ied ies yes yy eed oed sses ion mission 10ǀ0ǀ0ǀ5 mainǀpy servicesǀapis 缓存ing
"""


def test_porter_knows_each_of_its_rules_as_sqlite_does() -> None:
    assert_same(RULES.split())


@SLOW_IS_FINE
@given(st.lists(st.from_regex(r"[a-z]{1,7}(ing|ed|s|es|ation|ement|ly|y|e|ll)", fullmatch=True)))
def test_porter_makes_of_made_up_words_what_sqlite_makes_of_them(tokens: list[str]) -> None:
    assert_same(tokens)


def test_words_beyond_sixty_four_bytes_stay_as_they_are() -> None:
    assert porter("a" * 63 + "s") == "a" * 63
    assert porter("a" * 64 + "s") == "a" * 64 + "s"


def test_german_endings_go_and_short_words_stay() -> None:
    assert german("deployen") == german("deployt") == "deploy"
    assert german("prufsummen") == german("prufsumme") == "prufsumm"
    assert german("test") == "test"
