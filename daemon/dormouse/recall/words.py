"""From text to the tokens of the search row, and from a prompt to the terms worth searching.

Judges no fact and reads no ledger. A token holds letters and digits only, so that FTS5's unicode61
keeps it as one token; an identifier kept whole has ``segments.JOINER`` where its punctuation stood.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from dormouse.recall.folding import second_form
from dormouse.recall.lists import LATIN, LISTS, NOISE, WEAK
from dormouse.recall.same import thing
from dormouse.recall.segments import JOINER, Piece, Sort, bigrams, pieces
from dormouse.recall.stem import german, porter

_READ = 6_000  # characters of a prompt: its beginning …
_READ_END = 2_000  # … and its end, where the question mostly is
_LARGE = 200  # facts from which on frequent terms are left out
_MOST = 0.3  # share of facts that makes a term frequent
_POSTINGS = 1_000  # index rows that one search may walk and rank, 1 us each: found is the same
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*|\Z)", re.MULTILINE | re.DOTALL)
_UMLAUT = re.compile("[äöüÄÖÜß]")
_WORDS = (Sort.WORD, Sort.PART)
_KANA = (Sort.HIRAGANA, Sort.KATAKANA)
_RUNS = (Sort.HAN, *_KANA)
_UNSPACED = (Sort.HANGUL, Sort.OTHER)


def _speakers() -> dict[str, tuple[str, ...]]:
    """Which languages use a small word: der -> de, in -> en, de."""
    words = sorted({word for name in LATIN for word in LISTS[name].stop | LISTS[name].talk})
    return {
        word: tuple(name for name in LATIN if word in LISTS[name].stop | LISTS[name].talk)
        for word in words
    }


_SPEAKERS = _speakers()


def language(found: Iterable[Piece]) -> str | None:
    """The language whose small words occur most often, or None where there are none."""
    counts = dict.fromkeys(LATIN, 0)
    for piece in found:
        if piece.sort is Sort.WORD:
            for name in _SPEAKERS.get(piece.token, ()):
                counts[name] += 1
            if not piece.raw.isascii() and _UMLAUT.search(piece.raw):
                counts["de"] += 1
    best = max(LATIN, key=counts.__getitem__)  # the first of equals: English
    return best if counts[best] else None


def index_text(text: str) -> str:
    """The tokens of *text*, in order, joined by spaces: what goes into the search row."""
    found = list(pieces(text))
    return " ".join(_tokens(found, language(found) in ("de", None)))


def _tokens(found: Sequence[Piece], german_too: bool) -> list[str]:
    tokens: list[str] = []
    run = ""  # Han and kana that touch each other belong together: 夜間バッチ
    for piece in found:
        if piece.sort in _RUNS:
            run += piece.token
            continue
        if run:
            tokens += _wide(run)
            run = ""
        if piece.sort in _UNSPACED:
            tokens += bigrams(piece.token)
        else:
            tokens += _forms(piece, german_too)
    return tokens + _wide(run) if run else tokens


def _wide(run: str) -> list[str]:
    # single Han characters too, so that a word of one character is found inside a run
    return [*bigrams(run), *(char for char in run if len(run) > 1 and char >= "\u3400")]


def _forms(piece: Piece, german_too: bool) -> list[str]:
    token = piece.token
    if piece.sort is Sort.WHOLE or not token.isalpha():
        return [token]
    forms = [token]
    if german_too or not piece.raw.isascii():
        other = second_form(piece.raw)
        if other:
            forms.append(other)
    if german_too:
        forms += [german(form) for form in forms]
    return list(dict.fromkeys(forms))


class Spoken(NamedTuple):
    """The terms that the index holds for a text, and those of its informative words, one by one."""

    stems: frozenset[str]
    content: tuple[frozenset[str], ...]


@lru_cache(maxsize=2_048)
def spoken(text: str) -> Spoken:
    """What a fact's *text* is found by, and what it speaks of."""
    found = list(pieces(text))
    name = language(found)
    german_too = name in ("de", None)
    japanese = any(piece.sort in _KANA for piece in found)
    units: dict[frozenset[str], None] = {}
    for piece in found:
        kept, _ = _informative(piece, name or "en", japanese)
        if kept and piece.sort in _WORDS:
            units.setdefault(frozenset(map(porter, _forms(piece, german_too))))
        else:
            units.update((frozenset([porter(term)]), None) for term in kept)
    return Spoken(frozenset(map(porter, _tokens(found, german_too))), tuple(units))


