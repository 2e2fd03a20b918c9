"""Where credentials stand in a text: one pass a kind, each linear, nothing but places comes out."""

import re
from collections.abc import Callable, Iterator
from typing import Protocol

from dormouse.capture import secrets
from dormouse.capture.arguments import arguments

Span = tuple[int, int, str]

_BREAK = re.compile(rb"[ \t]{0,4}\\?\r?\n[ \t>|]{0,16}")
_LETTER = re.compile(rb"[A-Za-z0-9_]")


class Watch(Protocol):
    """Looks at the clock: at once, or at every so many finds."""

    def look(self) -> None: ...

    def tick(self) -> None: ...


def spans(data: bytes, watch: Watch) -> Iterator[Span]:
    """Begin, end and type of each credential in *data*, in no order; they can overlap."""
    yield from _private_keys(data, watch)
    for token in secrets.TOKENS:
        watch.look()
        yield from _tokens(data, token, watch)
    yield from _jwts(data, watch)
    yield from _telegram(data, watch)
    yield from _urls(data, watch)
    yield from arguments(data, watch.tick, _stands_for)
    ascii_only = data.isascii()
    low = data.lower()  # ASCII only on bytes: every place stays where it is
    yield from _headers(data, low, watch)
    options = _ANY_OPTION.search(low) is not None
    for cue in secrets.CUES:
        if ascii_only and not cue.word.pattern.isascii():
            continue
        watch.look()
        yield from _behind(data, low, cue, watch, options=options)


def _private_keys(data: bytes, watch: Watch) -> Iterator[Span]:
    if b"PRIVATE KEY" not in data:
        return
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


def _tokens(data: bytes, token: secrets.Token, watch: Watch) -> Iterator[Span]:
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


def _jwts(data: bytes, watch: Watch) -> Iterator[Span]:
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


def _telegram(data: bytes, watch: Watch) -> Iterator[Span]:
    for colon in _COLON_AA.finditer(data):
        watch.tick()
        at = colon.start()
        number = secrets.TELEGRAM_ID.search(data, max(0, at - 11), at + 1)
        found = secrets.TELEGRAM.match(data, at + 1)
        if number and found:
            yield number.start(), found.end(), "telegram_token"


def _urls(data: bytes, watch: Watch) -> Iterator[Span]:
    for slashes in _SLASHES.finditer(data):
        watch.tick()
        at = slashes.start()
        if data.find(b"@", at, at + 400) < 0:
            continue
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


# A pattern finds a short literal twice as fast as bytes.find does (2.4 to 5 ms for 8 MiB).
_COLON_AA = re.compile(rb":AA")
_SLASHES = re.compile(rb"://")
_HEADERS = (
    (re.compile(rb"authorization"), secrets.HEADER),
    (re.compile(rb"bearer"), secrets.BEARER),
)


def _headers(data: bytes, low: bytes, watch: Watch) -> Iterator[Span]:
    for word, pattern in _HEADERS:
        for place in word.finditer(low):
            watch.tick()
            found = pattern.match(low, place.end())
            name = found and len(found[1]) < 40 and _NAME.fullmatch(found[1])
            if found and not name and _mixed(found[1]) and not _stands_for(found[1]):
                yield found.start(1), found.end(1), "bearer_token"


def _behind(
    data: bytes, low: bytes, cue: secrets.Cue, watch: Watch, *, options: bool
) -> Iterator[Span]:
    at = 0
    while found := cue.word.search(low, at):
        watch.tick()
        at = found.end()
        if cue.before and not cue.before.search(low, max(0, found.start() - 12), found.start()):
            continue
        option = options and _OPTION.search(low, max(0, found.start() - 32), found.start())
        for pattern, judge in _LOOKS_OF_OPTION if option else _LOOKS:
            value = pattern.match(low, at)
            if value:
                exact = data[value.start(1) : value.end(1)].rstrip(b".,;:)]}")
                if not _stands_for(exact) and judge(exact, cue.type):
                    end = value.start(1) + len(exact)
                    if value.end(1) - value.start(1) >= 256:  # it goes on beyond the pattern
                        rest = _REST.match(data, end)
                        end = rest.end() if rest else end
                    yield value.start(1), end, cue.type
                    at = end
                    break


_NAME = re.compile(
    rb"[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)+|[A-Za-z_][\w.]*\(.*|[./~][\w./~-]*|\d+[a-z]{0,3}"
)
# A pattern, a slice or a type is no secret: "secret:app/*", "pair[:32]", "InvalidTokenError".
_CODE = re.compile(rb".*\*|\w+\[.*|[a-z]*(?:[A-Z]{1,6}[0-9]?[a-z]+){0,8}")
_REST = re.compile(rb"[!#-~]*")
_SYMBOL = re.compile(rb"[!@#$%^&*+=?~]")


def _is_code(value: bytes) -> bool:
    if _NAME.fullmatch(value):
        return True
    return len(value) < 64 and _CODE.fullmatch(value) is not None


def _assigned(value: bytes, kind: str) -> bool:
    """Whether a value behind "=" or ":" is a secret and not a type, a call, a path or a word."""
    if kind == "password" and re.fullmatch(rb"[0-9]{6,}", value):
        return True
    if len(value) < 6 or _is_code(value):
        return False
    if _told(value, kind):
        return True
    if kind == "password":
        letters_and_digits = _mixed(value) and b"_" not in value
        return letters_and_digits or _SYMBOL.search(value) is not None
    return len(value) >= 10 and _mixed(value) and b"_" not in value and b"-" not in value


def _told(value: bytes, kind: str) -> bool:
    """Whether a value behind "is" is random enough: people also say "the token is optional"."""
    if len(value) < 8 or _is_code(value):
        return False
    digits = len(re.findall(rb"[0-9]", value))
    symbols = len(_SYMBOL.findall(value))
    both = value.lower() != value and value.upper() != value
    if digits and (symbols or (both and b"/" not in value)):
        return True
    if digits >= 2 and len(value) >= 12 and re.fullmatch(rb"[\w+/=.-]+", value):
        return True
    return len(value) >= 20 and re.fullmatch(rb"[A-Za-z0-9+/=]+", value) is not None and both


def _set(value: bytes, kind: str) -> bool:
    """Whether "--password=" is given a password: letters alone are one there."""
    return kind == "password" and len(value) >= 4 and _NAME.fullmatch(value) is None


def _bare(value: bytes, kind: str) -> bool:
    """Whether a value right after the cue, with nothing between, is one: only if it is long."""
    return len(value) >= 16 and _mixed(value) and _told(value, kind)


_LOOKS: tuple[tuple[re.Pattern[bytes], Callable[[bytes, str], bool]], ...] = (
    (secrets.ASSIGNED, _assigned),
    (secrets.TOLD, _told),
    (secrets.BARE, _bare),
)
# "--password" of a command line: a blank is enough there, and "=" leaves no doubt.
_ANY_OPTION = re.compile(rb"--[a-z]")
_OPTION = re.compile(rb"(?<![\w-])--[\w-]*\Z")
_LOOKS_OF_OPTION = ((secrets.SET, _set), (secrets.BARE, _assigned), *_LOOKS)
