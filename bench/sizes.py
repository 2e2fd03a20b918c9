"""``python -m bench.sizes --facts N…``: what recall costs in stores of many facts, in CPU time.

The stores are made of texts and vectors from a generator, in this process; the prompt's own vector
is left out, because it costs the same in every store.
"""

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from bench.measure import Figure, median, ms, p95, table
from bench.store import prompts, texts
from dormouse.embedding.holder import Holder
from dormouse.embedding.index import pack
from dormouse.embedding.seam import Prompts
from dormouse.embedding.weights import Floats
from dormouse.facts import How, Look, NewFact, Scope, Source
from dormouse.judging.ladder import Ladder
from dormouse.ledger import Ledger, Vector, Writer, new_id
from dormouse.settings import Settings
from dormouse.times import stamp, system_clock
from dormouse.work.meaning import Asked, Meaning
from dormouse.work.memory import Memory
from dormouse.work.places import Places
from dormouse.work.prepare import prepare
from dormouse.work.recalls import find
from dormouse_wire.paths import Home

DIM, THINGS, ROUNDS = 384, 500, 200
AIMS = {100_000: (0.020, 0.012), 1_000_000: (0.020, 0.070)}  # words, both legs: seconds of CPU
LOOK = Look(project_id="p")


class Made:
    """Vectors about so many things, each fact near to one of them: as crowded as real ones."""

    model, revision, dim = "made-up", "1", DIM

    def __init__(self) -> None:
        self.chance = np.random.default_rng(3)
        self.things = self.unit(THINGS)
        self.prompts = Prompts(self.unit(140), self.unit(380))

    def unit(self, count: int) -> Floats:
        rows = self.chance.standard_normal((count, DIM), np.float32)
        made: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return made

    def embed(self, texts: object, *, query: bool) -> Floats:
        count = len(texts)  # type: ignore[arg-type]
        near = self.things[self.chance.integers(0, THINGS, count)] + 1.2 * self.unit(count)
        made: Floats = near / np.linalg.norm(near, axis=1, keepdims=True)
        return made


def fill(ledger: Ledger, count: int, made: Made) -> None:
    at = stamp(system_clock())
    source = Source("claude-code", "s", None, How.EXPLICIT, at)
    last = 0
    waiting = texts(count)
    while part := list(islice(waiting, 500)):
        facts = [
            NewFact(new_id(), text, source, scope=Scope.PROJECT, project_id="p", stated_at=at,
                    valid_from=at)
            for text in part
        ]  # fmt: skip
        blobs = pack(made.embed(part, query=False))

        def do(w: Writer) -> int:
            for fact in facts:  # noqa: B023
                w.capture(fact)
            w.mark_settled(fact.id for fact in facts)  # noqa: B023
            rows = w.unembedded(w.embedder(made.model, made.revision), last, 1_000)  # noqa: B023
            vectors = [
                Vector(row.nr, row.id, blob)
                for row, blob in zip(rows, blobs, strict=False)  # noqa: B023
            ]
            w.keep_vectors(made.model, made.revision, vectors)
            return rows[-1].nr if rows else last  # noqa: B023

        last = ledger.write(do).result()


def spent(do: Callable[[], object]) -> float:
    """Seconds of CPU of this thread."""
    begun = time.thread_time()
    do()
    return time.thread_time() - begun


def figures(count: int) -> Iterator[Figure]:
    folder = Path(tempfile.mkdtemp(prefix="dm", dir="/tmp"))
    made = Made()
    try:
        Ledger.create(folder / "memory.db", bytes(32), store_id=new_id(), prepare=prepare,
                      now=system_clock)  # fmt: skip
        with Ledger(folder / "memory.db", bytes(32), prepare=prepare, now=system_clock) as ledger:
            fill(ledger, count, made)
            yield from measured(ledger, folder, made, count)
    finally:
        shutil.rmtree(folder)


def measured(ledger: Ledger, folder: Path, made: Made, count: int) -> Iterator[Figure]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    holder = Holder(made.model, made.revision, DIM, made.prompts, lambda: made)
    meaning = Meaning(ledger, lambda: holder)
    while meaning.step():
        pass
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1_024
    places = Places(ledger, folder, (), False)
    memory = Memory(
        Home(folder), ledger, Settings(), system_clock, Ladder([]), places, None, meaning
    )
    words, both = [], []
    for prompt in prompts(ROUNDS):
        asked = Asked(made.embed([prompt], query=True)[0], 0.1)
        words.append(spent(lambda: ledger.read(lambda r: find(r, memory, prompt, LOOK))))  # noqa: B023
        both.append(
            spent(lambda: ledger.read(lambda r: find(r, memory, prompt, LOOK, asked=asked)))  # noqa: B023
        )
    memory.pool.shutdown()
    meaning.close()
    aims = AIMS.get(count, (None, None))
    for what, values, aim in zip(("words only", "both legs"), (words, both), aims, strict=True):
        yield Figure(
            f"recall at {count:,} facts, {what}: CPU p50 / p95",
            f"{ms(median(values))} / {ms(p95(values))}",
            f"p50 ≤ {aim * 1_000:.0f} ms" if aim else "–",
            median(values) <= aim if aim else None,
        )
    yield Figure(f"vectors in memory at {count:,} facts", f"{grown:.0f} MB", "–", None)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.sizes")
    parser.add_argument("--facts", type=int, nargs="+", default=[10_000, 100_000])
    sizes = parser.parse_args().facts
    print(f"{os.cpu_count()} cores\n")
    print(table([figure for count in sizes for figure in figures(count)]), flush=True)


if __name__ == "__main__":
    main()
