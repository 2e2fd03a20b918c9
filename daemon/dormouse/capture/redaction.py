"""Secrets never enter: credentials are replaced by ``[redacted:TYPE]``.

Pure and linear. It opens nothing, asks nobody and never guesses from randomness alone: a commit
id stays, the same digits behind "api key is" go. Bounded to 8 MiB and 200 ms, else TooSlow.
"""

import re
import time
from collections.abc import Callable
from typing import NamedTuple

from dormouse.capture.detectors import Span, spans
from dormouse.capture.disguise import DISGUISED, UNSEEN, View, disguised
from dormouse.errors import TooSlow

MOST_BYTES = 8 * 1024 * 1024
MOST_SECONDS = 0.2
NEAR = 1024

_PLACEHOLDER = b"[redacted:"
_WHITE = re.compile(rb"\s")


class Redacted(NamedTuple):
    """The text that may be kept, and which kinds of secret were taken out of it."""

    text: str
    types: tuple[str, ...]


def redact(text: str, *, spent: Callable[[], float] = time.thread_time) -> Redacted:
    """Replace every credential in *text*. Idempotent. Raises TooSlow.

    *spent* tells seconds; it is this thread's CPU time, so that a busy machine parks nothing.
    """
    data = text.encode("utf-8", "surrogatepass")
    watch = _Watch(spent, len(data))
    types: set[str] = set()
    found = _merge(_find(data, watch))
    # A replacement can bring the parts of another secret together: look again where one was made.
    for _ in range(6):
        if not found:
            break
        types.update(kind for _, _, kind in found)
        data, places = _replace(data, found)
        everywhere = any(kind == "private_key" for _, _, kind in found)  # these reach far
        found = _merge(_find(data, watch) if everywhere else _near(data, places, watch, _find))
    if not types:
        return Redacted(text, ())
    return Redacted(data.decode("utf-8", "surrogatepass"), tuple(sorted(types)))


class _Watch:
    """Raises TooSlow where the text is too long or the time is over."""

    def __init__(self, spent: Callable[[], float], size: int) -> None:
        self._spent, self._size, self._end = spent, size, spent() + MOST_SECONDS
        self._calls = 0
        if size > MOST_BYTES:
            raise TooSlow(size=size)

    def look(self) -> None:
        if self._spent() > self._end:
            raise TooSlow(size=self._size)

    def tick(self) -> None:
        """Look at the clock at every 256th find: a look costs as much as some finds."""
        self._calls += 1
        if self._calls & 0xFF == 0:
            self.look()


def _near(
    data: bytes,
    places: list[int],
    watch: _Watch,
    find: Callable[[bytes, _Watch], list[Span]],
) -> list[Span]:
    """What *find* finds within a kilobyte of *places*, in windows that end at white space."""
    windows: list[tuple[int, int]] = []
    for place in places:
        if windows and place + NEAR < windows[-1][1]:
            continue
        start = max(data.rfind(white, max(0, place - NEAR), place - 256) for white in (b" ", b"\n"))
        end = _WHITE.search(data, place + NEAR)
        span = (
            start + 1 if start >= 0 else max(0, place - NEAR),
            end.start() if end else len(data),
        )
        if windows and span[0] <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(span[1], windows[-1][1]))
        else:
            windows.append(span)
    if sum(end - start for start, end in windows) * 4 > len(data):
        return find(data, watch)
    return [
        (start + a, start + b, kind)
        for start, end in windows
        for a, b, kind in find(data[start:end], watch)
    ]


def _find(data: bytes, watch: _Watch) -> list[Span]:
    """What is found in *data*, and what is found where something is written in another way."""
    if data.isascii() or not UNSEEN.search(data):
        return _find_seen(data, watch)
    view = View(data, UNSEEN, watch.tick)
    return [(*view.back(a, b), kind) for a, b, kind in _find_seen(view.data, watch)]


def _find_seen(data: bytes, watch: _Watch) -> list[Span]:
    found = list(spans(data, watch))
    places = disguised(data, watch.tick)
    return found + (_near(data, places, watch, _find_disguised) if places else [])


def _find_disguised(data: bytes, watch: _Watch) -> list[Span]:
    view = View(data, DISGUISED, watch.tick)
    return [(*view.back(a, b), kind) for a, b, kind in spans(view.data, watch)]


def _merge(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            merged[-1] = (before[0], max(before[1], end), before[2])
        else:
            merged.append((start, end, kind))
    return merged


def _replace(data: bytes, spans: list[Span]) -> tuple[bytes, list[int]]:
    """The text with placeholders, and where each of them begins."""
    parts: list[bytes] = []
    places: list[int] = []
    at = grown = 0
    for start, end, kind in spans:
        stand_in = _PLACEHOLDER + kind.encode() + b"]"
        places.append(start + grown)
        parts += [data[at:start], stand_in]
        grown += len(stand_in) - (end - start)
        at = end
    return b"".join([*parts, data[at:]]), places
