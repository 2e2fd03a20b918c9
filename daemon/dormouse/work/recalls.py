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

DEPTH = 50  # hits of the words leg that are ranked


@dataclass(frozen=True, slots=True)
class Found:
    """Ranked hits; ``reason`` says why there are none (no_match, silenced, empty)."""

    ranked: list[Ranked] = field(default_factory=list)
    left_out: int = 0
    reason: str | None = None


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
) -> Found:
    """The facts that fit *text* best. ``floor`` 0 switches silence off; None takes the setting.

    ``explicit``: somebody asks for these very words, so that common ones count too. ``asked``: what
    the prompt means; without it words alone are searched.
    """
    if not r.has_facts(look, retired=history or as_of is not None):
        return Found(reason="empty")
    terms = query_terms(text, explicit=explicit)
    if not terms:
        return Found(reason="no_match")
    every, everywhere = others(terms), r.last_fact()
    frequencies = _frequencies(r, memory, every, everywhere)
    rare = prune(every, frequencies, everywhere)
    hits = r.search(rare, look, limit=DEPTH, as_of=as_of, history=history)
    sense = None
    if asked is not None and memory.meaning is not None:
        hits, sense = _by_meaning(r, memory.meaning, asked, hits, look, as_of, history)
    if not hits:
        return Found(reason="no_match")
    ranked = rank(
        hits, terms, look, parse(memory.now()).date(), floor=_lowest(memory, floor),
        frequencies=frequencies, total=everywhere, sense=sense, looked_up=bare(text),
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
) -> tuple[list[Hit], Sense]:
    """*hits* and those of the meaning leg, of which too the ledger says which may be seen.

    Their BM25 is not looked up, it lies below that of all others (LoCoMo R@10 .766 either way).
    """
    near = meaning.near(r, asked, look, retired=history or as_of is not None)
    known = {hit.nr for hit in hits}
    farther = [each.nr for each in near if each.nr not in known]
    facts = r.facts_by_number(farther, look, as_of=as_of, history=history)
    turns = r.talk_places(farther)
    more = [Hit(fact, 0.0, nr, turns.get(nr), row) for nr, (fact, row) in facts.items()]
    both = [*hits, *more]
    return both, meaning.sense(r, asked, near, {hit.nr: hit.fact.id for hit in both})
