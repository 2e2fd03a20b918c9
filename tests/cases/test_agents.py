"""Cases 09, 22 and 25: agents that hold the memory's own tools and pass tasks on."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.machine import Machine
from tests.peers import Peers
from tests.system.test_handoff import work

pytestmark = pytest.mark.slow


def test_case_09_what_an_agent_does_with_our_tools_is_no_evidence(
    daemon: Machine, peers: Peers
) -> None:
    repository = daemon.repository("shop")
    text = "the staging database is reset every Monday"
    fact = daemon.remember(text, confidence=0.85, project=str(repository))
    peer = peers(repository, client={"name": "claude-code", "version": "1"})
    for _ in range(10):
        session = daemon.session("claude-code", repository)
        session.start()
        session.prompt("When is the staging database reset?")
        for _ in range(2):
            assert peer.value("memory_recall", query="staging database reset")["hits"]
            peer.value("memory_health")
            for tool in ("memory_recall", "memory_health"):
                daemon.event(
                    "claude-code",
                    "PostToolUse",
                    session_id=session.id,
                    cwd=str(repository),
                    tool_name=f"mcp__dormouse__{tool}",
                    tool_input={"query": "staging"},
                    tool_response={"text": text},
                )
        session.stop(f"From my notes: {text}.")
        session.end()
    peer.value("memory_consolidate", wait=True)
    (only,) = daemon.facts("all", project=repository)
    assert (only["id"], only["confidence"], len(only["sources"])) == (fact["id"], 0.85, 1)
    turns = daemon.ask("GET", "/v1/journal")
    assert not [turn for turn in turns if "memory_" in turn["text"] or "mcp__" in turn["text"]]
    eleventh = daemon.session("claude-code", repository)
    eleventh.start()
    eleventh.prompt(f"remember that {text}")
    (only,) = daemon.facts("all", project=repository)
    assert len(only["sources"]) == 2
    assert only["confidence"] > 0.85


def test_case_25_agents_retire_only(daemon: Machine, peers: Peers) -> None:
    repository = daemon.repository("shop")
    facts = [
        daemon.remember(f"service number {n} listens on port {4000 + n}", project=str(repository))
        for n in range(200)
    ]
    peer = peers(repository)
    tools = {tool["name"] for tool in peer.ask("tools/list")["tools"]}
    assert not [name for name in tools if "erase" in name or "delete" in name]

    one = facts[0]["id"]
    answer = peer.value("memory_forget", ids=[one], why="gone")
    assert [fact["id"] for fact in answer["retired"]] == [one]
    assert answer["left"] == 9
    again = peer.value("memory_forget", ids=[one])
    assert (again["retired"], again["already_retired"]) == ([], [one])
    assert again["left"] == 9

    many = peer.refused("memory_forget", ids=[fact["id"] for fact in facts])
    assert many["code"] == "refused"
    assert "person" in many["hint"]
    for wrong in (["*"], ["%"], [""], [], ["____"], [one, "%%%%"]):
        assert peer.refused("memory_forget", ids=wrong)["code"] == "bad_request", wrong
    assert len(daemon.facts(project=repository)) == 199

    status, _ = daemon.call("POST", "/v1/erase", {"id": one}, agent="codex")
    assert status == 403
    told = daemon.session("claude-code", repository)
    printed = daemon.event(
        "claude-code", "SessionStart", session_id=told.id, cwd=str(repository), source="startup"
    )
    assert f"dormouse restore {one[:6]}" in printed
    assert "refused" in printed

    turns = [t for t in daemon.ask("GET", "/v1/journal") if one in t["text"]]
    assert [(turn["agent"], turn["session"][:4]) for turn in turns] == [("codex", "mcp-")]
    assert daemon.json("restore", one)["current"]


def test_case_22_a_handoff_is_claimed_once(daemon: Machine) -> None:
    daemon.jump("2026-06-01T09:00:00Z")
    repository, _ = work(daemon)
    elsewhere = daemon.repository("elsewhere")
    id = daemon.json("handoff", "give", cwd=repository)["id"]

    def take(agent: str) -> Any:
        body = {"as": agent, "project": str(repository)}
        return daemon.call("POST", f"/v1/handoffs/{id}/take", body)

    with ThreadPoolExecutor(2) as both:
        answers = list(both.map(take, ("codex", "gemini")))
    assert sorted(status for status, _ in answers) == [200, 403]
    winner = next(answer["taken_by"] for status, answer in answers if status == 200)
    error = next(answer["error"] for status, answer in answers if status == 403)
    assert error["taken_by"] == winner
    assert error["until"].startswith("2026-06-01T09:3")

    daemon.jump("2026-06-01T10:00:00Z")
    third = daemon.session("opencode", repository)
    shown = third.start()
    assert "goal: Please add a rate limiter" in shown
    assert "cut off" in shown
    assert "gone.py (missing)" in shown
    assert "api.py\n" in shown
    token = daemon.json("handoff", "show", id, cwd=repository)["token"]
    done = daemon.cli(
        "handoff", "finish", id, "--as", "opencode", "--token", str(token), cwd=repository
    )
    assert "finished" in done.stdout

    fourth = "claude-code" if winner == "codex" else "codex"
    assert "handoff" not in daemon.session(fourth, repository).start()
    assert "handoff" not in daemon.session("opencode", elsewhere).start()
    (row,) = daemon.json("handoff", "list", cwd=repository)
    assert row["state"] == "finished"
    history = daemon.json("handoff", "show", id, cwd=repository)["history"]
    assert [each["what"] for each in history] == ["given", "taken", "lapsed", "taken", "finished"]
