"""Case 30: thirty simultaneous starts end in one daemon, also after a crash."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.decrypt import opened
from tests.machine import Machine, wait_for

ROUNDS = 20


def thirty_hooks(machine: Machine, round: int) -> list[float]:
    """Start thirty hook clients at one instant; how long each took. All must exit 0."""
    gate, took, codes = threading.Barrier(30), list[float](), list[int]()

    def one(number: int) -> None:
        given = {
            "session_id": f"s-{round}-{number}",
            "cwd": str(machine.work),
            "hook_event_name": "UserPromptSubmit",
            "prompt": f"good morning {round} {number}",
        }
        gate.wait()
        begun = time.monotonic()
        codes.append(machine.hook("claude-code", "UserPromptSubmit", given).returncode)
        took.append(time.monotonic() - begun)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 30
    return took


def resident(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def one_daemon(machine: Machine) -> int:
    """The one daemon, once it answers; there must never be a second."""

    def answers() -> bool:
        assert len(machine.daemons()) <= 1, machine.daemons()
        try:
            return machine.call("GET", "/v1/health")[0] == 200
        except OSError:
            return False
        except Exception as error:
            assert type(error).__name__ in ("Unreachable", "NotAnswering"), error
            return False

    wait_for(answers, what="one daemon")
    (pid,) = machine.daemons()
    return pid


@pytest.mark.slow
def test_case_30_thirty_cold_starts_twenty_times(daemon: Machine) -> None:
    machine = daemon
    machine.kill()
    foreign = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        (machine.home / "dormouse.pid").write_text(str(foreign.pid))
        sizes = []
        for round in range(ROUNDS):
            machine.kill()
            assert (machine.home / "dormouse.sock").exists(), "a stale socket is left by a crash"
            took = thirty_hooks(machine, round)
            # Thirty interpreters at once on two cores take their time by themselves.
            assert max(took) < 2.0 + 30 * 0.1 / (os.cpu_count() or 1)
            pid = one_daemon(machine)
            fact = machine.remember(f"round {round} was acknowledged", settle=False)
            sizes.append(resident(pid))
            assert machine.ask("GET", f"/v1/facts/{fact['id']}")["current"]
        assert foreign.poll() is None, "a foreign process must get no signal"
        machine.kill()
        with opened(machine.home) as connection:
            (count,) = connection.execute("SELECT count(*) FROM facts").fetchone()
            problems = connection.execute("PRAGMA integrity_check").fetchall()
        assert count == ROUNDS
        assert problems == [("ok",)]
        assert sorted(sizes)[ROUNDS // 2] < sizes[0] * 1.1
    finally:
        foreign.kill()
        foreign.wait()
