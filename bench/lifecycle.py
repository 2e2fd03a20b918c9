"""How soon a stopped daemon answers, how much memory it holds, what it does when nobody asks."""

import time
from collections.abc import Iterator

from bench.measure import Figure, bare_interpreter, cpu, median, resident_mb, timed
from dormouse_wire import client, launch
from dormouse_wire.paths import Home
from tests.machine import Machine, wait_for

STARTS = 5
IDLE_S = 20.0


def figures(machine: Machine, count: int) -> Iterator[Figure]:
    bare = median(timed(bare_interpreter) for _ in range(STARTS))
    took = [cold_start(machine) for _ in range(STARTS)]
    yield Figure(
        "start to first answer, cold",
        f"{median(took):.2f} s ({median(took) / bare:.0f} × the bare interpreter)",
        "≤ 1.5 s",
        median(took) <= 1.5,
    )
    pid = machine.daemons()[0]
    for number in range(50):
        machine.recall(f"which port does billing-{number} use")
    size = resident_mb(pid)
    yield Figure(f"memory at {count:,} facts", f"{size:.0f} MB", "≤ 120 MB", size <= 120)
    spent = -cpu(pid)
    time.sleep(IDLE_S)
    share = (spent + cpu(pid)) / IDLE_S
    yield Figure(f"CPU when idle ({IDLE_S:.0f} s)", f"{share:.2%}", "< 0.5 %", share < 0.005)


def cold_start(machine: Machine) -> float:
    """Seconds from starting the program to its first answer."""
    machine.down()
    home = Home(machine.home)

    def answers() -> bool:
        try:
            return client.call(home.socket, "GET", "/v1/health")[0] == 200
        except client.Unreachable:
            return False

    def start() -> None:
        assert launch.start(home)
        wait_for(answers, what="the first answer")

    took = timed(start)
    home.stopped.unlink(missing_ok=True)
    return took
