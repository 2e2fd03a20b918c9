"""A word is found by the other words for the same thing, in every language of the list."""

import pytest

from dormouse.recall.lists import lines
from dormouse.recall.same import others, thing
from dormouse.recall.words import family, query_terms
from tests.unit.recall.support import found, store_of


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("which database do we use?", "Die Datenbank ist SQLite im WAL-Modus"),
        ("welche Lizenz gilt hier?", "Licence is dual MIT and Apache-2.0"),
        ("怎么加密密码", "Passwörter werden mit argon2 gehasht"),
        ("where do the logs go?", "日志保存在 ClickHouse"),
    ],
)
def test_a_prompt_finds_what_was_said_in_other_words_for_the_same(prompt: str, text: str) -> None:
    store = store_of({"it": text, "other": "we deploy on Tuesdays", "more": "tabs in Go"})
    assert found(store.recall(prompt, floor=0))[:1] == ["it"]


def test_other_words_count_as_spellings_of_one_word() -> None:
    assert family("datenbank") == family("database") == family("据库")
    assert family("lodash") == "lodash"


def test_a_prompt_without_such_words_stays_as_it_is() -> None:
    assert others(["kubernetes", "heron"]) == ["kubernetes", "heron"]


def test_the_words_of_the_prompt_come_first_for_each_thing() -> None:
    assert others(["lizenz"])[0] == "lizenz"
    assert "licence" in others(["lizenz"])


def test_each_word_of_the_list_names_one_thing() -> None:
    words = [word for line in lines("same", "same") for word in line.split()]
    assert len(words) == len(set(words))
    assert thing("datenbank") == "database"


def test_what_somebody_asks_to_forget_is_taken_by_its_own_words_only() -> None:
    assert "database" not in query_terms("vergiss die Datenbank", explicit=True)
