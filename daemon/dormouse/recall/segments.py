"""Cuts a text into tokens. Knows scripts and punctuation, and does not decide what matters."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from dormouse.recall.folding import HAN, HANGUL, HIRAGANA, KATAKANA, SPACELESS, compose, fold

# Stands for the punctuation inside an identifier that is kept whole. A letter (Lo since Unicode 3),
# so unicode61 leaves 10ǀ0ǀ0ǀ5 one token; no keyboard types it.
JOINER = "\u01c0"
LONGEST = 48  # characters of a token; longer ones are blobs


class Sort(StrEnum):
    """What a token is."""

    WORD = "word"  # stands alone
    WHOLE = "whole"  # an identifier, punctuation replaced by JOINER
    PART = "part"  # of an identifier
    HAN = "han"
    KATAKANA = "katakana"
    HIRAGANA = "hiragana"
    HANGUL = "hangul"
    OTHER = "other"  # scripts without spaces


class Piece(NamedTuple):
    """A token as it stands in the text (*raw*) and folded; a run of wide script is one piece."""

    token: str
    sort: Sort
    raw: str


_WIDE = re.compile(
    rf"(?P<han>[{HAN}]+)|(?P<katakana>[{KATAKANA}]+)|(?P<hiragana>[{HIRAGANA}]+)"
    rf"|(?P<hangul>[{HANGUL}]+)|(?P<other>[{SPACELESS}]+)"
)
_CHUNK = re.compile(r"[^\W_](?:[\w./:@#=+\-\\]*[^\W_])?")
_OUTER = re.compile(r"[/:@#=+\\]+")
_RUN = re.compile(r"[^\W_]+")
_DOTTED = re.compile(r"\d+(?:\.\d+)+")
_COMPOUND = re.compile(r"[^\W\d_]{1,24}(?:[-_][^\W\d_]{1,24}){1,2}")
_INNER = re.compile(
    r"[A-ZÀ-ÖØ-Þ]+(?![a-zß-öø-ÿ])|[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]+|[^\W\d_A-Za-zÀ-ÖØ-öø-ÿ]+|\d+"
)
_SHARP = ((re.compile(r"\b[cC]\+\+"), "cpp"), (re.compile(r"\b([cCfF])#"), r"\1sharp"))


def pieces(text: str) -> Iterator[Piece]:
    """Yield the pieces of *text* in order, an identifier's whole form before its parts."""
    text = compose(text)
    for pattern, instead in _SHARP:
        text = pattern.sub(instead, text)
    if text.isascii():
        yield from _narrow(text)
        return
    end = 0
    for run in _WIDE.finditer(text):
        yield from _narrow(text[end : run.start()])
        # without the marks at which unicode61 would split a Thai word, and what is no letter yet
        token = "".join(char for char in run.group() if char.isalnum())
        if token:
            yield Piece(token, Sort(run.lastgroup or "other"), run.group())
        end = run.end()
    yield from _narrow(text[end:])


def _narrow(text: str) -> Iterator[Piece]:
    for match in _CHUNK.finditer(text):
        chunk = match.group()
        if chunk.isalpha() and (chunk[1:].islower() or len(chunk) == 1 or chunk.isupper()):
            yield Piece(fold(chunk[:LONGEST]), Sort.WORD, chunk)
        else:
            yield from _identifier(chunk)


def _whole(chunk: str) -> str:
    return fold(JOINER.join(_RUN.findall(chunk)))


def _identifier(chunk: str) -> Iterator[Piece]:
    """The whole, what lies between / : @ and the like, then runs, their camel humps and numbers."""
    seen: dict[str, Sort] = {}

    def add(token: str, sort: Sort) -> None:
        if token and len(token) <= LONGEST:
            seen.setdefault(token, sort)

    alone = _RUN.fullmatch(chunk) is not None
    add(_whole(chunk), Sort.WORD if alone and not _mixed(chunk) else Sort.WHOLE)
    for outer in _OUTER.split(chunk):
        add(_whole(outer), Sort.WHOLE if JOINER in _whole(outer) else Sort.PART)
        if _COMPOUND.fullmatch(outer):
            add(fold("".join(_RUN.findall(outer))), Sort.WHOLE)  # on-call is oncall as well
        for number in _DOTTED.findall(outer):
            add(_whole(number), Sort.WHOLE)
        for run in _RUN.findall(_DOTTED.sub(" ", outer)):
            add(fold(run[:LONGEST]), Sort.PART)
            for inner in _INNER.findall(run):
                if len(inner) > 1:
                    add(fold(inner), Sort.PART)
    for token, sort in seen.items():
        yield Piece(token, sort, token)


def _mixed(run: str) -> bool:
    """Letters and digits, or capitals inside: k8s, fooBar."""
    if run.isalpha():
        return not run[1:].islower()
    return not run.isdigit()


def bigrams(run: str) -> list[str]:
    """Every two neighbours of *run*; a single character is itself."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
