"""Secrets never enter: credentials are replaced by ``[redacted:TYPE]``.

Pure and linear. It opens nothing, asks nobody and never guesses from randomness alone: a commit
id stays, the same digits behind "api key is" go. Bounded to 8 MiB and 200 ms, else TooSlow.
"""

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dormouse.capture import secrets
from dormouse.errors import TooSlow

MOST_BYTES = 8 * 1024 * 1024
MOST_SECONDS = 0.2

_PLACEHOLDER = b"[redacted:"
_INVISIBLE = re.compile(rb"\xc2\xad|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf")
_BREAK = re.compile(rb"[ \t]{0,4}\\?\r?\n[ \t>|]{0,16}")
_LETTER = re.compile(rb"[A-Za-z0-9_]")
_SPAN = tuple[int, int, str]


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
    # A replacement can bring the parts of another secret together; the second look finds it.
    for _ in range(4):
        spans = _merge(_find(data, watch))
        if not spans:
            break
        types.update(kind for _, _, kind in spans)
        data = _replace(data, spans)
    if not types:
        return Redacted(text, ())
    return Redacted(data.decode("utf-8", "surrogatepass"), tuple(sorted(types)))


class _Watch:
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


def _find(data: bytes, watch: _Watch) -> list[_SPAN]:
    if not _INVISIBLE.search(data):
        return list(_spans(data, watch))
    # Look at the text without the letters nobody sees, and carry the places back.
    parts, starts, shifts, at = [], [0], [0], 0
    for found in _INVISIBLE.finditer(data):
        parts.append(data[at : found.start()])
        at = found.end()
        starts.append(starts[-1] + len(parts[-1]))
        shifts.append(at - starts[-1])
    parts.append(data[at:])

    def back(place: int) -> int:
        return place + shifts[bisect_right(starts, place) - 1]

    seen = b"".join(parts)
    return [(back(a), back(b - 1) + 1, kind) for a, b, kind in _spans(seen, watch)]


def _spans(data: bytes, watch: _Watch) -> Iterator[_SPAN]:
    yield from _private_keys(data, watch)
    for token in secrets.TOKENS:
        watch.look()
        yield from _tokens(data, token, watch)
    yield from _jwts(data, watch)
    yield from _telegram(data, watch)
    yield from _urls(data, watch)
    low = data.lower()  # ASCII only on bytes: every place stays where it is
    yield from _headers(data, low, watch)
    for cue in secrets.CUES:
        watch.look()
        yield from _behind(data, low, cue, watch)


def _merge(spans: list[_SPAN]) -> list[_SPAN]:
    merged: list[_SPAN] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            merged[-1] = (before[0], max(before[1], end), before[2])
        else:
            merged.append((start, end, kind))
    return merged


def _replace(data: bytes, spans: list[_SPAN]) -> bytes:
    parts, at = [], 0
    for start, end, kind in spans:
        parts += [data[at:start], _PLACEHOLDER, kind.encode(), b"]"]
        at = end
    return b"".join([*parts, data[at:]])


def _private_keys(data: bytes, watch: _Watch) -> Iterator[_SPAN]:
    at = 0
    while found := secrets.PEM_BEGIN.search(data, at):
        watch.tick()
        following = secrets.PEM_BEGIN.search(data, found.end())
        limit = following.start() if following else len(data)
        end = secrets.PEM_END.search(data, found.end(), limit)
        cut = secrets.PEM_CUT_OFF.match(data, found.end(), limit)
        at = end.end() if end else cut.end() if cut else found.end()
        if at > found.end():
            yield found.start(), at, "private_key"
    at = 0
    while last := secrets.PEM_END.search(data, at):  # its beginning was cut off
        watch.tick()
        start = _base64_before(data, max(at, last.start() - 16384), last.start())
        at = last.end()
        if start < last.start():
            yield start, last.end(), "private_key"


def _base64_before(data: bytes, least: int, end: int) -> int:
    """Where the lines of base64 before *end* begin; the last of them may be short."""
    start, line_end = end, end
    while line_end > least:
        line_start = max(data.rfind(b"\n", least, line_end - 1) + 1, least)
        bare = data[line_start:line_end].strip(b" \t\r\n>|+=")
        if not bare and start == end:
            line_end = line_start
            continue
        if not _BASE64.fullmatch(bare) or (
            start < end and len(bare) < 16 and (line_start > least or not _mixed(bare))
        ):
            break
        start = line_end = line_start
    return start


