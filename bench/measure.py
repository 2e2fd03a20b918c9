"""How things are measured: raw costs beside ours in one run, medians, CPU time of the daemon."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from math import sqrt
from pathlib import Path
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")


class Figure(NamedTuple):
    """One line of the table."""

    what: str
    measured: str
    aim: str
    holds: bool | None


def timed(do: Callable[[], object]) -> float:
    """Seconds of wall time."""
    begun = time.perf_counter()
    do()
    return time.perf_counter() - begun


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def p95(values: Iterable[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def ms(seconds: float) -> str:
    return f"{seconds * 1_000:.1f} ms"


def bare_interpreter() -> None:
    """What any hook in Python costs before it does anything; with pipes, as an agent starts it."""
    bare = [sys.executable, "-I", "-S", "-c", "pass"]
    subprocess.run(bare, input=b"{}", capture_output=True, check=True)


class RawSync:
    """One append and fdatasync beside the store: what an acknowledged write can't beat."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "raw-sync"
        self.fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def __call__(self) -> None:
        os.write(self.fd, b"x" * 4_096)
        os.fdatasync(self.fd)

    def close(self) -> None:
        os.close(self.fd)
        self.path.unlink()


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1_024


def table(figures: Iterable[Figure]) -> str:
    marks = {True: "yes", False: "NO", None: "–"}
    rows = ["| what | measured | aim | holds |", "|---|---|---|---|"]
    rows += [f"| {f.what} | {f.measured} | {f.aim} | {marks[f.holds]} |" for f in figures]
    return "\n".join(rows)


def wilson(k: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of k out of n (Wilson 1927)."""
    if n == 0:
        return 0.0, 1.0
    p = k / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def share(name: str, k: int, n: int) -> str:
    """``name k/n [low, high] %``."""
    low, high = wilson(k, n)
    return f"{name} {k}/{n} [{100 * low:.1f}, {100 * high:.1f}] %"
