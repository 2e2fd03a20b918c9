"""What a body may hold, field by field."""

import pytest

from dormouse.api import requests
from dormouse.errors import BadRequest


def test_a_time_that_is_not_given_is_none() -> None:
    assert requests.time_field({}, "at") is None
    assert requests.time_field({"at": None}, "at") is None


@pytest.mark.parametrize("value", ["", " ", "soon", "2026-13-01"])
def test_a_time_that_is_empty_or_no_time_is_refused_and_never_means_now(value: str) -> None:
    with pytest.raises(BadRequest, match="at must be an ISO 8601 time"):
        requests.wish({"text": "x", "at": value})


BLANK = [
    " ",
    "\u200b\u200b",
    "\u00a0\ufeff\n",
    "\u2800",
    "\u3164\u115f",
    "\ufe0f",
    "\u202e",
    "\x07",
]


@pytest.mark.parametrize("text", BLANK)
def test_a_text_of_which_nothing_can_be_seen_is_refused_as_empty(text: str) -> None:
    with pytest.raises(BadRequest, match="there is no text to keep"):
        requests.wish({"text": text})
    said = requests.wish({"text": "x", "outcome": text, "steps": [text, "make"]}).detail
    assert (said.outcome, said.steps) == (None, ("make",))


def test_a_text_with_something_to_see_is_kept_as_it_is() -> None:
    for text in ("!", "\u200bx", "\ud83d\ude00", "e\u0301", " " * 200 + "x"):
        assert requests.wish({"text": text}).text == text


def test_private_parts_are_taken_out_of_every_text_that_is_kept() -> None:
    hidden = "<private>4711</private>"
    wish = requests.wish(
        {
            "text": f"the door {hidden}",
            "outcome": f"it opens {hidden}",
            "context": hidden,
            "steps": [f"knock {hidden}", hidden],
            "tools": [f"key {hidden}"],
        }
    )
    detail = wish.detail
    assert (wish.text, detail.outcome, detail.context) == ("the door", "it opens", None)
    assert (detail.steps, detail.tools) == (("knock",), ("key",))


def test_an_unknown_field_is_told_without_its_name() -> None:
    token = "ghp_" + "A" * 36
    with pytest.raises(BadRequest) as raised:
        requests.wish({"text": "x", token: 1})
    assert "A" * 9 not in str(raised.value)
    assert "confidence, context" in str(raised.value)
