"""Opening transcripts that a payload names: the path is data, and most paths are refused.

A transcript is a regular file of our own user below the agent's folder, and its name holds the
session's id. Nothing is followed that could lead out of that folder, nothing that could block.
"""

import contextlib
import os
import stat
from pathlib import Path
from types import TracebackType

STEP = 8 * 2**20  # bytes read at once
MAX_LINE = 2 * 2**20
MIN_SESSION_ID = 8  # characters; a shorter id would be in too many names


class SafeFile:
    """An open transcript. ``skipped`` counts lines that were too long to read."""

    def __init__(self, descriptor: int, path: Path) -> None:
        about = os.fstat(descriptor)
        self.path = path
        self.inode = about.st_ino
        self.size = about.st_size
        self.skipped = 0
        self._descriptor = descriptor

    def __enter__(self) -> "SafeFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._descriptor)

    def head(self) -> bytes:
        """The file's first line, b"" if it is not whole yet or too long."""
        line, end, _ = os.pread(self._descriptor, MAX_LINE, 0).partition(b"\n")
        return line if end else b""

    def read_lines(self, offset: int, budget: int = STEP) -> tuple[list[bytes], int]:
        """Return the whole lines from *offset* on and the offset to go on from.

        An offset inside a line (that was too long, or was still being written) means: from the
        next line on. A last line without its end waits for the next call.
        """
        data = os.pread(self._descriptor, budget, offset)
        begin = 0
        if offset > 0 and os.pread(self._descriptor, 1, offset - 1) != b"\n":
            begin = data.find(b"\n") + 1
            if begin == 0:
                return [], offset + len(data)
        *whole, rest = data[begin:].split(b"\n")
        lines = [line for line in whole if len(line) <= MAX_LINE]
        self.skipped += len(whole) - len(lines)
        if len(rest) > MAX_LINE:
            self.skipped += 1
            rest = b""
        return lines, offset + len(data) - len(rest)


def open_transcript(path: str, *, root: Path, session_id: str | None, uid: int) -> SafeFile | None:
    """Open a transcript below *root*, or return None: not there, not ours, not a plain file."""
    if not path.startswith("/") or "\0" in path:
        return None
    top = os.path.realpath(root)
    resolved = os.path.realpath(path)
    if not resolved.startswith(top + "/"):
        return None
    if session_id is not None and (
        len(session_id) < MIN_SESSION_ID or session_id not in resolved.rsplit("/", 1)[-1]
    ):
        return None
    try:
        descriptor = _open_below(top, resolved[len(top) + 1 :].split("/"))
    except OSError:
        return None
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode) or about.st_uid != uid:
        os.close(descriptor)
        return None
    return SafeFile(descriptor, Path(resolved))


def _open_below(top: str, names: list[str]) -> int:
    """Open step by step, so that no folder can turn into a symbolic link in between."""
    steps = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    folder = os.open(top, steps)
    try:
        for name in names[:-1]:
            inner = os.open(name, steps | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        return os.open(names[-1], flags, dir_fd=folder)
    finally:
        os.close(folder)


def list_transcripts(root: Path, suffix: str) -> list[Path]:
    """Every regular file below *root* whose name ends in *suffix*, in a fixed order."""
    found: list[Path] = []
    for folder, _, names in os.walk(root, followlinks=False):
        for name in names:
            path = Path(folder) / name
            with contextlib.suppress(OSError):
                if name.endswith(suffix) and stat.S_ISREG(path.lstat().st_mode):
                    found.append(path)
    return sorted(found)
