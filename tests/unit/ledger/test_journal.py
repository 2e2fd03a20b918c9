"""A turn counts once, by hook, by transcript line, and in a fork."""

from datetime import timedelta

import pytest

from dormouse.ledger import Ledger
from dormouse.sessions import Role, Turn
from dormouse.times import stamp
from tests.unit.ledger.store import Clock, journal, turn

NOW = "2026-06-01T10:00:00.000+00:00"
SOON = "2026-06-01T10:00:04.000+00:00"
LATER = "2026-06-01T10:30:00.000+00:00"


def held(ledger: Ledger) -> int:
    return len(ledger.read(lambda r: r.turns()))


def test_a_turn_reads_back_as_it_was_said(ledger: Ledger) -> None:
    said = turn("remember tea", line_id="u1", host_turn_id="h1", original_length=99)
    id, new = ledger.write(
        lambda w: w.journal(
            "codex", said, project_id="p", branch="x", at=NOW, state="parked", reason="too slow"
        )
    ).result(10)
    assert new
    (row,) = ledger.read(lambda r: r.turns(session_id="s1", state="parked"))
    assert (row.id, row.agent, row.role, row.text) == (id, "codex", Role.PERSON, "remember tea")
    assert (row.state, row.reason, row.project_id, row.branch) == ("parked", "too slow", "p", "x")
    assert ledger.read(lambda r: r.turn_by_line("codex", "u1")) == row
    assert ledger.read(lambda r: r.turn_by_line("claude-code", "u1")) is None
    ledger.write(lambda w: w.set_turn_state(id, "done")).result(10)
    assert ledger.read(lambda r: r.turns(state="parked")) == []
    assert ledger.read(lambda r: r.turns(state="done"))[0].reason is None


def test_the_last_turns_come_oldest_first(ledger: Ledger) -> None:
    for number in range(5):
        journal(ledger, turn(f"turn {number}"), f"2026-06-01T10:00:0{number}.000+00:00")
    assert [t.text for t in ledger.read(lambda r: r.turns(limit=2))] == ["turn 3", "turn 4"]


def test_a_hooks_prompt_is_matched_to_its_line_which_then_is_its_key(ledger: Ledger) -> None:
    id, new = journal(ledger, turn("remember tea", host_turn_id="h1"))
    assert new
    assert journal(ledger, turn("remember tea", host_turn_id="h1", line_id="u1")) == (id, False)
    assert journal(ledger, turn("remember tea", host_turn_id="h1", line_id="u1")) == (id, False)
    assert journal(ledger, turn("remember tea", host_turn_id="h1")) == (id, False)
    assert held(ledger) == 1


def test_a_line_that_came_first_is_matched_by_the_hook_that_comes_after(ledger: Ledger) -> None:
    id, _ = journal(ledger, turn("remember tea", host_turn_id="h1", line_id="u1"))
    assert journal(ledger, turn("remember tea", host_turn_id="h1")) == (id, False)
    assert held(ledger) == 1


def test_the_same_words_in_another_turn_are_another_turn(ledger: Ledger) -> None:
    first, _ = journal(ledger, turn("yes", host_turn_id="h1"))
    second, new = journal(ledger, turn("yes", host_turn_id="h2"))
    assert new
    assert journal(ledger, turn("yes", host_turn_id="h2", line_id="u2")) == (second, False)
    assert journal(ledger, turn("yes", host_turn_id="h1", line_id="u1")) == (first, False)
    _, new = journal(ledger, turn("yes", host_turn_id="h3", line_id="u3"))
    assert new
    assert held(ledger) == 3


def test_an_answer_is_matched_to_the_newest_unmatched_of_the_same_words(ledger: Ledger) -> None:
    first, _ = journal(ledger, turn("Done.", role=Role.ASSISTANT), NOW)
    second, new = journal(ledger, turn("Done.", role=Role.ASSISTANT), LATER)
    assert new

    def line(id: str) -> Turn:
        return turn("Done.", role=Role.ASSISTANT, line_id=id)

    assert journal(ledger, line("u1")) == (second, False)
    assert journal(ledger, line("u2")) == (first, False)
    assert journal(ledger, line("u3"))[1]
    assert journal(ledger, turn("Done.", role=Role.PERSON))[1], "another said it"


