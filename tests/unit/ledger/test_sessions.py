"""Sessions, what they were shown, how far transcripts were read, and the agents."""

import pytest

from dormouse.facts import Because
from dormouse.ledger import Ledger, UseRow, Writer
from tests.unit.ledger.store import Clock, journal, say, turn


def uses(ledger: Ledger, session: str = "s1") -> dict[str, UseRow]:
    return ledger.read(lambda r: r.uses("codex", session))


def note(ledger: Ledger, how: str, *ids: str, session: str = "s1") -> None:
    ledger.write(lambda w: w.note_uses("codex", session, ids, how)).result(10)


def tell(ledger: Ledger, current: bool, *ids: str) -> None:
    ledger.write(lambda w: w.mark_told("codex", "s1", ids, current=current)).result(10)


def test_what_is_newly_known_of_a_session_is_added_and_the_rest_stays(ledger: Ledger) -> None:
    assert ledger.read(lambda r: r.session("codex", "s1")) is None
    ledger.write(
        lambda w: w.touch_session(
            "codex", "s1", project_id="p", branch="x", cwd="/w", attended=True
        )
    ).result(10)
    ledger.write(lambda w: w.touch_session("codex", "s1", transcript_path="/t", ended=True)).result(
        10
    )
    row = ledger.read(lambda r: r.session("codex", "s1"))
    assert row is not None
    assert (row.project_id, row.branch, row.cwd, row.transcript_path) == ("p", "x", "/w", "/t")
    assert row.attended is True
    assert row.started_at < row.last_at == row.ended_at
    ledger.write(lambda w: w.touch_session("codex", "s1", attended=False)).result(10)
    row = ledger.read(lambda r: r.session("codex", "s1"))
    assert row is not None
    assert (row.ended_at, row.attended) == (None, False), "it was resumed"


def test_the_last_session_of_a_project_is_another_one(ledger: Ledger) -> None:
    for session, project in (("s1", "p"), ("s2", "p"), ("s3", "q")):
        ledger.write(
            lambda w, s=session, p=project: w.touch_session("codex", s, project_id=p)  # type: ignore[misc]
        ).result(10)
        journal(ledger, turn(f"hello in {session}", session))

    def last(before: str, project: str = "p") -> str | None:
        row = ledger.read(lambda r: r.last_session(project, before_session=before))
        return None if row is None else row.id

    assert (last("s2"), last("s1"), last("s3", "q")) == ("s1", "s2", None)
    ledger.write(lambda w: w.touch_session("codex", "s1")).result(10)
    assert last("other") == "s1"
    ledger.write(lambda w: w.touch_session("codex", "s4", project_id="p")).result(10)
    assert last("other") == "s1", "nobody said anything in the newest"


def test_a_summary_is_kept_with_its_session(ledger: Ledger) -> None:
    ledger.write(lambda w: w.set_session_summary("codex", "s1", "we brewed tea")).result(10)
    row = ledger.read(lambda r: r.session("codex", "s1"))
    assert row is not None
    assert row.summary == "we brewed tea"
    assert "brewed" not in repr(row)


def test_what_was_shown_is_noted_once_and_what_was_said_stays_said(ledger: Ledger) -> None:
    a, b = say(ledger, "tea is green").id, say(ledger, "milk is white").id
    note(ledger, "said", a)
    note(ledger, "recalled", a, b, "unknown", b)
    seen = uses(ledger)
    assert {id: use.how for id, use in seen.items()} == {a: "said", b: "recalled"}
    assert all(use.shown and use.told_current for use in seen.values())
    note(ledger, "acknowledged", b)
    assert uses(ledger)[b].how == "acknowledged"
    assert uses(ledger, "s2") == {}


def test_what_was_taken_back_is_remembered_until_it_is_true_again(ledger: Ledger) -> None:
    a = say(ledger, "tea is green").id
    note(ledger, "recalled", a)
    tell(ledger, False, a, "unknown")
    assert uses(ledger)[a].told_current is False
    assert uses(ledger)[a].taken_back_at is not None
    tell(ledger, True, a)
    assert (uses(ledger)[a].told_current, uses(ledger)[a].taken_back_at) == (True, None)
    tell(ledger, False, a)
    note(ledger, "recalled", a)
    assert uses(ledger)[a].told_current, "it was shown again"


