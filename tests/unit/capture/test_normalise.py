"""Texts have one form to be stored in and one to be compared in."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from dormouse.capture.normalise import clean, fold, text_hash


def test_what_sqlite_refuses_becomes_a_replacement_character() -> None:
    assert clean("a\x00b\ud83dc") == "a\ufffdb\ufffdc"


def test_an_emoji_in_two_halves_is_put_together() -> None:
    assert clean("ok \ud83d\ude00") == "ok 😀"
    assert clean("😀") == "😀"


def test_newlines_are_of_one_kind() -> None:
    assert clean("a\r\nb\rc\u2028d") == "a\nb\nc\nd"


def test_composed_and_decomposed_texts_are_one() -> None:
    word = "Prüfsumme"
    assert clean(unicodedata.normalize("NFD", word)) == word
    assert text_hash(unicodedata.normalize("NFD", word)) == text_hash(word)


def test_case_width_spacing_and_end_marks_tell_no_statements_apart() -> None:
    assert fold("  The  Port\nis ９０９０. ") == fold("the port is 9090")
    assert fold("我们用 pnpm。") == fold("我们用 pnpm")
    assert fold("STRASSE") == fold("Straße")
    assert fold("a\u200bb") == fold("ab")


def test_different_statements_stay_different() -> None:
    assert text_hash("the port is 9090") != text_hash("the port is 9091")
    assert text_hash("we use C++") != text_hash("we use C")


@given(st.text(alphabet=st.characters()))
def test_both_forms_are_stable_and_can_be_stored(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert fold(fold(text)) == fold(text)
    clean(text).encode("utf-8")
    assert "\x00" not in clean(text)
    assert len(text_hash(text)) == 64
