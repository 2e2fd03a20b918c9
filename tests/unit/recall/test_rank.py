"""Rank: relevance first, then who is near, trusted, weighty and recent; never by chance."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dormouse.facts import Fact, Look, Scope, Trust
from dormouse.recall.rank import FLOOR, Ranked, rank
from dormouse.recall.words import query_terms
from tests.unit.recall.support import LOOK, SLOW_IS_FINE, TODAY, Hit, fact, found, store_of

TEXT = "the staging server is at 10.0.0.5"


def ranked(
    facts: Sequence[Fact],
    prompt: str = "where is the staging server",
    *,
    today: date = TODAY,
    floor: float = FLOOR,
) -> list[Ranked]:
    hits = [Hit(each, 1.0) for each in facts]
    return rank(hits, query_terms(prompt, explicit=True), LOOK, today, floor=floor)


def test_a_nearer_scope_comes_first() -> None:
    scopes = [Scope.ORGANISATION, Scope.USER, Scope.PROJECT, Scope.BRANCH]
    facts = [fact(f"id{at}", f"{TEXT} {at}", scope=scope) for at, scope in enumerate(scopes)]
    assert found(ranked(facts)) == ["id3", "id2", "id1", "id0"]


def test_a_nearer_scope_does_not_beat_a_much_better_answer() -> None:
    near = fact("near", "the server room has a new door", scope=Scope.BRANCH)
    far = fact("far", TEXT, scope=Scope.ORGANISATION)
    assert found(ranked([near, far], floor=0.0)) == ["far", "near"]


def test_a_higher_trust_comes_first() -> None:
    facts = [fact(trust.value, f"{TEXT} {trust.rank}", trust=trust) for trust in Trust]
    assert found(ranked(facts)) == ["user", "project_file", "assistant", "tool"]


def test_what_weighs_more_comes_first() -> None:
    facts = [
        fact("light", f"{TEXT} a1", importance=0.1),
        fact("heavy", f"{TEXT} b1", importance=0.9),
    ]
    assert found(ranked(facts)) == ["heavy", "light"]


def test_what_was_said_later_comes_first_by_the_day() -> None:
    old = fact("a", f"{TEXT} x1", stated_at="2026-03-01T10:00:00.000+00:00")
    new = fact("b", f"{TEXT} y1", stated_at="2026-06-09T10:00:00.000+00:00")
    assert found(ranked([old, new])) == ["b", "a"]


def test_the_hour_changes_nothing_and_equals_stand_by_id() -> None:
    late = fact("b", f"{TEXT} x1", stated_at="2026-06-01T23:59:59.999+00:00")
    early = fact("a", f"{TEXT} y1", stated_at="2026-06-01T00:00:00.000+00:00")
    assert found(ranked([late, early])) == ["a", "b"]
    assert len({each.score for each in ranked([late, early])}) == 1


def test_a_fact_said_after_today_counts_as_said_today() -> None:
    later = fact("a", TEXT, stated_at="2027-01-01T10:00:00.000+00:00")
    assert ranked([later])[0].why["said"] == "today"


def test_duplicates_are_shown_once_and_the_best_of_them() -> None:
    facts = [
        fact("far", "Tests run with Vitest.", scope=Scope.USER),
        fact("near", "tests run with  vitest", scope=Scope.PROJECT),
    ]
    assert found(ranked(facts, "how do I run the tests")) == ["near"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("we use C", "we use C++"),
        ("we use npm", "we don't use npm"),
        ("port 50", "port 5.0"),
        ("keep if a < b", "keep if a > b"),
    ],
)
def test_what_only_looks_alike_is_no_duplicate(one: str, other: str) -> None:
    assert len(ranked([fact("a", one), fact("b", other)], one, floor=0.0)) == 2


def test_the_same_hit_twice_is_one() -> None:
    assert found(ranked([fact("a", TEXT), fact("a", TEXT)])) == ["a"]


def test_no_terms_or_no_hits_rank_nothing() -> None:
    assert rank([], ["staging"], LOOK, TODAY) == []
    assert rank([Hit(fact("a", TEXT), 1.0)], [], LOOK, TODAY) == []


def test_floor_zero_switches_silence_off() -> None:
    weak = [fact("a", "the checkout button is blue and round and has a shadow")]
    prompt = "paint a picture of a harbour in winter with boats and one blue lighthouse"
    assert ranked(weak, prompt) == []
    assert found(ranked(weak, prompt, floor=0.0)) == ["a"]


def test_a_frequent_word_says_less_than_a_rare_one() -> None:
    facts = [fact("a", "the payment page is slow"), fact("b", "the giraffe page is slow")]
    hits = [Hit(each, 1.0) for each in facts]
    terms = ["payment", "giraffe", "horizon"]
    frequencies = {"payment": 400, "giraffe": 1, "horizon": 0}
    ranked = rank(hits, terms, LOOK, TODAY, floor=0.0, frequencies=frequencies, total=1_000)
    assert found(ranked) == ["b", "a"]


def test_frequencies_beyond_the_scope_do_no_harm() -> None:
    """A term may occur in more facts of the whole store than this look has at all."""
    hits = [Hit(fact("a", TEXT), 1.0)]
    (only,) = rank(
        hits, ["staging"], LOOK, TODAY, frequencies={"staging": 10_000}, total=1, floor=0
    )
    assert 0.0 < only.score <= 1.0


def test_why_is_said_in_words() -> None:
    (only,) = ranked([fact("a", TEXT)], "is 10.0.0.5 the staging server?")
    assert only.why == {
        "matched": "10.0.0.5, staging, server",
        "words": only.why["words"],
        "bm25_share": 1.0,
        "scope": "this project",
        "trust": "you said it",
        "found_by": "words",
        "importance": 0.5,
        "said": "9 days ago",
        "shown_because": f"its words reach {only.why['words']:.2f}, the floor is 0.39",
    }


def test_why_joins_the_halves_of_a_chinese_word() -> None:
    (only,) = ranked([fact("a", "预发布服务器是 10.0.0.5")], "预发布服务器在哪里？")
    assert only.why["matched"] == "预发布服务器"


@SLOW_IS_FINE
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["staging", "server", "tests", "deploy", "缓存", "Prüfsumme", "10.0.0.5"]
            ),
            st.sampled_from(list(Scope)),
            st.sampled_from(list(Trust)),
            st.floats(0, 1),
            st.floats(0, 30),
        ),
        max_size=8,
    ),
    st.text(max_size=60),
    st.randoms(use_true_random=False),
)
def test_scores_lie_between_zero_and_one_and_input_order_changes_nothing(
    drawn: list[tuple[str, Scope, Trust, float, float]], prompt: str, dice: object
) -> None:
    hits = [
        Hit(fact(f"id{at}", f"{word} {at}", scope=scope, trust=trust, importance=weight), words)
        for at, (word, scope, trust, weight, words) in enumerate(drawn)
    ]
    terms = query_terms(f"{prompt} staging 缓存 Prüfsumme", explicit=True)
    once = rank(hits, terms, LOOK, TODAY, floor=0.0)
    dice.shuffle(hits)  # type: ignore[attr-defined]
    again = rank(hits, terms, LOOK, TODAY, floor=0.0)
    assert again == once
    assert [each.why for each in again] == [each.why for each in once]
    assert all(0.0 <= each.score <= 1.0 for each in once)
    assert all(each.score >= float(each.why["words"]) - 1e-4 for each in once)


def test_a_receipt_or_another_look_changes_no_rank() -> None:
    facts = [fact("a", TEXT), replace(fact("b", f"{TEXT} z1"), confidence=0.1)]
    hits = [Hit(each, 1.0) for each in facts]
    terms = query_terms("staging server")
    assert rank(hits, terms, LOOK, TODAY) == rank(hits, terms, Look(everything=True), TODAY)


def test_a_crowd_does_not_drown_the_answer() -> None:
    store = store_of({"it": TEXT}, crowd=2_000)
    assert found(store.recall("what is the staging address"))[:1] == ["it"]
