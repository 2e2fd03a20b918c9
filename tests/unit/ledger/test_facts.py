"""Capturing, retiring, finding by id, place, slot and text."""

import pytest

from dormouse.errors import BadRequest, Conflict, IdTooShort, NotFound, NotUnique
from dormouse.facts import Because, How, Kind, Layer, Look, Scope, Slot, Source, Trust
from dormouse.ledger import Ledger
from tests.unit.ledger.store import (
    EVERYTHING,
    Clock,
    day,
    dump,
    fact,
    found,
    keep,
    new_fact,
    say,
    supersede,
    texts,
)


def retire(ledger: Ledger, id: str, because: Because = Because.FORGOTTEN) -> None:
    ledger.write(lambda w: w.retire(id, because=because, by="owner", run_id=None)).result(10)


def test_a_captured_fact_reads_back_as_it_was_said(ledger: Ledger) -> None:
    new = new_fact(
        "staging is 10.0.0.5",
        day("05-01"),
        scope=Scope.BRANCH,
        kind=Kind.REFERENCE,
        layer=Layer.EPISODIC,
        project_id="p1",
        branch="main",
        language="en",
        trust=Trust.ASSISTANT,
        confidence=0.7,
        importance=0.25,
        weight=0.75,
        pinned=True,
        turn_id="turn1",
    )
    captured = ledger.write(lambda w: w.capture(new)).result(10)
    assert captured.state == "new"
    assert captured.fact == fact(ledger, new.id)
    read = captured.fact
    assert (read.text, read.kind, read.layer, read.scope) == (
        "staging is 10.0.0.5", Kind.REFERENCE, Layer.EPISODIC, Scope.BRANCH,
    )  # fmt: skip
    assert (read.project_id, read.branch, read.language) == ("p1", "main", "en")
    assert (read.confidence, read.importance, read.weight, read.pinned) == (0.7, 0.25, 0.75, True)
    assert read.stated_at == read.valid_from == day("05-01")
    assert read.sources == (Source("claude-code", "s1", "turn1", How.EXPLICIT, day("05-01")),)
    assert read.slot == Slot("staging", "is", "10.0.0.5")
    assert read.current


def test_without_a_time_a_fact_is_stated_now(ledger: Ledger) -> None:
    read = say(ledger, "tea is green")
    assert read.stated_at == read.valid_from == read.captured_at > day("06-01")


def test_empty_columns_hold_null_and_never_an_empty_text(ledger: Ledger) -> None:
    say(ledger, "tea", branch="", language="", project_id="", session="", slot=Slot("", "", ""))
    for rows in dump(ledger).values():
        assert not any(value == "" for row in rows for value in row)


@pytest.mark.parametrize("text", ["", "   ", "\n", "x" * 4_001])
def test_a_fact_has_one_to_four_thousand_characters(ledger: Ledger, text: str) -> None:
    with pytest.raises(BadRequest):
        say(ledger, text)
    assert texts(ledger) == []


@pytest.mark.parametrize("text", ["x" * 4_000, "猫" * 4_000, "😀" * 4_000, "x"])
def test_texts_up_to_the_limit_are_kept_whole(ledger: Ledger, text: str) -> None:
    assert say(ledger, text).text == text


@pytest.mark.parametrize("odd", ["\ud83d", "\0", "a\udfffb", "😀"])
def test_odd_characters_never_stop_the_writer(ledger: Ledger, odd: str) -> None:
    kept = say(ledger, f"staging{odd} is here", session=f"s{odd}", branch=f"b{odd}")
    assert fact(ledger, kept.id).text.encode()
    assert ledger.read(lambda r: r.search([odd, "staging"], EVERYTHING)) is not None
    assert ledger.read(lambda r: r.by_slot(f"x{odd}", None, Look(f"p{odd}"))) == []
    assert say(ledger, "tea is green").current


