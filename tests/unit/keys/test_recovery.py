"""A code on paper comes back as the same key, or says where it was miswritten."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dormouse.keys.recovery import ALPHABET, Typo, from_code, to_code

KEYS = st.binary(min_size=32, max_size=32)


@given(KEYS)
def test_a_code_comes_back_as_its_key_however_it_is_written(key: bytes) -> None:
    code = to_code(key)
    assert len(code.split("-")) == 14
    for written in (code, code.lower(), code.replace("-", ""), f" {code.replace('-', '  ')}\n"):
        assert from_code(written) == key
    alike = code.replace("1", "l").replace("0", "O")
    assert from_code(alike) == key


@given(KEYS, st.integers(0, 55), st.sampled_from(ALPHABET))
def test_one_wrong_character_is_told_with_its_group(key: bytes, place: int, other: str) -> None:
    text = to_code(key).replace("-", "")
    if text[place] == other:
        return
    with pytest.raises(Typo) as caught:
        from_code(text[:place] + other + text[place + 1 :])
    assert str(place // 4 + 1) in str(caught.value)


@given(KEYS, st.integers(0, 54))
def test_two_characters_that_changed_places_are_told(key: bytes, place: int) -> None:
    text = to_code(key).replace("-", "")
    if text[place] == text[place + 1]:
        return
    with pytest.raises(Typo) as caught:
        from_code(text[:place] + text[place + 1] + text[place] + text[place + 2 :])
    assert str(place // 4 + 1) in str(caught.value)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("", "0 characters"),
        ("ABCD", "4 characters"),
        ("0" * 57, "57 characters"),
        ("0000-000U", "group 2"),
        ("0000-é", "group 2"),
        ("0" * 56, "look at"),
        ("\ud800", "group 1"),
    ],
)
def test_what_is_no_code_is_told(code: str, told: str) -> None:
    with pytest.raises(Typo, match=told):
        from_code(code)


def test_several_wrong_characters_are_told_without_a_guess() -> None:
    text = to_code(bytes(range(32)))
    with pytest.raises(Typo):
        from_code("ZZZZ" + text[4:])
