"""Finding current facts for a prompt or a question. Reads only; it shows nothing."""

from dataclasses import dataclass, field

from dormouse.facts import Look
from dormouse.ledger import Reader
from dormouse.recall.rank import Ranked, rank
from dormouse.recall.words import prune, query_terms
from dormouse.times import parse
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
) -> Found:
    """The facts that fit *text* best. ``floor`` 0 switches silence off; None takes the setting.

    ``explicit``: somebody asks for these very words, so that common ones count too.
    """
    total, retired = r.count(look)
    if total + retired == 0 or (total == 0 and not (history or as_of)):
        return Found(reason="empty")
    terms = query_terms(text, explicit=explicit)
    if not terms:
        return Found(reason="no_match")
    frequencies = r.frequencies(terms)
    rare = prune(terms, frequencies, total + retired)
    hits = r.search(rare, look, limit=DEPTH, as_of=as_of, history=history)
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
    )
    if not ranked:
        return Found(reason="silenced")
    shown = ranked if limit is None else ranked[:limit]
    return Found(shown, len(ranked) - len(shown))
