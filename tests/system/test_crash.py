"""kill -9 in the middle of writes loses nothing that was acknowledged, and doubles nothing."""

import contextlib
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dormouse_wire.client import Unreachable
from tests.decrypt import opened
from tests.machine import Machine, wait_for

KILLS = 50


class Writer(threading.Thread):
    """An agent that captures one fact after another and remembers which were acknowledged."""

    def __init__(self, machine: Machine, agent: str, stop: threading.Event) -> None:
        super().__init__()
        self.machine, self.agent, self.stop = machine, agent, stop
        self.folder = machine.repository(agent)
        self.acknowledged: list[str] = []
        self.tried = 0

    def run(self) -> None:
        while not self.stop.is_set():
            self.tried += 1
            text = f"{self.agent} wrote sentence number {self.tried} of many"
            body = {"text": text, "settle": False, "project": str(self.folder)}
            with contextlib.suppress(Unreachable, OSError, ValueError):
                status, _ = self.machine.call("POST", "/v1/facts", body, agent=self.agent)
                if status == 201:
                    self.acknowledged.append(text)

    def wait_for_another(self) -> None:
        have = len(self.acknowledged)
        wait_for(lambda: len(self.acknowledged) > have, what=f"another write of {self.agent}")


@pytest.mark.slow
def test_fifty_kills_in_the_middle_of_writes_lose_and_double_nothing(daemon: Machine) -> None:
    stop, chance = threading.Event(), random.Random(50)
    writers = [Writer(daemon, agent, stop) for agent in ("claude-code", "codex")]
    for writer in writers:
        writer.start()
    try:
        for _ in range(KILLS):
            for writer in writers:
                writer.wait_for_another()
            time.sleep(chance.uniform(0, 0.05))  # waits for nothing: the kill may hit anywhere
            daemon.kill()
            daemon.up()
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    daemon.settled()
    daemon.down()
    acknowledged = [text for writer in writers for text in writer.acknowledged]
    assert len(acknowledged) >= 2 * KILLS
    with opened(daemon.home) as connection:
        stored = [row[0] for row in connection.execute("SELECT text FROM facts")]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA cipher_integrity_check").fetchall() == []
    assert not set(acknowledged) - set(stored), "an acknowledged fact was lost"
    assert len(stored) == len(set(stored)), "a fact is there twice"


def test_two_agents_write_three_hundred_facts_each_at_once(daemon: Machine) -> None:
    folder = daemon.repository("shop")

    def capture(agent: str, number: int) -> int:
        text = f"{agent} found that shelf {number} is made of {agent} wood"
        body = {"text": text, "settle": False, "project": str(folder)}
        return daemon.call("POST", "/v1/facts", body, agent=agent)[0]

    jobs = [(agent, number) for number in range(300) for agent in ("claude-code", "codex")]
    with ThreadPoolExecutor(16) as pool:
        states = list(pool.map(lambda job: capture(*job), jobs))
    assert set(states) == {201}
    assert daemon.ask("GET", "/v1/health")["facts"]["current"] == 600


def test_a_second_daemon_is_refused(daemon: Machine) -> None:
    (pid,) = daemon.daemons()
    assert daemon.up() == pid
    second = subprocess.run(
        [sys.executable, "-I", "-m", "dormouse.main"],
        env=daemon.env,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert second.returncode == 1
    assert "already" in second.stderr
    assert daemon.daemons() == [pid]
    assert daemon.remember("the first one goes on")["state"] == "new"
