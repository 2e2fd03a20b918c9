"""Which of the facts that share words with a prompt are worth showing, and in which order.

Decides from text, frequencies and the day alone: no clock, no ledger, no chance.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache, partial
from typing import Protocol

from dormouse.facts import Fact, Look, Scope, Trust
from dormouse.recall.folding import compose
from dormouse.recall.fuse import FLOOR, Sense, Turn, falls_short, fit, in_company, in_talk, orders
from dormouse.recall.lists import WEAK
from dormouse.recall.same import others
from dormouse.recall.segments import JOINER
from dormouse.recall.stem import porter
from dormouse.recall.words import family, spoken

_WIDE = "\u0e00"  # from here on scripts are written without spaces
_PRIOR = 300  # facts that we pretend to have seen, so that a store of one fact has frequencies
_PRIOR_SEEN = 2.0  # … and in how many of them we pretend to have seen each word
_ENOUGH = 3.0  # evidence of one word beyond which it tells no more
OTHER = 0.5  # what another word for the same thing tells, of what the word itself does
_READ = 8  # hits whose text is read; by 5 to 12 both labelled sets are answered and silenced alike
_TELLING = 2.5  # evidence (nats) at which strength is 0.63


__all__ = ["FLOOR", "Hit", "Ranked", "rank"]


class Hit(Protocol):
    """A fact that a leg found; *words* is its BM25, higher is better, at least 0.

    *turn*: its place in a stored conversation; what stands around it counts then too. *tokens* is
    the search row of the fact, "" where it is not at hand: segmenting a text anew takes 0.2 ms.
    """

    @property
    def fact(self) -> Fact: ...
    @property
    def words(self) -> float: ...
    @property
    def turn(self) -> Turn | None: ...
    @property
    def tokens(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Ranked:
    """A fact worth showing."""

    fact: Fact
    score: float
    relevance: float  # how well the words alone answer, 0..1
    explain: Callable[[], dict[str, float | str]] = field(compare=False, repr=False)

    @property
    def why(self) -> dict[str, float | str]:
        """For people: each part of the score in a word or a number. Made when it is asked for."""
        return self.explain()


@dataclass(frozen=True, slots=True)
class _Unit:
    """One word of the prompt in all its spellings, and the other words for the same thing."""

    terms: tuple[str, ...]
    stems: frozenset[str]
    others: frozenset[str]
    weight: float

    def found_in(self, have: frozenset[str]) -> float:
        """What the word tells of a text that holds *have*."""
        if not self.stems.isdisjoint(have):
            return min(self.weight, _ENOUGH)
        return 0.0 if self.others.isdisjoint(have) else OTHER * min(self.weight, _ENOUGH)


_ASKED = {"weak": 0.25, "word": 1.0, "wide": 0.5, "identifier": 1.2}  # in a prompt
_SAID = {"weak": 0.25, "word": 1.0, "wide": 0.5, "identifier": 0.4}  # in a fact: often the answer

_FEW, _BARE = 1, 24  # words, characters: of what is looked up as it stands
_FIRST = (1.5, 1.2)  # what a statement is about stands first: "the staging server is at …"


@lru_cache(maxsize=8_192)
def _sort(term: str) -> str:
    if JOINER in term or (any(char.isdigit() for char in term) and not term.isdigit()):
        return "identifier"
    if term in WEAK:
        return "weak"
    return "wide" if term >= _WIDE else "word"


def rank(
    hits: Sequence[Hit],
    terms: Sequence[str],
    look: Look,
    today: date,
    *,
    floor: float = FLOOR,
    frequencies: Mapping[str, int] | None = None,
    total: int = 0,
    sense: Sense | None = None,
    looked_up: bool = False,
) -> list[Ranked]:
    """The facts of *hits* that are relevant enough for *terms*, best first.

    Give all terms of the prompt, also those that ``prune`` left out of the search: what a fact does
    *not* answer counts against it; not the other words for the same things. *frequencies* (in how
    many of *total* facts a term occurs) sharpen the weights; without them the hits are counted.
    *sense* is what the meaning leg found. Where a word was *looked_up* (``bare``), meaning can't
    speak against a fact that holds it.
    """
    found = sorted({hit.fact.id: hit for hit in hits}.values(), key=lambda hit: hit.fact.id)
    units = _units(terms, found, frequencies or {}, total)
    judged = _judged(found, units)
    fits = [
        max(_fit(hit, relevance, sense), relevance * (looked_up and len(matched) == len(units)))
        for hit, (relevance, matched) in zip(found, judged, strict=True)
    ]
    places = _places(found, judged, sense)
    best, most = max(fits, default=0.0), max((hit.words for hit in found), default=0.0)
    ranked: list[Ranked] = []
    for hit, (relevance, matched), good, place in zip(found, judged, fits, places, strict=True):
        known = sense.facts.get(hit.fact.id) if sense else None
        if floor > 0 and not _worth_showing(known, relevance, good, best, floor):
            continue
        share = hit.words / most if most > 0 else 0.0
        score = round(_score(relevance, place, share, _standing(hit.fact, look, today)), 4)
        legs = partial(_legs, matched, hit, relevance, share, known, good, floor)
        why = partial(_why, legs, hit.fact, look, today)
        ranked.append(Ranked(hit.fact, score, relevance, why))
    return _folded(sorted(ranked, key=lambda each: (-each.score, each.fact.id)))


def _score(relevance: float, place: float | None, share: float, standing: float) -> float:
    if place is None:
        return relevance + (1.0 - relevance) * (0.1 * share + 0.2 * standing)
    return place + (1.0 - place) * 0.2 * standing


def _worth_showing(
    known: tuple[float, float] | None, relevance: float, good: float, best: float, floor: float
) -> bool:
    """Whether a hit answers; what words alone don't carry has to stand up beside the best."""
    if known is None or relevance >= floor:
        return good >= floor
    return best >= floor and good >= in_company(min(floor, 0.99)) and not falls_short(good, best)


