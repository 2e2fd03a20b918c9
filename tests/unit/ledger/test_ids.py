"""Ids are random and may be shortened."""

from hypothesis import given
from hypothesis import strategies as st

from dormouse.ledger.ids import could_be_id, new_id, shortest_unique

ids = st.text("ab2", min_size=16, max_size=16)


def test_an_id_has_sixteen_characters_of_base32_and_is_never_the_same() -> None:
    made = {new_id() for _ in range(1_000)}
    assert len(made) == 1_000
    assert all(len(id) == 16 and could_be_id(id) for id in made)


def test_odd_texts_are_no_ids() -> None:
    for text in ("", "%", "*", "ABCD", "abc1", "a" * 17, "abc'"):
        assert not could_be_id(text)


@given(ids, ids, ids)
def test_a_shortened_id_is_a_beginning_that_no_neighbour_has(a: str, b: str, c: str) -> None:
    id, *others = [a, b, c]
    short = shortest_unique(id, *others)
    assert id.startswith(short)
    assert len(short) >= 4
    assert not any(other != id and other.startswith(short) for other in others)
    if len(short) > 4:
        assert any(other.startswith(short[:-1]) for other in others)