def test_a_secret_is_taken_out_of_text_index_and_slot(ledger: Ledger) -> None:
    token = "ghp_" + "A" * 36
    kept = say(ledger, f"the deploy token is {token}", slot=Slot("token", "value", token.lower()))
    assert kept.text == "the deploy token is [redacted:github]"
    assert kept.slot == Slot("token", "value", None)
    assert token.lower() not in repr(dump(ledger)).lower()


def test_a_fact_never_shows_its_text_when_printed(ledger: Ledger) -> None:
    captured = keep(ledger, "the canary is yellowhammer")
    rows = ledger.read(lambda r: (r.search(["canary"], EVERYTHING), r.chain(captured.fact.id)))
    assert "yellowhammer" not in repr((captured, rows, ledger))


# -- stating it again ---------------------------------------------------------------------------


def test_equal_text_in_another_session_is_one_fact_with_two_sources(ledger: Ledger) -> None:
    first = say(ledger, "Tea is green.", confidence=0.8)
    again = keep(ledger, "tea  is green", session="s2", agent="codex")
    assert (again.state, again.fact.id) == ("known", first.id)
    assert [s.agent for s in again.fact.sources] == ["claude-code", "codex"]
    assert again.fact.confidence == pytest.approx(0.9)
    assert fact(ledger, first.id) == again.fact


def test_equal_text_in_the_same_session_changes_nothing(ledger: Ledger) -> None:
    first = say(ledger, "tea is green", confidence=0.8)
    before = dump(ledger)
    assert keep(ledger, "tea is green").fact == first
    assert dump(ledger) == before


def test_confidence_never_reaches_certainty_and_never_falls(ledger: Ledger) -> None:
    for number in range(30):
        say(ledger, "tea is green", session=f"s{number}", confidence=0.5)
    (known,) = ledger.read(lambda r: r.facts(EVERYTHING))
    assert known.confidence == 0.999
    source = Source("codex", "another", None, How.EXPLICIT, day("06-02"))
    sure = say(ledger, "water is wet", confidence=1.0)
    assert ledger.write(lambda w: w.add_source(sure.id, source)).result(10).confidence == 1.0


def test_a_more_trusted_speaker_vouches_for_a_known_fact_and_may_pin_it(ledger: Ledger) -> None:
    weak = say(ledger, "tea is green", trust=Trust.ASSISTANT)
    ledger.write(lambda w: w.mark_settled([weak.id])).result(10)
    strong = say(ledger, "tea is green", session="s2", pinned=True)
    assert (strong.id, strong.trust, strong.pinned) == (weak.id, Trust.USER, True)
    assert ledger.read(lambda r: r.pending_settle()) == [weak.id], "it may retire others now"
    weaker = say(ledger, "tea is green", session="s3", trust=Trust.TOOL)
    assert weaker.trust is Trust.USER


def test_equal_text_of_another_place_is_another_fact(ledger: Ledger) -> None:
    places = [
        {},
        {"scope": Scope.PROJECT, "project_id": "p1"},
        {"scope": Scope.PROJECT, "project_id": "p2"},
        {"scope": Scope.BRANCH, "project_id": "p1", "branch": "x"},
        {"scope": Scope.BRANCH, "project_id": "p1", "branch": "y"},
        {"scope": Scope.SESSION, "project_id": "p1", "session": "s1"},
        {"scope": Scope.SESSION, "project_id": "p1", "session": "s2"},
    ]
    for place in places:
        assert keep(ledger, "tea is green", **place).state == "new"
    for place in places:
        assert keep(ledger, "tea is green", agent="codex", **place).state == "known"


