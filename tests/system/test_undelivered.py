"""A prompt that no daemon heard: found in its transcript, or told as lost."""

import json

from tests.machine import Machine, wait_for

PROMPT = "remember that the ermine is white"
SESSION = "0b0b0b0b-1111-2222-3333-444444444444"


def test_a_prompt_without_a_transcript_is_told_as_lost_after_the_start(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    daemon.down()
    event = {"session_id": SESSION, "cwd": str(repository), "prompt": PROMPT}
    daemon.hook("claude-code", "UserPromptSubmit", event)
    assert "1 event" in daemon.cli("status", check=False).stdout
    daemon.up()
    wait_for(lambda: not (daemon.home / "bin" / "undelivered").exists(), what="the count")
    daemon.json("rem", "run", "--wait")
    health = daemon.ask("GET", "/v1/health")
    assert (health["state"], health["undelivered"]) == ("ok", 1)
    assert any("say it again" in warning for warning in health["warnings"])
    checks = {check["check"]: check for check in daemon.ask("GET", "/v1/doctor")}
    assert not checks["undelivered"]["ok"]
    assert daemon.recall("ermine") == []


def test_a_prompt_that_its_transcript_holds_is_remembered_and_not_counted(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    folder = daemon.user / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    daemon.ask("POST", "/v1/agents/claude-code", {"connected": True})
    daemon.down()
    event = {"session_id": SESSION, "cwd": str(repository), "prompt": PROMPT}
    daemon.hook("claude-code", "UserPromptSubmit", event)
    line = {
        "type": "user",
        "uuid": "a1a1a1a1-0000-0000-0000-000000000001",
        "sessionId": SESSION,
        "cwd": str(repository),
        "timestamp": "2026-06-01T10:00:00.000Z",
        "userType": "external",
        "entrypoint": "cli",
        "promptSource": "typed",
        "version": "2.1.0",
        "message": {"role": "user", "content": PROMPT},
    }
    (folder / f"{SESSION}.jsonl").write_text(json.dumps(line) + "\n")
    daemon.up()
    wait_for(lambda: daemon.facts("current", repository), what="what was said")
    wait_for(lambda: daemon.ask("GET", "/v1/health")["undelivered"] == 0, what="the count")
