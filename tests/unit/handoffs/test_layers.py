"""Working memory and a session's summary: arithmetic of time, and what the rules hear."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dormouse.layers import (
    GONE,
    PLACES,
    SUMMARY,
    WINDOW,
    Focus,
    FocusKind,
    admit,
    alive,
    listen,
    relevance,
    sum_up,
)
from dormouse.times import parse, stamp

NOW = "2026-06-10T12:00:00.000+00:00"


def hours_ago(hours: float) -> str:
    return stamp(parse(NOW) - timedelta(hours=hours))


def place(text: str, kind: FocusKind = FocusKind.STEP, hours: float = 0) -> Focus:
    return Focus(kind, text, hours_ago(hours))


def test_asking_often_changes_nothing() -> None:
    one = place("a", hours=5)
    assert len({relevance(one, NOW) for _ in range(100)}) == 1
    assert alive(alive([one], NOW), NOW) == alive([one], NOW)


@given(st.floats(0, 1_000), st.floats(0, 1_000), st.sampled_from(list(FocusKind)))
def test_the_older_is_never_the_more_relevant(a: float, b: float, kind: FocusKind) -> None:
    older, newer = place("a", kind, max(a, b)), place("b", kind, min(a, b))
    assert 0 <= relevance(older, NOW) <= relevance(newer, NOW) <= 1


def test_a_clock_that_went_back_makes_nothing_more_than_relevant() -> None:
    assert relevance(place("a", hours=-3), NOW) == 1.0


def test_a_place_is_empty_below_a_hundredth() -> None:
    gone, held = place("a", FocusKind.FILE, 9.3), place("b", FocusKind.FILE, 9.1)
    assert relevance(gone, NOW) < GONE <= relevance(held, NOW)
    assert alive([gone, held], NOW) == (held,)


@given(
    st.lists(
        st.tuples(st.sampled_from(list(FocusKind)), st.text("abc", min_size=1, max_size=2)),
        max_size=40,
    )
)
def test_there_are_never_more_than_seven_and_the_newest_is_among_them(
    said: list[tuple[FocusKind, str]],
) -> None:
    places: tuple[Focus, ...] = ()
    for kind, text in said:
        places = admit(places, Focus(kind, text, NOW), NOW)
        assert any(p.kind is kind and p.text == text for p in places) or len(places) == PLACES
        assert len(places) <= PLACES
        assert sum(p.kind is FocusKind.GOAL for p in places) <= 1


def test_the_least_relevant_goes_and_a_goal_outlives_many_files() -> None:
    places: tuple[Focus, ...] = (place("the goal", FocusKind.GOAL, 1),)
    for number in range(20):
        at = 0.5 - number / 60
        places = admit(places, place(f"f{number}", FocusKind.FILE, at), NOW)
    assert FocusKind.GOAL in {p.kind for p in places}
    assert {p.text for p in places if p.kind is FocusKind.FILE} == {f"f{n}" for n in range(14, 20)}


def test_what_is_said_again_is_fresh_again() -> None:
    places = admit((place("a", hours=20),), place("a"), NOW)
    assert [relevance(p, NOW) for p in places] == [1.0]


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("I have added the bucket in api.py.", "done"),
        ("All tests pass.", "done"),
        ("Ich habe den Zähler hinzugefügt.", "done"),
        ("已经完成了路由。", "done"),
        ("Next: wire it into the router.", "open"),
        ("The tests still need to be written.", "open"),
        ("Noch offen ist der Router.", "open"),
        ("下一步：写测试。", "open"),
        ("We decided to use a token bucket.", "decisions"),
        ("Let's go with Redis.", "decisions"),
        ("Wir haben uns entschieden, Redis zu nehmen.", "decisions"),
        ("我们决定使用令牌桶。", "decisions"),
    ],
)
def test_the_rules_hear_what_is_done_open_and_decided(text: str, sort: str) -> None:
    heard = listen(text)
    assert getattr(heard, sort), heard
    others = {"done", "open", "decisions"} - {sort}
    assert not any(getattr(heard, other) for other in others), heard


@pytest.mark.parametrize("text", ["The sky is blue.", "How are you?", "```\nTODO: not this\n```"])
def test_other_sentences_and_code_are_none_of_it(text: str) -> None:
    heard = listen(text)
    assert (heard.done, heard.open, heard.decisions) == ((), (), ())


def test_lists_under_a_heading_belong_to_it() -> None:
    heard = listen("Done:\n- bucket\n- counter\nNext steps:\n1. router\nDecisions:\n- Redis")
    assert heard.done == ("bucket", "counter")
    assert heard.open == ("router",)
    assert heard.decisions == ("Redis",)


def test_a_summary_has_first_and_last_words_and_stays_small() -> None:
    turns = [("person", "Add a limiter. Please."), ("assistant", "I added it. Next: tests.")]
    turns += [("person", f"go on {n}") for n in range(10)]
    summary = sum_up(turns)
    assert "asked first: Add a limiter." in summary
    assert "done: I added it." in summary
    assert "open: Next: tests." in summary
    assert "asked last: go on 9" in summary
    assert len(sum_up([("assistant", "Next: " + "x" * 280)] * 300)) <= SUMMARY
    assert "number 0" not in sum_up([("person", f"number {n} it is") for n in range(WINDOW + 1)])
    assert sum_up([]) == ""