_BASE64 = re.compile(rb"[A-Za-z0-9+/]+")


def _tokens(data: bytes, token: secrets.Token, watch: _Watch) -> Iterator[_SPAN]:
    at = 0
    while found := token.start.search(data, at):
        watch.tick()
        at = found.end()
        if token.bounded and _LETTER.match(data, found.start() - 1, found.start()):
            continue
        end = _run(data, found.end(), token)
        if not end:
            continue
        if not token.strict or _digit_or_capital(data, found.end(), end):
            yield found.start(), end, token.type
        at = end  # no run inside this one can have what the whole one lacks


_RUNS: dict[bytes, re.Pattern[bytes]] = {}


def _letters(alphabet: bytes) -> re.Pattern[bytes]:
    if alphabet not in _RUNS:
        _RUNS[alphabet] = re.compile(alphabet + b"+")
    return _RUNS[alphabet]


def _run(data: bytes, start: int, token: secrets.Token) -> int:
    """Where the run of letters ends, or 0 if it is too short; it may go on after a line end."""
    letters = _letters(token.alphabet)
    # A kind without a length of its own ends where its letters end.
    most = token.most if token.most < 255 else len(data)
    found = letters.match(data, start, min(len(data), start + most + 1))
    end = found.end() if found else start
    size = end - start
    for _ in range(8):
        broken = _BREAK.match(data, end)
        rest = broken and letters.match(data, broken.end(), broken.end() + token.most)
        if not rest or (size >= token.least and not _goes_on(data, start, end, rest)):
            break
        if size + len(rest[0]) > most:
            break
        size, end = size + len(rest[0]), rest.end()
    return end if token.least <= size <= most else 0


def _goes_on(data: bytes, start: int, end: int, rest: re.Match[bytes]) -> bool:
    """Whether a run that is long enough was wrapped: a full line, then more of the like."""
    line_start = max(data.rfind(b"\n", max(0, start - 400), end), 0)
    alone = rest.end() == len(data) or data[rest.end()] in b" \t\r\n\"'`,.;)"
    return end - line_start >= 60 and alone and _mixed(rest[0])


def _digit_or_capital(data: bytes, start: int, end: int) -> bool:
    return _DIGIT_OR_CAPITAL.search(data, start, end) is not None


_DIGIT_OR_CAPITAL = re.compile(rb"[0-9A-Z]")


def _mixed(body: bytes) -> bool:
    return re.search(rb"[0-9]", body) is not None and re.search(rb"[A-Za-z]", body) is not None


def _jwts(data: bytes, watch: _Watch) -> Iterator[_SPAN]:
    at = 0
    while found := secrets.JWT.start.search(data, at):
        watch.tick()
        at = found.end()
        if _LETTER.match(data, found.start() - 1, found.start()):
            continue
        end = _jwt_end(data, found.start())
        if end:
            yield found.start(), end, "jwt"
            at = end


def _jwt_end(data: bytes, start: int) -> int:
    letters, joined, end, whole = _letters(secrets.JWT.alphabet), b"", start, 0
    for _ in range(40):
        part = letters.match(data, end, end + secrets.JWT.most)
        if not part:
            break
        line = part.end() - max(data.rfind(b"\n", max(0, end - 400), end), 0)
        joined, end = joined + part[0], part.end()
        if secrets.JWT_WHOLE.fullmatch(joined.rstrip(b".")):
            whole = end
        broken = _BREAK.match(data, end)
        if not broken or line < 40 or len(joined) > secrets.JWT.most:
            break
        end = broken.end()
    return whole


def _telegram(data: bytes, watch: _Watch) -> Iterator[_SPAN]:
    at = 0
    while (at := data.find(b":AA", at)) >= 0:
        watch.tick()
        number = secrets.TELEGRAM_ID.search(data, max(0, at - 11), at + 1)
        found = secrets.TELEGRAM.match(data, at + 1)
        at += 3
        if number and found:
            yield number.start(), found.end(), "telegram_token"


