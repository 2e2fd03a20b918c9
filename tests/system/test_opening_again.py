"""A memory that can't be opened: what is said works, and once it was mended it opens by itself."""

import json
from pathlib import Path

import pytest

from tests.machine import Machine

TEXT = "the staging server is at 10.0.0.5"
CODE = "correct horse battery"


def key_file(machine: Machine) -> Path:
    slots = json.loads((machine.home / "keyslots.json").read_text())["slots"]
    return Path(next(slot["path"] for slot in slots if slot["kind"] == "keyfile"))


def closed(machine: Machine) -> str:
    """What a command says while the memory is closed."""
    done = machine.cli("recall", "staging", check=False)
    assert done.returncode in (6, 7), done
    return done.stderr


def is_open(machine: Machine) -> bool:
    return TEXT in machine.cli("recall", "staging server", check=False).stdout


def test_a_key_file_that_is_put_back_opens_the_memory_with_the_next_request(
    daemon: Machine,
) -> None:
    daemon.remember(TEXT)
    key = key_file(daemon)
    aside = daemon.base / "aside.key"
    key.rename(aside)
    assert f"{key} is missing: put it back" in daemon.cli("restart").stdout
    assert "is missing" in closed(daemon)
    aside.rename(key)
    key.chmod(0o644)
    assert f"chmod 600 {key}" in closed(daemon), "it is another trouble now, and told as that"
    doctor = daemon.cli("doctor", check=False)
    assert (doctor.returncode, "dormouse unlock" in doctor.stdout) == (6, False)
    assert f"chmod 600 {key}" in daemon.cli("status", check=False).stdout
    key.chmod(0o600)
    assert is_open(daemon)
    assert daemon.ask("GET", "/v1/health")["warnings"] == [
        "no agent is connected: run `dormouse connect`"
    ]


def test_slots_that_are_mended_open_the_memory_with_up(daemon: Machine) -> None:
    daemon.remember(TEXT)
    slots = daemon.home / "keyslots.json"
    good = slots.read_text()
    slots.write_text(good[: len(good) // 2])
    daemon.cli("restart")
    assert "no file with key slots" in closed(daemon)
    assert daemon.cli("up", check=False).returncode == 7
    slots.write_text(good)
    assert daemon.cli("up").stdout.startswith("Dormouse is up\nit opens with: keyfile.")
    assert is_open(daemon)


def test_a_hook_opens_it_too(daemon: Machine) -> None:
    key = key_file(daemon)
    content = key.read_text()
    key.unlink()
    daemon.cli("restart")
    key.write_text(content)
    key.chmod(0o600)
    session = daemon.session("claude-code", daemon.repository("shop"))
    daemon.event(
        "claude-code",
        "UserPromptSubmit",
        session_id=session.id,
        cwd=str(session.cwd),
        prompt=f"remember that {TEXT}",
    )
    assert TEXT in {fact["text"] for fact in daemon.facts("all", session.cwd)}


@pytest.mark.slow
def test_a_memory_with_a_passphrase_alone_says_the_command_that_opens_it(machine: Machine) -> None:
    machine.cli("up", "--passphrase", given=f"{CODE}\n")
    machine.remember(TEXT)
    assert "Run `dormouse unlock`." in machine.cli("restart").stdout
    assert closed(machine).endswith("is locked. Run `dormouse unlock`.\n")
    machine.cli("unlock", given=f"{CODE}\n")
    assert is_open(machine)
    status, answer = machine.call("POST", "/v1/unlock", {"recovery": "0000"})
    assert (status, answer["error"]["code"]) == (409, "conflict"), "open, but not by that"


def test_a_passphrase_that_no_slot_takes_proves_no_owner_and_status_lists_the_slots(
    daemon: Machine,
) -> None:
    fact = daemon.remember(TEXT)
    status, answer = daemon.call("POST", "/v1/erase", {"id": fact["id"], "passphrase": CODE})
    assert (status, answer["error"]["code"]) == (403, "refused")
    assert "It opens with: keyfile." in answer["error"]["hint"]
    assert "opens with: keyfile" in daemon.cli("status").stdout
    assert is_open(daemon)
