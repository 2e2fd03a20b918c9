"""Runs one thinker, and ends it with all it started when the daemon goes, or when time is up.

A program of its own (``python -I -S supervisor.py``), standard library only. Standard input: one
line of JSON (argv, env, cwd, remove, timeout_s, bytes), then that many bytes for the thinker, then
nothing until the daemon closes it. It shows no text to anybody but the thinker's standard input.
"""

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

TIMED_OUT, LEFT_ALONE, NOT_STARTED = 124, 125, 127  # exit codes of ours
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
LINUX = sys.platform == "linux"


def prctl() -> Callable[[int, int], int] | None:
    """Linux' prctl, looked up before any fork."""
    if not LINUX:
        return None
    call = ctypes.CDLL(None, use_errno=True).prctl
    return lambda what, value: int(call(what, value, 0, 0, 0))


def start(header: dict[str, Any], control: Callable[[int, int], int] | None) -> "Child":
    """Start the thinker in a session of its own; it dies with us, should we be killed."""

    def die_with_us() -> None:
        if control is not None:
            control(_PR_SET_PDEATHSIG, signal.SIGKILL)

    return subprocess.Popen(
        header["argv"],
        env=header["env"],
        cwd=header["cwd"],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=die_with_us,
    )


Child = subprocess.Popen[bytes]


def feed(child: Child, given: bytes) -> None:
    """Give the thinker its text; one that doesn't read keeps only this thread waiting."""
    with contextlib.suppress(OSError), child.stdin or contextlib.nullcontext() as pipe:
        if pipe is not None:
            pipe.write(given)


def watch(child: Child, timeout_s: float) -> int | None:
    """Wait for the thinker (None), for time to be up, or for the daemon to go."""
    done, tell = os.pipe()

    def wait() -> None:
        child.wait()
        os.close(tell)

    threading.Thread(target=wait, daemon=True).start()
    ready, _, _ = select.select([0, done], [], [], timeout_s)
    if not ready:
        return TIMED_OUT
    return None if done in ready else LEFT_ALONE


def end_all(child: Child) -> None:
    """Kill the thinker's group, then whatever else descends from us until nothing does."""
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(5)
    for _ in range(200):  # orphans come to us (subreaper), those of killed ones in the next round
        found = children()
        if not found:
            return
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def children() -> list[int]:
    """Our children, as /proc has them; nothing where there is no /proc."""
    found = []
    for name in os.listdir("/proc") if LINUX else []:  # noqa: PTH208
        with (
            contextlib.suppress(OSError, ValueError, IndexError),
            open(f"/proc/{int(name)}/stat", "rb") as stat,  # noqa: PTH123
        ):
            if int(stat.read().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(name))
    return found


def main() -> int:
    header = json.loads(sys.stdin.buffer.readline() or b"null")
    if not header:
        return LEFT_ALONE
    given = sys.stdin.buffer.read(header["bytes"])
    control = prctl()
    if control is not None:
        control(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        if len(given) < header["bytes"]:
            return LEFT_ALONE
        try:
            child = start(header, control)
        except OSError:
            return NOT_STARTED
        threading.Thread(target=feed, args=(child, given), daemon=True).start()
        ended = watch(child, header["timeout_s"])
        end_all(child)
        return ended if ended is not None else 0 if child.returncode == 0 else 1
    finally:
        shutil.rmtree(header["remove"], ignore_errors=True)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # the feeding thread may still wait for a thinker that never read
