"""Every argument of every tool does what its description says, by the official client."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.machine import Machine
from tests.mcp_client import with_official_client

pytestmark = pytest.mark.slow

Call = Callable[..., Any]


def talk(machine: Machine, cwd: Path, do: Callable[[Call], Any]) -> Any:
    """Run ``await do(call)`` in one connection; ``call`` gives a tool's structured result."""

    async def run(client: Any) -> Any:
        async def call(name: str, **arguments: Any) -> Any:
            result = await client.call_tool(name, arguments)
            value = dict(result.structured_content or {})
            value["said"] = result.content[0].text
            value["failed"] = bool(result.is_error)
            return value

        return await do(call)

    return with_official_client(machine, cwd, run)


PROCEDURE = {
    "text": "how the shop is deployed",
    "steps": ["make package", "copy it to the host", "restart the service"],
    "tools": ["make", "rsync"],
    "outcome": "the health page answers",
    "context": "only from the branch release",
}


def test_steps_tools_outcome_and_context_are_kept_shown_and_recalled(daemon: Machine) -> None:
    shop = daemon.repository("shop")

    async def do(call: Call) -> Any:
        stored = await call("memory_store", **PROCEDURE, source="file", confidence=0.6)
        found = await call("memory_recall", query="how is the shop deployed")
        return stored, found

    stored, found = talk(daemon, shop, do)
    assert stored["layer"] == "procedural"
    (hit,) = found["hits"]
    assert {name: hit[name] for name in PROCEDURE} == PROCEDURE
    assert (hit["source"], hit["confidence"]) == ("file", 0.6)
    assert "steps: make package → copy it to the host" in found["said"]
    fact = daemon.json("show", stored["id"])
    assert fact["detail"] == {
        **{name: value for name, value in PROCEDURE.items() if name != "text"},
        "source": "file",
        "trust": "assistant",
    }
    assert fact["trust"] == "assistant", "to have it from a file is the agent's own word"
    shown = daemon.cli("show", stored["id"], cwd=shop).stdout
    for part in ("1. make package", "3. restart the service", "make, rsync", "only from the"):
        assert part in shown


def test_a_secret_in_any_argument_is_hidden(daemon: Machine) -> None:
    token = "ghp_" + "A" * 36

    async def do(call: Call) -> Any:
        with_secrets = {
            "text": "how the shop is deployed",
            "steps": [f"log in with {token}"],
            "tools": [token],
            "outcome": f"it says {token}",
            "context": f"where {token} holds",
        }
        return await call("memory_store", **with_secrets)

    stored = talk(daemon, daemon.repository("shop"), do)
    assert stored["redacted"]
    assert token not in json.dumps(daemon.json("show", stored["id"]))


def test_type_and_weight_choose_where_it_is_kept(daemon: Machine) -> None:
    async def do(call: Call) -> Any:
        kept = {}
        for type_ in ("fact", "decision", "event", "procedure", "preference", "reference"):
            kept[type_] = await call("memory_store", text=f"what a {type_} says", type=type_)
        kept["heavy"] = await call("memory_store", text="the database burnt down", weight=0.9)
        kept["light"] = await call("memory_store", text="the database hiccuped", weight=0.2)
        return kept

    kept = talk(daemon, daemon.repository("shop"), do)
    layers = {name: each.get("layer") for name, each in kept.items()}
    assert layers["event"] == layers["heavy"] == "episodic"
    assert layers["procedure"] == "procedural"
    assert layers["fact"] == layers["light"] == "semantic"
    assert daemon.json("show", kept["decision"]["id"])["kind"] == "project"
    assert daemon.json("show", kept["reference"]["id"])["kind"] == "reference"
    assert kept["preference"]["state"] == "proposed"


def test_source_tool_is_trusted_less(daemon: Machine) -> None:
    async def do(call: Call) -> Any:
        return [
            await call("memory_store", text=f"the build takes {number} s", source=source)
            for number, source in ((40, "tool"), (41, "own"))
        ]

    kept = talk(daemon, daemon.repository("shop"), do)
    trusts = [daemon.json("show", each["id"])["trust"] for each in kept]
    assert trusts == ["tool", "assistant"]


