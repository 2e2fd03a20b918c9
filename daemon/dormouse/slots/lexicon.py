"""The words we know, from data files, as look-up tables. It knows no grammar beyond single words.

Every entry says what a word does (its kind) and our own name for it (its canon). A word that is not
here keeps its meaning for the reader: it then has to be the same in both texts.
"""

import re
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, NamedTuple

CJK = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
LANGUAGES = ("en", "de", "zh")


def either(patterns: list[str]) -> re.Pattern[str]:
    """One pattern of many. What begins at a word's edge is tried there only: five times as fast."""
    edged = [p.removeprefix(r"\b") for p in patterns if p.startswith(r"\b")]
    parts = [p for p in patterns if not p.startswith(r"\b")]
    if edged:
        parts.append(rf"\b(?:{'|'.join(edged)})")
    return re.compile("|".join(parts), re.I | re.M)


def words(text: str) -> frozenset[str]:
    """A set of words, written as one text."""
    return frozenset(text.split())


class Entry(NamedTuple):
    """What one word or phrase does, and its canonical form."""

    kind: str
    canon: str


class Family(NamedTuple):
    """Tools of one purpose: the attribute whose values they are."""

    name: str
    single: str
    implied: frozenset[str]
    needs: str | None


Phrases = dict[str, list[tuple[tuple[str, ...], Entry]]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """One language's words: single ones, phrases by their first word, and CJK runs by length."""

    words: dict[str, Entry] = field(default_factory=dict)
    phrases: Phrases = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)

    def add(self, word: str, entry: Entry) -> None:
        parts = tuple(word.casefold().split())
        if len(parts) == 1:
            self.words[parts[0]] = entry
            return
        known = self.phrases.setdefault(parts[0], [])
        known.append((parts, entry))
        known.sort(key=lambda phrase: -len(phrase[0]))


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads((files("dormouse.slots") / "data" / f"{name}.toml").read_text("utf-8"))


def _families(data: dict[str, Any]) -> tuple[dict[str, Family], dict[str, tuple[str, list[str]]]]:
    """Return the families by name, and for each spelling of a tool its canon and its families."""
    families: dict[str, Family] = {}
    tools: dict[str, tuple[str, list[str]]] = {}
    for name, table in data.items():
        implied = frozenset(table.pop("implied"))
        families[name] = Family(name, table.pop("single"), implied, table.pop("needs", None))
        for canon, spellings in table.items():
            for spelling in (canon, *spellings):
                tools.setdefault(spelling.casefold(), (canon, []))[1].append(name)
    return families, tools


FAMILIES, TOOLS = _families(_load("families"))
FAMILIES_OF: dict[str, tuple[str, ...]] = {}
for _canon, _names in TOOLS.values():
    FAMILIES_OF[_canon] = tuple(dict.fromkeys((*FAMILIES_OF.get(_canon, ()), *_names)))
GRAMMAR: dict[str, dict[str, Any]] = {
    language: _load(f"grammar_{language}") for language in LANGUAGES
}


def _build(language: str, shared: dict[str, Any]) -> Lexicon:
    lexicon = Lexicon()
    for kind, table in shared.items():
        for canon, spellings in table.items():
            for spelling in spellings:
                lexicon.add(spelling, Entry(kind, canon))
    for spelling, (canon, _) in TOOLS.items():
        lexicon.add(spelling, Entry("tool", canon))
    for kind, spellings in GRAMMAR[language]["words"].items():
        for spelling in spellings:
            _add_grammar(lexicon, kind, spelling)
    return lexicon


def _add_grammar(lexicon: Lexicon, kind: str, spelling: str) -> None:
    word, _, value = spelling.partition("=")
    if kind == "unit":
        lexicon.units[word.casefold()] = value
    elif kind == "number":
        lexicon.numbers[word.casefold()] = value
    else:
        lexicon.add(word, Entry(kind, value or word.casefold()))


_SHARED = _load("lexicon")
LEXICONS = {language: _build(language, _SHARED) for language in LANGUAGES}


def _cjk_words() -> dict[str, Entry]:
    """All Chinese words: they are recognised in a text of any language, by the longest match."""
    found = {w: e for w, e in LEXICONS["zh"].words.items() if CJK.match(w)}
    found |= {w: Entry("num", n) for w, n in LEXICONS["zh"].numbers.items()}
    return found | {w: Entry("unit", u) for w, u in LEXICONS["zh"].units.items()}


CJK_WORDS = _cjk_words()
CJK_LONGEST = max(map(len, CJK_WORDS))
