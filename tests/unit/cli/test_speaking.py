"""Whose word a command is: an agent's mark makes it that agent's, and the daemon's rules decide."""

import os
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import FACT_ID, OTHER_ID, Dummy, fact, run_report
from tests.unit.cli.terminals import without_terminal

COMMANDS = [
    (["remember", "the queue is called blue-7"], "POST /v1/facts"),
    (["retire", "7k3f", "--why", "gone"], "POST /v1/facts/7k3f/retire"),
    (["restore", "7k3f"], "POST /v1/facts/7k3f/restore"),
    (["correct", "7k3f", "x"], "POST /v1/facts/7k3f/correct"),
    (["pin", "7k3f"], "POST /v1/facts/7k3f/pin"),
    (["unpin", "7k3f"], "POST /v1/facts/7k3f/unpin"),
    (["candidates", "accept", "7k3f"], "POST /v1/candidates/7k3f/accept"),
    (["candidates", "drop", "7k3f"], "POST /v1/candidates/7k3f/drop"),
    (["proposals", "reject", "7k3f"], "POST /v1/proposals/7k3f/reject"),
    (["journal", "--drop", "s1"], "POST /v1/journal/drop"),
    (["rem", "undo", "7k3f"], "POST /v1/rem/runs/7k3f/undo"),
    (["rem", "undo", "--since", "2026-06-01"], "POST /v1/rem/undo"),
]


@pytest.mark.parametrize(("command", "route"), COMMANDS, ids=lambda value: str(value))
def test_a_command_that_changes_something_is_the_agents_where_its_mark_is_found(
    daemon: Dummy, run: Run, monkeypatch: pytest.MonkeyPatch, command: list[str], route: str
) -> None:
    answer = run_report() if "rem" in command else fact()
    daemon.script(route, [answer] if "--since" in command else answer)
    assert run(*command).code == 0
    assert "Dormouse-Agent" not in daemon.asked[-1].headers
    monkeypatch.setenv("CLAUDECODE", "1")
    assert run(*command).code == 0
    assert daemon.asked[-1].headers["Dormouse-Agent"] == "claude-code"


def test_an_agent_changes_what_it_sees_from_its_folder_within_one_session_a_day(
    daemon: Dummy, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_CLI", "1")
    daemon.script("POST /v1/facts/7k3f/retire", fact())
    for _ in range(2):
        said = run("retire", "7k3f", "--why", "gone")
        assert "this was gemini's word, not yours: GEMINI_CLI is set" in said.out
    bodies = daemon.bodies("POST /v1/facts/7k3f/retire")
    assert {body["project"] for body in bodies} == {str(Path.cwd())}
    assert len({body["session_id"] for body in bodies}) == 1


def test_an_agent_retires_several_only_if_it_sees_all(
    daemon: Dummy, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_SANDBOX", "1")
    assert run("retire", "7k3f", "9m2q", "--why", "gone").code == 4
    (asked,) = daemon.asked
    assert (asked.method, asked.headers["Dormouse-Agent"]) == ("GET", "codex")
    assert "project=" in asked.path


def test_what_an_agent_may_only_propose_is_said_to_wait(
    daemon: Dummy, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    waits = {"id": FACT_ID, "state": "proposed", "proposal": OTHER_ID}
    for command in (["correct", "7k3f", "x"], ["pin", "7k3f"]):
        daemon.script(f"POST /v1/facts/7k3f/{command[0]}", waits)
        said = run(*command)
        assert said.out.startswith("proposed, waits for your yes: 9m2q4c\nsee `dormouse proposals`")
    daemon.script(
        "POST /v1/facts", {**fact(state="new"), "proposed": ["pin"], "proposal": OTHER_ID}
    )
    assert "waits for your yes: pin (9m2q4c)" in run("remember", "x", "--pin").out


def test_the_passphrase_makes_it_the_owners_word_whatever_marks_there_are(daemon: Dummy) -> None:
    ids = [f"id{number:02}" for number in range(11)]
    for id_ in ids:
        daemon.script(f"GET /v1/facts/{id_}", fact(id=id_))
        daemon.script(f"POST /v1/facts/{id_}/retire", fact(id=id_))
    daemon.script("POST /v1/keys/check", {"ok": True})
    command = ["retire", *ids, "--why", "gone", "--yes"]
    said = without_terminal(*command, stdin="open sesame\n", env={"CLAUDECODE": "1"})
    assert said.code == 0
    assert not any("Dormouse-Agent" in asked.headers for asked in daemon.asked)
    assert "not yours" not in said.out


def test_a_folder_whose_name_is_not_utf8_is_said_to_be_so(
    daemon: Dummy, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = os.path.join(os.fsencode(tmp_path), b"caf\xe9")  # noqa: PTH118  (bytes)
    os.mkdir(odd)  # noqa: PTH102
    monkeypatch.chdir(os.fsdecode(odd))
    said = run("facts")
    assert said.code == 2
    assert "not UTF-8" in said.err
