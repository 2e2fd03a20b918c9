"""When something was said: in the past or now, never ahead."""

import pytest

from dormouse.errors import BadRequest
from tests.night import Bed

LATER = "2027-01-01T00:00:00.000+00:00"
EARLIER = "2026-01-01T00:00:00.000+00:00"


def test_a_fact_from_the_future_is_refused_and_retires_nothing(bed: Bed) -> None:
    bed.say("the staging port is 4100", at=EARLIER)
    with pytest.raises(BadRequest, match="lies in the future"):
        bed.say("the staging port is 4200", at=LATER)
    assert list(bed.facts()) == ["the staging port is 4100"]


def test_a_clock_that_is_a_little_ahead_is_taken_for_now(bed: Bed) -> None:
    bed.say("the staging port is 4100", at="2026-06-01T21:04:00.000+00:00")
    (fact,) = bed.facts().values()
    assert fact.valid_from < bed.memory.now()
