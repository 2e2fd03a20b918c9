"""A day of two agents, in three languages, and the night after it: what is left is what was meant.

The rules alone, at level local: no thinker is asked. The day stands in tests/data/day.toml.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.day import DAY, NIGHT, Day
from tests.machine import Machine

# A change that the embedded judge, where its model is installed, is nearly sure of: a question.
ENDED = ("hotfixes need an approval from Tom", "hotfixes need no approval any more")


class Night(NamedTuple):
    """The evening, the report of the night, and what holds after it."""

    evening: Any
    current: set[str]
    waiting: set[str]
    report: Any
    morning: Any


@pytest.fixture(scope="module")
def day() -> Iterator[Day]:
    machine = Machine()
    try:
        made = Day(machine)
        made.live()
        yield made
    finally:
        machine.destroy()


@pytest.fixture(scope="module")
def night(day: Day) -> Night:
    before = day.state(), day.current(), day.waiting()
    day.machine.jump(NIGHT)
    return Night(*before, day.sleep(), day.state())


pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("day")]


def test_the_day_is_as_long_as_promised() -> None:
    assert len(DAY["session"]) == 10
    assert sum(len(session["prompts"]) for session in DAY["session"]) == 60
    assert {session["agent"] for session in DAY["session"]} == {"claude-code", "codex"}


def test_in_the_evening_facts_are_what_was_meant_and_nothing_else(day: Day, night: Night) -> None:
    assert night.current >= set(DAY["evening"]["facts"])
    assert len(night.current) == DAY["evening"]["current"]
    assert night.waiting == set(DAY["evening"]["candidates"])
    for never in DAY["evening"]["never"]:
        assert never not in day.everything()


def test_the_report_of_the_night_is_right(day: Day, night: Night) -> None:
    report = night.report
    assert (report["state"], report["kind"]) == ("done", "rem")
    assert report["came_in"]["turns"] >= 60
    assert report["made"] == len(DAY["night"]["made"])
    assert report["folded"] == len(DAY["night"]["folded"]) == len(report["retired"])
    waits = report["waits"]
    assert (waits["candidates"], waits["proposals"]) == (1, 0)
    asked = day.machine.ask("GET", "/v1/questions")
    assert waits["questions"] == len(asked)
    assert {(each["older"]["text"], each["newer"]["text"]) for each in asked} <= {ENDED}
    assert report["thinker_calls"] == 0
    assert set(DAY["night"]["made"]) <= day.current() - night.current
    for text in DAY["night"]["folded"]:
        assert day.retired()[text] == "duplicate"
    assert report["facts_after"] < report["facts_before"], "the number of facts goes down"
    steps = day.machine.json("rem", "show", report["run"])["steps"]
    assert [step["step"] for step in steps] == [
        "catch_up", "read_day", "settle", "consolidate", "tidy",
    ]  # fmt: skip


def test_the_moved_server_stands_once_with_all_who_said_so(day: Day, night: Night) -> None:
    staging = [f for f in day.machine.facts(project=day.folder) if "staging" in f["text"]]
    assert len(staging) == 1
    assert "10.0.0.9" in staging[0]["text"]
    assert len(staging[0]["sources"]) >= 2
    assert day.retired()["the staging server is at 10.0.0.5"] == "superseded"
    assert day.retired()["the unit tests run with jest"] in ("corrected", "superseded")


def test_a_second_night_changes_nothing(day: Day, night: Night) -> None:
    again = day.sleep()
    assert again["state"] == "done"
    assert (again["retired"], again["made"], again["folded"]) == ([], 0, 0)
    assert again["came_in"]["turns"] == 0
    assert day.state() == night.morning


def test_undo_gives_the_evening_back_and_no_night_takes_it_again(day: Day, night: Night) -> None:
    assert night.evening != night.morning
    day.machine.json("rem", "undo", night.report["run"])
    assert day.state() == night.evening
    day.sleep()
    assert day.state() == night.evening


def test_nothing_of_the_day_stands_in_clear_anywhere_in_the_home(day: Day, night: Night) -> None:
    for path in day.machine.home.rglob("*"):
        if path.is_file() and not path.is_socket():
            content = path.read_bytes()
            assert b"10.0.0.9" not in content, path.name
            assert b"Falcon" not in content, path.name
    assert len(list((day.machine.home / "backups").glob("*.db"))) == 1
