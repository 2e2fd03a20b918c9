"""What a person corrects, over the real daemon: the right fact goes, with the right words."""

import pytest

from tests.machine import Machine


@pytest.mark.parametrize(
    ("known", "said", "then"),
    [
        ("the api listens on port 8080", "no, not 8080, it's 9090", "the api listens on port 9090"),
        (
            "the unit tests run with jest",
            "no, we use vitest for the unit tests, not jest",
            "we use vitest for the unit tests",
        ),
        (
            "der Staging-Server ist 10.0.0.5",
            "nein, nicht 10.0.0.5, sondern 10.0.0.9",
            "der Staging-Server ist 10.0.0.9",
        ),
    ],
)
def test_a_correction_takes_the_place_of_what_it_names(
    daemon: Machine, known: str, said: str, then: str
) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt(f"remember: {known}")
    assert then in session.prompt(said)
    daemon.settled()
    facts = {fact["text"]: fact for fact in daemon.facts("all", repository)}
    assert [text for text, fact in facts.items() if fact["current"]] == [then]
    assert facts[known]["because"] == "corrected"


def test_a_correction_that_could_mean_several_facts_asks_and_changes_nothing(
    daemon: Machine,
) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt("remember: the api listens on port 8080")
    session.prompt("remember: the proxy forwards to port 8080")
    assert "several facts could be meant" in session.prompt("no, not 8080, it's 9090")
    daemon.settled()
    assert len(daemon.facts(project=repository)) == 2
