"""Where a sentence ends: points in addresses and abbreviations are no ends. Works on the cover."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dormouse.capture.speech import BLOCK, INLINE


class Sentence(NamedTuple):
    """A stretch of the prompt; ``line`` numbers its line, ``closed`` tells a blank line before."""

    start: int
    end: int
    line: int
    asks: bool


_END = re.compile(r"[.!?…]+[\"'”»)\]*_]{0,3}(?=\s|\Z)|[。！？]+[”」』）]?")
_NOT_AN_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|z\. ?B|d\. ?h|u\. ?a|bzw|ca|Dr|Mr|Mrs|Ms|Prof|Nr|St"
    r"|Str|evtl|ggf|inkl|zzgl|vgl|usw)|(?<![\w.])[A-Za-z])\Z",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"\s(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Quartal|Stock|Version)", re.IGNORECASE
)
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


def _wrapped(cover: str, line: Line, following: str, is_task: re.Pattern[str]) -> bool:
    last = cover[cover.rfind("\n", 0, line.end) + 1 : line.end].rstrip()
    wide = len(last) >= 60 or (line.item and cover[line.end + 1 : line.end + 3].isspace())
    goes_on = following[0].islower() or following[0].isdigit() or following[0] in "(" + INLINE
    return wide and last[-1] not in ".!?:;。！？：；…" and goes_on and not is_task.match(following)


def split(cover: str, line: Line) -> Iterator[Sentence]:
    """The sentences of one line."""
    at = line.start
    for found in _END.finditer(cover, line.start, line.end):
        if found[0][0] == "." and len(found[0]) == 1:
            before = cover[max(at, found.start() - 8) : found.start()]
            ordinal = re.search(r"(?<![\w.:])\d{1,2}\Z", before)
            if _NOT_AN_END.search(before) or (ordinal and _ORDINAL.match(cover, found.end())):
                continue
        if cover[at : found.start()].strip():
            yield Sentence(at, found.end(), line.number, "?" in found[0] or "？" in found[0])
        at = found.end()
    rest = cover[at : line.end]
    if rest.strip():
        yield Sentence(at, line.end, line.number, False)
