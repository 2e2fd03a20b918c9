"""Cases 06, 07, 09 and 23: what comes in, however odd, large, repeated or secret."""

import base64
import json
import random
import string
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.decrypt import dump, unguarded
from tests.machine import Machine, processes, wait_for
from tests.peers import Peers

GHP = "ghp_" + "A" * 36


def settings(machine: Machine, text: str) -> None:
    """Write settings and restart, so that they hold."""
    machine.down()
    path = machine.home / "config.toml"
    path.write_text(text)
    path.chmod(0o600)
    machine.up()


def journal(machine: Machine) -> list[dict[str, Any]]:
    turns = machine.json("journal")
    assert isinstance(turns, list)
    return turns


def all_files(machine: Machine) -> bytes:
    """Everything readable that lies in the home, the key folder and the temp folder."""
    folders = (machine.home, machine.user, machine.base / "t")
    return b"".join(
        path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


def five_megabytes(event: str) -> bytes:
    decision = "We decided to deploy on Thursdays. "
    text = decision + "x" * (5 * 1024 * 1024) + f" token {GHP}"
    field = "last_assistant_message" if event == "Stop" else "tool_response"
    return json.dumps(
        {
            "session_id": "6a0cf7a0-7c56-4f5f-8a67-000000000006",
            "cwd": "/tmp",
            "hook_event_name": event,
            "tool_name": "Bash",
            "tool_input": {"command": "cat log"},
            field: text if event == "Stop" else {"stdout": text},
        }
    ).encode()


def watch_processes(stop: threading.Event, found: list[int]) -> None:
    while not stop.wait(0.02):
        found += [
            pid
            for pid, (argv, env) in processes().items()
            if b"We decided to deploy" in argv + env or GHP.encode() in argv + env
        ]


# A child's peak memory counts what its parent had when it was forked off, so the hook is measured
# by an interpreter that has nothing.
MEASURE = """
import resource, subprocess, sys, time
begun = time.monotonic()
code = subprocess.call(sys.argv[2:], stdin=open(sys.argv[1], "rb"))
took = time.monotonic() - begun
print(code, took, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def fed(machine: Machine, event: str) -> tuple[float, int]:
    """Feed the five megabytes to the installed hook; seconds taken and peak memory in KiB."""
    given = machine.base / "payload.json"
    given.write_bytes(five_megabytes(event))
    program = str(machine.home / "bin" / "dormouse-hook")
    stop, found = threading.Event(), list[int]()
    watcher = threading.Thread(target=watch_processes, args=(stop, found))
    watcher.start()
    try:
        said = subprocess.run(
            [sys.executable, "-I", "-S", "-c", MEASURE, str(given), program, "claude-code", event],
            env=machine.env,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    finally:
        stop.set()
        watcher.join()
        given.unlink()
    code, took, peak = said.split()
    assert code == "0"
    assert not found, "the payload stood in a process's arguments or environment"
    return float(took), int(peak)


# The hook gives up after one second by itself; on a busy machine the start of an interpreter, which
# nobody can give up, comes on top.
WITHIN_S = 1.0 + 0.5


def test_case_06_a_tool_result_of_five_megabytes(daemon: Machine) -> None:
    machine = daemon
    settings(machine, "[capture]\ntool_output = true\n")
    machine.ask("GET", "/v1/health")
    for event in ("PostToolUse", "Stop"):
        took, peak = fed(machine, event)
        assert took < WITHIN_S
        assert peak < 80 * 1024
    (excerpt,) = wait_for(
        lambda: [turn for turn in journal(machine) if turn["role"] == "tool"], what="the excerpt"
    )
    assert len(excerpt["text"]) <= 2_000 + 100
    assert excerpt["original_length"] > 5 * 1024 * 1024
    machine.settled()
    assert GHP not in dump(machine.home)
    machine.down()
    assert GHP.encode() not in all_files(machine)


def test_case_06_with_tool_output_off_a_stop_of_five_megabytes_is_as_harmless(
    daemon: Machine,
) -> None:
    took, peak = fed(daemon, "Stop")
    assert took < WITHIN_S
    assert peak < 80 * 1024
    fed(daemon, "PostToolUse")
    assert not [turn for turn in journal(daemon) if turn["role"] == "tool"]
    assert GHP not in dump(daemon.home)


def test_case_07_odd_bytes_are_stored_or_counted_and_never_block_the_next(
    daemon: Machine,
) -> None:
    def stop(message: bytes, number: int) -> bytes:
        return (
            b'{"session_id":"6a0cf7a0-7c56-4f5f-8a67-00000000000%d","cwd":"/tmp",' % number
            + b'"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"'
            + message
            + b'"}'
        )

    odd = [
        b"first half \\ud83d alone",
        b"second \\u0000 nothing",
        b"third \xff\xfe raw",
        b"fourth \\ud83d\\ude00 grin",
    ]
    for number, message in enumerate(odd):
        done = daemon.hook("claude-code", "Stop", stop(message, number))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    daemon.hook("claude-code", "Stop", stop(b"fifth and plain", 5))
    wait_for(lambda: [t for t in journal(daemon) if "fifth" in t["text"]], what="the plain one")
    turns = journal(daemon)
    texts = {turn["text"].split()[0]: turn["text"] for turn in turns}
    assert {"first", "second", "fourth", "fifth"} <= set(texts)
    assert texts["fourth"] == "fourth \U0001f600 grin"
    assert "\x00" not in texts["second"]
    for text in texts.values():
        assert text.encode().decode() == text


def test_case_09_an_echo_is_no_new_source(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    text = "the staging database is reset every Monday"
    fact = daemon.remember(text, confidence=0.85, project=str(repository))
    for _ in range(10):
        session = daemon.session("claude-code", repository)
        shown = session.start() + session.prompt("When is the staging database reset?")
        assert text in shown
        session.stop(f"From my notes: {text}.")
        session.end()
    daemon.settled()
    (only,) = daemon.facts("all", project=repository)
    assert only["id"] == fact["id"]
    assert only["confidence"] == 0.85
    assert len(only["sources"]) == 1


def secrets(seed: int) -> dict[str, str]:
    """One value of each kind, made when the test runs."""
    chance = random.Random(seed)
    block = base64.b64encode(chance.randbytes(480)).decode()
    lines = "\n".join(block[at : at + 64] for at in range(0, len(block), 64))
    kind = "PRIVATE KEY"
    return {
        "github": GHP,
        "aws": "AKIA" + "B" * 16,
        "jwt": "eyJ" + "a" * 20 + "." + "b" * 20 + "." + "c" * 20,
        "pem": f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----",
        "postgres": "postgres://u:" + "p" * 12 + "@db/x",
        "hex": "".join(chance.choices(string.hexdigits.lower()[:16], k=40)),
    }


HARMLESS = (
    "there is no API key in the build",
    "read the token from the variable API_TOKEN",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b broke it",
    "password rules: at least 12 characters",
)


def secret_part(value: str) -> str:
    """What must be nowhere: the password of a URL, a line of a key, else the value."""
    if value.startswith("postgres"):
        return "p" * 12
    return value.splitlines()[1] if "\n" in value else value


def test_case_23_secrets_are_redacted_on_the_way_in(daemon: Machine) -> None:
    values = secrets(23)
    session = daemon.session("claude-code", daemon.repository("shop"))
    for kind, value in values.items():
        stored = daemon.remember(f"for {kind} the api key is {value}")
        assert stored["redacted"]
        assert "[redacted:" in stored["text"]
        assert f"for {kind}" in stored["text"]
        session.prompt(f"remember that for {kind} in this shop the api key is {value}")
        session.stop(f"I noted that the api key is {value}")
    for text in HARMLESS:
        assert daemon.remember(text)["text"] == text
    daemon.settled()
    held = dump(daemon.home)
    daemon.down()
    files = all_files(daemon)
    for value in values.values():
        assert secret_part(value) not in held
        assert secret_part(value).encode() not in files


@pytest.mark.parametrize("tool_output", ["true", "false"])
def test_case_23_tool_output_answers_and_logs_hold_no_secret(
    daemon: Machine, tool_output: str
) -> None:
    settings(daemon, f"[capture]\ntool_output = {tool_output}\n")
    values = secrets(24)
    folder = daemon.repository("shop")
    session = daemon.session("claude-code", folder)
    session.start()
    session.prompt("what is in the settings?")
    for kind, value in values.items():
        daemon.event(
            "claude-code",
            "PostToolUse",
            session_id=session.id,
            cwd=str(folder),
            transcript_path=None,
            tool_name="Bash",
            tool_response={"stdout": f"for {kind} the api key is {value}"},
        )
        session.stop(f"for {kind} the api key is {value}")
    session.end()
    daemon.settled()
    turns = [turn for turn in journal(daemon) if "the api key is" in turn["text"]]
    assert len(turns) == len(values) * (2 if tool_output == "true" else 1)
    assert all("[redacted:" in turn["text"] for turn in turns)
    held = dump(daemon.home)
    daemon.down()
    files = all_files(daemon)
    for value in values.values():
        assert secret_part(value) not in held
        assert secret_part(value).encode() not in files


def plant(home: Path, fact_id: str, text: str) -> None:
    """Write a text as an older version without redaction would have stored it."""
    with unguarded(home, "facts") as connection:
        connection.execute("UPDATE facts SET text = ? WHERE id = ?", (text, fact_id))


def test_case_23_an_old_secret_is_masked_when_shown_and_counted_by_doctor(
    daemon: Machine, peers: Peers
) -> None:
    fact = daemon.remember("the deploy bot signs with its own token")
    daemon.down()
    plant(daemon.home, fact["id"], f"the deploy bot signs with {GHP}")
    daemon.up()
    (hit,) = daemon.recall("deploy bot")
    assert GHP not in json.dumps(hit)
    assert "[redacted:" in hit["text"]
    assert GHP not in daemon.cli("show", fact["id"]).stdout
    shown = daemon.session("codex", daemon.work).prompt("How does the deploy bot sign?")
    assert GHP not in shown
    recalled = json.dumps(peers().call("memory_recall", query="deploy bot"))
    assert "[redacted:" in recalled
    assert GHP not in recalled
    checks = daemon.ask("GET", "/v1/doctor")
    assert any(not check["ok"] and "eras" in str(check).lower() for check in checks), checks
