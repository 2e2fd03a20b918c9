"""Finding current facts for a prompt or a question. Reads only; it shows nothing."""

from dataclasses import dataclass, field

from dormouse.facts import Look
from dormouse.ledger import Hit, Reader
from dormouse.recall.fuse import Sense
from dormouse.recall.rank import Ranked, bare, rank
from dormouse.recall.same import others
from dormouse.recall.stem import porter
from dormouse.recall.words import prune, query_terms
from dormouse.times import parse
from dormouse.work.meaning import Asked, Meaning
from dormouse.work.memory import Memory

DEPTH = 50  # hits of each leg that are ranked


@dataclass(frozen=True, slots=True)
class Found:
    """Ranked hits, their facts without sources; ``reason`` says why there are none.

    It is no_match, silenced or empty.
    """

    ranked: list[Ranked] = field(default_factory=list)
    left_out: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """What the words of a text found, and what ranking needs to know of them."""

    terms: list[str]
    frequencies: dict[str, int]
    total: int
    hits: list[Hit]
    looked_up: bool


def find(
    r: Reader,
    memory: Memory,
    text: str,
    look: Look,
    *,
    limit: int | None = None,
    as_of: str | None = None,
    history: bool = False,
    floor: float | None = None,
    explicit: bool = False,
    asked: Asked | None = None,
    depth: int = DEPTH,
) -> Found:
    """The facts that fit *text* best. ``floor`` 0 switches silence off; None takes the setting.

    ``explicit``: somebody asks for these very words, so that common ones count too. ``asked``: what
    the prompt means; without it words alone are searched.
    """
    words = by_words(
        r, memory, text, look, as_of=as_of, history=history, explicit=explicit, depth=depth
    )
    if isinstance(words, Found):
        return words
    return found_of(
        r, memory, words, look,
        limit=limit, as_of=as_of, history=history, floor=floor, asked=asked, depth=depth,
    )  # fmt: skip


def by_words(
    r: Reader,
    memory: Memory,
    text: str,
    look: Look,
    *,
    as_of: str | None = None,
    history: bool = False,
    explicit: bool = False,
    depth: int = DEPTH,
) -> Words | Found:
    """The words leg alone, which can be searched before it is known what *text* means."""
    if not r.has_facts(look, retired=history or as_of is not None):
        return Found(reason="empty")
    terms = query_terms(text, explicit=explicit)
    if not terms:
        return Found(reason="no_match")
    every, everywhere = others(terms), r.last_fact()
    memory.facts = everywhere
    frequencies = _frequencies(r, memory, every, everywhere)
    rare = prune(every, frequencies, everywhere)
    hits = r.search(rare, look, limit=depth, as_of=as_of, history=history)
    return Words(terms, frequencies, everywhere, hits, bare(text))


def found_of(
    r: Reader,
    memory: Memory,
    words: Words,
    look: Look,
    *,
    limit: int | None = None,
    as_of: str | None = None,
    history: bool = False,
    floor: float | None = None,
    asked: Asked | None = None,
    depth: int = DEPTH,
) -> Found:
    """What is worth showing of what *words* found, and of what the meaning leg finds."""
    hits, sense = words.hits, None
    if asked is not None and memory.meaning is not None:
        hits, sense = _by_meaning(r, memory.meaning, asked, hits, look, as_of, history, depth)
    if not hits:
        return Found(reason="no_match")
    ranked = rank(
        hits, words.terms, look, parse(memory.now()).date(), floor=_lowest(memory, floor),
        frequencies=words.frequencies, total=words.total, sense=sense, looked_up=words.looked_up,
    )  # fmt: skip
    if not ranked:
        return Found(reason="silenced")
    shown = ranked[:limit]
    return Found(shown, len(ranked) - len(shown))


def _lowest(memory: Memory, floor: float | None) -> float:
    return memory.settings.recall_floor if floor is None else floor


def _frequencies(r: Reader, memory: Memory, terms: list[str], total: int) -> dict[str, int]:
    """In how many facts each term occurs, under the stem by which it is found."""
    stems = {term: porter(term) for term in terms}
    occurring = memory.frequencies.of(set(stems.values()), total, r.occurrences)
    return {term: occurring[stem] for term, stem in stems.items()}


def _by_meaning(
    r: Reader,
    meaning: Meaning,
    asked: Asked,
    hits: list[Hit],
    look: Look,
    as_of: str | None,
    history: bool,
    depth: int,
) -> tuple[list[Hit], Sense]:
    """*hits* and those of the meaning leg, of which too the ledger says which may be seen.

    Their BM25 is not looked up, it lies below that of all others (LoCoMo R@10 .766 either way).
    """
    near = meaning.near(r, asked, look, retired=history or as_of is not None, limit=depth)
    known = {hit.nr for hit in hits}
    farther = [each.nr for each in near if each.nr not in known]
    facts = r.facts_by_number(farther, look, as_of=as_of, history=history)
    turns = r.talk_places(farther)
    more = [Hit(fact, 0.0, nr, turns.get(nr), row) for nr, (fact, row) in facts.items()]
    both = [*hits, *more]
    return both, meaning.sense(r, asked, near, {hit.nr: hit.fact.id for hit in both})
