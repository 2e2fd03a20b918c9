"""Cuts a sentence into tokens that say what each word does. It drops none: the reader decides."""

import re
from typing import NamedTuple

from dormouse.slots import values
from dormouse.slots.lexicon import CJK_LONGEST, CJK_WORDS, LEXICONS, Entry, Lexicon, words

_L = "a-z0-9_\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
_TOKEN = re.compile(
    rf"""(?P<url>[a-z][a-z0-9+.-]*://[^\s,;，。；)\]>"'`]+)
    |(?P<mail>[\w.+-]+@[a-z0-9-]+\.[a-z0-9.-]+)
    |(?P<ip>\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d{{1,5}})?(?:/\d{{1,2}})?(?![\d.]*[{_L}]))
    |(?P<ip6>(?:[0-9a-f]{{1,4}}:){{2,7}}[0-9a-f:]*[0-9a-f])
    |(?P<time>\d{{1,2}}:\d{{2}}(?:\s?[ap]m\b)?)
    |(?P<date>\d{{4}}-\d{{2}}-\d{{2}})
    |(?P<hostport>[a-z0-9-]+(?:\.[a-z0-9-]+)*:\d{{2,5}}\b)
    |(?P<path>[a-z0-9_.@-]+/(?=[\s,.;]|$)|(?:~|\.{{1,2}})?/[a-z0-9_.@-]+(?:/[a-z0-9_.@*-]*)*|[a-z0-9_.@-]+(?:/[a-z0-9_.@*-]+)+/?)
    |(?P<cjk>[\u3400-\u9fff\uf900-\ufaff]+)
    |(?P<word>@?[{_L}](?:[{_L}]|[-.'+\#](?=[{_L}]))*[%€$]?)
    |(?P<arrow>->|=>)
    |(?P<mark>[^\s])""",
    re.I | re.X,
)
_SLASH_WORDS = words(
    "ci/cd and/or tcp/ip i/o a/b w/o n/a y/n on/off read/write client/server he/she"
)
_CJK_CLOCK = re.compile(
    r"(上午|早上|下午|晚上|中午)?(\d{1,2}|[一二两三四五六七八九十]{1,3})点(半|[一二三四五]?十?[一二三四五六七八九]?分)?"
)
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2}


class Token(NamedTuple):
    """One word: what it does, our name for it, and how it was written."""

    kind: str
    canon: str
    raw: str


def tokenise(sentence: str, language: str) -> list[Token]:
    """Return the tokens of one sentence in order."""
    lexicon = LEXICONS[language]
    pieces = [(m.lastgroup or "mark", m.group()) for m in _TOKEN.finditer(_clocks(sentence))]
    found: list[Token] = []
    at = 0
    while at < len(pieces):
        phrase = _phrase(pieces, at, lexicon)
        if phrase is not None:
            length, entry = phrase
            found.append(Token(*entry, " ".join(raw for _, raw in pieces[at : at + length])))
            at += length
            continue
        found.extend(_piece(*pieces[at], language, lexicon))
        at += 1
    return _joined_units(found, lexicon)


def _phrase(pieces: list[tuple[str, str]], at: int, lexicon: Lexicon) -> tuple[int, Entry] | None:
    if pieces[at][0] != "word":
        return None
    for parts, entry in lexicon.phrases.get(pieces[at][1].casefold(), ()):
        if tuple(raw.casefold() for _, raw in pieces[at : at + len(parts)]) == parts:
            return len(parts), entry
    return None


def _piece(group: str, raw: str, language: str, lexicon: Lexicon) -> list[Token]:
    folded = raw.casefold()
    if group == "word":
        return _word(raw, folded, language, lexicon)
    if group == "cjk":
        return _cjk(raw)
    if group == "time":
        hours, rest = folded.split(":")
        return [Token("time", values.clock(hours, rest[:2], rest[2:].strip()), raw)]
    if group in ("ip", "ip6", "url", "hostport"):
        kind = {"ip6": "ip", "hostport": "host"}.get(group, group)
        return [Token(kind, values.address(folded), raw)]
    if group == "path":
        if folded in _SLASH_WORDS:
            return [Token("word", folded, raw)]
        return [Token("path", values.path(folded), raw)]
    if group == "arrow":
        return [Token("to", "->", raw)]
    if group == "mark":
        return [Token(_MARKS.get(raw, "punct"), raw, raw)]
    return [Token(group, folded, raw)]


_MARKS = {",": "comma", ";": "comma", "、": "and", "&": "and", ":": "be", "=": "be", "+": "and"}