def query_terms(text: str, *, limit: int = 32, explicit: bool = False) -> list[str]:
    """The informative terms of a prompt, in its order; [] where there is nothing to look for.

    *explicit* is a person's own search: words that are too weak for a prompt are then searched.
    The last few texts are kept: of a long prompt it takes a while, and is asked twice.
    """
    return list(_query_terms(text, limit, explicit))


def _unfenced_terms(text: str, limit: int, explicit: bool) -> tuple[str, ...]:
    bare = _FENCED.sub(" ", text)
    terms = _terms(bare if bare.strip() else text, limit, explicit)
    return tuple(terms or (_terms(text, limit, explicit) if bare != text else []))


_query_terms = lru_cache(maxsize=4)(_unfenced_terms)


_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
LONGEST = 240  # characters of a prompt that are read for its meaning: 25 to 60 ms of one core


@lru_cache(maxsize=4)
def gist(text: str) -> str:
    """What a prompt is about, in few words, so that a long one costs no more than a short one.

    A short prompt is its own gist; of a long one the sentences that say most are kept, in their
    order. "" where there is nothing to look for. The last few texts are kept.
    """
    bare = _FENCED.sub(" ", text)
    text = " ".join(bare.split()) if len(bare) <= LONGEST else bare
    if not query_terms(text):
        return ""
    if len(text) <= LONGEST:
        return text
    if len(text) > _READ + _READ_END:
        text = text[:_READ] + "\n" + text[-_READ_END:]
    sentences = [part for each in _SENTENCE.split(text) if (part := " ".join(each.split()))]
    worth = [_worth(sentence) for sentence in sentences]
    room, kept = LONGEST, set[int]()
    for at in sorted(range(len(sentences)), key=lambda at: (-worth[at], at)):
        if worth[at] > 0 and (not kept or len(sentences[at]) <= room):
            kept.add(at)
            room -= len(sentences[at]) + 1
    return " ".join(sentences[at] for at in sorted(kept))[:LONGEST]


def _worth(sentence: str) -> float:
    """How much a sentence asks for: its telling words for its length, a question twice."""
    terms = len(_unfenced_terms(sentence, 12, False))  # kept, they would push out the prompt's own
    asks = 2.0 if sentence.endswith(("?", "？")) else 1.0
    return asks * terms / (4.0 + len(sentence) / 20)


def _terms(text: str, limit: int, explicit: bool) -> list[str]:
    if len(text) > _READ + _READ_END:
        text = text[:_READ] + " " + text[-_READ_END:]
    found = list(pieces(text))
    name = language(found) or "en"
    japanese = any(piece.sort in _KANA for piece in found)
    strong: list[str] = []
    every: list[str] = []
    asks = False
    for piece in found:
        kept, question = _informative(piece, name, japanese)
        asks = asks or question
        every += kept
        strong += [term for term in kept if term not in WEAK]
    if not strong and not (explicit or asks):
        return []
    if not every:
        every = _last_resort(found) if explicit else []
    return _limited(list(dict.fromkeys(every)), set(strong), limit)


