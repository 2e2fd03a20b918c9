"""Candidates, proposals, suppressions, projects, answers, settings."""

import pytest

from dormouse.errors import Conflict, KeyReused, NotFound
from dormouse.facts import Kind, Look, Scope, Slot
from dormouse.ledger import CandidateRow, Ledger, ProposalRow, Writer
from dormouse.projects.values import Known
from tests.unit.ledger.store import (
    EVERYTHING,
    Clock,
    day,
    dump,
    journal,
    keep,
    new_fact,
    say,
    texts,
    turn,
)

TOKEN = "ghp_" + "C" * 36


# -- candidates ---------------------------------------------------------------------------------


def candidate(
    ledger: Ledger, text: str, turn: str | None = None, project: str | None = None
) -> CandidateRow:
    scope = Scope.PROJECT if project else Scope.USER
    return ledger.write(
        lambda w: w.add_candidate(text, scope=scope, project_id=project, turn_id=turn)
    ).result(10)


def test_a_candidate_is_no_fact_and_is_never_found(ledger: Ledger) -> None:
    row = candidate(ledger, "the api lives in services", "t1")
    assert (row.sightings, row.first_turn, row.kind) == (1, "t1", Kind.PROJECT)
    assert texts(ledger, which="all") == []
    assert ledger.read(lambda r: r.counts())["candidates"] == 1
    assert ledger.read(lambda r: r.resolve(row.id[:5], "candidates")) == row.id


def test_a_second_sighting_counts_once_a_turn(ledger: Ledger) -> None:
    first = candidate(ledger, "the api lives in services", "t1")
    assert candidate(ledger, "The API lives in services.", "t1").sightings == 1
    again = candidate(ledger, "the api lives in services", "t2")
    assert (again.id, again.sightings, again.first_turn) == (first.id, 2, "t1")
    assert candidate(ledger, "the api lives in services", "t3", "p1").sightings == 1


def test_candidates_are_seen_from_their_place_and_all_of_them_by_the_owner(ledger: Ledger) -> None:
    mine = candidate(ledger, "a", project="p1")
    other = candidate(ledger, "b", project="p2")

    def ids(look: Look | None) -> set[str]:
        return {c.id for c in ledger.read(lambda r: r.candidates(look))}

    assert ids(Look("p1", "x", "s1")) == {mine.id}
    assert ids(None) == ids(EVERYTHING) == {mine.id, other.id}


def test_a_candidate_is_dropped_or_becomes_a_fact(ledger: Ledger) -> None:
    row = candidate(ledger, "tea is green")
    captured = ledger.write(lambda w: w.accept_candidate(row.id, new_fact(row.text))).result(10)
    assert captured.state == "new"
    assert ledger.read(lambda r: r.candidates(EVERYTHING)) == []
    other = candidate(ledger, "milk is white")
    ledger.write(lambda w: w.drop_candidate(other.id)).result(10)
    for do in (
        lambda w: w.drop_candidate(other.id),
        lambda w: w.accept_candidate(other.id, new_fact("x")),
        lambda w: w.candidate(other.id),
    ):
        with pytest.raises(NotFound):
            ledger.write(do).result(10)
    assert texts(ledger) == ["tea is green"]


# -- proposals ----------------------------------------------------------------------------------


def propose(ledger: Ledger, what: str = "rule", text: str = "always test") -> ProposalRow:
    return ledger.write(lambda w: w.propose(what, {"text": text, "n": 1}, by="codex")).result(10)


def test_a_proposal_waits_and_an_equal_one_waits_with_it(ledger: Ledger) -> None:
    row = propose(ledger)
    assert propose(ledger) == row
    assert propose(ledger, "pin").id != row.id
    assert (row.text, row.payload["n"], row.by, row.state) == ("always test", 1, "codex", "open")
    assert ledger.read(lambda r: r.counts())["proposals"] == 2
    assert ledger.read(lambda r: r.resolve(row.id[:4], "proposals")) == row.id