def test_recalls_arguments_narrow_and_widen(daemon: Machine) -> None:
    async def do(call: Call) -> Any:
        for number in range(4):
            await call("memory_store", text=f"queue number {number} carries mail")
        await call("memory_store", text="the mail queue fell over", type="event")
        few = await call("memory_recall", query="mail queue", limit=2)
        events = await call("memory_recall", query="mail queue", layer="episodic")
        strict = await call("memory_recall", query="mail of elephants", min_score=1)
        loose = await call("memory_recall", query="mail of elephants", min_score=0, limit=50)
        gone = events["hits"][0]["id"]
        await call("memory_forget", ids=[gone], why="it was a false alarm")
        now = await call("memory_recall", query="the mail queue fell over", limit=50)
        once = await call("memory_recall", query="the mail queue fell over", history=True, limit=50)
        return few, events, strict, loose, gone, now, once

    few, events, strict, loose, gone, now, once = talk(daemon, daemon.repository("shop"), do)
    assert (len(few["hits"]), few["left_out"] > 0) == (2, True)
    assert [hit["layer"] for hit in events["hits"]] == ["episodic"]
    assert (strict["hits"], strict["reason"]) == ([], "silenced")
    assert len(loose["hits"]) >= 4
    assert gone not in [hit["id"] for hit in now["hits"]]
    assert gone in [hit["id"] for hit in once["hits"]]


def test_working_memory_is_read_by_layer(daemon: Machine) -> None:
    shop = daemon.repository("shop")
    session = daemon.session("claude-code", shop)
    session.start()
    session.prompt("Please add a rate limiter to the API")

    async def do(call: Call) -> Any:
        return await call("memory_recall", query="what goes on", layer="working")

    assert "rate limiter" in talk(daemon, shop, do)["said"]


def test_a_reason_to_forget_is_kept(daemon: Machine) -> None:
    async def do(call: Call) -> Any:
        kept = await call("memory_store", text="the cache lives for 60 s")
        return await call("memory_forget", ids=[kept["id"]], why="it was switched off")

    (retired,) = talk(daemon, daemon.repository("shop"), do)["retired"]
    turns = daemon.json("journal")
    assert any(retired["id"] in turn["text"] and "switched off" in turn["text"] for turn in turns)


def test_a_handoffs_arguments_are_handed_on_and_taken(daemon: Machine) -> None:
    shop = daemon.repository("shop")

    async def give(call: Call) -> Any:
        return await call(
            "handoff_give",
            goal="a rate limiter for the API",
            to="gemini",
            done=["the bucket"],
            open=["the router"],
            decisions=["a token bucket, because bursts are fine"],
        )

    async def take(call: Call) -> Any:
        read = await call("handoff_take", id=given["id"], show=True)
        taken = await call("handoff_take")
        back = await call("handoff_take", id=given["id"], end="returned")
        again = await call("handoff_take", id=given["id"])
        done = await call("handoff_take", id=given["id"], end="finished")
        return read, taken, back, again, done

    given = talk(daemon, shop, give)
    assert given["to"] == "gemini"
    read, taken, back, again, done = talk(daemon, shop, take)
    for part in ("a rate limiter", "the bucket", "the router", "bursts are fine"):
        assert part in read["said"]
    assert (read["state"], taken["state"], taken["token"]) == ("offered", "taken", 1)
    assert (back["state"], again["token"], done["state"]) == ("offered", 2, "finished")


def test_history_correct_health_and_consolidate_answer(daemon: Machine) -> None:
    async def do(call: Call) -> Any:
        kept = await call("memory_store", text="the cache lives for 60 s")
        new = await call("memory_correct", id=kept["id"], text="the cache lives for 90 s")
        history = await call("memory_history", id=new["id"][:6])
        health = await call("memory_health")
        waited = await call("memory_consolidate", wait=True)
        return history, health, waited

    history, health, waited = talk(daemon, daemon.repository("shop"), do)
    assert [each["current"] for each in history["versions"]] == [False, True]
    layers = {layer["layer"]: layer for layer in health["layers"]}
    assert layers["semantic"]["used"] == 1
    assert {"used", "limit", "due"} <= set(layers["working"])
    assert waited["state"] == "done"


@pytest.mark.parametrize("ids", [["*"], ["%"], [""], []])
def test_wildcards_and_nothing_are_no_ids(daemon: Machine, ids: list[str]) -> None:
    async def do(call: Call) -> Any:
        return await call("memory_forget", ids=ids)

    refused = talk(daemon, daemon.repository("shop"), do)
    assert refused["failed"]
    assert refused["error"]["code"] == "bad_request"


def test_what_says_the_same_goes_along_is_told_and_counted(daemon: Machine) -> None:
    shop = daemon.repository("shop")
    for scope in ("branch", "project"):
        daemon.cli("remember", "the cache lives for 60 s", "--scope", scope, cwd=shop)
    named = daemon.facts(project=shop)[0]["id"]

    async def do(call: Call) -> Any:
        return await call("memory_forget", ids=[named], why="")

    told = talk(daemon, shop, do)
    (along,) = told["went_along"]
    assert f"went along {along['id'][:6]}: the cache lives for 60 s" in told["said"]
    assert (along["id"] != named, told["left"]) == (True, 8)
    assert daemon.facts(project=shop) == []
    daemon.cli("restore", along["id"])