def bare(query: str) -> bool:
    """Whether *query* is no sentence but a word that somebody looks up as it stands."""
    return len(query) <= _BARE and len(query.split()) <= _FEW


def _fit(hit: Hit, relevance: float, sense: Sense | None) -> float:
    """How well a fact answers: by both legs where it has a vector, else by words."""
    known = sense.facts.get(hit.fact.id) if sense else None
    return relevance if known is None or sense is None else fit(relevance, *known, sense.lean)


def _places(
    hits: Sequence[Hit], judged: Sequence[tuple[float, list[_Unit]]], sense: Sense | None
) -> list[float | None]:
    """Where each hit stands among the others; None where its relevance by words says enough."""
    turns = [hit.turn for hit in hits]
    if sense is None and not any(turns):
        return [None] * len(hits)
    best = max((relevance for relevance, _ in judged), default=0.0)
    known = [sense.facts.get(hit.fact.id) if sense else None for hit in hits]
    cosines = [each and each[0] for each in known]
    places = orders([hit.words for hit in hits], best, cosines, turns)
    named = [
        hit.turn is not None and _names_speaker(hit.fact.text, matched)
        for hit, (_, matched) in zip(hits, judged, strict=True)
    ]
    return list(in_talk(places, turns, named))


def _names_speaker(text: str, matched: Sequence[_Unit]) -> bool:
    """Whether what a turn begins with, who speaks, is named in the prompt."""
    first: frozenset[str] = next(iter(spoken(text).content), frozenset())
    return any(not unit.stems.isdisjoint(first) for unit in matched)


def _units(
    terms: Sequence[str], hits: Sequence[Hit], frequencies: Mapping[str, int], total: int
) -> list[_Unit]:
    families: dict[str, list[str]] = {}
    for term in terms:
        families.setdefault(family(term), []).append(term)
    total = max(total, len(hits), *(frequencies.get(term, 0) for term in terms), 0)
    weakest = all(_sort(term) == "weak" for term in terms)  # nothing else asked: then they count
    units = []
    for spellings in families.values():
        known = frozenset(porter(term) for term in spellings)
        same = frozenset(map(porter, others(spellings))) - known
        df = max((frequencies.get(term, 0) for term in spellings), default=0)
        df = df or max((frequencies.get(term, 0) for term in others(spellings)), default=0)
        if not frequencies:
            df = sum(not known.isdisjoint(_stems(hit)) for hit in hits)
        rarity = max(math.log((total + _PRIOR) / (df + _PRIOR_SEEN)), 0.1)
        weight = 1.0 if weakest else max(_ASKED[_sort(term)] for term in spellings)
        units.append(_Unit(tuple(spellings), known, same, rarity * weight))
    return units


_Match = tuple[float, float, frozenset[str], list[_Unit]]


def _judged(hits: Sequence[Hit], units: Sequence[_Unit]) -> list[tuple[float, list[_Unit]]]:
    """How well each hit answers by words, 0..1, and by which units.

    Either much of the prompt is found in the fact (a short question) or much of the fact in the
    prompt (a long one); each is worth as much as the matched words are telling. How much of a fact
    is asked for is looked at where it may still matter: it takes reading the text.
    """
    every = [(unit.stems | unit.others, unit.weight) for unit in units]
    of_the_prompt = frozenset().union(*(stems for stems, _ in every))
    met: dict[frozenset[str], _Match] = {}  # many hits hold the same words of the prompt

    def match(have: frozenset[str]) -> _Match:
        tells = [(unit, told) for unit in units if (told := unit.found_in(have)) > 0]
        matched = [unit for unit, _ in tells]
        found = frozenset().union(*(unit.stems | unit.others for unit in matched))
        strength = 1.0 - math.exp(-sum(told for _, told in tells) / _TELLING)
        asked = _coverage(every, found) if matched else 0.0
        return asked * strength, strength, found, matched

    matches = []
    for hit in hits:
        have = _stems(hit) & of_the_prompt
        if have not in met:
            met[have] = match(have)
        matches.append(met[have])
    order = sorted(range(len(hits)), key=lambda at: (-matches[at][0], -hits[at].words, at))
    read = {at for at in order[:_READ] if matches[at][3]}
    judged = []
    for at, (asked, strength, found, matched) in enumerate(matches):
        said = _coverage(_content(hits[at].fact.text), found) * strength if at in read else 0.0
        judged.append((1.0 - (1.0 - asked) * (1.0 - said), matched))
    return judged