def test_a_proposal_is_closed_once_and_may_be_made_again(ledger: Ledger) -> None:
    row = propose(ledger)
    closed = ledger.write(lambda w: w.close_proposal(row.id, "rejected")).result(10)
    assert closed.state == "rejected"
    assert ledger.read(lambda r: r.proposals()) == []
    assert ledger.read(lambda r: r.proposals(state="rejected")) == [closed]
    with pytest.raises(Conflict, match="rejected already"):
        ledger.write(lambda w: w.close_proposal(row.id, "accepted")).result(10)
    with pytest.raises(NotFound):
        ledger.write(lambda w: w.close_proposal("none", "accepted")).result(10)
    assert propose(ledger).id != row.id


def test_nothing_that_waits_holds_a_secret_or_odd_bytes(ledger: Ledger) -> None:
    candidate(ledger, f"the token is {TOKEN}")
    nested = {"text": f"use {TOKEN}", "more": [{"deep": f"and {TOKEN}"}, "\ud83d", 3, None]}
    row = ledger.write(lambda w: w.propose("fact", nested, by="codex")).result(10)
    assert row.payload["more"][1:] == ["�", 3, None]
    ledger.write(lambda w: w.set_session_summary("codex", "s1", f"we used {TOKEN}")).result(10)
    assert TOKEN not in repr(dump(ledger))


# -- suppressions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "slot", "look", "expected"),
    [
        ("Tea is green.", Slot(), Look("p1"), True),
        ("tea is green", Slot(), EVERYTHING, True),
        ("tea is green", Slot(), Look("p2"), False),
        ("green is the tea", Slot("tea", "is", "green"), Look("p1"), True),
        ("tea is black", Slot("tea", "is", "black"), Look("p1"), False),
        ("other", Slot("tea", None, "green"), Look("p1"), False),
        ("other", Slot(), Look("p1"), False),
    ],
)
def test_what_was_forgotten_is_recognised_by_its_text_or_its_slot(
    ledger: Ledger, text: str, slot: Slot, look: Look, expected: bool
) -> None:
    def forget(w: Writer) -> None:
        w.suppress(
            text_hash=w.hash_of("tea is green"),
            slot=Slot("tea", "is", "green"),
            project_id="p1",
            by="owner",
        )

    ledger.write(forget).result(10)

    def suppressed() -> bool:
        return ledger.read(lambda r: r.suppressed(text_hash=r.hash_of(text), slot=slot, look=look))

    assert suppressed() is expected
    ledger.write(
        lambda w: w.lift_suppression(
            text_hash=w.hash_of(text), slot=slot, project_id=look.project_id or "p1"
        )
    ).result(10)
    assert not suppressed()


def test_what_was_forgotten_for_the_user_is_forgotten_everywhere(ledger: Ledger) -> None:
    ledger.write(
        lambda w: w.suppress(text_hash=w.hash_of("x"), slot=Slot(), project_id=None, by="owner")
    ).result(10)
    assert ledger.read(
        lambda r: r.suppressed(text_hash=r.hash_of("x"), slot=Slot(), look=Look("p9"))
    )


# -- projects -----------------------------------------------------------------------------------


def known(id: str, *paths: str, common: str | None = None) -> Known:
    return Known(id, f"name of {id}", "git", common, f"id of {common}" if common else None, paths)


def put(ledger: Ledger, project: Known) -> None:
    ledger.write(lambda w: w.keep_project(project)).result(10)


def projects(ledger: Ledger) -> list[Known]:
    return ledger.read(lambda r: r.known_projects())


def test_a_project_reads_back_as_it_was_known_and_keeps_its_paths(ledger: Ledger) -> None:
    first = Known("p1", "api", "git", "/w/api/.git", "1:2", ("/w/api",), "abc", "git@x:api")
    put(ledger, first)
    assert projects(ledger) == [first]
    put(ledger, Known("p1", "api2", "git", "/w/new/.git", "1:2", ("/w/new",), "abc", None))
    assert projects(ledger) == [
        Known("p1", "api2", "git", "/w/new/.git", "1:2", ("/w/api", "/w/new"), "abc", None)
    ]
    named = say(ledger, "tea is green", scope=Scope.PROJECT, project_id="p1")
    assert named.project_name == "api2"
    assert ledger.read(lambda r: r.fact(named.id)) == named