def test_after_a_compaction_facts_may_be_shown_again_and_still_be_taken_back(
    ledger: Ledger,
) -> None:
    a = say(ledger, "tea is green").id
    note(ledger, "recalled", a)
    ledger.write(lambda w: w.forget_shown("codex", "s1")).result(10)
    assert (uses(ledger)[a].shown, uses(ledger)[a].told_current) == (False, True)
    note(ledger, "recalled", a)
    assert uses(ledger)[a].shown


def test_a_fork_knows_what_its_source_knew_and_goes_its_own_way(ledger: Ledger) -> None:
    a, b = say(ledger, "tea is green").id, say(ledger, "milk is white").id
    note(ledger, "recalled", a, b)
    note(ledger, "said", b, session="s2")
    ledger.write(lambda w: w.inherit_uses("codex", "s1", "s2")).result(10)
    ledger.write(lambda w: w.inherit_uses("codex", "s1", "s1")).result(10)
    assert {id: use.how for id, use in uses(ledger, "s2").items()} == {a: "recalled", b: "said"}
    tell(ledger, False, a)
    assert uses(ledger, "s2")[a].told_current
    row = ledger.read(lambda r: r.session("codex", "s2"))
    assert row is not None
    assert row.forked_from == "s1"


def test_a_receipt_outlives_the_retirement_of_its_fact(ledger: Ledger) -> None:
    a = say(ledger, "tea is green").id
    note(ledger, "recalled", a)
    ledger.write(lambda w: w.retire(a, because=Because.FORGOTTEN, by="owner", run_id=None)).result(
        10
    )
    assert uses(ledger)[a].told_current, "nobody has told the session yet"


@pytest.mark.parametrize("file", ["/t/rollout.jsonl", "/t/caf\udce9.jsonl"])
def test_a_transcripts_place_is_kept(ledger: Ledger, file: str) -> None:
    assert ledger.read(lambda r: r.transcript(file)) is None
    for offset in (10, 20):
        ledger.write(
            lambda w, o=offset: w.set_transcript(file, "codex", None, o, 7, 99, skipped=1)  # type: ignore[misc]
        ).result(10)
    row = ledger.read(lambda r: r.transcript(file))
    assert row is not None
    assert (row.agent, row.session_id, row.offset, row.inode, row.size, row.skipped) == (
        "codex", None, 20, 7, 99, 1,
    )  # fmt: skip


def test_what_is_newly_known_of_an_agent_is_added(ledger: Ledger, clock: Clock) -> None:
    assert ledger.read(lambda r: r.agent("codex")) is None
    ledger.write(lambda w: w.set_agent("codex", last_event="Stop", undelivered=3)).result(10)
    ledger.write(
        lambda w: w.set_agent("codex", connected=True, root="/r", settings_path="/s")
    ).result(10)
    row = ledger.read(lambda r: r.agent("codex"))
    assert row is not None
    assert (row.connected, row.root, row.settings_path) == (True, "/r", "/s")
    assert (row.last_event, row.undelivered) == ("Stop", 3)
    assert row.last_event_at is not None
    assert row.connected_at is not None
    ledger.write(lambda w: w.set_agent("codex", connected=False, undelivered=0)).result(10)
    after = ledger.read(lambda r: r.agent("codex"))
    assert after is not None
    assert (after.connected, after.undelivered, after.root) == (False, 0, "/r")
    assert after.connected_at == row.connected_at
    assert ledger.read(lambda r: r.agents()) == [after]


def test_each_event_of_an_agent_is_counted_anew_once_it_is_connected_again(
    ledger: Ledger,
) -> None:
    def twice(w: Writer) -> None:
        w.note_event("codex", "Stop")
        w.note_event("codex", "Stop")

    ledger.write(twice).result()
    ((name, (_, times)),) = ledger.read(lambda r: r.agent_events("codex")).items()
    assert (name, times) == ("Stop", 2)
    ledger.write(lambda w: w.set_agent("codex", connected=True)).result()
    assert ledger.read(lambda r: r.agent_events("codex"))["Stop"][1] == 0
    assert ledger.read(lambda r: r.agent_events("gemini")) == {}