def _stems(hit: Hit) -> frozenset[str]:
    if hit.tokens:
        return frozenset(map(porter, hit.tokens.split()))
    return spoken(hit.fact.text).stems


@lru_cache(maxsize=2_048)
def _content(text: str) -> tuple[tuple[frozenset[str], float], ...]:
    return tuple(
        (each, max(_SAID[_sort(stem)] for stem in each) * (_FIRST[at] if at < len(_FIRST) else 1.0))
        for at, each in enumerate(spoken(text).content)
    )


def _coverage(units: Iterable[tuple[frozenset[str], float]], found: frozenset[str]) -> float:
    """Which share of the weight of *units* is *found*."""
    chars = {char for stem in found if stem >= _WIDE for char in stem}
    covered = missed = 0.0
    for each, weight in units:
        if not each.isdisjoint(found):
            covered += weight
            continue
        term = min(each)
        if term >= _WIDE:  # two characters of found words that stand side by side ask nothing new
            missed += weight * sum(char not in chars for char in term) / len(term)
        elif (
            JOINER not in term or term.replace(JOINER, "").isdigit()
        ):  # else its parts stand for it
            missed += weight
    return covered / (covered + missed) if covered else 0.0


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
    """Without what says the same in other case, spacing or punctuation at the end: best stays."""
    seen: set[str] = set()
    kept = []
    for each in ranked:
        key = " ".join(compose(each.fact.text).casefold().split()).rstrip(" .!?。！")
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
    legs: Callable[[], dict[str, float | str]], fact: Fact, look: Look, today: date
) -> dict[str, float | str]:
    return legs() | _about(fact, look, today)


def _legs(
    matched: Sequence[_Unit], hit: Hit, relevance: float, share: float,
    known: tuple[float, float] | None, good: float, floor: float,
) -> dict[str, float | str]:  # fmt: skip
    """Which leg found it, what each says, and why it may be shown."""
    by = [name for name, there in (("words", hit.words > 0), ("meaning", known)) if there]
    why: dict[str, float | str] = {
        "found_by": " and ".join(by) or "nothing",
        "matched": _matched(hit.fact.text, matched),
        "words": round(relevance, 4),
        "bm25_share": round(share, 4),
    }
    if known is not None:
        why["meaning"] = round(known[0], 4)
        why["fit"] = round(good, 4)
    if hit.turn is not None:
        why["around"] = "the turns beside it count too"
    what = "its words reach" if known is None else "words and meaning together reach"
    company = " beside a better one" if good < floor else ""
    why["shown_because"] = f"{what} {good:.2f}{company}, the floor is {floor:.2f}"
    return why


def _about(fact: Fact, look: Look, today: date) -> dict[str, float | str]:
    age = max((today - date.fromisoformat(fact.stated_at[:10])).days, 0)
    return {
        "scope": _SCOPE[fact.scope],
        "trust": _TRUST[fact.trust],
        "importance": round(fact.importance, 4),
        "said": "today" if age == 0 else f"{age} day{'s' if age > 1 else ''} ago",
    }


def _matched(text: str, units: Sequence[_Unit]) -> str:
    """The matched words as they stand in the fact; bigrams that overlap are one word again."""
    shown: list[str] = []
    for unit in units:
        term = unit.terms[0]
        if term >= _WIDE and shown and shown[-1][-1] == term[0] and shown[-1] + term[1:] in text:
            shown[-1] += term[1:]
        else:
            shown.append(_as_written(term, text) if JOINER in term else term)
        there = _said_otherwise(unit, text)
        shown[-1] += f" ({there[0]})" if there else ""
    return ", ".join(shown)


def _said_otherwise(unit: _Unit, text: str) -> list[str]:
    """The other words for the same thing that stand in *text*, where the word itself does not."""
    have = spoken(text).stems
    if not unit.others or not unit.stems.isdisjoint(have):
        return []
    return [word for word in others(unit.terms) if porter(word) in have]


def _as_written(term: str, text: str) -> str:
    there = re.search(r"[\W_]+".join(map(re.escape, term.split(JOINER))), text, re.IGNORECASE)
    return there.group() if there else term.replace(JOINER, "-")
