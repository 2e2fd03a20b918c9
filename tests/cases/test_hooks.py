"""Cases 01 and 03: a hook never harms its agent, whatever has become of the daemon."""

import fcntl
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.machine import Machine, processes, wait_for

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
)
HARMFUL = (b"decision", b"block", b"deny", b'"continue"', b"stopReason")


def payload(machine: Machine, event: str) -> dict[str, object]:
    return {
        "session_id": "3b0c6a1e-8f6e-4f5e-9a55-0c3f3f7f1a01",
        "transcript_path": str(machine.user / "none.jsonl"),
        "cwd": str(machine.work),
        "hook_event_name": event,
        "prompt": "remember that tests run with Vitest",
        "source": "startup",
        "last_assistant_message": "All done.",
        "stop_hook_active": False,
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "a"},
        "reason": "other",
    }


def mine(machine: Machine) -> list[int]:
    """Processes that stem from this machine's home."""
    home = str(machine.home).encode()
    return [pid for pid, (argv, env) in processes().items() if home in argv or home in env]


def test_case_01_hooks_fail_open_when_no_daemon_runs(daemon: Machine) -> None:
    machine = daemon
    machine.down()
    (machine.home / "bin" / "stopped").unlink()
    assert not (machine.home / "dormouse.sock").exists()

    took = []
    for event in EVENTS:
        given = payload(machine, event)
        for _ in range(10):
            begun = time.monotonic()
            done = machine.hook("claude-code", event, given, DORMOUSE_AUTOSTART="0")
            took.append(time.monotonic() - begun)
            assert done.returncode == 0
            assert not any(word in done.stdout for word in HARMFUL)
            assert done.stderr == b""
    assert statistics.median(took) < 0.5
    # The last call against the median, as the median of the last few: one call alone measures
    # what else this machine happens to do.
    assert statistics.median(took[-7:]) < 2 * statistics.median(took)
    wait_for(lambda: not mine(machine), within_s=2, what="the end of all children")

    status = machine.cli("status", check=False)
    assert status.returncode == 3
    assert "70" in status.stdout + status.stderr
    naming = [line for line in (status.stdout + status.stderr).splitlines() if "daemon" in line]
    assert naming, "one line must name the missing daemon"
    assert not mine(machine), "status must not start it"


@contextmanager
def dummy_server(path: Path) -> Iterator[list[socket.socket]]:
    """A socket that accepts connections and never answers."""
    accepted: list[socket.socket] = []
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen(32)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    accepted.append(server.accept()[0])

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield accepted
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)
    for connection in accepted:
        connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
def test_case_03_a_daemon_that_never_answers_costs_a_hook_its_own_deadline(
    daemon: Machine, event: str
) -> None:
    machine = daemon
    machine.down()
    (machine.home / "bin" / "stopped").unlink()
    sock = machine.home / "dormouse.sock"
    with (machine.home / "dormouse.lock").open("r+b") as lock, dummy_server(sock) as accepted:
        fcntl.flock(lock, fcntl.LOCK_EX)
        inode = sock.stat().st_ino
        for _ in range(5):
            begun = time.monotonic()
            done = machine.hook("claude-code", event, payload(machine, event))
            assert time.monotonic() - begun < 2.0
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert len(accepted) == 5, "the hooks did reach it"
        begun = time.monotonic()
        asked = machine.cli("recall", "staging", check=False)
        assert time.monotonic() - begun < 5.0
        assert asked.returncode == 3
        assert "not answering" in asked.stderr
        assert str(sock) in asked.stderr.replace("\n", "")
        assert sock.stat().st_ino == inode
        assert machine.hook("claude-code", event, payload(machine, event)).returncode == 0
        daemons = [pid for pid, (argv, _) in processes().items() if str(sock).encode() in argv]
        assert not daemons
    sock.unlink()
