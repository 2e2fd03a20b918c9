"""Carrying out, restoring, undoing, asking, correcting."""

from typing import Any

import pytest

from dormouse.errors import BadRequest, Conflict, NotFound
from dormouse.facts import Because, Fact, Look, Scope, Slot
from dormouse.judgments import Decision, Outcome, Ruling, Verdict, Veto
from dormouse.ledger import Ledger, Writer
from tests.unit.ledger.store import (
    EVERYTHING,
    Clock,
    day,
    decide,
    dump,
    fact,
    found,
    keep,
    new_fact,
    say,
    settle,
    supersede,
    texts,
)


@pytest.fixture
def pair(ledger: Ledger) -> tuple[Fact, Fact]:
    jest = say(ledger, "the runner is Jest", day("01-01"))
    return jest, say(ledger, "the runner is Vitest", day("05-01"))


def restore(ledger: Ledger, id: str, by: str = "owner") -> Fact:
    return ledger.write(lambda w: w.restore(id, by=by)).result(10)


def undo(ledger: Ledger, run: str) -> list[str]:
    return ledger.write(lambda w: w.undo_run(run, by="owner")).result(10)


def answer(ledger: Ledger, id: str, verdict: Verdict) -> Fact:
    return ledger.write(lambda w: w.answer_question(id, verdict)).result(10)


def asked(ledger: Ledger, look: Look = EVERYTHING) -> list[tuple[str, str]]:
    return [(q.older.id, q.newer.id) for q in ledger.read(lambda r: r.questions(look))]


def final(ledger: Ledger, older: Fact, newer: Fact) -> bool:
    return ledger.read(lambda r: r.is_final(older.id, newer.id))


def state(ledger: Ledger) -> dict[str, Any]:
    """The facts and what is found, without judgments: what an undo has to bring back."""
    rows = dump(ledger)
    return {name: rows[name] for name in ("facts", "sources", "unsettled", "suppressions")}


# -- carrying out -------------------------------------------------------------------------------


