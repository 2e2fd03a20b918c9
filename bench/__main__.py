"""``python -m bench``: measures the hot paths on a store of made-up facts and prints a table.

Times say little about another machine; ratios to something raw in the same run say more.
"""

import argparse
import os
import platform
import sys
from collections.abc import Iterator

from bench import capture, hook, lifecycle, night, recall, store
from bench.measure import Figure, table
from dormouse_wire import __version__
from tests.machine import Machine


def measured(machine: Machine, count: int) -> Iterator[Figure]:
    """Words alone first, so that nothing is embedded beside what is measured; then both legs."""
    machine.up()
    repository = machine.repository("shop")
    pid = store.words_only(machine)
    store.fill(machine, repository, count)
    yield from hook.figures(machine, repository, "words only")
    yield from capture.figures(machine, repository, pid)
    yield from recall.figures(machine, repository, pid, count, "words only")
    yield from night.figures(machine, repository, "words only")
    yield from lifecycle.figures(machine, count)
    if store.give_vectors(machine):
        yield from hook.figures(machine, repository, "both legs")
        pid = machine.daemons()[0]
        yield from recall.figures(machine, repository, pid, count, "both legs")
        yield from night.figures(machine, repository, "both legs")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure the hot paths.")
    parser.add_argument("--facts", type=int, default=10_000, help="how many facts the store holds")
    options = parser.parse_args()
    machine = Machine()
    try:
        figures = list(measured(machine, options.facts))
    finally:
        machine.destroy()
    print(
        f"Dormouse {__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} cores\n"
    )
    print(table(figures))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
