"""The command line in a process of its own: with a terminal of its own, or with none at all."""

import contextlib
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from tests.unit.cli.conftest import Said

PROGRAM = [sys.executable, "-m", "dormouse_cli.main"]
LIMIT_S = 20.0


def without_terminal(
    *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
) -> Said:
    """Run it as a script or an agent would: no controlling terminal, stdin a pipe."""
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=stdin.encode(),
        capture_output=True,
        env={**os.environ, **(env or {})},
        start_new_session=True,
        timeout=LIMIT_S,
        check=False,
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def on_terminal(
    *arguments: str, typed: Sequence[tuple[str, str]] = (), env: Mapping[str, str] | None = None
) -> Said:
    """Run it on a terminal; each answer is typed at its prompt. All that is shown is ``out``."""
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover  (the child)
        os.execvpe(PROGRAM[0], [*PROGRAM, *arguments], {**os.environ, **(env or {})})  # noqa: S606
    seen, waiting = b"", list(typed)
    deadline = time.monotonic() + LIMIT_S
    with contextlib.suppress(OSError):  # EIO: the child has closed the terminal
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 0.1)[0]:
                continue
            part = os.read(terminal, 65536)
            if not part:
                break
            seen += part
            if waiting and waiting[0][0].encode() in seen:
                os.write(terminal, waiting.pop(0)[1].encode() + b"\n")
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return Said(code, seen.decode("utf-8", "replace").replace("\r\n", "\n"), "")
