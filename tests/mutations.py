"""Takes each guard away in a copy of the tree, one at a time, and expects its test to fail.

``python -m tests.mutations [WORD]`` prints the table; WORD picks guards by name. It changes nothing
in this tree: each mutation happens in a temporary copy with an environment of its own.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.guards import GUARDS, Guard
from tests.source import ROOT, ROOTS

PASSED, FAILED = 0, 1  # pytest's exit codes; all others mean that it could not run the test


class Killed(NamedTuple):
    """What became of one mutation."""

    guard: Guard
    killed: bool
    detail: str
    seconds: float


class Copy:
    """A copy of the project whose packages are what its own interpreter imports."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree"
        leave = shutil.ignore_patterns("__pycache__", ".*_cache", ".git", ".venv", ".hypothesis")
        shutil.copytree(ROOT, self.tree, ignore=leave, symlinks=True)
        # A daemon runs isolated (-I), so PYTHONPATH would not reach it: the copy needs an
        # environment whose search path begins with the copy. Without pip that takes no time.
        venv.create(folder / "venv", with_pip=False, symlinks=True)
        self.python = folder / "venv" / "bin" / "python"
        site = next((folder / "venv" / "lib").glob("python*/site-packages"))
        libraries = Path(pytest.__file__).parents[1]  # also where we are a copy ourselves
        paths = [*(self.tree / root for root in ROOTS), libraries]
        (site / "mutated.pth").write_text("".join(f"{path}\n" for path in paths))
        program = self.python.parent / "dormouse"
        program.write_text(f"#!{self.python}\nfrom dormouse_cli.main import main\nmain()\n")
        program.chmod(0o755)

    def run(self, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
        command = [str(self.python), "-m", "pytest", "-q", "-x", "-m", "", "-p", "no:cacheprovider"]
        return subprocess.run(
            [*command, *tests],
            cwd=self.tree,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    @contextmanager
    def without(self, guard: Guard) -> Iterator[None]:
        """The copy while *guard* is taken away."""
        path = self.tree / guard.file
        before = path.read_text()
        count = before.count(guard.old)
        if count != 1:
            raise LookupError(f"{guard.file} holds the text {count} times, not once")
        path.write_text(before.replace(guard.old, guard.new))
        try:
            yield
        finally:
            path.write_text(before)


def attempt(copy: Copy, guard: Guard) -> Killed:
    begun = time.monotonic()

    def ended(killed: bool, detail: str) -> Killed:
        return Killed(guard, killed, detail, time.monotonic() - begun)

    try:
        with copy.without(guard):
            done = copy.run([guard.test])
    except (LookupError, OSError, subprocess.TimeoutExpired) as error:
        return ended(False, str(error).splitlines()[0])
    if done.returncode == PASSED:
        return ended(False, "SURVIVED: the test passes without the guard")
    if done.returncode != FAILED:
        return ended(False, (done.stdout + done.stderr).strip().splitlines()[-1])
    return ended(True, "its test fails")


def all_killed(guards: Sequence[Guard]) -> bool:
    """Print the table; whether every test passes with its guard and fails without it."""
    with tempfile.TemporaryDirectory(prefix="dm-mutations-") as folder:
        copy = Copy(Path(folder))
        before = copy.run(sorted({guard.test for guard in guards}))
        if before.returncode != PASSED:
            print(before.stdout, before.stderr, sep="\n")
            print("the tests must pass before a guard is taken away")
            return False
        print("| guard | taken away in | killed by | |\n|---|---|---|---|", flush=True)
        results = []
        for guard in guards:
            result = attempt(copy, guard)
            results.append(result)
            test = guard.test.partition("::")[2] or guard.test
            seconds = f"{result.seconds:.1f} s"
            print(
                f"| {guard.name} | {guard.file} | {test} | {result.detail}, {seconds} |", flush=True
            )
    killed = sum(result.killed for result in results)
    print(f"\n{killed} of {len(results)} mutations killed")
    return killed == len(results)


def main() -> None:
    parser = argparse.ArgumentParser(description="Take each guard away; its test must fail.")
    parser.add_argument("word", nargs="?", default="", help="only guards whose name holds this")
    word = parser.parse_args().word
    guards = [guard for guard in GUARDS if word in guard.name]
    if not guards:
        parser.error(f"no guard's name holds {word!r}")
    sys.exit(0 if all_killed(guards) else 1)


if __name__ == "__main__":
    main()