def test_a_value_that_returns_is_a_new_fact_and_a_late_word_joins_its_own_interval(
    ledger: Ledger,
) -> None:
    north = say(ledger, "on-call is North", day("01-05"))
    south = say(ledger, "on-call is South", day("04-02"))
    supersede(ledger, north, south)
    again = keep(ledger, "on-call is North", day("07-01"), session="s2")
    assert again.state == "new"
    supersede(ledger, south, again.fact)
    before = {f.id: f for f in ledger.read(lambda r: r.facts(EVERYTHING, which="all"))}

    late = keep(ledger, "on-call is South", day("05-20"), session="old")
    assert (late.state, late.fact.id) == ("known", south.id)
    assert len(late.fact.sources) == 2
    after = {f.id: f for f in ledger.read(lambda r: r.facts(EVERYTHING, which="all"))}
    assert {id: (f.valid_from, f.valid_to, f.current) for id, f in after.items()} == {
        id: (f.valid_from, f.valid_to, f.current) for id, f in before.items()
    }
    assert found(ledger, "north", "south") == ["on-call is North"]
    assert found(ledger, "call", as_of=day("05-15")) == ["on-call is South"]
    assert found(ledger, "call", as_of=day("02-01")) == ["on-call is North"]
    assert found(ledger, "call", as_of=day("01-01")) == []
    chain = ledger.read(lambda r: r.chain(again.fact.id))
    assert [(link.fact.valid_from, link.fact.valid_to) for link in chain] == [
        (day("01-05"), day("04-02")),
        (day("04-02"), day("07-01")),
        (day("07-01"), None),
    ]


def test_another_value_that_nobody_judged_yet_still_lies_between(ledger: Ledger) -> None:
    say(ledger, "on-call is North", day("01-05"))
    say(ledger, "on-call is South", day("04-02"))
    assert keep(ledger, "on-call is North", day("07-01"), session="s2").state == "new"
    assert keep(ledger, "on-call is North", day("03-01"), session="s3").state == "known"


def test_the_same_value_in_other_words_does_not_lie_between(ledger: Ledger) -> None:
    slot = Slot("on-call", "is", "north")
    say(ledger, "on-call is North", day("01-05"), slot=slot)
    say(ledger, "North is on call", day("04-02"), slot=slot)
    assert keep(ledger, "on-call is North", day("07-01"), session="s2").state == "known"


def test_what_was_forgotten_does_not_lie_between_and_takes_in_nothing_later(
    ledger: Ledger,
) -> None:
    say(ledger, "on-call is North", day("01-05"))
    south = say(ledger, "on-call is South", day("04-02"))
    retire(ledger, south.id)
    assert keep(ledger, "on-call is North", day("07-01"), session="s2").state == "known"
    assert keep(ledger, "on-call is South", day("07-02"), session="s2").state == "new"
    assert keep(ledger, "on-call is South", day("05-01"), session="s3").fact.id == south.id


def test_a_statement_from_before_a_fact_began_is_a_fact_of_its_own(ledger: Ledger) -> None:
    say(ledger, "on-call is North", day("04-01"))
    assert keep(ledger, "on-call is North", day("01-01"), session="s2").state == "new"


def test_in_another_project_another_value_does_not_lie_between(ledger: Ledger) -> None:
    one = {"scope": Scope.PROJECT, "project_id": "p1"}
    say(ledger, "on-call is North", day("01-05"), **one)
    say(ledger, "on-call is South", day("04-02"), scope=Scope.PROJECT, project_id="p2")
    say(ledger, "on-call is South", day("04-02"))
    assert keep(ledger, "on-call is North", day("07-01"), session="s2", **one).state == "known"


# -- retiring -----------------------------------------------------------------------------------


def test_retiring_is_compare_and_set(ledger: Ledger) -> None:
    tea = say(ledger, "tea is green")
    retire(ledger, tea.id)
    before = dump(ledger)
    with pytest.raises(Conflict, match="retired already"):
        retire(ledger, tea.id, Because.OWNER)
    with pytest.raises(NotFound):
        retire(ledger, "aaaabbbbccccdddd")
    assert dump(ledger) == before


