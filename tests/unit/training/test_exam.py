"""The exam puts a pair before the judges as capture would."""

from dormouse.judging import gate
from training.judge.exam import facts_of

ROW = {
    "older": "builds run on Node 18",
    "older_time": "2026-01-01T09:00:00Z",
    "newer": "builds run on Node 22",
    "newer_time": "2026-03-01T09:00:00Z",
}


def test_notes_of_two_projects_are_never_held_against_each_other() -> None:
    assert gate.firm(*facts_of(ROW)) is None
    assert gate.firm(*facts_of({**ROW, "older_scope": "shop", "newer_scope": "till"})) is not None
    assert gate.firm(*facts_of({**ROW, "older_scope": "shop", "newer_scope": "shop"})) is None
