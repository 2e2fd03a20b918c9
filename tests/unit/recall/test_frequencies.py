"""Counts of frequent words are kept while they are about right."""

from collections.abc import Iterable

from dormouse.recall.frequencies import FREQUENT, Frequencies


class Store:
    def __init__(self, **counts: int) -> None:
        self.counts, self.asked = counts, list[str]()

    def count(self, stems: Iterable[str]) -> dict[str, int]:
        asked = list(stems)
        self.asked += asked
        return {stem: self.counts.get(stem, 0) for stem in asked}


def test_a_frequent_word_is_counted_once_and_a_rare_one_each_time() -> None:
    store, kept = Store(port=FREQUENT, kiln=FREQUENT - 1), Frequencies()
    for _ in range(3):
        found = kept.of(["port", "kiln"], 10_000, store.count)
        assert found == {"port": FREQUENT, "kiln": FREQUENT - 1}
    assert store.asked.count("port") == 1
    assert store.asked.count("kiln") == 3


def test_a_frequent_word_is_counted_anew_when_the_store_has_grown_or_shrunk() -> None:
    store, kept = Store(port=600), Frequencies()
    kept.of(["port"], 10_000, store.count)
    store.counts["port"] = 700
    assert kept.of(["port"], 10_100, store.count) == {"port": 600}
    assert kept.of(["port"], 10_101, store.count) == {"port": 700}
    store.counts["port"] = 650
    assert kept.of(["port"], 10_000, store.count) == {"port": 650}


def test_after_facts_were_erased_everything_is_counted_anew() -> None:
    store, kept = Store(port=600), Frequencies()
    kept.of(["port"], 10_000, store.count)
    store.counts["port"] = 1
    kept.forget()
    assert kept.of(["port"], 10_000, store.count) == {"port": 1}


def test_nothing_is_counted_where_nothing_is_asked() -> None:
    store = Store()
    assert Frequencies().of([], 10, store.count) == {}
    assert store.asked == []
