"""The real agents: both call the memory's tools, and a task goes from one to the other."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.clients.conftest import Agents

pytestmark = pytest.mark.clients

TASK = (
    "Please add a rate limiter to the API. We decided to use a token bucket."
    ' [[tool:Write {"file_path":"%s/api.py","content":"x = 1"}]]'
    ' [[tool:Write {"file_path":"%s/bucket.py","content":"y = 2"}]]'
    " [[say:I have added the bucket. Next: wire it into the router.]]"
)


def test_claude_code_calls_our_tools(agents: Agents) -> None:
    store = '[[tool:mcp__dormouse__memory_store {"text":"the queue is called blue-7"}]]'
    recall = '[[tool:mcp__dormouse__memory_recall {"query":"queue name"}]]'
    run = agents.claude(
        f"Use your tools. {store} {recall} [[say:done]]",
        flags=("--allowedTools", "mcp__dormouse"),
    )
    (fact,) = [f for f in agents.machine.facts(project=agents.repository) if "blue-7" in f["text"]]
    assert fact["sources"][0]["agent"] == "claude-code"
    assert fact["sources"][0]["how"] == "assistant"
    assert fact["id"] in run.requests[-1], "what was recalled came back"
    turns = agents.machine.ask("GET", "/v1/journal")
    assert not [t for t in turns if t["role"] != "person" and "memory_store" in t["text"]]


def test_codex_reads_and_stores_unasked_and_retires_once_that_is_approved(agents: Agents) -> None:
    kept = agents.machine.remember("the queue is called blue-7", project=str(agents.repository))
    recall = '[[tool:memory_recall {"query":"queue name"}]]'
    store = '[[tool:memory_store {"text":"the cache is called red-9"}]]'
    forget = f"[[tool:memory_forget {json.dumps({'ids': [kept['id']]})}]]"
    run = agents.codex(f"Use your tools. {recall} {store} {forget} [[say:done]]")
    assert kept["id"] in run.requests[1], "what was recalled came back"
    facts = {fact["text"]: fact for fact in agents.machine.facts(project=agents.repository)}
    source = facts["the cache is called red-9"]["sources"][0]
    assert (source["agent"], source["how"]) == ("codex", "assistant")
    assert kept["text"] in facts, "nobody allowed that"
    agents.machine.cli("connect", "codex", "--approve-tools")
    agents.codex(f"Use your tools. {forget} [[say:done]]")
    assert not agents.machine.json("show", kept["id"])["current"]


def test_a_task_goes_from_claude_code_to_codex_within_ten_seconds(agents: Agents) -> None:
    here = agents.repository
    agents.claude(TASK % (here, here), cwd=here, flags=("--allowedTools", "Write"))
    session = agents.claude_session()
    begun = time.monotonic()
    given = agents.machine.cli("handoff", "give", "--to", "codex", "--json", cwd=here)
    shown = agents.codex("Go on, please.", cwd=here)
    took = time.monotonic() - begun
    first = shown.requests[0]
    for part in (
        "goal: Please add a rate limiter to the API.", "open: Next: wire it into the router.",
        "decision: We decided to use a token bucket.", "api.py", "bucket.py",
    ):  # fmt: skip
        assert part in first
    assert took < 10, took
    told = agents.claude("And now?", cwd=here, session=session)
    assert "was taken by Codex" in told.requests[0]
    row = agents.machine.json("handoff", "show", json.loads(given.stdout)["id"], cwd=here)
    assert (row["state"], row["taken_by"]) == ("taken", "codex")
    assert [file["exists"] for file in row["files"]] == [True, True]


def test_connecting_registers_the_tools_and_disconnecting_takes_them_out(agents: Agents) -> None:
    claude = agents.machine.user / ".claude.json"
    codex = agents.machine.user / ".codex" / "config.toml"
    assert json.loads(claude.read_text())["mcpServers"]["dormouse"]["args"][-1] == "claude-code"
    assert "[mcp_servers.dormouse]" in codex.read_text()
    agents.machine.cli("disconnect")
    assert not json.loads(claude.read_text()).get("mcpServers")
    assert not codex.exists() or "dormouse" not in codex.read_text()


def test_of_two_real_agents_at_once_exactly_one_takes_it_and_the_other_is_told_who(
    agents: Agents,
) -> None:
    here = agents.repository
    goal = "move the tests to the new runner"
    id = agents.machine.json("handoff", "give", "--goal", goal, cwd=here)["id"]
    take = f"handoff_take {json.dumps({'id': id})}]] [[say:done]]"
    with ThreadPoolExecutor(2) as both:
        claude = both.submit(
            agents.claude, f"Go on. [[tool:mcp__dormouse__{take}", cwd=here,
            flags=("--allowedTools", "mcp__dormouse"),
        )  # fmt: skip
        codex = both.submit(agents.codex, f"Go on. [[tool:{take}", cwd=here)
        runs = {"claude-code": claude.result(), "codex": codex.result()}
    row = agents.machine.json("handoff", "show", id, cwd=here)
    assert (row["state"], row["token"]) == ("taken", 1)
    assert [each["what"] for each in row["history"]] == ["given", "taken"]
    won = runs.pop(row["taken_by"])
    assert won.saw(f"goal: {goal}")
    (lost,) = runs.values()
    assert lost.saw(f"taken by {row['taken_by']}")
    assert not lost.saw(f"goal: {goal}")


def test_a_lease_that_runs_out_is_offered_to_the_next_real_agent(agents: Agents) -> None:
    here = agents.repository
    agents.machine.jump("2026-06-01T09:00:00Z")
    goal = "move the tests to the new runner"
    id = agents.machine.json("handoff", "give", "--goal", goal, cwd=here)["id"]
    assert agents.codex("Go on, please.", cwd=here).saw(f"goal: {goal}")
    assert not agents.claude("Good morning.", cwd=here).saw(f"goal: {goal}"), "it is taken"
    agents.machine.jump("2026-06-01T10:00:00Z")
    again = agents.claude("Good morning.", cwd=here)
    assert again.saw(f"goal: {goal}")
    assert again.saw("attempt 2; Codex was cut off before it finished")
    row = agents.machine.json("handoff", "show", id, cwd=here)
    assert (row["taken_by"], row["token"], row["attempt"]) == ("claude-code", 2, 2)
    history = [each["what"] for each in row["history"]]
    assert history == ["given", "taken", "lapsed", "taken"]