def _urls(data: bytes, watch: _Watch) -> Iterator[_SPAN]:
    at = -1
    while (at := data.find(b"://", at + 1)) >= 0:
        watch.tick()
        scheme = secrets.SCHEME.search(data, max(0, at - 26), at)
        if not scheme:
            continue
        web = scheme[0].lower().removeprefix(b"git+") in secrets.WEB_SCHEMES
        found = secrets.USERINFO.match(data, at)
        if found and not _stands_for(found[2]) and not _BASE_PORT.match(found[2]):
            yield found.start(2), found.end(2), "basic_auth" if web else "connection_string"
        user = secrets.TOKEN_AS_USER.match(data, at)
        if user and _mixed(user[1]):
            yield user.start(1), user.end(1), "basic_auth"


_BASE_PORT = re.compile(rb"[0-9]{1,5}[,;)]")
_STANDS_FOR = re.compile(rb"\[redacted:|[$%{<]|\*{2,}|\.{3}|\xe2\x80\xa6")


def _stands_for(value: bytes) -> bool:
    """Whether the value only stands for one: a variable, stars, or our own placeholder."""
    return _STANDS_FOR.match(value) is not None


def _headers(data: bytes, low: bytes, watch: _Watch) -> Iterator[_SPAN]:
    for word, pattern in ((b"authorization", secrets.HEADER), (b"bearer", secrets.BEARER)):
        at = -1
        while (at := low.find(word, at + 1)) >= 0:
            watch.tick()
            found = pattern.match(low, at + len(word))
            if found and _mixed(found[1]) and not _stands_for(found[1]):
                yield found.start(1), found.end(1), "bearer_token"


def _behind(data: bytes, low: bytes, cue: secrets.Cue, watch: _Watch) -> Iterator[_SPAN]:
    at = 0
    while found := cue.word.search(low, at):
        watch.tick()
        at = found.end()
        if cue.before and not cue.before.search(low, max(0, found.start() - 12), found.start()):
            continue
        for pattern, judge in _LOOKS:
            value = pattern.match(low, at)
            if value:
                exact = data[value.start(1) : value.end(1)].rstrip(b".,;:)]}")
                if not _stands_for(exact) and judge(exact, cue.type):
                    yield value.start(1), value.start(1) + len(exact), cue.type
                    at = value.start(1) + len(exact)
                    break


_NAME = re.compile(
    rb"[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)+|[A-Za-z_][\w.]*\(.*|[./~][\w./~-]*|\d+[a-z]{0,3}"
)
_SYMBOL = re.compile(rb"[!@#$%^&*+=?~]")


def _assigned(value: bytes, kind: str) -> bool:
    """Whether a value behind "=" or ":" is a secret and not a type, a call, a path or a word."""
    if kind == "password" and re.fullmatch(rb"[0-9]{6,}", value):
        return True
    if len(value) < 6 or _NAME.fullmatch(value):
        return False
    if _told(value, kind):
        return True
    if kind == "password":
        letters_and_digits = _mixed(value) and b"_" not in value
        return letters_and_digits or _SYMBOL.search(value) is not None
    return len(value) >= 10 and _mixed(value) and b"_" not in value and b"-" not in value


def _told(value: bytes, kind: str) -> bool:
    """Whether a value behind "is" is random enough: people also say "the token is optional"."""
    if len(value) < 8 or _NAME.fullmatch(value):
        return False
    digits = len(re.findall(rb"[0-9]", value))
    symbols = len(_SYMBOL.findall(value))
    both = value.lower() != value and value.upper() != value
    if digits and (symbols or (both and b"/" not in value)):
        return True
    if digits >= 2 and len(value) >= 12 and re.fullmatch(rb"[\w+/=.-]+", value):
        return True
    return len(value) >= 20 and re.fullmatch(rb"[A-Za-z0-9+/=]+", value) is not None and both


def _bare(value: bytes, kind: str) -> bool:
    """Whether a value right after the cue, with nothing between, is one: only if it is long."""
    return len(value) >= 16 and _mixed(value) and _told(value, kind)


_LOOKS: tuple[tuple[re.Pattern[bytes], Callable[[bytes, str], bool]], ...] = (
    (secrets.ASSIGNED, _assigned),
    (secrets.TOLD, _told),
    (secrets.BARE, _bare),
)
