"""What a night's reading made, found and confirmed is taken back by an undo, and stays away."""

import asyncio
from pathlib import Path
from typing import Any

from dormouse.ledger import RunRow
from dormouse.sessions import Role
from dormouse.work import owner, rem
from tests.unit.work.thinking import Obliging, Thinking

SAID = "By the way the billing service moved to port 7443, and Anna owns the invoices now."
FACT: dict[str, Any] = {
    "turn": 1,
    "quote": "the billing service moved to port 7443",
    "text": "the billing service is on port 7443",
    "kind": "project",
}


def world(folder: Path) -> Thinking:
    """One that reads FACT in the first turn it is shown."""
    return Thinking(folder, Obliging(lambda task, data: {"facts": [FACT]}))


def night(one: Thinking) -> RunRow:
    one.settle()
    one.bed.memory.heard = asyncio.Event()
    run_id = asyncio.run(rem.sleep(one.bed.memory, rem.Night()))
    return one.bed.memory.ledger.read(lambda r: r.run(run_id))


def undo(one: Thinking, run: RunRow) -> None:
    one.bed.undo(run)


def waiting(one: Thinking) -> list[tuple[str, int, float]]:
    rows = one.bed.memory.ledger.read(lambda r: r.candidates())
    return [(row.text, row.sightings, row.confidence) for row in rows]


def test_a_candidate_that_the_night_found_goes_and_is_not_found_again(tmp_path: Path) -> None:
    one = world(tmp_path)
    one.turn(SAID, Role.ASSISTANT)
    run = night(one)
    assert one.bed.candidates() == [FACT["text"]]
    undo(one, run)
    assert one.bed.candidates() == []
    one.turn(f"once more: {SAID}", Role.ASSISTANT, session="s2")
    night(one)
    assert one.bed.candidates() == []
    one.bed.close()


def test_a_candidate_that_the_night_saw_again_is_as_it_was(tmp_path: Path) -> None:
    one = world(tmp_path)
    one.turn(SAID, Role.ASSISTANT, session="s0")
    night(one)
    before = waiting(one)
    one.turn(SAID, Role.ASSISTANT, session="s9")
    run = night(one)
    assert waiting(one) != before
    undo(one, run)
    assert waiting(one) == before
    one.bed.close()


def test_a_candidate_to_which_the_thinker_agreed_waits_again(tmp_path: Path) -> None:
    one = world(tmp_path)
    one.turn(SAID, Role.ASSISTANT, session="s0")
    night(one)
    before = waiting(one)
    one.turn(SAID, session="s9")
    run = night(one)
    assert (one.texts(), one.bed.candidates()) == ({FACT["text"]}, [])
    undo(one, run)
    assert one.texts() == set()
    assert waiting(one) == before
    one.bed.close()


def test_a_fact_that_the_night_confirmed_is_as_sure_as_it_was(tmp_path: Path) -> None:
    one = world(tmp_path)
    fact = one.say(str(FACT["text"]))
    one.turn(SAID, session="s9")
    before = one.fact(fact.id)
    run = night(one)
    assert len(one.fact(fact.id).sources) == len(before.sources) + 1
    undo(one, run)
    assert one.fact(fact.id) == before
    one.bed.close()


def test_what_the_owner_dropped_is_not_found_again_whatever_the_wording(tmp_path: Path) -> None:
    one = world(tmp_path)
    one.bed.memory.ledger.write(
        lambda w: owner.drop_candidate(w, w.add_candidate(str(FACT["quote"])).id)
    ).result()
    one.turn(SAID)
    assert one.read().left_out == 1
    assert (one.texts(), one.bed.candidates()) == (set(), [])
    one.bed.close()
