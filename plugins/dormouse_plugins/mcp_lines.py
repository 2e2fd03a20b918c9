"""Whole lines of a file descriptor, for the MCP server. It keeps none longer than a message may be.

Of a longer line its two ends are kept, so that its sender can be answered.
"""

import contextlib
import json
import os
import re
import select
import time
from collections import deque
from typing import NamedTuple

MAX_MESSAGE = 8 * 2**20  # bytes; the daemon takes no more
END = 4_096  # bytes kept of each end of a line that is longer

Id = str | int
_LAST = re.compile(r'"id"\s*:\s*(-?\d{1,18}|"[^"\\]*")\s*\}\s*\Z')


class Line(NamedTuple):
    """One line, or where it was *cut* its beginning and its ``end``. False at the end of input."""

    data: bytes
    cut: bool = False
    end: bytes = b""

    def __bool__(self) -> bool:
        return bool(self.data)


class Lines:
    """Whole lines of a file descriptor, with a deadline where one is wanted."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._ended = descriptor, False
        self._open, self._end, self._cut = bytearray(), b"", False
        self._lines: deque[Line] = deque()

    def next(self, timeout_s: float | None = None) -> Line | None:
        """The next line; an empty one at the end of input, None if none came in time."""
        end = None if timeout_s is None else time.monotonic() + timeout_s
        while not self._lines:
            if self._ended:
                return Line(b"")
            left = None if end is None else max(0.0, end - time.monotonic())
            if not select.select([self._descriptor], [], [], left)[0]:
                return None
            data = os.read(self._descriptor, 65536)
            self._ended = not data
            first, *others = data.split(b"\n")
            self._grow(first)
            for part in others:
                self._close()
                self._grow(part)
        return self._lines.popleft()

    def _grow(self, part: bytes) -> None:
        if self._cut:
            self._end = (self._end + part)[-END:]
            return
        self._open += part
        if len(self._open) > MAX_MESSAGE:
            self._end, self._cut = bytes(self._open[-END:]), True
            del self._open[END:]

    def _close(self) -> None:
        line = Line(bytes(self._open), self._cut, self._end)
        self._open, self._end, self._cut = bytearray(), b"", False
        if line.data.strip():
            self._lines.append(line)


def id_of(line: Line) -> Id | None:
    """The id of a request that was cut, from its beginning or its very end; None if neither has it.

    TypeScript's SDK writes the id last. There one brace closes the message, so that an id right
    before it is the message's own and none of its arguments.
    """
    found = _first(line.data.decode("utf-8", "replace"))
    if found is None and (last := _LAST.search(line.end.decode("utf-8", "replace"))):
        found = json.loads(last[1])
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _first(text: str) -> object:
    """The value of "id" among the whole members at the beginning of an object."""
    read = json.JSONDecoder().raw_decode
    with contextlib.suppress(ValueError, RecursionError):
        at = _past(text, 0, "{")
        while True:
            name, at = read(text, at)
            value, at = read(text, _past(text, at, ":"))
            at = _past(text, at, ",")  # before it counts: a number could have been cut
            if name == "id":
                return value
    return None


def _past(text: str, at: int, sign: str) -> int:
    """Where what follows *sign* begins. Raises ValueError where that sign is not next."""
    begin = len(text) - len(text[at:].lstrip())
    if not text.startswith(sign, begin):
        raise ValueError(sign)
    return len(text) - len(text[begin + 1 :].lstrip())
