"""The patterns of each language as data: read once from patterns/*.toml, and nothing else."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

LANGUAGES = ("en", "de", "zh")


class Phrase(NamedTuple):
    """One way to command. ``check`` names the test that what was said must pass as well."""

    name: str
    pattern: re.Pattern[str]
    check: str
    pin: bool
    confidence: float


class Phrasebook(NamedTuple):
    """All phrases of one language, and the words by which a statement is told from other talk."""

    language: str
    remember: tuple[Phrase, ...]
    back: tuple[Phrase, ...]
    forget: tuple[Phrase, ...]
    rule: tuple[Phrase, ...]
    correction: tuple[Phrase, ...]
    words: dict[str, re.Pattern[str]]
    yes: tuple[tuple[str, ...], ...]
    no: tuple[str, ...]


@cache
def book(language: str) -> Phrasebook:
    """The phrasebook of one language. Raises ValueError where its file is not as documented."""
    source = resources.files("dormouse.capture") / "patterns" / f"{language}.toml"
    data = tomllib.loads(source.read_text("utf-8"))
    parts: dict[str, str] = {}
    for name, part in data["parts"].items():
        parts[name] = f"(?:{_fill(part, parts)})"

    def phrases(kind: str) -> tuple[Phrase, ...]:
        return tuple(_phrase(entry, parts) for entry in data.get(kind, ()))

    words = {name: _compile(word, parts) for name, word in data["words"].items()}
    examples = data["examples"]
    return Phrasebook(
        language=language,
        remember=phrases("remember"),
        back=phrases("back"),
        forget=phrases("forget"),
        rule=phrases("rule"),
        correction=phrases("correction"),
        words=words,
        yes=tuple(tuple(example) for example in examples["yes"]),
        no=tuple(examples["no"]),
    )


@cache
def books() -> tuple[Phrasebook, ...]:
    """Every phrasebook: people mix languages, so that all of them listen to every prompt."""
    return tuple(book(language) for language in LANGUAGES)


@cache
def word(name: str) -> re.Pattern[str]:
    """One pattern that matches the word class *name* of any language."""
    joined = "|".join(f"(?:{one.words[name].pattern})" for one in books() if name in one.words)
    return re.compile(joined, re.IGNORECASE)


@cache
def lead_in() -> re.Pattern[str]:
    """Any number of words that only lead into a sentence: "ok, by the way, …"."""
    return re.compile(f"(?:{word('lead_in').pattern})*", re.IGNORECASE)


def _phrase(entry: dict[str, Any], parts: dict[str, str]) -> Phrase:
    return Phrase(
        name=entry["name"],
        pattern=_compile(entry["pattern"], parts),
        check=entry.get("check", ""),
        pin=entry.get("pin", False),
        confidence=entry.get("confidence", 0.99),
    )


def _compile(pattern: str | list[str], parts: dict[str, str]) -> re.Pattern[str]:
    joined = pattern if isinstance(pattern, str) else "|".join(f"(?:{one})" for one in pattern)
    return re.compile(_fill(joined, parts), re.IGNORECASE)


def _fill(pattern: str, parts: dict[str, str]) -> str:
    return re.sub(r"<<(\w+)>>", lambda found: parts[found[1]], pattern)
