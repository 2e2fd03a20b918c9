"""New keys and old backups, with a real daemon: nothing is lost, even if it is killed meanwhile."""

import contextlib
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from dormouse_wire.client import Unreachable
from tests.machine import Machine, wait_for

pytestmark = pytest.mark.slow

TEXT = "the staging server is at canary-4711.example"


def texts(machine: Machine) -> set[str]:
    return {fact["text"] for fact in machine.facts()}


def backup(machine: Machine, name: str) -> Path:
    path = machine.base / name
    machine.ask("POST", "/v1/backup", {"path": str(path)})
    return path


def restore(machine: Machine, path: Path, **more: Any) -> Any:
    return machine.ask("POST", "/v1/restore-backup", {"path": str(path), **more})


def in_clear(machine: Machine) -> list[Path]:
    """The files of the home that hold the text as it was said."""
    word = b"canary-4711"
    files = [file for file in machine.home.rglob("*") if file.is_file()]
    return [file for file in files if word in file.read_bytes()]


def test_a_new_data_key_leaves_every_fact_and_older_backups_still_open(daemon: Machine) -> None:
    daemon.remember(TEXT)
    old = backup(daemon, "old.db")
    daemon.remember("deploys happen on Thursdays")
    done = daemon.ask("POST", "/v1/keys/rotate", {"deep": True})
    assert (done["deep"], done["slots"], done["old_copies"]) == (True, ["keyfile"], [str(old)])
    assert len(texts(daemon)) == 2
    daemon.remember("the API lives in services/api")
    daemon.down()
    daemon.up()
    assert len(texts(daemon)) == 3
    assert daemon.recall("staging server")
    assert in_clear(daemon) == []
    looked = restore(daemon, old, dry_run=True)
    assert (looked["facts"], looked["restored"]) == ({"current": 1, "retired": 0}, False)
    restore(daemon, old)
    assert texts(daemon) == {TEXT}


def test_a_backup_takes_the_place_of_the_memory_and_can_be_taken_back(daemon: Machine) -> None:
    daemon.remember(TEXT)
    secret = daemon.remember("the door code is on the yellow note")
    then = backup(daemon, "then.db")
    daemon.ask("POST", "/v1/erase", {"id": secret["id"]})
    daemon.remember("deploys happen on Thursdays")
    done = restore(daemon, then)
    assert (done["restored"], done["erased_again"]) == (True, 1)
    assert texts(daemon) == {TEXT}
    session = daemon.session("claude-code", daemon.repository("shop"))
    assert "a backup was put in the memory's place" in str(daemon.event(
        "claude-code", "SessionStart", session_id=session.id, cwd=str(session.cwd), source="startup"
    ))  # fmt: skip
    restore(daemon, Path(done["before"]))
    assert texts(daemon) == {TEXT, "deploys happen on Thursdays"}


def test_another_memorys_backup_and_other_files_are_refused(
    daemon: Machine, tmp_path: Path
) -> None:
    daemon.remember(TEXT)
    other = Machine()
    try:
        other.up()
        foreign = backup(other, "foreign.db")
        note = tmp_path / "note"
        note.write_text("hello " * 2000)
        for path in (foreign, note, tmp_path / "nothing", daemon.home / "memory.db"):
            status, _ = daemon.call("POST", "/v1/restore-backup", {"path": str(path)})
            assert status >= 400, path
        assert texts(daemon) == {TEXT}
    finally:
        other.destroy()


def test_a_damaged_backup_is_told_by_the_dry_run_and_by_the_real_one_alike(daemon: Machine) -> None:
    for number in range(30):
        daemon.remember(f"thing {number} is at canary-4711-{number}.example")
    path = backup(daemon, "bad.db")
    content = bytearray(path.read_bytes())
    content[50_000:50_004] = bytes(byte ^ 0xFF for byte in content[50_000:50_004])
    path.write_bytes(content)
    for dry_run in (True, False):
        body = {"path": str(path), "dry_run": dry_run}
        status, answer = daemon.call("POST", "/v1/restore-backup", body)
        assert (status, answer["error"]["code"]) == (500, "damaged")
        assert f"The backup at {path} is damaged: " in answer["error"]["message"]
        assert "Take another backup" in answer["error"]["hint"]
    assert len(texts(daemon)) == 30


def test_a_rotation_that_fails_opens_the_memory_again_as_it_was(daemon: Machine) -> None:
    daemon.remember(TEXT)
    daemon.ask("POST", "/v1/keys", {"kind": "passphrase", "secret": "battery staple"})
    status, _ = daemon.call("POST", "/v1/keys/rotate", {"deep": True})
    assert status == 400, "the passphrase slot needs one"
    assert texts(daemon) == {TEXT}
    assert not list(daemon.home.glob("exchange.db*"))
    daemon.ask("POST", "/v1/keys/rotate", {"deep": True, "secret": "horse battery"})
    daemon.ask("POST", "/v1/keys/remove", {"kind": "keyfile"})
    daemon.down()
    daemon.cli("up", check=False)
    assert daemon.call("GET", "/v1/facts")[0] == 423
    daemon.ask("POST", "/v1/unlock", {"passphrase": "horse battery"})
    assert texts(daemon) == {TEXT}


def test_agents_may_not_touch_keys_or_backups(daemon: Machine) -> None:
    for route in ("/v1/keys/rotate", "/v1/keys/remove", "/v1/restore-backup"):
        body = {"kind": "keyfile", "path": "/tmp/x", "deep": True}
        assert daemon.call("POST", route, body, agent="codex")[0] == 403


@pytest.mark.parametrize("after_ms", [0, 5, 10, 20, 40, 80, 160, 320])
def test_a_kill_while_the_data_key_changes_leaves_a_memory_that_opens(
    daemon: Machine, after_ms: int
) -> None:
    for number in range(20):
        daemon.remember(f"thing {number} is at canary-4711-{number}.example")
    before = texts(daemon)

    def rotate() -> None:
        with contextlib.suppress(Unreachable, OSError):
            daemon.call("POST", "/v1/keys/rotate", {"deep": True})

    asking = threading.Thread(target=rotate)
    asking.start()
    time.sleep(after_ms / 1000)  # where in its work it is killed is what is tried here
    daemon.kill()
    asking.join()
    assert in_clear(daemon) == []
    daemon.up()
    assert texts(daemon) == before
    assert not list(daemon.home.glob("exchange.db*"))
    wait_for(lambda: daemon.ask("GET", "/v1/health")["state"] == "ok", what="a good state")
    daemon.ask("POST", "/v1/keys/rotate", {"deep": True})
    assert texts(daemon) == before
