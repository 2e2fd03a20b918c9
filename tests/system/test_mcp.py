"""The MCP server as an agent sees it, by the official client where that matters, else by lines."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.machine import Machine
from tests.mcp_client import with_official_client
from tests.peers import Peers

pytestmark = pytest.mark.slow


def test_the_official_client_lists_stores_and_recalls(daemon: Machine) -> None:
    repository = daemon.repository("shop")

    async def do(client: Any) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {
            "memory_store", "memory_recall", "memory_forget", "memory_consolidate",
            "memory_health", "memory_correct", "memory_history", "handoff_give", "handoff_take",
        }  # fmt: skip
        stored = await client.call_tool("memory_store", {"text": "the queue is called blue-7"})
        assert stored.structured_content["state"] == "new"
        found = await client.call_tool("memory_recall", {"query": "queue name"})
        assert "blue-7" in found.content[0].text
        assert found.structured_content["hits"][0]["trust"] == "assistant"

    with_official_client(daemon, repository, do)
    (fact,) = daemon.facts(project=repository)
    assert fact["sources"][0]["how"] == "assistant"
    assert fact["scope"] == "project"


def test_every_schema_together_is_small_and_reading_tools_say_so(
    daemon: Machine, peers: Peers
) -> None:
    peer = peers()
    listed = peer.ask("tools/list")
    assert len(json.dumps(listed)) <= 10_000
    reads = {tool["name"] for tool in listed["tools"] if tool["annotations"]["readOnlyHint"]}
    assert reads == {"memory_recall", "memory_history", "memory_health"}
    assert peer.hello["serverInfo"]["name"] == "dormouse"
    assert peer.close() == 0


def test_it_starts_fast_and_stays_small(daemon: Machine, peers: Peers) -> None:
    took, size = [], []
    for _ in range(5):
        begun = time.monotonic()
        peer = peers()
        took.append(time.monotonic() - begun)
        peer.value("memory_health")
        status = Path(f"/proc/{peer.process.pid}/status").read_text()
        size.append(int(status.split("VmRSS:")[1].split()[0]) / 1024)
        peer.close()
    assert sorted(took)[2] <= 0.5, took
    assert max(size) <= 60, size


def test_what_is_unknown_or_broken_is_answered_and_the_next_call_works(
    daemon: Machine, peers: Peers
) -> None:
    peer = peers()
    assert peer.ask("server/discover")["code"] == -32601
    peer.send("this is no JSON")
    assert peer.next()["error"]["code"] == -32700
    peer.send("[]")
    assert peer.next()["error"]["code"] == -32600
    peer.send({"jsonrpc": "2.0", "method": "notifications/unheard"})
    assert peer.ask("tools/call", {"name": "memory_erase"})["code"] == -32602
    assert peer.ask("ping") == {}
    assert peer.refused("memory_recall")["code"] == "bad_request"
    assert peer.refused("memory_recall", query="x", limit="many")["code"] == "bad_request"
    assert peer.refused("memory_store", text="x", kind="user")["code"] == "bad_request"
    assert peer.value("memory_recall", query="anything")["reason"] == "empty"


def test_no_message_ends_the_server(daemon: Machine, peers: Peers) -> None:
    peer = peers(daemon.repository("shop"))
    assert peer.refused("memory_history", id="\ud800abcd")["code"] == "bad_request"
    assert peer.refused("handoff_take", id="\ud800abcd")["code"] == "bad_request"
    peer.number += 1
    arguments = {"text": "x" * (8 * 2**20 + 1)}
    params = {"name": "memory_store", "arguments": arguments}
    peer.send({"jsonrpc": "2.0", "id": peer.number, "method": "tools/call", "params": params})
    answer = peer.next()
    assert (answer["id"], answer["error"]["code"]) == (peer.number, -32600)
    assert peer.value("memory_store", text="the queue is called blue-7")["state"] == "new"
    assert peer.close() == 0


def test_a_working_folder_that_is_gone_breaks_no_tool(daemon: Machine, peers: Peers) -> None:
    folder = daemon.work / "gone"
    folder.mkdir()
    peer = peers(folder)
    folder.rmdir()
    assert peer.value("memory_recall", query="anything")["hits"] == []
    assert peer.value("memory_health")["state"]
    assert peer.value("memory_store", text="the editor is vim")["state"] == "proposed"


def test_nothing_is_said_with_its_reason(daemon: Machine, peers: Peers) -> None:
    repository = daemon.repository("shop")
    peer = peers(repository)
    assert "no facts here" in peer.call("memory_recall", query="port")["content"][0]["text"]
    peer.value("memory_store", text="the queue is called blue-7")
    answer = peer.value("memory_recall", query="elephants in winter")
    assert answer["hits"] == []
    assert answer["reason"] in ("no_match", "silenced"), "by words, or by meaning once it is there"
    (repository / ".dormouse-off").touch()
    assert peers(repository / ".git").value("memory_recall", query="queue")["hits"] == []


def test_what_an_agent_stores_is_no_rule_no_pin_and_not_for_everywhere(
    daemon: Machine, peers: Peers
) -> None:
    peer = peers(daemon.repository("shop"))
    rule = peer.value("memory_store", text="always use tabs", type="preference")
    assert rule["state"] == "proposed"
    outside = peers().value("memory_store", text="the person's editor is vim")
    assert outside["state"] == "proposed"
    assert peer.value("memory_recall", query="always use tabs")["hits"] == []
    told = peer.value("memory_store", text="the build runs in 40 s", source="tool", weight=0.2)
    fact = daemon.json("show", told["id"])
    assert fact["trust"] == "tool"
    assert fact["sources"][0]["session"].startswith("mcp-")
    assert not fact["pinned"]


def test_a_secret_is_hidden_before_it_is_kept(daemon: Machine, peers: Peers) -> None:
    token = "ghp_" + "A" * 36
    stored = peers(daemon.repository("shop")).value(
        "memory_store", text=f"the deploy token is {token}"
    )
    assert stored["redacted"]
    assert token not in json.dumps(daemon.json("facts", "--all"))


def test_an_agent_sees_its_own_project_only(daemon: Machine, peers: Peers) -> None:
    shop, bank = daemon.repository("shop"), daemon.repository("bank")
    kept = peers(shop).value("memory_store", text="the vault code word is heron")
    other = peers(bank)
    assert other.value("memory_recall", query="vault code word", min_score=0)["hits"] == []
    assert other.refused("memory_history", id=kept["id"])["code"] == "not_found"
    assert other.refused("memory_forget", ids=[kept["id"]])["code"] == "not_found"
    assert other.refused("memory_correct", id=kept["id"], text="x")["code"] == "not_found"
    assert daemon.json("show", kept["id"])["current"]


def test_the_project_is_the_clients_root_and_without_one_the_folder(
    daemon: Machine, peers: Peers
) -> None:
    shop = daemon.repository("shop")
    process = peers(capabilities={"roots": {"listChanged": True}})
    asked = process.next()
    assert asked["method"] == "roots/list"
    roots = [{"uri": "https://example.invalid/x"}, {"uri": shop.as_uri(), "name": "shop"}]
    process.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}})
    stored = process.value("memory_store", text="the queue is called blue-7")
    assert daemon.json("show", stored["id"])["project"]["name"] == "shop"


def test_correcting_what_the_person_said_is_a_proposal(daemon: Machine, peers: Peers) -> None:
    shop = daemon.repository("shop")
    said = daemon.remember("the staging server is at 10.0.0.5", project=str(shop))
    peer = peers(shop)
    answer = peer.value("memory_correct", id=said["id"], text="the staging server is at 10.0.0.9")
    assert answer["state"] == "proposed"
    (proposal,) = daemon.json("proposals")
    assert proposal["what"] == "correct"
    daemon.ask("POST", f"/v1/proposals/{proposal['id']}/accept", {})
    assert not daemon.json("show", said["id"])["current"]


def test_at_the_command_line_an_agent_may_do_what_its_tools_may(daemon: Machine) -> None:
    shop, gemini = daemon.repository("shop"), {"GEMINI_CLI": "1"}
    said = daemon.remember("the staging server is at 10.0.0.5", project=str(shop))
    gone = daemon.remember("the port is 80", project=str(shop))
    daemon.cli("retire", gone["id"], "--why", "wrong")

    def run(*command: str) -> Any:
        return daemon.cli(*command, cwd=shop, env=gemini, check=False)

    kept = run("remember", "the queue is called blue-7")
    assert "gemini's word" in kept.stdout
    (fact,) = [each for each in daemon.facts(project=shop) if "blue-7" in each["text"]]
    assert (fact["trust"], fact["sources"][0]["agent"]) == ("assistant", "gemini")
    rule = run("remember", "Always run the tests", "--scope", "user", "--pin")
    assert "waits for your yes" in rule.stdout
    assert run("correct", said["id"], "the staging server is at 10.0.0.9").returncode == 0
    assert daemon.json("show", said["id"])["current"], "what the person said is only proposed"
    proposals = daemon.json("proposals")
    assert said["id"] in [each["fact"] for each in proposals if each["what"] == "correct"]
    for command in (["restore", gone["id"]], ["unpin", said["id"]]):
        assert run(*command).returncode == 5
    for verb in ("accept", "reject"):
        assert run("proposals", verb, proposals[0]["id"]).returncode == 5
    assert len(daemon.json("proposals")) == len(proposals)
    ids = [daemon.remember(f"host number {n} is up", project=str(shop))["id"] for n in range(11)]
    codes = [run("retire", id, "--why", "gone").returncode for id in ids]
    assert codes == [0] * 10 + [5]


def test_correcting_what_an_agent_said_counts_as_a_retirement(
    daemon: Machine, peers: Peers
) -> None:
    shop = daemon.repository("shop")
    peer = peers(shop)
    mine = peer.value("memory_store", text="the cache lives for 60 s")
    new = peer.value("memory_correct", id=mine["id"], text="the cache lives for 90 s")
    assert new["current"]
    versions = peer.value("memory_history", id=new["id"])["versions"]
    assert [version["current"] for version in versions] == [False, True]
    other = peer.value("memory_store", text="the log is rotated weekly")
    assert peer.value("memory_forget", ids=[other["id"]])["left"] == 8


def test_without_a_daemon_it_starts_one_unless_the_owner_stopped_it(
    daemon: Machine, peers: Peers
) -> None:
    peer = peers()
    daemon.kill()
    assert peer.value("memory_health")["state"] == "ok"
    daemon.down()
    refused = peer.refused("memory_health")
    assert refused["code"] == "down"
    assert "dormouse up" in refused["hint"]


def test_consolidating_gives_a_report(daemon: Machine, peers: Peers) -> None:
    run = peers().value("memory_consolidate", wait=True)
    assert run["state"] == "done"


def test_the_command_is_the_same_server(daemon: Machine) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}) + "\n"
    done = daemon.cli("mcp", "--home", str(daemon.home), given=line)
    assert len(json.loads(done.stdout)["result"]["tools"]) == 9


def test_why_says_what_each_step_of_compaction_would_do(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    for number in range(6):
        text = f"the queue number {number} is for mail " + f"of sort {number} and more " * 25
        daemon.remember(text, project=str(repository))
    body = {"query": "queue mail", "project": str(repository), "why": True, "floor": 0}
    answer = daemon.ask("POST", "/v1/recall", body)
    names = [level["name"] for level in answer["compaction"]]
    assert names[:2] == ["drop", "shorten"]
    assert "compaction" not in daemon.ask("POST", "/v1/recall", {**body, "why": False})
    assert (
        "for a prompt, drop" in daemon.cli("recall", "queue mail", "--why", cwd=repository).stdout
    )
