"""What a turn said in passing: fact, candidate or nothing; decided in one transaction."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dormouse.facts import How, Kind, Look, Scope
from dormouse.ledger import Ledger, TurnRow
from dormouse.sessions import Role
from dormouse.settings import Settings
from dormouse.work.extract import RulesExtractor
from dormouse.work.implicit import Taken, in_passing, take_implicit
from dormouse.work.prepare import prepare
from tests.unit.ledger import store

EVERYTHING = Look(everything=True)
DECISION = "we decided to use argon2 for passwords"
PLACE = "the API lives in services/api"
RULES = Settings()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    store.make(tmp_path)
    with Ledger(tmp_path / "memory.db", store.KEY, prepare=prepare, now=store.Clock()) as ledger:
        yield ledger


def hear(
    ledger: Ledger,
    text: str,
    session: str = "s1",
    *,
    project: str | None = "p1",
    role: Role = Role.PERSON,
    attended: bool | None = None,
    settings: Settings = RULES,
    at: str = "06-01",
) -> Taken:
    """A turn comes in and is read, as the daemon does it."""
    when = store.day(at)

    def do(w: Any) -> Taken:
        w.touch_session("codex", session, project_id=project, attended=attended)
        turn_id, _ = w.journal(
            "codex", store.turn(text, session, role), project_id=project, branch="main", at=when
        )
        (turn,) = w.turns_by_id([turn_id])
        assert isinstance(turn, TurnRow)
        return take_implicit(w, turn, in_passing(text), settings, store.day("06-02"))

    return ledger.write(do).result(10)


def waiting(ledger: Ledger) -> list[str]:
    return [row.text for row in ledger.read(lambda r: r.candidates(None))]


def test_a_decision_is_a_fact_of_the_project_with_its_turn_as_source(ledger: Ledger) -> None:
    taken = hear(ledger, f"fix the login. {DECISION}")
    (fact,) = ledger.read(lambda r: r.facts(EVERYTHING))
    assert (taken.facts, taken.candidates, taken.dropped) == ([fact.id], 0, 0)
    assert (fact.text, fact.kind, fact.scope) == (DECISION, Kind.PROJECT, Scope.PROJECT)
    assert (fact.project_id, fact.confidence, fact.pinned) == ("p1", 0.85, False)
    (source,) = fact.sources
    assert (source.how, source.agent, source.session_id) == (How.IMPLICIT, "codex", "s1")
    assert source.turn_id is not None
    assert fact.valid_from == store.day("06-01"), "what was said earlier holds since then"
    uses = ledger.read(lambda r: r.uses("codex", "s1"))
    assert uses[fact.id].how == "said"


def test_a_preference_holds_in_all_projects(ledger: Ledger) -> None:
    hear(ledger, "I prefer small commits with a clear message")
    (fact,) = ledger.read(lambda r: r.facts(EVERYTHING))
    assert (fact.kind, fact.scope, fact.project_id) == (Kind.USER, Scope.USER, None)


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.SUBAGENT, Role.SUMMARY, Role.TOOL])
def test_only_a_person_is_read(ledger: Ledger, role: Role) -> None:
    hear(ledger, f"{DECISION}. {PLACE}", role=role)
    assert store.texts(ledger) == []
    assert waiting(ledger) == []


def test_where_there_is_no_project_nothing_is_learnt(ledger: Ledger) -> None:
    hear(ledger, f"{DECISION}. {PLACE}", project=None)
    assert store.texts(ledger) == []
    assert waiting(ledger) == []


def test_an_unattended_prompt_makes_candidates_only(ledger: Ledger) -> None:
    taken = hear(ledger, DECISION, attended=False)
    assert (taken.facts, taken.candidates) == ([], 1)
    assert store.texts(ledger) == []
    assert waiting(ledger) == [DECISION]


def test_a_candidate_waits_until_another_session_says_it(ledger: Ledger) -> None:
    hear(ledger, PLACE, "s1")
    hear(ledger, f"{PLACE}. Add a test.", "s1")
    assert store.texts(ledger) == []
    taken = hear(ledger, PLACE, "s2")
    (fact,) = ledger.read(lambda r: r.facts(EVERYTHING))
    assert taken.facts == [fact.id]
    assert fact.confidence == pytest.approx(0.85)
    assert waiting(ledger) == []


def test_a_second_sighting_in_other_words_counts_if_it_says_the_same(ledger: Ledger) -> None:
    hear(ledger, "our database is Postgres 15", "s1")
    hear(ledger, "The database is Postgres 15.", "s2")
    assert len(store.texts(ledger)) == 1
    assert waiting(ledger) == []


def test_a_candidate_of_one_project_is_not_confirmed_by_another(ledger: Ledger) -> None:
    hear(ledger, PLACE, "s1", project="p1")
    hear(ledger, PLACE, "s2", project="p2")
    assert store.texts(ledger) == []
    assert waiting(ledger) == [PLACE, PLACE]


def test_what_is_weak_is_dropped_and_counted(ledger: Ledger) -> None:
    taken = hear(ledger, "we use pnpm, I think. our database is probably Postgres 15")
    assert taken.dropped == 2
    assert (taken.facts, taken.candidates) == ([], 0)


def test_the_thresholds_decide(ledger: Ledger) -> None:
    hear(ledger, DECISION, settings=Settings(capture_fact=0.9))
    assert waiting(ledger) == [DECISION]
    hear(ledger, PLACE, settings=Settings(capture_candidate=0.75))
    assert waiting(ledger) == [DECISION]


def test_what_is_known_gets_a_source_and_no_second_fact(ledger: Ledger) -> None:
    hear(ledger, DECISION, "s1")
    taken = hear(ledger, f"{DECISION}!", "s2")
    (fact,) = ledger.read(lambda r: r.facts(EVERYTHING))
    assert taken.known == 1
    assert [source.session_id for source in fact.sources] == ["s1", "s2"]
    assert fact.confidence > 0.85
    hear(ledger, DECISION, "s2")
    (again,) = ledger.read(lambda r: r.facts(EVERYTHING))
    assert again.confidence == fact.confidence, "a session counts once"


def test_words_that_the_session_was_shown_before_are_an_echo(ledger: Ledger) -> None:
    hear(ledger, DECISION, "s1")
    (fact,) = ledger.read(lambda r: r.facts(EVERYTHING))
    ledger.write(lambda w: w.note_uses("codex", "s2", [fact.id], "recalled")).result(10)
    hear(ledger, DECISION, "s2", at="06-03")
    (echoed,) = ledger.read(lambda r: r.facts(EVERYTHING))
    assert len(echoed.sources) == 1
    assert echoed.confidence == fact.confidence


def test_what_was_shown_beside_the_very_prompt_is_no_echo(ledger: Ledger) -> None:
    hear(ledger, DECISION, "s1", at="05-01")
    (fact,) = ledger.read(lambda r: r.facts(EVERYTHING))
    ledger.write(lambda w: w.note_uses("codex", "s2", [fact.id], "recalled")).result(10)
    hear(ledger, DECISION, "s2", at="05-02")
    (confirmed,) = ledger.read(lambda r: r.facts(EVERYTHING))
    assert len(confirmed.sources) == 2


def test_a_suppression_holds_and_is_not_lifted(ledger: Ledger) -> None:
    def suppress(w: Any) -> None:
        hash_ = w.hash_of(DECISION)
        w.suppress(text_hash=hash_, slot=store.Slot(), project_id="p1", by="forget")

    ledger.write(suppress).result(10)
    for session in ("s1", "s2"):
        assert hear(ledger, DECISION, session).dropped == 1
    assert store.texts(ledger) == []
    assert waiting(ledger) == []


@pytest.mark.parametrize(
    "said",
    [
        "remember that we decided to use argon2 for passwords",
        "No, we use pnpm, not npm.",
        "From now on we deploy on Tuesdays",
        "forget that we decided to use argon2 for passwords",
        "We decided to use argon2 for passwords. Remember that.",
        "记住：我们决定用 argon2 做密码哈希",
    ],
)
def test_what_is_commanded_is_not_said_in_passing(said: str) -> None:
    assert in_passing(said) == []


def test_beside_a_command_the_rest_is_read() -> None:
    (found,) = in_passing("Remember that the port is 9090. We decided to use argon2 for passwords.")
    assert found.text == "We decided to use argon2 for passwords"


@pytest.mark.parametrize(("state", "read"), [("pending", [DECISION]), ("done", []), ("parked", [])])
def test_the_night_reads_by_rules_only_what_the_day_has_not_come_to(
    state: str, read: list[str]
) -> None:
    more = (None, None, None, "p1", "main")
    turn = TurnRow("t", "codex", "s", Role.PERSON, f"{DECISION}.", "2026-06-01", state, *more)
    assert [one.text for one in RulesExtractor()([turn]) or []] == read
