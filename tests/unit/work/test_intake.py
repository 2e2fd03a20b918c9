"""When a turn was said: as its host has it, but never ahead of now."""

import pytest

from dormouse.sessions import Role, Turn
from dormouse.work.intake import said_at

NOW = "2026-06-01T10:00:00.000+00:00"


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("2026-05-01T09:00:00Z", "2026-05-01T09:00:00.000+00:00"),
        ("2026-05-01T09:00:00+02:00", "2026-05-01T07:00:00.000+00:00"),
        ("9999-12-31T00:00:00Z", NOW),
        ("yesterday", NOW),
        (None, NOW),
    ],
)
def test_a_turn_was_said_when_its_host_says_so_but_never_in_the_future(
    at: str | None, told: str
) -> None:
    assert said_at(Turn(Role.PERSON, "hello", "s", at), NOW) == told