def test_paths_that_are_no_text_are_no_trouble(ledger: Ledger) -> None:
    put(ledger, known("p1", "/w/caf\udce9", common="/w/caf\udce9/.git"))
    put(ledger, known("p1", "/w/caf\udce9", common="/w/caf\udce9/.git"))
    assert projects(ledger)[0].paths == ("/w/caf�",)


def test_a_joined_project_is_the_other_with_all_that_is_its(ledger: Ledger) -> None:
    put(ledger, known("p1", "/a", common="/a/.git"))
    put(ledger, known("p2", "/b", common="/b/.git"))
    place = {"scope": Scope.PROJECT}
    say(ledger, "a tea", project_id="p1", **place)
    say(ledger, "b tea", project_id="p2", **place)
    ledger.write(lambda w: w.touch_session("codex", "s1", project_id="p2")).result(10)
    journal(ledger, turn("hello"))
    ledger.write(lambda w: w.join_projects("p1", "p2")).result(10)
    assert set(texts(ledger, Look("p1"))) == {"a tea", "b tea"}
    assert texts(ledger, Look("p2")) == []
    one, two = projects(ledger)
    assert (one.id, one.paths, two.id, two.name, two.paths, two.common_dir) == (
        "p1", ("/a",), "p1", "name of p1", ("/b",), "/b/.git",
    )  # fmt: skip
    last = ledger.read(lambda r: r.last_session("p1", before_session="other"))
    assert last is not None
    assert last.id == "s1"
    # what is learnt of one of the two folders stays with it
    put(ledger, Known("p1", "new name", "git", "/b/.git", "id of /b/.git", ("/b2",)))
    one, two = projects(ledger)
    assert (one.paths, two.paths) == (("/a",), ("/b", "/b2"))
    for a, b, error in (("p1", "p2", Conflict), ("p1", "p1", Conflict), ("p1", "p9", NotFound)):
        with pytest.raises(error):
            ledger.write(lambda w, a=a, b=b: w.join_projects(a, b)).result(10)  # type: ignore[misc]


def test_joining_into_a_joined_project_ends_at_the_first(ledger: Ledger) -> None:
    for id in ("p1", "p2", "p3"):
        put(ledger, known(id, f"/{id}", common=f"/{id}/.git"))
        say(ledger, f"{id} tea", scope=Scope.PROJECT, project_id=id)
    ledger.write(lambda w: w.join_projects("p2", "p3")).result(10)
    ledger.write(lambda w: w.join_projects("p1", "p2")).result(10)
    assert len(texts(ledger, Look("p1"))) == 3
    assert {project.id for project in projects(ledger)} == {"p1"}


# -- answers and settings -----------------------------------------------------------------------


def test_an_answer_is_kept_under_its_key_for_a_week(ledger: Ledger, clock: Clock) -> None:
    assert ledger.read(lambda r: r.kept_answer("k")) is None
    ledger.write(lambda w: w.keep_answer("k", "f", "201 {}")).result(10)
    ledger.write(lambda w: w.keep_answer("k", "f", "another")).result(10)
    assert ledger.read(lambda r: r.kept_answer("k")) == ("f", "201 {}")
    with pytest.raises(KeyReused):
        ledger.write(lambda w: w.keep_answer("k", "g", "")).result(10)
    clock.go_on(days=8)
    ledger.write(lambda w: w.trim_journal(30, 200)).result(10)
    assert ledger.read(lambda r: r.kept_answer("k")) is None


def test_a_setting_reads_back_and_every_change_is_logged(ledger: Ledger) -> None:
    assert ledger.read(lambda r: r.setting("level")) is None
    for value in ("local", "agents"):
        ledger.write(lambda w, value=value: w.set_setting("level", value)).result(10)  # type: ignore[misc]
    assert ledger.read(lambda r: r.setting("level")) == "agents"
    assert [row[2] for row in dump(ledger)["settings_log"]] == ["local", "agents"]
    assert keep(ledger, "tea is green", day("05-01")).state == "new"
