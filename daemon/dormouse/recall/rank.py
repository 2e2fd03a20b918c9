"""Which of the facts that share words with a prompt are worth showing, and in which order.

Decides from text, frequencies and the day alone: no clock, no ledger, no chance.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Protocol

from dormouse.facts import Fact, Look, Scope, Trust
from dormouse.recall.lists import LISTS, WEAK
from dormouse.recall.segments import JOINER
from dormouse.recall.stem import porter
from dormouse.recall.words import family, index_text, stems

FLOOR = 0.32

_PRIOR = 300  # facts that we pretend to have seen, so that a store of one fact has frequencies
_SEEN = {"weak": 30.0, "word": 2.0, "wide": 4.0, "identifier": 0.3}  # … and in how many of them
_HALF = 2.5  # evidence (nats) at which strength is 0.63


class Hit(Protocol):
    """A fact that the index found; *words* is its BM25, higher is better, at least 0."""

    @property
    def fact(self) -> Fact: ...
    @property
    def words(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Ranked:
    """A fact worth showing. *why* is for people: each part of the score in a word or a number."""

    fact: Fact
    score: float
    why: dict[str, float | str]


@dataclass(frozen=True, slots=True)
class _Unit:
    """One word of the prompt in all its spellings."""

    terms: tuple[str, ...]
    stems: frozenset[str]
    weight: float


def _sort(term: str) -> str:
    if JOINER in term or (any(char.isdigit() for char in term) and not term.isdigit()):
        return "identifier"
    if term in WEAK:
        return "weak"
    return "wide" if term >= "\u0e00" else "word"


_WEIGHT = {"weak": 0.25, "word": 1.0, "wide": 0.5, "identifier": 1.2}


def rank(
    hits: Sequence[Hit],
    terms: Sequence[str],
    look: Look,
    today: date,
    *,
    floor: float = FLOOR,
    frequencies: Mapping[str, int] | None = None,
    total: int = 0,
) -> list[Ranked]:
    """The facts of *hits* that are relevant enough for *terms*, best first.

    Give all terms of the prompt, also those that ``prune`` left out of the search: what a fact does
    *not* answer counts against it. *frequencies* (in how many of *total* facts a term occurs)
    sharpen the weights; without them the hits themselves are counted.
    """
    unique = {hit.fact.id: hit for hit in hits}
    found = [unique[id] for id in sorted(unique)]
    units = _units(terms, found, frequencies or {}, total)
    most = max((hit.words for hit in found), default=0.0)
    ranked: list[Ranked] = []
    for hit in found:
        relevance, matched = _relevance(hit.fact.text, units)
        share = hit.words / most if most > 0 else 0.0
        if relevance < floor or (not matched and floor > 0):
            continue
        standing = _standing(hit.fact, look, today)
        score = relevance + (1.0 - relevance) * (0.1 * share + 0.2 * standing)
        why = _why(hit.fact, matched, relevance, share, look, today, floor)
        ranked.append(Ranked(hit.fact, round(score, 4), why))
    ranked.sort(key=lambda each: (-each.score, each.fact.id))
    return _folded(ranked)


def _units(
    terms: Sequence[str], hits: Sequence[Hit], frequencies: Mapping[str, int], total: int
) -> list[_Unit]:
    families: dict[str, list[str]] = {}
    for term in terms:
        families.setdefault(family(term), []).append(term)
    total = max(total, len(hits))
    units = []
    weakest = all(_sort(term) == "weak" for term in terms)  # nothing else asked: then they count
    for spellings in families.values():
        known = frozenset(porter(term) for term in spellings)
        seen = sum(not known.isdisjoint(stems(hit.fact.text)) for hit in hits)
        df = max([seen, *(frequencies.get(term, 0) for term in spellings)])
        rarity = math.log((total + _PRIOR) / (df + 2.0))
        weight = max(_WEIGHT[_sort(term)] for term in spellings)
        units.append(
            _Unit(tuple(spellings), known, max(rarity, 0.1) * (1.0 if weakest else weight))
        )
    return units


def _relevance(text: str, units: Sequence[_Unit]) -> tuple[float, list[_Unit]]:
    """How well *text* answers, 0..1, and by which units.

    Either much of the prompt is found in the fact (a short question) or much of the fact in the
    prompt (a long one); both are worth as much as the matched words are telling.
    """
    have = stems(text)
    matched = [unit for unit in units if not unit.stems.isdisjoint(have)]
    if not matched:
        return 0.0, []
    chars = {
        char for unit in matched for term in unit.terms if _sort(term) == "wide" for char in term
    }
    asked = 0.0
    for unit in units:
        if unit in matched:
            asked += unit.weight
        elif _sort(unit.terms[0]) == "wide":  # a bigram across two found words asks nothing new
            asked += unit.weight * sum(char not in chars for char in unit.terms[0]) / 2
        elif JOINER not in unit.terms[0]:  # the parts of an identifier stand for it
            asked += unit.weight
    evidence = sum(unit.weight for unit in matched)
    strength = 1.0 - math.exp(-evidence / _HALF)
    whole = frozenset(stem for unit in matched for stem in unit.stems)
    of_fact = _content(text)
    said = sum(weight for stem, weight in of_fact if stem in whole)
    share = said / sum(weight for _, weight in of_fact) if of_fact else 0.0
    coverage = evidence / asked if asked else 0.0
    return 1.0 - (1.0 - coverage * strength) * (1.0 - share * strength), matched


@lru_cache(maxsize=4_096)
def _content(text: str) -> tuple[tuple[str, float], ...]:
    """The stems of a fact that say something, with their weights."""
    small = {word for lists in LISTS.values() for word in (*lists.stop, *lists.talk)}
    content: dict[str, float] = {}
    for token in index_text(text).split():
        if token not in small and len(token) > 1:
            content.setdefault(porter(token), _WEIGHT[_sort(token)])
    return tuple(sorted(content.items()))


_DISTANCE = {
    Scope.SESSION: 1.0, Scope.BRANCH: 1.0, Scope.PROJECT: 0.7, Scope.USER: 0.35,
    Scope.ORGANISATION: 0.15,
}  # fmt: skip


def _standing(fact: Fact, look: Look, today: date) -> float:
    """What a fact weighs whatever was asked, 0..1: scope, trust, importance, age in days."""
    age = max((today - date.fromisoformat(fact.stated_at[:10])).days, 0)
    return (
        0.5 * _DISTANCE[fact.scope]
        + 0.2 * fact.trust.rank / Trust.USER.rank
        + 0.15 * min(max(fact.importance, 0.0), 1.0)
        + 0.15 * math.exp(-age / 130)
    )


def _folded(ranked: Sequence[Ranked]) -> list[Ranked]:
    seen: set[str] = set()
    kept = []
    for each in ranked:
        key = index_text(each.fact.text)
        if key not in seen:
            seen.add(key)
            kept.append(each)
    return kept


_SCOPE = {
    Scope.SESSION: "this session", Scope.BRANCH: "this branch", Scope.PROJECT: "this project",
    Scope.USER: "all your projects", Scope.ORGANISATION: "your organisation",
}  # fmt: skip
_TRUST = {
    Trust.USER: "you said it", Trust.PROJECT_FILE: "a project file says it",
    Trust.ASSISTANT: "an assistant said it", Trust.TOOL: "a tool or an import said it",
}  # fmt: skip


def _why(
    fact: Fact, matched: Sequence[_Unit], relevance: float, share: float, look: Look, today: date,
    floor: float,
) -> dict[str, float | str]:  # fmt: skip
    age = max((today - date.fromisoformat(fact.stated_at[:10])).days, 0)
    return {
        "matched": ", ".join(_shown(unit, fact.text) for unit in matched),
        "words": round(relevance, 4),
        "bm25_share": round(share, 4),
        "scope": _SCOPE[fact.scope],
        "trust": _TRUST[fact.trust],
        "importance": round(fact.importance, 4),
        "said": "today" if age == 0 else f"{age} day{'s' if age > 1 else ''} ago",
        "shown_because": f"its words reach {relevance:.2f}, the floor is {floor:.2f}",
    }


def _shown(unit: _Unit, text: str) -> str:
    term = unit.terms[0]
    if JOINER not in term:
        return term
    there = re.search(r"[\W_]+".join(map(re.escape, term.split(JOINER))), text, re.IGNORECASE)
    return there.group() if there else term.replace(JOINER, "-")
