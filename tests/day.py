"""A day of two agents on one machine, as tests/data/day.toml tells it, and the night after it.

Each session is at an hour of its own; between two of them the daemon starts anew.
"""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.machine import Machine, wait_for

DAY: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "data" / "day.toml").read_text("utf-8")
)
DATE, NIGHT = "2026-06-01", "2026-06-02T03:05:00+00:00"
FIRST_HOUR = 8


class Day:
    """One machine, up and empty, on which the day is lived through; the owner looks in at last."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        machine.up(f"{DATE}T07:00:00+00:00")
        self.folder = machine.repository("shop")

    def live(self) -> None:
        machine = self.machine
        machine.remember("the unit tests run with jest", project=str(self.folder))
        machine.settled()
        for hour, said in enumerate(DAY["session"], FIRST_HOUR):
            machine.jump(f"{DATE}T{hour:02}:00:00+00:00")
            session = machine.session(said["agent"], self.folder)
            session.start()
            for prompt in said["prompts"]:
                session.prompt(prompt)
                session.stop(said.get("answer", "Done."))
            session.end()
            machine.settled()
        self.drop(DAY["evening"]["dropped"])

    def drop(self, text: str) -> None:
        """The owner drops a candidate."""
        (row,) = [row for row in self.machine.json("candidates") if row["text"] == text]
        self.machine.json("candidates", "drop", row["id"])

    def sleep(self) -> Any:
        """Sleep now, however long it takes on a busy machine; the run's report."""
        run = self.machine.json("rem", "run")["run"]
        return wait_for(lambda: self._ended(run), within_s=900, every_s=0.2, what="the night's end")

    def _ended(self, run: str) -> Any:
        report = self.machine.ask("GET", f"/v1/rem/runs/{run}")
        return None if report["state"] == "running" else report

    def current(self) -> set[str]:
        return {fact["text"] for fact in self.machine.facts(project=self.folder)}

    def retired(self) -> dict[str, str]:
        return {row["text"]: row["because"] for row in self.machine.retired()}

    def waiting(self) -> set[str]:
        return {row["text"] for row in self.machine.json("candidates")}

    def state(self) -> Any:
        """What an undo has to give back."""
        facts = self.machine.facts(project=self.folder)
        candidates = self.machine.json("candidates")
        return (
            {(f["id"], f["text"], f["confidence"], len(f["sources"])) for f in facts},
            {(c["id"], c["text"], c["sightings"], c["confidence"]) for c in candidates},
        )

    def everything(self) -> str:
        """Every text that a person can come to see."""
        return " ".join([*self.current(), *self.waiting(), *self.retired()])


def check_night(day: Day, who: str, told: Callable[[], list[str]]) -> None:
    """A night with the thinker *who*, the same night again, and the evening given back.

    *told* says what the model was told so far, call by call.
    """
    expected = DAY["night_of_thinking"]
    evening, before = day.state(), day.current()
    report = day.sleep()
    check_report(report, who, len(told()))
    assert day.current() - before == {*DAY["night"]["made"], *expected["read"]}
    retired = day.retired()
    assert all(retired[text] == "superseded" for text in expected["superseded"])
    assert all(retired[text] == "duplicate" for text in DAY["night"]["folded"])
    assert day.waiting() == set(expected["waits"])
    for never in DAY["evening"]["never"]:
        assert never not in day.everything()

    morning, calls = day.state(), told()
    again = day.sleep()
    assert (again["state"], again["retired"], again["thinker_calls"]) == ("done", [], 0)
    assert (day.state(), told()) == (morning, calls)

    assert day.machine.json("rem", "undo", report["run"])["state"] == "undone"
    assert day.state() == evening
    day.sleep()
    assert (day.state(), told()) == (evening, calls), "no night takes it again"


def check_report(report: Any, who: str, calls: int) -> None:
    """The report of the night says what became fact, candidate, retired, what waits, the cost."""
    expected = DAY["night_of_thinking"]
    superseded, folded = len(expected["superseded"]), len(DAY["night"]["folded"])
    assert (report["state"], report["kind"]) == ("done", "rem")
    assert report["settled"] == {"supersede": superseded, "keep": 0, "unsure": 0}
    assert report["by"] == {f"thinker:1:{who}": {"supersede": superseded}}
    assert len(report["retired"]) == superseded + folded
    assert (report["made"], report["folded"]) == (len(DAY["night"]["made"]), folded)
    assert report["read"] == {"facts": len(expected["read"]), "candidates": 1}
    assert report["waits"] == {"candidates": 1, "proposals": 0, "questions": 0}
    assert report["thinker_calls"] == calls > 0
    assert report["facts_after"] < report["facts_before"], "the number of facts goes down"
