"""Finding facts by words."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dormouse.facts import Look, Scope
from dormouse.ledger import Ledger
from tests.unit.ledger.store import EVERYTHING, found, say


def test_the_fact_with_more_of_the_words_comes_first(ledger: Ledger) -> None:
    say(ledger, "the staging server runs debian")
    say(ledger, "the staging database is reset on mondays")
    say(ledger, "tea is green")
    hits = ledger.read(lambda r: r.search(["staging", "database"], EVERYTHING))
    assert [h.fact.text[:20] for h in hits] == ["the staging database", "the staging server r"]
    assert hits[0].words > hits[1].words >= 0


def test_words_are_found_in_their_other_forms(ledger: Ledger) -> None:
    say(ledger, "we deploy on thursdays")
    assert found(ledger, "deploys") == found(ledger, "deployed") == ["we deploy on thursdays"]


def test_no_term_no_hit(ledger: Ledger) -> None:
    say(ledger, "tea is green")
    assert found(ledger) == found(ledger, "") == found(ledger, " ") == found(ledger, "coffee") == []


@pytest.mark.parametrize(
    "term",
    ['"', "'", "tea*", "tea OR green", "NOT", "words:tea", "-tea", "^tea", "(", "NEAR(", "a\0b"],
)
def test_nothing_in_a_term_is_an_operator(ledger: Ledger, term: str) -> None:
    say(ledger, "tea is green")
    assert found(ledger, term, "coffee") in ([], ["tea is green"])
    assert found(ledger, term, "green") == ["tea is green"]
    assert ledger.read(lambda r: r.frequencies([term])) is not None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.text(max_size=12), max_size=5))
def test_any_terms_can_be_searched(ledger: Ledger, terms: list[str]) -> None:
    ledger.read(lambda r: (r.search(terms, EVERYTHING), r.frequencies(terms)))


def test_the_best_hits_of_what_may_be_seen_are_given_however_many_others_are_better(
    ledger: Ledger,
) -> None:
    for number in range(60):
        say(ledger, f"tea {number}", scope=Scope.PROJECT, project_id="other")
    for number in range(3):
        say(ledger, f"tea and a lot of other words {number}")
    assert len(found(ledger, "tea", look=Look("mine"), limit=50)) == 3
    assert len(found(ledger, "tea", look=EVERYTHING, limit=50)) == 50


def test_frequencies_count_facts_current_or_not(ledger: Ledger) -> None:
    for number in range(7):
        say(ledger, f"tea tea number{number}")
    assert ledger.read(lambda r: r.frequencies(["tea", "number1", "coffee", "TEAS", ""])) == {
        "tea": 7, "number1": 1, "coffee": 0, "TEAS": 7, "": 0,
    }  # fmt: skip


def test_the_same_question_gives_the_same_answer_in_the_same_order(ledger: Ledger) -> None:
    for number in range(20):
        say(ledger, f"tea number{number}")
    first = found(ledger, "tea")
    assert all(found(ledger, "tea") == first for _ in range(3))
