"""What people say in passing, as data: read once from patterns/implicit, and nothing else."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from dormouse.capture.phrasebook import compile_filled, fill

LANGUAGES = ("en", "de", "zh")
# How sure each way of saying something makes us (docs/capture.md), unless a pattern says otherwise.
CONFIDENCE = {
    "correction": 0.93,
    "decision": 0.85,
    "preference": 0.80,
    "project_fact": 0.70,
    "weak": 0.50,
}
HOWS = ("correction", "decision", "preference", "project_fact")


class Cue(NamedTuple):
    """One way to say something lasting. ``checks`` name the tests that the clause must pass too."""

    how: str
    name: str
    pattern: re.Pattern[str]
    checks: tuple[str, ...]
    need: re.Pattern[str] | None
    confidence: float
    yes: tuple[tuple[str, str], ...]
    no: tuple[str, ...]


class Cuebook(NamedTuple):
    """All cues of one language, surest first, and the words that rule a clause out."""

    language: str
    cues: tuple[Cue, ...]
    words: dict[str, re.Pattern[str]]


@cache
def cuebook(language: str) -> Cuebook:
    """The cuebook of one language. Raises KeyError where its file is not as documented."""
    source = resources.files("dormouse.capture") / "patterns" / "implicit" / f"{language}.toml"
    data = tomllib.loads(source.read_text("utf-8"))
    parts: dict[str, str] = {}
    for name, part in data["parts"].items():
        parts[name] = f"(?:{fill(part, parts)})"
    cues = [_cue(how, entry, parts) for how in HOWS for entry in data.get(how, ())]
    words = {name: compile_filled(word, parts) for name, word in data["words"].items()}
    return Cuebook(language, tuple(cues), words)


def _cue(how: str, entry: dict[str, Any], parts: dict[str, str]) -> Cue:
    need = entry.get("need")
    return Cue(
        how=how,
        name=entry["name"],
        pattern=compile_filled(entry["pattern"], parts),
        checks=tuple(entry.get("checks", ())),
        need=None if need is None else compile_filled(need, parts),
        confidence=entry.get("confidence", CONFIDENCE[how]),
        yes=tuple((said, kept) for said, kept in entry["yes"]),
        no=tuple(entry["no"]),
    )
