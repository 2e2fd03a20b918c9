"""Order: by when a fact began to hold, then when it was said, then by arrival."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dormouse.judging import as_fact, ordered

BASE = as_fact("the port is 4100", "2026-03-02T09:00:00Z", id="a")
LATER = "2026-03-03T09:00:00.000+00:00"


def test_what_holds_from_earlier_is_older_even_if_it_arrives_later() -> None:
    caught_up = replace(BASE, id="b", captured_at=LATER)
    assert ordered(replace(BASE, id="c", valid_from=LATER), caught_up)[0] is caught_up


def test_ties_go_to_what_was_said_earlier_then_to_what_came_first_then_to_the_id() -> None:
    for field in ("stated_at", "captured_at"):
        newer = replace(BASE, id="0", **{field: LATER})  # type: ignore[arg-type]
        assert ordered(newer, BASE) == (BASE, newer)
    twin = replace(BASE, id="b")
    assert ordered(twin, BASE) == (BASE, twin)


_TIMES = st.sampled_from([BASE.valid_from, LATER])


@given(_TIMES, _TIMES, _TIMES)
def test_the_order_does_not_depend_on_who_is_named_first(x: str, y: str, z: str) -> None:
    other = replace(BASE, id="b", valid_from=x, stated_at=y, captured_at=z)
    assert ordered(BASE, other) == ordered(other, BASE)
