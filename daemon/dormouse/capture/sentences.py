"""The lines of a prompt that are speech, and their sentences. Works on the cover alone."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dormouse.capture.ends import ends
from dormouse.capture.speech import BLOCK, INLINE


class Sentence(NamedTuple):
    """A stretch of the prompt; ``line`` numbers its line, ``closed`` tells a blank line before."""

    start: int
    end: int
    line: int
    asks: bool


LIST_MARK = re.compile(r"[ \t]*(?:[-*•+·]|\d{1,2}[.)、])[ \t]+")


class Line(NamedTuple):
    """One line of speech, soft-wrapped lines joined: ``item`` tells that a list mark led it."""

    start: int
    end: int
    item: bool
    number: int


def lines(cover: str, is_task: re.Pattern[str]) -> Iterator[Line]:
    """The lines that are speech. A line that was only wrapped goes on in the next one."""
    pending: Line | None = None
    for number, found in enumerate(_SPEECH.finditer(cover)):
        mark = LIST_MARK.match(found[0]) if _starts_line(cover, found.start()) else None
        body = found[0][mark.end() if mark else 0 :].strip()
        if not body:
            continue
        if pending:
            adjoins = cover[pending.end : found.start()] == "\n"
            if adjoins and not mark and _wrapped(cover, pending, body, is_task):
                pending = pending._replace(end=found.end())
                continue
            yield pending
        pending = Line(found.start() + (mark.end() if mark else 0), found.end(), bool(mark), number)
    if pending:
        yield pending


_SPEECH = re.compile(f"[^\n{BLOCK}]+")


def _starts_line(cover: str, place: int) -> bool:
    return place == 0 or cover[place - 1] == "\n"


# What begins so is no line of its own, however short the line before was.
_JOINS = re.compile(
    r"(?:and|or|but|which|because|und|oder|aber|sondern|weil|et|ou|mais|y|o|pero|e|mas)\b"
)


def _wrapped(cover: str, line: Line, following: str, is_task: re.Pattern[str]) -> bool:
    last = cover[cover.rfind("\n", 0, line.end) + 1 : line.end].rstrip()
    wide = len(last) >= 60 or (line.item and cover[line.end + 1 : line.end + 3].isspace())
    goes_on = following[0].islower() or following[0].isdigit() or following[0] in "(" + INLINE
    wide = wide or _JOINS.match(following) is not None
    return wide and last[-1] not in ".!?:;。！？：；…" and goes_on and not is_task.match(following)


def split(cover: str, line: Line) -> Iterator[Sentence]:
    """The sentences of one line."""
    at = line.start
    for found in ends(cover, line.start, line.end):
        if cover[at : found.start()].strip():
            yield Sentence(at, found.end(), line.number, "?" in found[0] or "？" in found[0])
        at = found.end()
    rest = cover[at : line.end]
    if rest.strip():
        yield Sentence(at, line.end, line.number, False)
