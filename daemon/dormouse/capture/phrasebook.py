"""The patterns of each language as data: read once from patterns/*.toml, and nothing else."""

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib import resources
from typing import Any, NamedTuple

LANGUAGES = ("en", "de", "zh")  # these listen to every prompt: people mix them
ALSO = ("fr", "es", "pt", "ja", "ko", "ru")  # these only where one of their trigger words stands
_ALSO: ContextVar[tuple[str, ...]] = ContextVar("_ALSO", default=())


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
        parts[name] = f"(?:{fill(part, parts)})"

    def phrases(kind: str) -> tuple[Phrase, ...]:
        return tuple(_phrase(entry, parts) for entry in data.get(kind, ()))

    words = {name: compile_filled(word, parts) for name, word in data["words"].items()}
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


def triggered(text: str) -> tuple[str, ...]:
    """The further languages that may be spoken in *text*, by their trigger words."""
    head = text[:TRIGGERED_BY]
    return tuple(name for name in ALSO if book(name).words["trigger"].search(head))


TRIGGERED_BY = 8_000  # characters; of a longer prompt only the beginning commands


@contextmanager
def listening(also: tuple[str, ...]) -> Iterator[None]:
    """Let the books of *also* listen too, in this thread, for the length of one prompt.

    All nine together would take three times as long, and "es" is a verb in one language only.
    """
    before = _ALSO.set(also)
    try:
        yield
    finally:
        _ALSO.reset(before)


def books() -> tuple[Phrasebook, ...]:
    """The phrasebooks that listen now."""
    return tuple(book(language) for language in (*_ALSO.get(), *LANGUAGES))


def word(name: str) -> re.Pattern[str]:
    """One pattern that matches the word class *name* of any language that listens now."""
    return _word(name, _ALSO.get())


@lru_cache(512)
def _word(name: str, also: tuple[str, ...]) -> re.Pattern[str]:
    listen = [book(language).words for language in (*LANGUAGES, *also)]
    joined = "|".join(f"(?:{words[name].pattern})" for words in listen if name in words)
    return re.compile(joined, re.IGNORECASE)


def lead_in() -> re.Pattern[str]:
    """Any number of words that only lead into a sentence: "ok, by the way, …"."""
    return _lead_in(_ALSO.get())


@lru_cache(64)
def _lead_in(also: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"(?:{_word('lead_in', also).pattern})*", re.IGNORECASE)


def _phrase(entry: dict[str, Any], parts: dict[str, str]) -> Phrase:
    return Phrase(
        name=entry["name"],
        pattern=compile_filled(entry["pattern"], parts),
        check=entry.get("check", ""),
        pin=entry.get("pin", False),
        confidence=entry.get("confidence", 0.99),
    )


def compile_filled(pattern: str | list[str], parts: dict[str, str]) -> re.Pattern[str]:
    """One pattern of one or several, without regard to case, its <<parts>> filled in."""
    joined = pattern if isinstance(pattern, str) else "|".join(f"(?:{one})" for one in pattern)
    return re.compile(fill(joined, parts), re.IGNORECASE)


def fill(pattern: str, parts: dict[str, str]) -> str:
    """*pattern* with each <<name>> replaced by that part. Raises KeyError for an unknown one."""
    return re.sub(r"<<(\w+)>>", lambda found: parts[found[1]], pattern)
