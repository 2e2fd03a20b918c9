"""`dormouse agents`: each figure as docs/agents.md says it is counted."""

from typing import Any

import pytest

from tests.machine import Machine
from tests.system.test_handoff import work

pytestmark = pytest.mark.slow


def record(machine: Machine, agent: str) -> Any:
    return next(each for each in machine.json("agents") if each["agent"] == agent)


def test_the_figures_of_two_agents_side_by_side(daemon: Machine) -> None:
    assert daemon.json("agents") == []
    repository, session = work(daemon)
    session.prompt("remember that the port is 4000")
    session.prompt("remember that the queue is called blue-7")
    (queue,) = [f for f in daemon.facts(project=repository) if "queue" in f["text"]]
    daemon.cli("correct", queue["id"], "the queue is called red-9")
    id = daemon.json("handoff", "give", "--to", "codex", cwd=repository)["id"]
    session.end()
    daemon.session("codex", repository).start()
    daemon.cli("handoff", "finish", id, cwd=repository)
    other = daemon.session("claude-code", repository)
    other.start()
    other.prompt("What is the time?")
    other.stop("Noon.")
    other.end()
    claude, codex = record(daemon, "claude-code"), record(daemon, "codex")
    assert (claude["sessions"], claude["tasks"], claude["finished"]) == (2, 2, 1)
    assert (claude["first_time_right"], claude["given"], claude["taken"]) == (1, 1, 0)
    assert claude["facts_corrected"] == 1
    assert (codex["tasks"], codex["finished"], codex["first_time_right"]) == (1, 1, 1)
    assert (codex["given"], codex["taken"]) == (0, 1)
    assert codex["last_event"] == "SessionStart"
    assert "Claude Code" in daemon.cli("agents").stdout


def test_a_session_whose_last_tests_failed_is_not_right(daemon: Machine) -> None:
    repository, session = work(daemon)
    daemon.event(
        "claude-code", "PostToolUseFailure", session_id=session.id, cwd=str(repository),
        tool_name="Bash", tool_input={"command": "pytest -q"}, error="1 failed",
    )  # fmt: skip
    session.end()
    claude = record(daemon, "claude-code")
    assert (claude["finished"], claude["first_time_right"]) == (1, 0)


def test_a_handoff_given_back_counts_against_who_gave_it_back_only(daemon: Machine) -> None:
    repository, session = work(daemon)
    id = daemon.json("handoff", "give", cwd=repository)["id"]
    session.end()
    for agent, verb in (("gemini", "return"), ("codex", "finish")):
        daemon.cli("handoff", "take", id, "--as", agent, cwd=repository)
        daemon.cli("handoff", verb, id, cwd=repository)
    codex, gemini = record(daemon, "codex"), record(daemon, "gemini")
    assert (codex["tasks"], codex["finished"], codex["first_time_right"]) == (1, 1, 1)
    assert (gemini["tasks"], gemini["finished"], gemini["taken"]) == (1, 0, 1)


def test_who_gave_a_handoff_back_and_finished_it_later_was_not_right_at_first(
    daemon: Machine,
) -> None:
    repository, _ = work(daemon)
    id = daemon.json("handoff", "give", "--to", "codex", cwd=repository)["id"]
    for verb in ("return", "finish"):
        daemon.cli("handoff", "take", id, cwd=repository)
        daemon.cli("handoff", verb, id, cwd=repository)
    codex = record(daemon, "codex")
    assert (codex["tasks"], codex["finished"], codex["first_time_right"]) == (1, 1, 0)


def test_a_handoff_is_not_right_where_the_tests_of_its_session_failed(daemon: Machine) -> None:
    repository, _ = work(daemon)
    id = daemon.json("handoff", "give", "--to", "codex", cwd=repository)["id"]
    taker = daemon.session("codex", repository)
    taker.start()
    daemon.event(
        "codex", "PostToolUseFailure", session_id=taker.id, cwd=str(repository),
        tool_name="Bash", tool_input={"command": "pytest -q"}, error="1 failed",
    )  # fmt: skip
    daemon.cli("handoff", "finish", id, cwd=repository)
    codex = record(daemon, "codex")
    assert (codex["finished"], codex["first_time_right"]) == (1, 0)


def test_a_session_that_somebody_reopened_was_not_right_at_first(daemon: Machine) -> None:
    _, session = work(daemon)
    session.end()
    session.start("resume")
    assert record(daemon, "claude-code")["finished"] == 0
    session.prompt("It does not work yet.")
    session.end()
    claude = record(daemon, "claude-code")
    assert (claude["finished"], claude["first_time_right"]) == (1, 0)
