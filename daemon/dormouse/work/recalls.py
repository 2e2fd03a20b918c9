"""Finding current facts for a prompt or a question. Reads only; it shows nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dormouse.facts import Look
from dormouse.ledger import Hit, Reader
from dormouse.recall.rank import Ranked, rank
from dormouse.recall.words import prune, query_terms
from dormouse.times import parse
from dormouse.work.meaning import Asked
from dormouse.work.memory import Memory

if TYPE_CHECKING:
    from dormouse.embedding.index import Near

SIZES = 64  # views whose number of facts is remembered
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
    total, retired = _count(r, memory, look)
    if total + retired == 0 or (total == 0 and not (history or as_of)):
        return Found(reason="empty")
    terms = query_terms(text, explicit=explicit)
    if not terms:
        return Found(reason="no_match")
    frequencies = r.frequencies(terms)
    rare = prune(terms, frequencies, total + retired)
    hits = r.search(rare, look, limit=DEPTH, as_of=as_of, history=history)
    sense = None
    if asked is not None and memory.meaning is not None:
        near = memory.meaning.near(r, asked, look, retired=history or as_of is not None)
        hits += _others(r, near, hits, look, as_of=as_of, history=history)
        sense = memory.meaning.sense(r, asked, near, {hit.nr: hit.fact.id for hit in hits})
    if not hits:
        return Found(reason="no_match")
    ranked = rank(
        hits,
        terms,
        look,
        parse(memory.now()).date(),
        floor=memory.settings.recall_floor if floor is None else floor,
        frequencies=frequencies,
        total=total + retired,
        sense=sense,
    )
    if not ranked:
        return Found(reason="silenced")
    shown = ranked if limit is None else ranked[:limit]
    return Found(shown, len(ranked) - len(shown))


def _count(r: Reader, memory: Memory, look: Look) -> tuple[int, int]:
    """``r.count``, 10 ms at 100 k facts: counted anew only when a fact came, went or moved."""
    now = (r.last_fact(), r.last_move())
    known = memory.sizes.get(look)
    if known is not None and known[0] == now:
        return known[1]
    if len(memory.sizes) >= SIZES:
        memory.sizes.clear()
    counted = r.count(look)
    memory.sizes[look] = (now, counted)
    return counted


def _others(
    r: Reader,
    near: "Sequence[Near]",
    hits: Sequence[Hit],
    look: Look,
    *,
    as_of: str | None,
    history: bool,
) -> list[Hit]:
    """Facts that only the meaning leg found: of them too the ledger says which may be seen.

    Their BM25 is not looked up, it lies below that of all others (LoCoMo R@10 .766 either way).
    """
    known = {hit.nr for hit in hits}
    others = [each.nr for each in near if each.nr not in known]
    facts = r.facts_by_number(others, look, as_of=as_of, history=history)
    turns = r.in_conversation(others)
    return [Hit(fact, 0.0, nr, nr in turns, row) for nr, (fact, row) in facts.items()]
