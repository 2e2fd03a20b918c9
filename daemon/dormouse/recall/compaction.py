"""Making a group of records fit, in four steps that each lose as little as they can. Pure.

Which records there are, and in which order they matter, the caller decides: first is dearest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from dormouse.recall.plain import cut, measure

SHORT = 160  # units that level 2 leaves of a record
TOOL = 200  # characters of a tool's output that level 1 leaves
KEPT = 2  # records of a group that level 3 leaves before it folds the rest


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a *group* (``open``, ``file``). *tool*: it is what a tool printed."""

    group: str
    text: str = field(repr=False)
    tool: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """What one step came to, for ``--why``: records and units before and after."""

    name: str
    records: tuple[int, int]
    units: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Compacted:
    """The records that fit, how many are left out, and what each step did."""

    records: tuple[Record, ...]
    left_out: int
    report: tuple[Level, ...]


def size(records: Sequence[Record], unit: str) -> int:
    """How long the records are as lines."""
    return sum(measure(record.text, unit) + 1 for record in records)


def drop(records: Sequence[Record]) -> list[Record]:
    """Level 1: what was said before in the same group goes, and most of what tools printed."""
    kept: dict[tuple[str, str], Record] = {}
    for record in records:
        text = record.text[:TOOL] if record.tool else record.text
        folded = " ".join(text.casefold().split()).rstrip(".!")
        kept.setdefault((record.group, folded), replace(record, text=text))
    return list(kept.values())


def shorten(records: Sequence[Record], unit: str, longest: int = SHORT) -> list[Record]:
    """Level 2: each record ends at a sentence or a word near *longest*."""
    return [replace(record, text=cut(record.text, longest, unit)) for record in records]


def fold(records: Sequence[Record], keep: int = KEPT) -> list[Record]:
    """Level 3: of each group *keep* records and one line that counts the rest."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.group, []).append(record)
    folded: list[Record] = []
    for name, group in groups.items():
        folded += group[:keep]
        rest = len(group) - keep
        if rest == 1:
            folded.append(group[keep])
        elif rest > 1:
            folded.append(Record(name, f"{name}: and {rest} more"))
    return folded


def fit(records: Sequence[Record], room: int, unit: str) -> list[Record]:
    """Level 4: whole records, first come first, as many as there is room for."""
    kept: list[Record] = []
    for record in records:
        room -= measure(record.text, unit) + 1
        if room < 0:
            break
        kept.append(record)
    return kept


def compact(records: Sequence[Record], room: int, unit: str) -> Compacted:
    """Take the steps in turn until the records fit; the first is always taken."""
    steps: list[tuple[str, Callable[[list[Record]], list[Record]]]] = [
        ("drop", drop),
        ("shorten", lambda found: shorten(found, unit)),
        ("fold", fold),
        ("fit", lambda found: fit(found, room, unit)),
    ]
    now, report = list(records), []
    distinct = len(drop(now))
    for name, step in steps:
        after = step(now)
        report.append(Level(name, (len(now), len(after)), (size(now, unit), size(after, unit))))
        now = after
        if size(now, unit) <= room:
            break
    folded = any(level.name == "fold" for level in report)
    return Compacted(tuple(now), max(0, distinct - len(now)) if folded else 0, tuple(report))
