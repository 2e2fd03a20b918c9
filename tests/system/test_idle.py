"""A daemon that nobody needs does nothing: no clock runs in it but those of whole minutes."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.machine import Machine, wait_for

pytestmark = pytest.mark.slow

SECONDS = 40


def cpu_s(pid: int) -> float:
    """CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wakings(pid: int) -> int:
    """How often its threads went to sleep, and so were woken."""
    states = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/status")]
    lines = [line for state in states for line in state.splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt"))


@pytest.mark.slow
def test_an_idle_daemon_uses_less_than_half_a_percent_and_polls_nothing(daemon: Machine) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("what a process uses is read from /proc, which is not here")
    session = daemon.session("codex", daemon.repository("shop"))
    session.start()
    session.prompt("remember that the staging server is at 10.0.0.5")
    daemon.settled()
    (pid,) = daemon.daemons()
    time.sleep(10)  # what follows a start and a prompt ends: the model is loaded, texts embedded
    used, woken = cpu_s(pid), wakings(pid)
    time.sleep(SECONDS)  # this is the measurement
    assert (cpu_s(pid) - used) / SECONDS < 0.005
    # Each clock of a whole minute wakes a thread or two; one of a second would make 40 and more.
    assert wakings(pid) - woken < SECONDS / 2, "something looks again and again"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_at_once_and_in_good_order(daemon: Machine, number: int) -> None:
    (pid,) = daemon.daemons()
    began = time.monotonic()
    os.kill(pid, number)
    wait_for(lambda: not daemon.daemons(), within_s=10, what="its end")
    assert time.monotonic() - began < 10
    assert not (daemon.home / "dormouse.sock").exists()
    assert not (daemon.home / "memory.db-wal").exists(), "the log was emptied"