def _informative(piece: Piece, name: str, japanese: bool) -> tuple[list[str], bool]:
    """What of *piece* is worth searching, and whether it asks something."""
    token = piece.token
    if piece.sort is Sort.HAN:
        return _han(token, "ja" if japanese else "zh")
    if piece.sort is Sort.HANGUL:
        return _hangul(token)
    if piece.sort is Sort.HIRAGANA:
        return [], False  # particles and endings, for the most part
    if piece.sort in (Sort.KATAKANA, Sort.OTHER):
        return (bigrams(token) if len(token) > 1 else []), False
    if piece.sort is Sort.WHOLE:
        return [token], False
    lists = (LISTS[name], LISTS["en"], LISTS["ru"])
    asks = piece.sort is Sort.WORD and any(token in each.question for each in lists)
    if len(token) == 1 or any(token in each.stop or token in each.talk for each in lists):
        return [], asks
    if piece.sort is Sort.PART and token in NOISE:
        return [], False
    if (
        name == "de"
        and token not in WEAK
        and token.isalpha()
        and porter(german(token)) != porter(token)
    ):
        return [token, german(token)], asks
    return [token], asks


def _phrases(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word))))


_CUT = {
    name: _phrases(LISTS[name].stop | {word for word in LISTS[name].talk if len(word) > 1})
    for name in ("zh", "ja")
}
_ASKS = {name: _phrases(LISTS[name].question) for name in ("zh", "ja")}


def _han(run: str, name: str) -> tuple[list[str], bool]:
    lists = LISTS[name]
    terms: list[str] = []
    for rest in _CUT[name].sub(" ", run).split():
        bare = rest.strip(lists.edge) or rest
        if bare not in lists.talk and bare not in lists.edge:
            terms += bigrams(bare)
    return terms, _ASKS[name].search(run) is not None


def _hangul(run: str) -> tuple[list[str], bool]:
    lists = LISTS["ko"]
    asks = any(run.startswith(word) for word in lists.question)
    if run in lists.stop or run in lists.talk:
        return [], asks
    bare = run
    for ending in lists.endings:  # longest first in the list
        if len(run) - len(ending) >= 2 and run.endswith(ending):
            bare = run[: -len(ending)]
            break
    if bare in lists.stop or bare in lists.talk:
        return [], asks
    return bigrams(bare), asks


def _last_resort(found: Sequence[Piece]) -> list[str]:
    return [
        token
        for piece in found
        for token in (
            bigrams(piece.token)
            if piece.sort not in (Sort.WORD, Sort.WHOLE, Sort.PART)
            else [piece.token]
        )
    ]


def _limited(terms: list[str], strong: set[str], limit: int) -> list[str]:
    if len(terms) <= limit:
        return terms
    first = [term for term in terms if term in strong][:limit]
    chosen = set(first + [term for term in terms if term not in strong][: limit - len(first)])
    return [term for term in terms if term in chosen]


def family(term: str) -> str:
    """What spellings of one word have in common, so that they count once: on-call and oncall.

    Words for the same thing are one too: Datenbank and database.
    """
    joined = term.replace(JOINER, "")
    named = thing(joined)
    if named is not None:
        return named
    return german(joined) if joined.isascii() and joined.isalpha() else joined


def prune(
    terms: Sequence[str], frequencies: Mapping[str, int], total: int, keep: int = 8
) -> list[str]:
    """The rarest *keep* words of *terms* that occur at all, in their order, spellings together.

    In a large store, words of most facts go, and those whose rows would take too long to walk; the
    rarest stays in any case.
    """
    families: dict[str, list[str]] = {}
    for term in dict.fromkeys(terms):
        if frequencies.get(term, 0):
            families.setdefault(family(term), []).append(term)
    cost = {name: sum(frequencies[term] for term in each) for name, each in families.items()}
    kept: set[str] = set()
    walked = 0
    for name in sorted(families, key=lambda name: (name in WEAK, cost[name], name))[:keep]:
        walked += cost[name]
        frequent = total >= _LARGE and cost[name] > _MOST * total
        if kept and (frequent or walked > _POSTINGS):
            continue
        kept.update(families[name])
    return [term for term in dict.fromkeys(terms) if term in kept]
