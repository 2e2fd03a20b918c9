"""A text as it would be read: unseen letters gone, other ways to write an ASCII letter undone.

For looking only. A ``View`` carries what was found in it back to the text it was made from.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache

UNSEEN = re.compile(rb"\xc2\xad|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf")
# By the byte that each begins with: percent signs (also of percent signs), the escapes of JSON and
# HTML, and what Unicode calls compatible: wide letters, digits, "_", "-" and ".", and the
# mathematical and the circled alphabets.
_WRITTEN: dict[bytes, bytes] = {
    b"%": rb"%(?:25){0,8}[2-7][0-9A-Fa-f]",
    b"\\": rb"\\(?:u00|x)[2-7][0-9A-Fa-f]",
    b"&": rb"&#(?:[0-9]{2,3}|[xX][2-7][0-9A-Fa-f]);",
    b"\xef": rb"\xef(?:\xbc[\x8d\x8e\x90-\x99\xa1-\xbf]|\xbd[\x81-\x9a])",
    b"\xf0": rb"\xf0\x9d[\x90-\x9f][\x80-\xbf]",
    b"\xe2": rb"\xe2(?:\x92[\xb6-\xbf]|\x93[\x80-\xa9])",
}
_BY_MARK = {mark: re.compile(written) for mark, written in _WRITTEN.items()}
DISGUISED = re.compile(b"|".join(_WRITTEN.values()))


def disguised(data: bytes, tick: Callable[[], None]) -> list[int]:
    """Where something in *data* is written in another way."""
    places: list[int] = []
    for mark, written in _BY_MARK.items():  # one by one: such a search runs at memory speed
        if mark in data:
            for found in written.finditer(data):
                tick()
                places.append(found.start())
    return sorted(places)


class View:
    """*data* with each match of *pattern* taken out, or put as the letter that it stands for."""

    def __init__(self, data: bytes, pattern: re.Pattern[bytes], tick: Callable[[], None]) -> None:
        parts: list[bytes] = []
        # Where each stretch begins here and there, and how wide it is there; 0: letter for letter.
        self._seen, self._places, self._widths = [0], [0], [0]
        at = size = 0
        for found in pattern.finditer(data):
            tick()
            start, end = found.span()
            letter = b"" if pattern is UNSEEN else _letter(found[0])
            parts += (data[at:start], letter)
            size += start - at
            if letter:
                self._seen.append(size)
                self._places.append(start)
                self._widths.append(end - start)
                size += 1
            self._seen.append(size)
            self._places.append(end)
            self._widths.append(0)
            at = end
        self.data = b"".join([*parts, data[at:]])

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Where that stretch, which is not empty, lies in the text itself."""
        first, last = (bisect_right(self._seen, place) - 1 for place in (start, end - 1))
        begins = self._places[first] + (0 if self._widths[first] else start - self._seen[first])
        ends = self._places[last] + (self._widths[last] or end - self._seen[last])
        return begins, ends


@lru_cache(2048)
def _letter(written: bytes) -> bytes:
    """The ASCII letter that is written so; "?" where it is none."""
    if written[:1] in (b"%", b"\\"):
        code = int(written[-2:], 16)
    elif written[:1] == b"&":
        number = written[2:-1]
        code = int(number[1:], 16) if number[:1] in (b"x", b"X") else int(number)
    else:
        letter = unicodedata.normalize("NFKC", written.decode())
        code = ord(letter) if len(letter) == 1 else 0
    return bytes([code]) if 0x20 <= code < 0x7F else b"?"
