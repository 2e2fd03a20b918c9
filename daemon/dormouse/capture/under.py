"""What stands under a statement: its list is part of it, and what can't be kept is not hidden.

A statement is one line. A list goes into that line; code and quotes never speak for the person, so
they stay out, and so does any other line: whoever acknowledges the statement has to say so.
"""

import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Literal, NamedTuple

from dormouse.capture.sentences import Line
from dormouse.capture.speech import BLOCK
from dormouse.capture.statement import Said, plain

Left = Literal["", "lines", "quoted", "all"]

_ENDED = re.compile(r"[.!?…。！？]\W*\Z")
_COLON = re.compile(r"[:：]\W*\Z")
_BLOCK_NEXT = re.compile(rf"[ \t]*(?P<line>\n?)(?P<blank>[ \t]*\n)?[ \t]*{BLOCK}")


class Under(NamedTuple):
    """``items`` of the list, where it ends, and what stands there that was left out."""

    items: tuple[str, ...] = ()
    end: int = 0
    left: Left = ""


class Place(NamedTuple):
    """The prompt, and the stretch of it that is the statement; ``item``: it is one of a list."""

    said: Said
    start: int
    end: int
    item: bool = False


def under(
    place: Place,
    following: Iterator[Line],
    is_task: Callable[[str], object],
    commands: Callable[[str], bool],
) -> Under:
    """Read what directly follows *place*; *following* are the lines of speech behind it."""
    cover = place.said.cover
    statement = cover[place.start : place.end]
    ended, colon = _ENDED.search(statement), _COLON.search(statement)
    block = _BLOCK_NEXT.match(cover, place.end)
    if block and (not ended or (block["line"] and not block["blank"])):
        return Under(left="quoted")
    first = next(following, None)
    if first is None or BLOCK in cover[place.end : first.start]:
        return Under()
    blank_lines = cover.count("\n", place.end, first.start) - 1
    if blank_lines > (1 if colon else 0):
        return Under()
    if not first.item:
        bare = cover[first.start : first.end].strip()
        asks = bare.endswith(("?", "？"))
        mine = not (ended or asks or is_task(bare) or commands(bare))
        return Under(left="lines" if mine and not place.item else "")
    return _items(place, chain([first], following), colon is not None, is_task, commands)


def _items(
    place: Place,
    following: Iterator[Line],
    colon: bool,
    is_task: Callable[[str], object],
    commands: Callable[[str], bool],
) -> Under:
    cover, text = place.said
    least = _column(cover, place.start) if place.item else -1
    items: list[str] = []
    end = place.end
    for line in following:
        gap = cover[end : line.start]
        if not line.item or gap.count("\n") > 2 or _column(cover, line.start) <= least:
            break
        bare = cover[line.start : line.end].strip()
        asks = bare.endswith(("?", "？"))
        if BLOCK in gap or asks or commands(bare):
            return Under(tuple(items), end, "quoted" if BLOCK in gap else "lines" if asks else "")
        if not colon and is_task(bare):
            return Under(left="lines")  # the list of what is to be done now, or of what is told?
        mark = gap.rsplit("\n", 1)[-1].strip()
        item = plain(Said(cover[line.start : line.end], text[line.start : line.end]))
        items.append(f"{mark} {item}" if mark[:1].isdigit() else item)
        end = line.end
    block = _BLOCK_NEXT.match(cover, end)
    return Under(tuple(items), end, "quoted" if items and block and not block["blank"] else "")


def _column(cover: str, place: int) -> int:
    return place - cover.rfind("\n", 0, place) - 1
