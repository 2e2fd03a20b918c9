"""Killed in the middle of writing: what was acknowledged is there, once, and the file is whole."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.ledger.store import open_ledger, texts

WRITES = """
import sys
from pathlib import Path
from tests.unit.ledger.store import new_fact, open_ledger
ledger = open_ledger(Path(sys.argv[1]))
name, number = sys.argv[2], 0
while True:
    waiting = []
    for _ in range(5):
        number += 1
        new = new_fact(f"fact {name} {number}", session=str(number))
        waiting.append((number, ledger.write(lambda w, new=new: w.capture(new))))
    for n, future in waiting:
        future.result()
        print(n, flush=True)
"""


def kill_while_writing(path: Path, name: str, after: int) -> set[str]:
    """Let a process write, and kill it after so many acknowledgements; what it had acknowledged."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITES, str(path), name], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(after):
            assert process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        # an earlier acknowledgement covers all numbers before it
        rest = process.stdout.read().split()
    return {f"fact {name} {number}" for number in range(1, after + len(rest) + 1)}


def survives(path: Path, times: int) -> None:
    acknowledged: set[str] = set()
    for time in range(times):
        acknowledged |= kill_while_writing(path, f"run{time}", 1 + time * 7 % 40)
        with open_ledger(path) as ledger:
            kept = texts(ledger)
            assert acknowledged <= set(kept)
            assert len(kept) == len(set(kept))
            assert ledger.integrity() == []


def test_three_kills_lose_nothing(path: Path) -> None:
    survives(path, 3)


@pytest.mark.slow
def test_fifty_kills_lose_nothing(path: Path) -> None:
    survives(path, 50)