def test_a_retired_fact_is_only_in_the_history(ledger: Ledger) -> None:
    tea = say(ledger, "tea is green")
    retire(ledger, tea.id)
    read = fact(ledger, tea.id)
    assert (read.current, read.retired_because, read.text) == (False, Because.FORGOTTEN, tea.text)
    assert texts(ledger) == found(ledger, "tea") == []
    assert texts(ledger, which="retired") == texts(ledger, which="all") == ["tea is green"]
    assert found(ledger, "tea", history=True) == ["tea is green"]
    how = ledger.read(lambda r: r.retirements([tea.id]))[tea.id]
    assert (how.because, how.by, how.at) == (Because.FORGOTTEN, "owner", read.retired_at)


def test_what_was_forgotten_is_true_until_then_when_asked_as_of_a_time(
    ledger: Ledger, clock: Clock
) -> None:
    tea = say(ledger, "tea is green", day("05-01"))
    clock.go_on(days=1)
    retire(ledger, tea.id)
    assert found(ledger, "tea", as_of=day("06-01")) == ["tea is green"]
    assert found(ledger, "tea", as_of=day("06-05")) == []


# -- looking ------------------------------------------------------------------------------------


@pytest.fixture
def places(ledger: Ledger) -> Ledger:
    say(ledger, "user tea")
    say(ledger, "project tea", scope=Scope.PROJECT, project_id="p1")
    say(ledger, "other tea", scope=Scope.PROJECT, project_id="p2")
    say(ledger, "branch tea", scope=Scope.BRANCH, project_id="p1", branch="x")
    say(ledger, "session tea", scope=Scope.SESSION, project_id="p1", session="s9")
    return ledger


@pytest.mark.parametrize(
    ("look", "seen"),
    [
        (Look(), {"user tea"}),
        (Look("p1"), {"user tea", "project tea"}),
        (Look("p2"), {"user tea", "other tea"}),
        (Look("p1", "x"), {"user tea", "project tea", "branch tea"}),
        (Look("p1", "y"), {"user tea", "project tea"}),
        (Look("p2", "x"), {"user tea", "other tea"}),
        (Look(None, "x"), {"user tea"}),
        (Look("p1", None, "s9"), {"user tea", "project tea", "session tea"}),
        (Look("p1", None, "s8"), {"user tea", "project tea"}),
        (
            Look(everything=True),
            {"user tea", "project tea", "other tea", "branch tea", "session tea"},
        ),
    ],
)
def test_a_look_sees_its_own_places_only_in_every_way_of_looking(
    places: Ledger, look: Look, seen: set[str]
) -> None:
    assert set(texts(places, look)) == seen
    assert set(texts(places, look, which="all")) == seen
    assert set(found(places, "tea", look=look)) == seen
    assert set(found(places, "tea", look=look, history=True)) == seen
    assert places.read(lambda r: r.count(look)) == (len(seen), 0)


def test_facts_come_newest_first_and_can_be_narrowed(ledger: Ledger) -> None:
    say(ledger, "a", day("01-01"), layer=Layer.CORE, kind=Kind.USER, pinned=True)
    say(ledger, "b", day("03-01"))
    say(ledger, "c", day("02-01"), kind=Kind.USER)
    assert texts(ledger) == ["b", "c", "a"]
    assert texts(ledger, limit=2) == ["b", "c"]
    assert texts(ledger, layer=Layer.CORE) == texts(ledger, pinned=True) == ["a"]
    assert texts(ledger, kind=Kind.USER) == ["c", "a"]
    assert texts(ledger, kind=Kind.USER, pinned=False) == ["c"]


def test_facts_are_found_by_slot_and_by_equal_text(ledger: Ledger) -> None:
    a = say(ledger, "tea is green", slot=Slot("tea", "colour", "green"))
    b = say(ledger, "tea is hot", slot=Slot("tea", "heat", "hot"))
    retire(ledger, b.id)
    assert [f.id for f in ledger.read(lambda r: r.by_slot("tea", None, EVERYTHING))] == [a.id]
    assert [f.id for f in ledger.read(lambda r: r.by_slot("tea", "heat", EVERYTHING))] == []
    assert [
        f.id for f in ledger.read(lambda r: r.by_slot("tea", "heat", EVERYTHING, which="all"))
    ] == [b.id]
    assert [
        f.id for f in ledger.read(lambda r: r.by_hash(r.hash_of("TEA is hot."), EVERYTHING))
    ] == [b.id]
    assert ledger.read(lambda r: r.by_hash(r.hash_of("tea is hot"), Look("p1"))) != []


