"""What a person says in passing, over the real daemon: a fact, a candidate, or nothing at all."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.machine import Machine

pytestmark = pytest.mark.slow


def texts(machine: Machine, repository: Path) -> list[str]:
    machine.settled()
    return sorted(fact["text"] for fact in machine.facts(project=repository))


def candidates(machine: Machine) -> list[Any]:
    machine.settled()
    found = machine.ask("GET", "/v1/candidates")
    assert isinstance(found, list)
    return found


def test_a_decision_in_passing_is_a_fact_for_the_next_agent(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    shown = daemon.session("claude-code", repository).prompt(
        "Add the login page. We decided to use argon2 for passwords, so please adapt it."
    )
    assert "noted" not in shown, "only what is commanded is acknowledged"
    assert texts(daemon, repository) == ["We decided to use argon2 for passwords"]
    (fact,) = daemon.facts(project=repository)
    assert fact["confidence"] == 0.85
    assert fact["trust"] == "user"
    assert [source["how"] for source in fact["sources"]] == ["implicit"]
    asked = daemon.session("codex", repository).prompt("How are passwords hashed?")
    assert "argon2" in asked


def test_a_project_fact_becomes_a_fact_when_another_session_says_it_again(
    daemon: Machine,
) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt("The API lives in services/api. Add a health check.")
    session.prompt("the API lives in services/api, as I said")
    (waiting,) = candidates(daemon)
    assert waiting["text"] == "The API lives in services/api"
    assert texts(daemon, repository) == []
    assert "services/api" not in session.prompt("Where does the API live?")
    daemon.session("codex", repository).prompt("the API lives in services/api. fix the handler")
    assert [text.lower() for text in texts(daemon, repository)] == ["the api lives in services/api"]
    assert candidates(daemon) == []
    (fact,) = daemon.facts(project=repository)
    assert fact["confidence"] == pytest.approx(0.85)


@pytest.mark.parametrize(
    "said",
    [
        "should we use argon2 for passwords?",
        "maybe we use pnpm",
        "I'm in a meeting until 3",
        "let's go with the second option",
        '<pasted_content id="1">\nWe decided to use Kafka.\n</pasted_content>\nsum it up',
        "> we decided to use Kafka\nwho wrote this?",
        "```\n# we use black for formatting\n```\nexplain",
        "the tests are red, TypeError: x is not a function",
        "<private>we decided to use Kafka</private> go on",
        "thanks, go on",
    ],
)
def test_what_is_not_simply_stated_leaves_nothing(daemon: Machine, said: str) -> None:
    repository = daemon.repository("shop")
    daemon.session("claude-code", repository).prompt(said)
    assert texts(daemon, repository) == []
    assert candidates(daemon) == []


def test_outside_a_project_nothing_is_learnt_in_passing(daemon: Machine) -> None:
    daemon.session("claude-code", daemon.user).prompt("We decided to use argon2 for passwords.")
    daemon.settled()
    assert daemon.facts("all") == []
    assert candidates(daemon) == []


def test_what_is_commanded_is_not_captured_twice(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt("Remember that we use pnpm. We decided to use argon2 for passwords.")
    session.prompt("No, our registry is ghcr.io/acme.")
    assert texts(daemon, repository) == [
        "We decided to use argon2 for passwords",
        "our registry is ghcr.io/acme",
        "we use pnpm",
    ]
    assert candidates(daemon) == []


def test_what_was_forgotten_is_not_learnt_again_in_passing(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    said = "We decided to use argon2 for passwords."
    session = daemon.session("claude-code", repository)
    session.prompt(said)
    daemon.settled()
    (fact,) = daemon.facts(project=repository)
    session.prompt(f"forget {fact['id']}")
    daemon.session("codex", repository).prompt(said)
    assert texts(daemon, repository) == []
    daemon.session("codex", repository).prompt("Remember that we use argon2 for passwords")
    assert texts(daemon, repository) == ["we use argon2 for passwords"]


def test_a_decision_retires_what_it_contradicts(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    at = "2026-01-05T10:00:00Z"  # of one day the slot judge would ask rather than decide
    daemon.remember("we use npm in this repo", project=str(repository), at=at)
    daemon.session("claude-code", repository).prompt(
        "We use pnpm in this repo, please adapt the Dockerfile."
    )
    assert texts(daemon, repository) == ["We use pnpm in this repo"]
    (gone,) = daemon.retired()
    assert gone["text"] == "we use npm in this repo"


def test_an_echo_of_what_was_shown_is_no_new_source(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    daemon.session("claude-code", repository).prompt("We decided to use argon2 for passwords.")
    daemon.settled()
    other = daemon.session("codex", repository)
    assert "argon2" in other.start() + other.prompt("How are passwords hashed?")
    other.prompt("We decided to use argon2 for passwords.")
    daemon.settled()
    (fact,) = daemon.facts(project=repository)
    assert len(fact["sources"]) == 1
    assert fact["confidence"] == 0.85


def test_said_again_in_a_session_that_did_not_see_it_is_a_second_source(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    for agent in ("claude-code", "codex"):
        session = daemon.session(agent, repository)
        session.prompt("fix the login bug; we decided to use argon2 for passwords")
        daemon.settled()
    (fact,) = daemon.facts(project=repository)
    assert [source["agent"] for source in fact["sources"]] == ["claude-code", "codex"]
    assert fact["confidence"] > 0.85


def test_it_is_the_same_in_german_and_chinese(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt("Bau den Login. Wir haben uns für Keycloak entschieden.")
    session.prompt("我们决定用 argon2 做密码哈希")
    assert texts(daemon, repository) == [
        "Wir haben uns für Keycloak entschieden",
        "我们决定用 argon2 做密码哈希",
    ]


def test_secrets_are_out_of_what_is_learnt_in_passing(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    token = "ghp_" + "A" * 36
    daemon.session("claude-code", repository).prompt(f"we decided to use {token} as the bot token")
    daemon.settled()
    assert token not in json.dumps(daemon.facts("all"))
    assert token not in json.dumps(candidates(daemon))


def test_the_thresholds_are_settings(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    daemon.down()
    path = daemon.home / "config.toml"
    path.write_text("[capture]\nfact = 0.9\ncandidate = 0.75\n")
    path.chmod(0o600)
    daemon.up()
    session = daemon.session("claude-code", repository)
    session.prompt("We decided to use argon2 for passwords. The API lives in services/api.")
    assert texts(daemon, repository) == []
    assert [one["text"] for one in candidates(daemon)] == ["We decided to use argon2 for passwords"]


def test_turns_that_waited_when_the_daemon_died_are_read_after_its_start(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt("We decided to use argon2 for passwords.")
    daemon.kill()
    daemon.up()
    assert texts(daemon, repository) == ["We decided to use argon2 for passwords"]
