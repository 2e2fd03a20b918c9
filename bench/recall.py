"""What finding facts costs inside the daemon, and the memory it takes with its model."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.measure import Figure, cpu, median, ms, p95, resident_mb, timed
from bench.store import prompts
from tests.machine import Machine

ROUNDS = 300


def figures(
    machine: Machine, repository: Path, pid: int, count: int, legs: str
) -> Iterator[Figure]:
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
        f"recall at {count:,} facts, {legs}: daemon CPU, prompt's vector included",
        ms(spent / ROUNDS),
        "–",
        None,
    )
    memory = resident_mb(pid)
    most = 120 if legs == "words only" else 200
    yield Figure(f"resident memory, {legs}", f"{memory:.0f} MB", f"≤ {most} MB", memory <= most)
    yield Figure("the same, wall p50 / p95", f"{ms(median(took))} / {ms(p95(took))}", "–", None)