def _word(raw: str, folded: str, language: str, lexicon: Lexicon) -> list[Token]:
    if raw == "US":
        return [Token("region", "us", raw)]
    if raw == "EU":
        return [Token("region", "eu", raw)]
    folded = folded.removesuffix("'s").removesuffix("'")
    entry = lexicon.words.get(folded)
    if entry is not None:
        return [Token(*entry, raw)]
    if folded in lexicon.numbers:
        return [Token("num", lexicon.numbers[folded], raw)]
    if folded in lexicon.units:
        return [Token("unit", lexicon.units[folded], raw)]
    if folded[0].isdigit() or (folded[0] == "v" and folded[1:2].isdigit()):
        return [_digits(raw, folded, language)]
    if values.is_region(folded):
        return [Token("region", folded, raw)]
    if "." in folded and (kind := values.dotted(folded)):
        return [Token(kind, values.address(folded) if kind == "host" else folded, raw)]
    if folded == "localhost":
        return [Token("host", folded, raw)]
    if any(c.isdigit() for c in folded):
        return [Token("ident", folded, raw)]
    if "-" in folded:
        return [
            t
            for part in raw.split("-")
            if part
            for t in _word(part, part.casefold(), language, lexicon)
        ]
    return _compound(raw, folded, language, lexicon)


def _digits(raw: str, folded: str, language: str) -> Token:
    value = values.number(folded, language)
    return Token("ident", folded, raw) if value is None else Token(*value, raw)


def _compound(raw: str, folded: str, language: str, lexicon: Lexicon) -> list[Token]:
    """An unknown word: a German compound of two known nouns, a plural of a known one, or itself."""
    if language == "de" and len(folded) >= 7:
        for cut in range(4, len(folded) - 2):
            left = _noun(folded[:cut], lexicon)
            right = _noun(folded[cut:], lexicon)
            if left is not None and right is not None:
                return [Token(*left, raw), Token(*right, raw)]
    if language == "en" and len(folded) > 6 and folded.endswith("ing"):
        return [Token("word", folded.removesuffix("ing"), raw)]
    if len(folded) > 3 and folded.endswith("s") and not folded.endswith(("ss", "us", "is")):
        folded = folded[:-1]
        entry = lexicon.words.get(folded)
        if entry is not None and entry.kind in _NOUNS:
            return [Token(*entry, raw)]
    return [Token("word", folded, raw)]


_NOUNS = frozenset({"concept", "attr", "role", "env", "product"})


def _noun(word: str, lexicon: Lexicon) -> Entry | None:
    for form in (word, word.removesuffix("s")):
        entry = lexicon.words.get(form)
        if entry is not None and entry.kind in _NOUNS:
            return entry
    return None


def _cjk(run: str) -> list[Token]:
    """Cut a run of Chinese by the longest known word; what is unknown stays together."""
    found: list[Token] = []
    unknown = ""
    at = 0
    while at < len(run):
        for length in range(min(CJK_LONGEST, len(run) - at), 0, -1):
            entry = CJK_WORDS.get(run[at : at + length])
            if entry is not None:
                break
        else:
            unknown += run[at]
            at += 1
            continue
        if unknown:
            found.append(Token("word", unknown, unknown))
            unknown = ""
        found.append(Token(*entry, run[at : at + length]))
        at += length
    if unknown:
        found.append(Token("word", unknown, unknown))
    return found


def _clocks(sentence: str) -> str:
    """Write Chinese times of day as HH:MM."""
    return _CJK_CLOCK.sub(_clock, sentence) if "点" in sentence else sentence


def _clock(found: re.Match[str]) -> str:
    half, hours, minutes = found.groups()
    hour = cjk_number(hours)
    if half in ("下午", "晚上") and hour < 12:
        hour += 12
    minute = 30 if minutes == "半" else cjk_number((minutes or "").removesuffix("分"))
    return f" {hour:02d}:{minute:02d} "


def cjk_number(text: str) -> int:
    """What a Chinese number below a hundred comes to, in words or digits; 0 if there is none."""
    if not text:
        return 0
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十") if "十" in text else ("", "", text)
    value = (_DIGITS.get(tens, 1) * 10) if ten else 0
    return value + (_DIGITS.get(ones, 0) if ones else 0)


def _joined_units(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """Join a number with the unit after it; a unit without a number is a word."""
    found: list[Token] = []
    for token in tokens:
        before = found[-1] if found else None
        unit = _unit(token, lexicon)
        if unit is not None and before is not None and before.kind == "num":
            found[-1] = _with_unit(before, unit, token)
        elif unit in ("uhr", "am", "pm") and before is not None and before.kind == "time":
            continue
        elif token.kind == "unit":
            found.append(token._replace(kind="unitword"))
        else:
            found.append(token)
    return found


_LOOSE_UNITS = words("ms s min h kb mb gb tb % € $ rpm rps qps am pm")


def _unit(token: Token, lexicon: Lexicon) -> str | None:
    if token.kind == "unit" or token.canon in _LOOSE_UNITS:
        return token.canon
    return lexicon.units.get(token.raw.casefold())


def _with_unit(number: Token, unit: str, token: Token) -> Token:
    raw = f"{number.raw} {token.raw}"
    if unit in ("am", "pm"):
        return Token("time", values.clock(number.canon, "00", unit), raw)
    if unit == "uhr":
        return Token("time", values.clock(number.canon, "00"), raw)
    value = values.quantity(number.canon, unit)
    return Token("ident", raw.casefold(), raw) if value is None else Token(*value, raw)
