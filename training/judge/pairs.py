"""Labelled pairs: reading the data, who wrote it, what is held back from training."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, Self

from dormouse.judging.sides import marked

DATA = Path(__file__).with_name("data")
LABELS = ["supersede", "keep", "unsure"]
Split = Literal["train", "stream", "held stream", "later", "calibrate", "test"]


@dataclass(frozen=True, slots=True)
class Pair:
    """An older and a newer note with the label both labellers gave it."""

    id: str
    writer: str
    kind: str
    lang: str
    older: str
    older_time: str
    newer: str
    newer_time: str
    label: str
    older_scope: str = ""
    newer_scope: str = ""

    @classmethod
    def read(cls, row: dict[str, Any]) -> Self:
        """A line of a data file."""
        return cls(**{name: row[name] for name in cls.__dataclass_fields__ if name in row})

    @property
    def gap(self) -> timedelta:
        return datetime.fromisoformat(self.newer_time) - datetime.fromisoformat(self.older_time)

    def sides(self) -> tuple[str, str]:
        """The two texts as the judge reads them."""
        same = self.older_scope == self.newer_scope
        scopes = ("", "") if same else (self.older_scope, self.newer_scope)
        return marked(self.older, self.newer, self.gap, *scopes)


def writers(split: Split) -> list[str]:
    """The writers of one part of the data; no writer is in two."""
    told = json.loads((DATA / "writers.json").read_text("utf-8"))
    return sorted(name for name, about in told.items() if about["split"] == split)


def read(path: Path) -> list[Pair]:
    """The pairs of one file."""
    lines = path.read_text("utf-8").splitlines()
    return [Pair.read(json.loads(line)) for line in lines if line.strip()]


def hand_written(names: Sequence[str]) -> list[Pair]:
    """What the writers *names* wrote."""
    return [pair for name in names for pair in read(DATA / f"{name}.jsonl")]


def derived(names: Sequence[str]) -> list[Pair]:
    """What was derived from the pairs of *names* (docs: the data card)."""
    wanted = set(names)
    paths = sorted(DATA.glob("derived*.jsonl"))
    return [pair for path in paths for pair in read(path) if pair.writer in wanted]