def test_an_event_that_two_hooks_deliver_counts_once(ledger: Ledger) -> None:
    id, _ = journal(ledger, turn("remember tea"), NOW)
    assert journal(ledger, turn("remember tea"), SOON) == (id, False)
    assert journal(ledger, turn("remember tea", session="s2"), SOON)[1]
    assert journal(ledger, turn("remember tea"), SOON, agent="claude-code")[1]
    assert journal(ledger, turn("remember tea"), LATER)[1], "said again: a value may return"


def test_a_fork_copies_lines_that_are_known(ledger: Ledger) -> None:
    id, _ = journal(ledger, turn("remember tea", host_turn_id="h1", line_id="u1"))
    copy = turn("remember tea", session="fork", host_turn_id="h9", line_id="u1")
    assert journal(ledger, copy) == (id, False)
    assert held(ledger) == 1


def test_a_fork_that_is_read_before_its_source_matches_the_sources_hook(ledger: Ledger) -> None:
    known, _ = journal(ledger, turn("hello", line_id="u0"))
    ledger.write(lambda w: w.inherit_uses("codex", "s1", "fork")).result(10)
    id, _ = journal(ledger, turn("remember tea", host_turn_id="h1"))
    copy = turn("remember tea", session="fork", host_turn_id="h9", line_id="u1")
    assert journal(ledger, copy) == (id, False)
    assert journal(ledger, turn("remember tea", host_turn_id="h1", line_id="u1")) == (id, False)
    assert known != id
    assert held(ledger) == 2


def test_a_dropped_session_stays_dropped_also_in_a_fork(ledger: Ledger) -> None:
    journal(ledger, turn("remember tea", line_id="u1"))
    journal(ledger, turn("and milk"))
    journal(ledger, turn("else", session="s2"))
    assert ledger.write(lambda w: w.drop_turns("s1")).result(10) == 2
    assert journal(ledger, turn("remember tea", session="fork", line_id="u1")) == ("", False)
    assert held(ledger) == 1


def test_the_journal_is_kept_for_a_while_and_up_to_a_size(ledger: Ledger, clock: Clock) -> None:
    for number in range(10):
        at = stamp(clock.now - timedelta(days=number * 10))
        journal(ledger, turn("x" * 500_000 + str(number), line_id=f"u{number}"), at)
    assert ledger.write(lambda w: w.trim_journal(30, 200)).result(10) == 7
    assert [t.text[-1] for t in ledger.read(lambda r: r.turns())] == ["2", "1", "0"]
    assert ledger.write(lambda w: w.trim_journal(30, 1)).result(10) == 2
    assert [t.text[-1] for t in ledger.read(lambda r: r.turns())] == ["0"]
    assert ledger.write(lambda w: w.trim_journal(30, 1)).result(10) == 0


@pytest.mark.parametrize("odd", ["\ud83d", "a\0b", "�", "😀"])
def test_odd_bytes_are_journalled_as_valid_text_once(ledger: Ledger, odd: str) -> None:
    id, new = journal(ledger, turn(odd, session=odd, host_turn_id=odd))
    assert new
    assert journal(ledger, turn(odd, session=odd, host_turn_id=odd)) == (id, False)
    assert journal(ledger, turn(odd, session=odd, line_id=odd)) == (id, False)
    (row,) = ledger.read(lambda r: r.turns())
    assert row.text.encode()
    assert "\0" not in row.text


def test_a_journal_holds_no_secret(ledger: Ledger) -> None:
    journal(ledger, turn("push with ghp_" + "A" * 36))
    assert ledger.read(lambda r: r.turns())[0].text == "push with [redacted:github]"
