"""What finding facts by words costs inside the daemon."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.measure import Figure, cpu, median, ms, p95, timed
from bench.store import prompts
from tests.machine import Machine

ROUNDS = 300


def figures(machine: Machine, repository: Path, pid: int, count: int) -> Iterator[Figure]:
    took, hits = [], 0

    def ask(query: str) -> None:
        nonlocal hits
        hits += bool(machine.recall(query, project=str(repository)))

    spent = -cpu(pid)
    for query in prompts(ROUNDS):
        took.append(timed(partial(ask, query)))
    spent += cpu(pid)
    assert hits > ROUNDS / 2, "the questions must find something, or nothing is measured"
    yield Figure(
        f"recall at {count:,} facts, words only: daemon CPU",
        ms(spent / ROUNDS),
        "≤ 12 ms (at 100 k)",
        spent / ROUNDS <= 0.012,
    )
    yield Figure("the same, wall p50 / p95", f"{ms(median(took))} / {ms(p95(took))}", "–", None)
