"""Settling, seen from outside: the fuse, the owner's last word, what was shown is taken back."""

from pathlib import Path
from typing import Any

import pytest

from tests.machine import Machine, wait_for


def address(number: int, thing: str = "staging") -> str:
    return f"the {thing} server is at 10.0.0.{number}"


def settled_by(machine: Machine) -> list[Any]:
    runs = machine.ask("GET", "/v1/rem/runs")
    assert isinstance(runs, list)
    return runs


@pytest.fixture
def shop(daemon: Machine) -> Path:
    return daemon.repository("shop")


def test_a_contradiction_is_settled_within_two_seconds_of_its_capture(
    daemon: Machine, shop: Path
) -> None:
    old = daemon.remember(address(5), project=str(shop))
    new = daemon.remember(address(9), project=str(shop))
    (row,) = wait_for(daemon.retired, within_s=2, what="the retirement")
    assert (row["id"], row["superseded_by"]) == (old["id"], new["id"])
    assert row["text"] == address(5)
    (run,) = settled_by(daemon)
    assert (run["run"], run["kind"], run["state"]) == (row["run"], "settle", "done")
    assert run["settled"] == {"supersede": 1, "keep": 0, "unsure": 0}
    assert (run["facts_before"], run["facts_after"]) == (2, 1)


def test_no_judge_retires_again_what_the_owner_brought_back(daemon: Machine, shop: Path) -> None:
    old = daemon.remember(address(5), project=str(shop))
    daemon.remember(address(9), project=str(shop))
    wait_for(daemon.retired, what="the retirement")
    daemon.ask("POST", f"/v1/facts/{old['id']}/restore")
    daemon.ask("POST", "/v1/rem/runs", {"wait": True})
    daemon.remember(address(9), project=str(shop))
    daemon.remember("the port of the staging server is 8080", project=str(shop))
    daemon.settled()
    assert daemon.retired() == []
    assert daemon.ask("GET", f"/v1/facts/{old['id']}")["current"]


def low_fuse(daemon: Machine) -> None:
    daemon.down()
    (daemon.home / "config.toml").write_text("[fuse]\nfacts = 2\nshare = 0.0\n")
    daemon.up()


def test_the_fuse_stops_a_run_that_would_retire_too_much(daemon: Machine, shop: Path) -> None:
    low_fuse(daemon)
    for number, thing in enumerate(("staging", "mail", "build"), 1):
        daemon.remember(address(number, thing), project=str(shop))
        daemon.remember(address(number + 10, thing), project=str(shop))
        daemon.settled()
    assert len(daemon.retired()) == 2
    (stopped,) = [run for run in settled_by(daemon) if run["state"] == "stopped"]
    status = daemon.cli("status", check=False)
    assert status.returncode == 1
    assert len(daemon.facts(project=shop)) == 4
    (question,) = daemon.ask("GET", "/v1/questions")
    assert question["older"]["text"] == address(3, "build")

    refused, _ = daemon.call("POST", f"/v1/rem/runs/{stopped['run']}/approve", agent="codex")
    assert refused == 403
    daemon.ask("POST", f"/v1/rem/runs/{stopped['run']}/approve")
    assert len(daemon.retired()) == 3
    assert daemon.cli("status").returncode == 0


def test_one_new_fact_cant_retire_more_than_three(daemon: Machine, shop: Path) -> None:
    for number in range(1, 5):
        daemon.remember(address(number), project=str(shop), settle=False)
    daemon.remember(address(9), project=str(shop))
    daemon.settled()
    assert daemon.retired() == []
    assert [run["state"] for run in settled_by(daemon)] == ["stopped"]


def test_a_run_can_be_undone_as_a_whole(daemon: Machine, shop: Path) -> None:
    old = daemon.remember(address(5), project=str(shop))
    daemon.remember(address(9), project=str(shop))
    (row,) = wait_for(daemon.retired, what="the retirement")
    daemon.json("rem", "undo", row["run"])
    assert daemon.retired() == []
    assert daemon.ask("GET", f"/v1/facts/{old['id']}")["valid_to"] is None
    (question,) = daemon.ask("GET", "/v1/questions")
    daemon.ask("POST", f"/v1/questions/{question['id']}/answer", {"verdict": "supersede"})
    assert [row["id"] for row in daemon.retired()] == [old["id"]]


def test_a_correction_that_ends_with_remember_that_is_acknowledged_once(
    daemon: Machine, shop: Path
) -> None:
    said = "Der Buildserver läuft jetzt unter 10.0.0.7, merk dir das"
    told = daemon.session("codex", shop).prompt(said)
    assert told.count("läuft jetzt unter 10.0.0.7") == 1
    assert len(daemon.facts(project=shop)) == 1


def test_what_was_retired_and_is_said_again_is_noted_and_not_called_untrue(
    daemon: Machine, shop: Path
) -> None:
    session = daemon.session("codex", shop)
    session.prompt(f"remember that {address(5)}")
    (fact,) = daemon.facts(project=shop)
    daemon.ask("POST", f"/v1/facts/{fact['id']}/retire", {"why": "by mistake"})
    told = session.prompt(f"remember that {address(5)}")
    assert "noted" in told
    assert "no longer true" not in told
    assert "no longer true" not in session.prompt("Thanks. Now write a limerick about otters.")


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_what_a_session_was_shown_is_taken_back_once(
    daemon: Machine, shop: Path, agent: str
) -> None:
    daemon.remember(address(5), project=str(shop))
    session = daemon.session(agent, shop)
    assert "10.0.0.5" in session.start() + session.prompt("where is the staging server?")
    daemon.remember(address(9), project=str(shop))
    wait_for(daemon.retired, what="the retirement")
    told = session.prompt("Thanks. Now write a limerick about otters.")
    assert "no longer true" in told
    assert "10.0.0.5" in told
    assert "10.0.0.9" in told
    assert "no longer true" not in session.prompt("And another one, please.")


def test_who_said_the_new_address_is_not_told_about_it(daemon: Machine, shop: Path) -> None:
    session = daemon.session("codex", shop)
    session.prompt(f"remember that {address(5)}")
    session.prompt(f"remember that {address(9)}")
    wait_for(daemon.retired, what="the retirement")
    assert "no longer true" not in session.prompt("Thanks, go on.")


def test_a_thinkers_own_session_is_not_remembered(daemon: Machine) -> None:
    folder = daemon.base / "t" / "dormouse-thinker-x1"
    folder.mkdir()
    session = daemon.session("claude-code", folder)
    session.prompt("remember that thinkers think about facts")
    session.stop("supersede")
    daemon.settled()
    assert daemon.ask("GET", "/v1/journal") == []
    assert daemon.facts("all") == []
