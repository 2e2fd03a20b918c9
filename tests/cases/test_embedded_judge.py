"""A change in other words, through a real daemon: the small model settles it and asks nobody."""

from collections.abc import Iterator
from typing import Any

import pytest

from dormouse.embedding.files import find
from dormouse.judging.embedded import NAME
from tests.machine import Machine

pytestmark = pytest.mark.skipif(find() is None, reason="the model's package has no wheel here")
OLD = "The raw scans of the beta lab are kept on the host marten-3."
NEW = "We moved the raw scans of the beta lab from marten-3 to otter-9, marten-3 is switched off."
BESIDE = "The beta lab opens its doors for visitors on the first Friday of a month."
EARLY = "2026-02-03T09:00:00Z"


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    machine = Machine()
    machine.up()
    yield machine
    machine.destroy()


@pytest.fixture(scope="module")
def told(machine: Machine) -> dict[str, Any]:
    """The older fact, a neighbour that still holds, and the change; settled."""
    folder = str(machine.repository("lab"))
    said = {
        name: machine.ask("POST", "/v1/facts", {"text": text, "at": at, "project": folder})
        for name, text, at in (
            ("old", OLD, EARLY),
            ("beside", BESIDE, EARLY),
            ("new", NEW, "2026-06-03T09:00:00Z"),
        )
    }
    machine.settled()
    return {"folder": folder, **{name: fact["id"] for name, fact in said.items()}}


def test_a_change_in_other_words_is_settled_at_capture(
    machine: Machine, told: dict[str, Any]
) -> None:
    (retired,) = machine.retired()
    assert (retired["id"], retired["superseded_by"]) == (told["old"], told["new"])
    assert retired["judge"] == NAME


def test_agents_are_shown_the_new_one_and_what_still_holds(
    machine: Machine, told: dict[str, Any]
) -> None:
    shown = {hit["id"] for hit in machine.recall("beta lab", project=told["folder"], floor=0)}
    assert shown == {told["new"], told["beside"]}


def test_what_the_owner_brings_back_it_does_not_retire_again(
    machine: Machine, told: dict[str, Any]
) -> None:
    machine.ask("POST", f"/v1/facts/{told['old']}/restore")
    machine.ask("POST", "/v1/rem/runs", {"wait": True})
    machine.settled()
    assert machine.retired() == []
    mine = machine.json("judge", "--mine")
    assert (mine["pairs"], mine["must_hold"]) == (1, 1)


def test_it_can_be_asked_alone_and_says_how_sure_it_is(machine: Machine) -> None:
    ruling = machine.json("judge", OLD, NEW, "--judge", "embedded")
    assert (ruling["verdict"], ruling["judge"]) == ("supersede", NAME)
    assert 0.5 < ruling["probability"] <= 1.0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "Gift wrapping in the Marlow Teas shop costs 3.50 per parcel.",
            "Gift wrap at Marlow Teas is 4.90 a parcel.",
        ),
        ("我们办公室的周报每周五下午四点发出去。", "办公室周报的发送时间:每周一上午九点。"),
    ],
)
def test_a_change_told_in_one_breath_with_what_it_ends_is_settled_too(old: str, new: str) -> None:
    machine = Machine()
    machine.up()
    try:
        folder = str(machine.repository("office"))
        for text, at in ((old, EARLY), (new, "2026-06-03T09:00:00Z")):
            machine.ask("POST", "/v1/facts", {"text": text, "at": at, "project": folder})
        machine.settled()
        assert [fact["text"] for fact in machine.retired()] == [old]
    finally:
        machine.destroy()
