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
