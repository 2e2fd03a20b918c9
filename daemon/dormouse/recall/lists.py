"""Word lists per language, read once from ``lists/*.toml``. Data only: decides nothing."""

import re
import tomllib
from dataclasses import dataclass
from importlib import resources

from dormouse.recall.folding import fold

LATIN = ("en", "de", "fr", "es", "pt")  # told apart by their stop words; all others by script
LANGUAGES = (*LATIN, "ru", "zh", "ja", "ko")


@dataclass(frozen=True, slots=True)
class Lists:
    """One language: words about no topic, words said to an agent, words that need company."""

    stop: frozenset[str]
    talk: frozenset[str]
    weak: frozenset[str]
    question: frozenset[str]
    edge: str
    endings: tuple[str, ...]


def _toml(name: str) -> dict[str, str]:
    file = resources.files("dormouse.recall").joinpath("lists", f"{name}.toml")
    data: dict[str, str] = tomllib.loads(file.read_text(encoding="utf-8"))
    return data


def _read(language: str) -> Lists:
    data = _toml(language)

    def words(key: str) -> frozenset[str]:
        # what the segmentation splits (est-ce) has to be known by its pieces
        return frozenset(
            piece for word in data.get(key, "").split() for piece in re.split(r"[-'.]", fold(word))
        ) - {""}

    return Lists(
        stop=words("stop"),
        talk=words("talk"),
        weak=words("weak"),
        question=words("question"),
        edge="".join(data.get("edge", "").split()),
        endings=tuple(data.get("endings", "").split()),
    )


LISTS = {language: _read(language) for language in LANGUAGES}
WEAK = frozenset().union(*(lists.weak for lists in LISTS.values()))
NOISE = frozenset(_toml("parts")["noise"].split())


def lines(name: str, key: str) -> list[str]:
    """The lines of *key* in ``lists/name.toml`` that hold anything."""
    return [line for line in _toml(name)[key].splitlines() if line.strip()]