def test_facts_are_found_by_the_turn_they_were_said_in(ledger: Ledger) -> None:
    a = say(ledger, "tea is green", turn_id="t1")
    b = say(ledger, "milk is white", turn_id="t2")
    retire(ledger, b.id)

    def ids(retired: bool | None = None) -> set[str]:
        found = ledger.read(lambda r: r.facts_from_turns(["t1", "t2"], retired=retired))
        return {f.id for f in found}

    assert ids() == {a.id, b.id}
    assert (ids(retired=True), ids(retired=False)) == ({b.id}, {a.id})


def test_many_ids_are_read_at_once_and_unknown_ones_are_left_out(ledger: Ledger) -> None:
    tea = say(ledger, "tea is green")
    found = ledger.read(lambda r: r.facts_by_id([tea.id, "unknown", tea.id]))
    assert found == {tea.id: tea}
    assert ledger.read(lambda r: r.facts_by_id([])) == {}


def test_an_id_may_be_shortened_as_long_as_it_is_unique(ledger: Ledger) -> None:
    tea, milk = say(ledger, "tea is green"), say(ledger, "milk is white")
    twin = new_fact("water is clear")
    object.__setattr__(twin, "id", tea.id[:15] + ("a" if tea.id[15] != "a" else "b"))
    ledger.write(lambda w: w.capture(twin)).result(10)

    def resolve(prefix: str, table: str = "facts") -> str:
        return ledger.read(lambda r: r.resolve(prefix, table))

    assert resolve(tea.id) == tea.id
    assert resolve(f" {milk.id[:6].upper()} ") == milk.id
    with pytest.raises(NotUnique, match=twin.id):
        resolve(tea.id[:15])
    with pytest.raises(IdTooShort):
        resolve(tea.id[:3])
    for odd in ("%%%%", "____", "****", "aaaabbbbccccddddeeee", "zzzz", "'; --"):
        with pytest.raises(NotFound):
            resolve(odd)
    for table in ("candidates", "proposals", "questions", "runs", "projects"):
        with pytest.raises(NotFound) as caught:
            resolve("abcd", table)
        assert {"runs": "rem log"}.get(table, table) in caught.value.hint
    shorts = ledger.read(lambda r: r.short([tea.id, milk.id, twin.id]))
    assert shorts[tea.id] == tea.id
    assert len(shorts[milk.id]) <= 6
    assert {resolve(short) for short in shorts.values()} == {tea.id, milk.id, twin.id}


def test_pinning_a_fact_that_is_not_there_says_so(ledger: Ledger) -> None:
    with pytest.raises(NotFound):
        ledger.write(lambda w: w.set_pinned("aaaabbbbccccdddd", True)).result(10)
    tea = say(ledger, "tea is green")
    assert ledger.write(lambda w: w.set_pinned(tea.id, True)).result(10).pinned
    assert not ledger.write(lambda w: w.set_pinned(tea.id, False)).result(10).pinned


def test_captured_facts_wait_to_be_settled_in_the_order_of_their_coming(ledger: Ledger) -> None:
    ids = [say(ledger, f"fact {number}").id for number in range(5)]
    assert ledger.read(lambda r: r.pending_settle()) == ids
    assert ledger.read(lambda r: r.pending_settle(limit=2)) == ids[:2]
    ledger.write(lambda w: w.mark_settled([ids[0], ids[3], "unknown"])).result(10)
    assert ledger.read(lambda r: r.pending_settle()) == [ids[1], ids[2], ids[4]]
    assert ledger.read(lambda r: r.counts())["pending"] == 3
