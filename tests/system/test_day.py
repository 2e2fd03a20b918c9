"""A day of two agents, in three languages, and the night after it: what is left is what was meant.

The rules alone, at level local: no thinker is asked. The day stands in tests/data/day.toml.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.machine import Machine

DAY = tomllib.loads((Path(__file__).parents[1] / "data" / "day.toml").read_text("utf-8"))
MORNING, NIGHT = "2026-06-01T08:00:00+00:00", "2026-06-02T03:05:00+00:00"


class Day:
    """One machine on which the day has been lived through."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        machine.up(MORNING)
        self.folder = machine.repository("shop")
        machine.remember("the unit tests run with jest", project=str(self.folder))
        machine.settled()
        for said in DAY["session"]:
            session = machine.session(said["agent"], self.folder)
            session.start()
            for prompt in said["prompts"]:
                session.prompt(prompt)
                session.stop("Done.")
            session.end()
        machine.settled()

    def current(self) -> set[str]:
        return {fact["text"] for fact in self.machine.facts(project=self.folder)}

    def retired(self) -> dict[str, str]:
        return {row["text"]: row["because"] for row in self.machine.retired()}

    def waiting(self) -> set[str]:
        return {row["text"] for row in self.machine.json("candidates")}

    def evening(self) -> Any:
        """What an undo has to give back."""
        facts = self.machine.facts(project=self.folder)
        return (
            {(f["id"], f["text"], f["confidence"], len(f["sources"])) for f in facts},
            self.waiting(),
        )


@pytest.fixture(scope="module")
def day() -> Iterator[Day]:
    machine = Machine()
    try:
        yield Day(machine)
    finally:
        machine.destroy()


@pytest.fixture(scope="module")
def night(day: Day) -> tuple[Any, Any, Any]:
    """The evening, the report of the night, and what holds after it."""
    before = day.evening(), day.current(), day.waiting()
    day.machine.jump(NIGHT)
    return before, day.machine.json("rem", "run", "--wait"), day.evening()


pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("day")]


def test_the_day_is_as_long_as_promised() -> None:
    assert len(DAY["session"]) == 10
    assert sum(len(session["prompts"]) for session in DAY["session"]) == 60
    assert {session["agent"] for session in DAY["session"]} == {"claude-code", "codex"}


def test_in_the_evening_facts_are_what_was_meant_and_nothing_else(
    day: Day, night: tuple[Any, Any, Any]
) -> None:
    (_, current, waiting), _, _ = night
    assert current >= set(DAY["evening"]["facts"])
    assert len(current) == DAY["evening"]["current"]
    assert waiting == set(DAY["evening"]["candidates"])
    everything = " ".join([*current, *waiting, *day.retired()])
    for never in DAY["evening"]["never"]:
        assert never not in everything


def test_the_report_of_the_night_is_right(day: Day, night: tuple[Any, Any, Any]) -> None:
    (_, evening, _), report, _ = night
    assert (report["state"], report["kind"]) == ("done", "rem")
    assert report["came_in"]["turns"] >= 60
    assert report["made"] == len(DAY["night"]["made"])
    assert report["folded"] == len(DAY["night"]["folded"]) == len(report["retired"])
    assert report["waits"] == {"candidates": 1, "proposals": 0, "questions": 0}
    assert report["thinker_calls"] == 0
    assert set(DAY["night"]["made"]) <= day.current() - evening
    for text in DAY["night"]["folded"]:
        assert day.retired()[text] == "duplicate"
    assert report["facts_after"] < report["facts_before"], "the number of facts goes down"
    steps = day.machine.json("rem", "show", report["run"])["steps"]
    assert [step["step"] for step in steps] == [
        "catch_up", "read_day", "settle", "consolidate", "tidy",
    ]  # fmt: skip


def test_the_moved_server_stands_once_with_all_who_said_so(
    day: Day, night: tuple[Any, Any, Any]
) -> None:
    staging = [f for f in day.machine.facts(project=day.folder) if "staging" in f["text"]]
    assert len(staging) == 1
    assert "10.0.0.9" in staging[0]["text"]
    assert len(staging[0]["sources"]) >= 2
    assert day.retired()["the staging server is at 10.0.0.5"] == "superseded"
    assert day.retired()["the unit tests run with jest"] in ("corrected", "superseded")


def test_a_second_night_changes_nothing(day: Day, night: tuple[Any, Any, Any]) -> None:
    again = day.machine.json("rem", "run", "--wait")
    assert again["state"] == "done"
    assert (again["retired"], again["made"], again["folded"]) == ([], 0, 0)
    assert again["came_in"]["turns"] == 0
    assert day.evening() == night[2]


def test_undo_gives_the_evening_back_and_no_night_takes_it_again(
    day: Day, night: tuple[Any, Any, Any]
) -> None:
    (evening, _, _), report, after = night
    assert evening != after
    day.machine.json("rem", "undo", report["run"])
    assert day.evening() == evening
    day.machine.json("rem", "run", "--wait")
    assert day.evening() == evening


def test_nothing_of_the_day_stands_in_clear_anywhere_in_the_home(
    day: Day, night: tuple[Any, Any, Any]
) -> None:
    for path in day.machine.home.rglob("*"):
        if path.is_file() and not path.is_socket():
            content = path.read_bytes()
            assert b"10.0.0.9" not in content, path.name
            assert b"Falcon" not in content, path.name
    assert len(list((day.machine.home / "backups").glob("*.db"))) == 1
