"""The guards, as data: what each is, the exact text that takes it away, and the test that notices.

``mutations`` works through this list. A new guard gets a line here.
"""

from typing import NamedTuple


class Guard(NamedTuple):
    """One guard. ``old`` stands exactly once in ``file``; with ``new`` the guard is gone."""

    name: str
    file: str
    old: str
    new: str
    test: str


GUARDS: tuple[Guard, ...] = ()
