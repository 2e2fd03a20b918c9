"""Handoffs in the ledger: a step is written over the state it was made from, or not at all."""

from datetime import timedelta
from pathlib import Path

import pytest

from dormouse.errors import NotFound
from dormouse.handoffs import Content, Handoff, State, finish, take
from dormouse.ledger import Ledger
from tests.unit.ledger.store import make, open_ledger

LEASE = timedelta(minutes=30)
NOW = "2026-06-01T09:00:00.000+00:00"


@pytest.fixture
def ledger(tmp_path: Path):  # type: ignore[no-untyped-def]
    ledger = open_ledger(make(tmp_path))
    yield ledger
    ledger.close()


def given(ledger: Ledger, goal: str = "a goal") -> Handoff:
    return ledger.write(
        lambda w: w.give(
            Content(goal), project_id="p", branch="main", from_agent="claude-code",
            from_session="s1", to_agent=None,
        )
    ).result(10)  # fmt: skip


def test_of_two_steps_from_one_state_only_the_first_is_written(ledger: Ledger) -> None:
    item = given(ledger)
    first = take(item, "codex", "s2", NOW, LEASE)
    second = take(item, "gemini", "s3", NOW, LEASE)
    assert first and second
    assert ledger.write(lambda w: w.step(item, first)).result(10)
    assert not ledger.write(lambda w: w.step(item, second)).result(10)
    now = ledger.read(lambda r: r.handoff(item.id))
    assert (now.taken_by, now.token) == ("codex", 1)
    assert len(ledger.read(lambda r: r.handoff_events(item.id))) == 2


def test_what_is_over_is_no_longer_open_and_stays_readable(ledger: Ledger) -> None:
    item = given(ledger)
    step = take(item, "codex", "s2", NOW, LEASE)
    assert step
    ledger.write(lambda w: w.step(item, step)).result(10)
    held = ledger.read(lambda r: r.handoff(item.id))
    ledger.write(lambda w: w.step(held, finish(held, "codex", 1, NOW))).result(10)
    assert ledger.read(lambda r: r.open_handoffs("p")) == []
    (row,) = ledger.read(lambda r: r.handoffs("p"))
    assert row.state is State.FINISHED
    with pytest.raises(NotFound):
        ledger.read(lambda r: r.handoff("z" * 16))


def test_every_text_is_prepared_and_the_checksum_is_of_what_is_kept(ledger: Ledger) -> None:
    token = "ghp_" + "A" * 36
    item = given(ledger, f"use {token}")
    assert item.content.goal == "use [redacted:github]"
    assert len(item.checksum) == 64
    assert given(ledger, "use [redacted:github]").checksum == item.checksum


def test_the_history_is_append_only(ledger: Ledger) -> None:
    item = given(ledger)
    for sql in ("DELETE FROM handoff_events", "UPDATE handoff_events SET agent = 'x'"):
        with pytest.raises(Exception):  # noqa: B017  (the authorizer's or the trigger's)
            ledger.write(lambda w, sql=sql: w._run(sql)).result(10)  # type: ignore[misc]
    with pytest.raises(Exception):  # noqa: B017
        ledger.write(lambda w: w._run("DELETE FROM handoffs")).result(10)
    assert len(ledger.read(lambda r: r.handoff_events(item.id))) == 1