def test_superseding_retires_links_and_ends_the_older(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    older, newer = pair
    run = supersede(ledger, older, newer, reason="the value differs")
    read = fact(ledger, older.id)
    assert read.text == older.text
    assert (read.current, read.retired_because) == (False, Because.SUPERSEDED)
    assert (read.superseded_by, read.valid_to) == (newer.id, newer.valid_from)
    assert read.retired_at is not None
    (judgment,) = ledger.read(lambda r: r.judgments(fact_id=older.id))
    assert (judgment.older_id, judgment.newer_id, judgment.run_id) == (older.id, newer.id, run)
    assert (judgment.ruling.verdict, judgment.ruling.judge) == (Verdict.SUPERSEDE, "slot:1")
    assert judgment.ruling.reason == "the value differs"
    assert [o[0] for o in judgment.outcomes] == [Outcome.CARRIED_OUT]
    assert ledger.read(lambda r: r.retirements([older.id]))[older.id].run_id == run
    assert found(ledger, "runner") == ["the runner is Vitest"]


def test_keep_is_written_down_and_changes_no_fact(ledger: Ledger, pair: tuple[Fact, Fact]) -> None:
    before = state(ledger)
    run, done = settle(ledger, decide(*pair, verdict=Verdict.KEEP))
    assert (done.kept, done.retired, done.asked, done.skipped) == (1, [], 0, 0)
    assert state(ledger) == before
    (judgment,) = ledger.read(lambda r: r.judgments(run_id=run))
    assert (judgment.ruling.verdict, judgment.outcomes) == (Verdict.KEEP, ())
    assert asked(ledger) == []
    assert not final(ledger, *pair)
    assert ledger.read(lambda r: r.settled_pairs(pair[0].id, pair[1].id)) == [judgment]
    assert ledger.read(lambda r: r.settled_pairs(pair[1].id, pair[0].id)) == []


def test_unsure_is_a_question_and_both_stay(ledger: Ledger, pair: tuple[Fact, Fact]) -> None:
    older, newer = pair
    ruling = Ruling(Verdict.UNSURE, "gate:trust", vetoed_by=Veto.TRUST, took_ms=1.5)
    _, done = settle(ledger, Decision(older.id, newer.id, ruling))
    assert done.asked == 1
    assert asked(ledger) == [(older.id, newer.id)]
    assert ledger.read(lambda r: r.open_pairs([older.id, newer.id, "x"])) == {older.id, newer.id}
    assert ledger.read(lambda r: r.open_pairs([])) == set()
    assert ledger.read(lambda r: r.judgments())[0].ruling == ruling
    assert fact(ledger, older.id).current
    assert fact(ledger, newer.id).current


def test_a_pair_that_is_asked_again_is_one_question(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    for judge in ("slot:1", "slot:2", "embedded:1"):
        settle(ledger, decide(*pair, verdict=Verdict.UNSURE, judge=judge))
    assert len(asked(ledger)) == 1
    settle(ledger, decide(*pair, verdict=Verdict.KEEP, judge="thinker:1"))
    assert asked(ledger) == [], "a better judge has spoken since"


def test_nothing_is_carried_out_on_a_fact_that_is_no_longer_current(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    older, newer = pair
    newest = say(ledger, "the runner is Mocha", day("05-20"))
    supersede(ledger, newer, newest)
    before = dump(ledger)
    for verdict in Verdict:
        _, done = settle(ledger, decide(older, newer, verdict=verdict))
        assert (done.skipped, done.retired) == (1, [])
    after = dump(ledger)
    assert {n: v for n, v in after.items() if n != "runs"} == {
        n: v for n, v in before.items() if n != "runs"
    }
    assert settle(ledger, Decision("aaaabbbbccccdddd", older.id, Ruling(Verdict.SUPERSEDE, "s")))[
        1
    ].skipped


def test_one_plan_may_hold_a_whole_chain(ledger: Ledger) -> None:
    a, b, c = (say(ledger, f"port is {n}", day(f"0{n}-01")) for n in (1, 2, 3))
    _, done = settle(ledger, decide(a, b), decide(a, c), decide(b, c))
    assert done.retired == [(a.id, b.id), (b.id, c.id)]
    assert done.skipped == 1
    assert texts(ledger) == ["port is 3"]


def test_what_arrives_late_is_superseded_on_arrival(ledger: Ledger) -> None:
    newer = say(ledger, "staging is B", day("05-01"))
    late = say(ledger, "staging is A", day("04-01"))
    supersede(ledger, late, newer)
    read = fact(ledger, late.id)
    assert (read.superseded_by, read.valid_to) == (newer.id, day("05-01"))
    assert texts(ledger) == ["staging is B"]


def test_a_plan_needs_a_run(ledger: Ledger, pair: tuple[Fact, Fact]) -> None:
    with pytest.raises(NotFound):
        ledger.write(lambda w: w.carry_out([decide(*pair)], run_id="none", level="local")).result(
            10
        )
    assert fact(ledger, pair[0].id).current


# -- restoring ----------------------------------------------------------------------------------


def test_restoring_is_the_exact_inverse_and_the_last_word(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    older, newer = pair
    before = state(ledger)
    supersede(ledger, older, newer)
    restored = restore(ledger, older.id)
    assert state(ledger) == before
    assert restored == fact(ledger, older.id) == older
    assert final(ledger, older, newer)
    first, last = ledger.read(lambda r: r.settled_pairs(older.id, newer.id))
    assert [o[0] for o in first.outcomes] == [Outcome.CARRIED_OUT, Outcome.OVERRULED]
    assert (last.ruling.verdict, last.ruling.judge) == (Verdict.KEEP, "owner")
    _, done = settle(ledger, decide(older, newer), decide(older, newer, judge="thinker:9"))
    assert (done.skipped, done.retired) == (2, [])


def test_after_a_restore_an_equal_newcomer_does_not_retire_it_either(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    older, newer = pair
    supersede(ledger, older, newer)
    restore(ledger, older.id)
    place = {"scope": Scope.PROJECT, "project_id": "p"}
    elsewhere = say(ledger, "The runner is Vitest.", day("05-09"), **place)
    assert elsewhere.id != newer.id
    assert final(ledger, older, elsewhere)
    assert settle(ledger, decide(older, elsewhere))[1].skipped == 1
    mocha = say(ledger, "the runner is Mocha", day("05-20"))
    assert not final(ledger, older, mocha)
    supersede(ledger, older, mocha)


def test_the_owners_word_holds_for_what_corrects_the_newer_one_too(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    older, newer = pair
    supersede(ledger, older, newer)
    restore(ledger, older.id)
    fixed = new_fact("the runner is Vitest 2", day("06-01"))
    corrected = ledger.write(lambda w: w.correct(newer.id, fixed)).result(10).fact
    assert final(ledger, older, corrected)


def test_what_was_forgotten_can_be_restored_and_learnt_again(ledger: Ledger) -> None:
    tea = say(ledger, "tea is green")

    def forget(w: Writer) -> None:
        w.retire(tea.id, because=Because.FORGOTTEN, by="codex", run_id=None)
        w.suppress(text_hash=w.hash_of(tea.text), slot=tea.slot, project_id=None, by="codex")

    before = state(ledger)
    ledger.write(forget).result(10)
    assert restore(ledger, tea.id) == tea
    assert state(ledger) == before
    assert ledger.read(lambda r: r.judgments()) == []


def test_only_a_retired_fact_can_be_restored(ledger: Ledger, pair: tuple[Fact, Fact]) -> None:
    before = dump(ledger)
    with pytest.raises(Conflict):
        restore(ledger, pair[0].id)
    with pytest.raises(NotFound):
        restore(ledger, "aaaabbbbccccdddd")
    assert dump(ledger) == before


def test_a_fact_can_be_retired_and_restored_again_and_again(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    older, newer = pair
    supersede(ledger, older, newer)
    restore(ledger, older.id)
    ledger.write(
        lambda w: w.retire(older.id, because=Because.OWNER, by="owner", run_id=None)
    ).result(10)
    restored = restore(ledger, older.id)
    assert restored == older
    assert ledger.read(lambda r: r.retirements([older.id])) == {}


# -- undoing ------------------------------------------------------------------------------------


def test_undoing_a_run_restores_all_it_retired_and_asks_about_its_pairs(ledger: Ledger) -> None:
    a, b = say(ledger, "port is 1", day("01-01")), say(ledger, "port is 2", day("02-01"))
    c, d = say(ledger, "tea is green", day("01-01")), say(ledger, "tea is black", day("02-01"))
    before = state(ledger)
    run, _ = settle(ledger, decide(a, b), decide(c, d))
    assert set(undo(ledger, run)) == {a.id, c.id}
    assert state(ledger) == before
    assert set(asked(ledger)) == {(a.id, b.id), (c.id, d.id)}
    row = ledger.read(lambda r: r.run(run))
    assert (row.state, row.facts_before, row.facts_after) == ("undone", 4, 4)
    first, last = ledger.read(lambda r: r.settled_pairs(a.id, b.id))
    assert first.outcome is Outcome.UNDONE
    assert (last.ruling.verdict, last.outcome) == (Verdict.UNSURE, Outcome.ASKED)
    assert final(ledger, a, b)
    assert settle(ledger, decide(a, b))[1].skipped == 1


def test_undoing_a_chain_brings_every_link_back(ledger: Ledger) -> None:
    a, b, c = (say(ledger, f"port is {n}", day(f"0{n}-01")) for n in (1, 2, 3))
    before = state(ledger)
    run, _ = settle(ledger, decide(a, b), decide(b, c))
    undo(ledger, run)
    assert state(ledger) == before


def test_undoing_leaves_alone_what_was_restored_or_retired_otherwise_since(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    older, newer = pair
    run = supersede(ledger, older, newer)
    restore(ledger, older.id)
    ledger.write(
        lambda w: w.retire(older.id, because=Because.FORGOTTEN, by="owner", run_id=None)
    ).result(10)
    assert undo(ledger, run) == []
    assert fact(ledger, older.id).retired_because is Because.FORGOTTEN


def test_a_run_is_undone_once_and_only_when_it_has_ended(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    run = supersede(ledger, *pair)
    undo(ledger, run)
    with pytest.raises(Conflict, match="undone"):
        undo(ledger, run)
    running = ledger.write(lambda w: w.open_run("rem")).result(10)
    with pytest.raises(Conflict, match="running"):
        undo(ledger, running)
    with pytest.raises(NotFound):
        undo(ledger, "none")


def test_a_link_of_a_chain_stays_visible_after_it_was_undone(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    older, newer = pair
    undo(ledger, supersede(ledger, older, newer))
    chain = ledger.read(lambda r: r.chain(newer.id))
    assert [(link.fact.id, link.outcome) for link in chain] == [
        (older.id, Outcome.UNDONE), (newer.id, None),
    ]  # fmt: skip
    assert ledger.read(lambda r: r.chain(older.id)) == chain
    alone = say(ledger, "tea is green")
    (link,) = ledger.read(lambda r: r.chain(alone.id))
    assert (link.fact, link.judgment, link.outcome) == (alone, None, None)


# -- the owner's word ---------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", [Verdict.SUPERSEDE, Verdict.KEEP])
def test_the_owner_answers_a_question_once_and_for_good(
    ledger: Ledger, pair: tuple[Fact, Fact], verdict: Verdict
) -> None:
    older, newer = pair
    settle(ledger, decide(*pair, verdict=Verdict.UNSURE))
    (question,) = ledger.read(lambda r: r.questions(EVERYTHING))
    assert ledger.read(lambda r: r.resolve(question.id[:8], "questions")) == question.id
    told = answer(ledger, question.id, verdict)
    assert told == fact(ledger, older.id)
    assert told.current is (verdict is Verdict.KEEP)
    assert asked(ledger) == []
    assert final(ledger, older, newer)
    runs = ledger.read(lambda r: r.runs())
    assert [run.kind for run in runs] == ["owner", "settle"]
    with pytest.raises(Conflict):
        answer(ledger, question.id, verdict)


def test_unsure_is_no_answer_and_only_questions_are_answered(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    settle(ledger, decide(*pair, verdict=Verdict.UNSURE))
    (question,) = ledger.read(lambda r: r.questions(EVERYTHING))
    with pytest.raises(BadRequest):
        answer(ledger, question.id, Verdict.UNSURE)
    with pytest.raises(NotFound):
        answer(ledger, "none", Verdict.KEEP)


def test_a_question_goes_when_one_of_its_facts_does(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    settle(ledger, decide(*pair, verdict=Verdict.UNSURE))
    (question,) = ledger.read(lambda r: r.questions(EVERYTHING))
    ledger.write(
        lambda w: w.retire(pair[1].id, because=Because.OWNER, by="owner", run_id=None)
    ).result(10)
    assert asked(ledger) == []
    with pytest.raises(Conflict):
        answer(ledger, question.id, Verdict.KEEP)


def test_questions_are_seen_from_where_both_facts_are(ledger: Ledger) -> None:
    mine = say(ledger, "port is 1", day("01-01"), scope=Scope.PROJECT, project_id="p1")
    users = say(ledger, "port is 2", day("02-01"))
    settle(ledger, decide(mine, users, verdict=Verdict.UNSURE))
    assert asked(ledger) == asked(ledger, Look("p1")) == [(mine.id, users.id)]
    assert asked(ledger, Look("p2")) == []


def test_an_answered_undo_is_carried_out_in_the_owners_own_run(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    undo(ledger, supersede(ledger, *pair))
    (question,) = ledger.read(lambda r: r.questions(EVERYTHING))
    answer(ledger, question.id, Verdict.SUPERSEDE)
    (own, _) = ledger.read(lambda r: r.runs())
    assert own.report["retired"] == [pair[0].id]
    undo(ledger, own.id)
    assert fact(ledger, pair[0].id).current


# -- correcting ---------------------------------------------------------------------------------


def correct(ledger: Ledger, old: Fact, text: str, at: str = "") -> Fact:
    new = new_fact(text, at, session="s2")
    return ledger.write(lambda w: w.correct(old.id, new)).result(10).fact


def test_a_correction_takes_the_place_of_a_fact_which_is_not_learnt_again(ledger: Ledger) -> None:
    old = say(ledger, "port is 8080", day("05-01"))
    new = correct(ledger, old, "port is 9090", day("05-20"))
    read = fact(ledger, old.id)
    assert (read.retired_because, read.superseded_by) == (Because.CORRECTED, new.id)
    assert (read.valid_to, read.text) == (day("05-20"), "port is 8080")
    assert final(ledger, old, new)
    assert ledger.read(
        lambda r: r.suppressed(text_hash=r.hash_of("Port is 8080"), slot=Slot(), look=EVERYTHING)
    )
    (run,) = ledger.read(lambda r: r.runs())
    assert (run.kind, run.state) == ("owner", "done")
    chain = ledger.read(lambda r: r.chain(new.id))
    assert [link.outcome for link in chain] == [Outcome.CARRIED_OUT, None]


def test_a_correction_of_how_it_always_was_leaves_an_empty_interval(ledger: Ledger) -> None:
    old = say(ledger, "port is 8080", day("05-01"))
    correct(ledger, old, "port is 9090", day("04-01"))
    assert fact(ledger, old.id).valid_to == day("05-01")
    assert found(ledger, "port", as_of=day("05-05")) == ["port is 9090"]


def test_a_correction_by_the_same_words_is_refused_where_another_value_began_since_too(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    older, newer = pair
    supersede(ledger, older, newer)
    ledger.write(lambda w: w.restore(older.id, by="owner")).result(10)
    before = state(ledger)
    same = new_fact(older.text, slot=older.slot)
    with pytest.raises(Conflict, match="says that already"):
        ledger.write(lambda w: w.correct(older.id, same)).result(10)
    assert state(ledger) == before


def test_a_correction_of_nothing_changes_nothing(ledger: Ledger) -> None:
    old = say(ledger, "port is 8080")
    before = dump(ledger)
    with pytest.raises(Conflict, match="already"):
        correct(ledger, old, "Port is 8080.")
    with pytest.raises(NotFound):
        ledger.write(lambda w: w.correct("none", new_fact("x"))).result(10)
    assert dump(ledger) == before
    correct(ledger, old, "port is 9090")
    with pytest.raises(Conflict, match="retired"):
        correct(ledger, old, "port is 9091")


# -- runs and the fuse --------------------------------------------------------------------------


def test_a_run_counts_what_was_current_before_and_after(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    run = supersede(ledger, *pair)
    row = ledger.read(lambda r: r.run(run))
    assert (row.kind, row.state, row.facts_before, row.facts_after) == ("settle", "done", 2, 1)
    assert row.started_at < (row.ended_at or "")
    assert ledger.read(lambda r: r.resolve(run[:6], "runs")) == run
    with pytest.raises(NotFound):
        ledger.read(lambda r: r.run("none"))
    with pytest.raises(NotFound):
        ledger.write(lambda w: w.close_run("none", state="done", report={})).result(10)
    with pytest.raises(ValueError, match="sideways"):
        ledger.write(lambda w: w.close_run(run, state="sideways", report={})).result(10)


def stop(ledger: Ledger, *decisions: Decision) -> str:
    def do(w: Writer) -> str:
        run = w.open_run("settle")
        w.stop_run(run, decisions)
        w.close_run(run, state="stopped", report={"why": "too many"})
        return run

    return ledger.write(do).result(10)


def test_a_stopped_run_carries_nothing_out_and_asks_instead(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    before = state(ledger)
    decision = decide(*pair, reason="differs")
    run = stop(ledger, decision)
    assert state(ledger) == before
    assert ledger.read(lambda r: r.run(run)).state == "stopped"
    assert ledger.read(lambda r: r.stopped_decisions(run)) == [decision]
    assert asked(ledger) == [(pair[0].id, pair[1].id)]
    with pytest.raises(Conflict):
        undo(ledger, run)
    with pytest.raises(NotFound):
        ledger.write(lambda w: w.stop_run("none", [])).result(10)


def test_a_stopped_plan_is_carried_out_on_the_owners_word_and_does_not_blow_the_fuse_again(
    ledger: Ledger, pair: tuple[Fact, Fact]
) -> None:
    run = stop(ledger, decide(*pair))
    done = ledger.write(
        lambda w: w.carry_out(w.stopped_decisions(run), run_id=run, level="local")
    ).result(10)
    assert done.retired == [(pair[0].id, pair[1].id)]
    assert asked(ledger) == []
    assert ledger.read(lambda r: r.judgments(run_id=run))[-1].outcomes[-1][1] == "owner"
    assert ledger.read(lambda r: r.retired_by_judges_since("", scope_key=None)) == 0


def test_the_fuse_counts_what_judges_retired_and_nobody_took_back(
    ledger: Ledger, clock: Clock
) -> None:
    def count(since: str = "", key: str | None = None) -> int:
        return ledger.read(lambda r: r.retired_by_judges_since(since, scope_key=key))

    def two(name: str, **place: Any) -> tuple[Fact, Fact]:
        return (
            say(ledger, f"{name} is old", day("01-01"), **place),
            say(ledger, f"{name} is new", day("02-01"), **place),
        )

    project = {"scope": Scope.PROJECT, "project_id": "p1"}
    supersede(ledger, *two("a"))
    supersede(ledger, *two("b", **project))
    branch = {"scope": Scope.BRANCH, "project_id": "p1", "branch": "x"}
    supersede(ledger, *two("c", **branch))
    assert (count(), count(key="p1"), count(key="p2")) == (1, 2, 0)
    supersede(ledger, *two("d"), judge="owner")
    old, _ = undone = two("e")
    undo(ledger, supersede(ledger, *undone))
    restored = two("f")
    supersede(ledger, *restored)
    assert count() == 2
    restore(ledger, restored[0].id)
    ledger.write(lambda w: w.retire(old.id, because=Because.OWNER, by="owner", run_id=None)).result(
        10
    )
    assert count() == 1
    clock.go_on(hours=25)
    since = clock.now.isoformat(timespec="milliseconds")
    assert count(since) == 0
    supersede(ledger, *two("g"))
    assert count(since) == 1


def test_a_reason_is_kept_without_secrets(ledger: Ledger, pair: tuple[Fact, Fact]) -> None:
    supersede(ledger, *pair, reason="was ghp_" + "B" * 36)
    (judgment,) = ledger.read(lambda r: r.judgments())
    assert judgment.ruling.reason == "was [redacted:github]"
    assert keep(ledger, "tea is green").state == "new"
