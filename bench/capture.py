"""What an acknowledged capture costs, alone and with 64 clients at once."""

import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.measure import Figure, RawSync, cpu, median, ms, timed
from bench.store import texts
from tests.machine import Machine

ALONE = 400
CLIENTS, EACH = 64, 25


def figures(machine: Machine, repository: Path, pid: int) -> Iterator[Figure]:
    sync = RawSync(machine.base)
    raw, ours = [], []
    many = [f"{text}, measured" for text in texts(ALONE)]

    def capture(text: str) -> None:
        machine.remember(text, project=str(repository), settle=False)

    spent = -cpu(pid)
    for text in many:
        raw.append(timed(sync))
        ours.append(timed(partial(capture, text)))
    spent += cpu(pid)
    more = median(ours) - median(raw)
    yield Figure(
        "capture acknowledged, above a raw fdatasync (p50)",
        f"{ms(more)} ({ms(median(ours))} : {ms(median(raw))})",
        "≤ 1.5 ms",
        more <= 0.0015,
    )
    yield Figure("daemon CPU a capture", ms(spent / ALONE), "≤ 0.6 ms", spent / ALONE <= 0.0006)
    rate = together(machine, repository)
    by_itself = 1 / median(raw)
    yield Figure(
        f"{CLIENTS} clients: acknowledged captures a second",
        f"{rate:.0f} ({rate / by_itself:.2f} × the raw sync rate of {by_itself:.0f})",
        "–",
        None,
    )
    sync.close()


def together(machine: Machine, repository: Path) -> float:
    """Captures a second that many clients get acknowledged at once."""
    gate = threading.Barrier(CLIENTS + 1)

    def client(number: int) -> None:
        gate.wait()
        for turn in range(EACH):
            text = f"client {number} said in turn {turn} that shelf {number}-{turn} is full"
            machine.remember(text, project=str(repository), settle=False)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    gate.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    return CLIENTS * EACH / (time.perf_counter() - begun)
