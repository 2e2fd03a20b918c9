"""Which current facts a new fact is to be judged with. Likeness nominates, it decides nothing.

An unsure pair becomes a question for the owner, so what merely shares words is not nominated.
"""

from collections.abc import Sequence

from dormouse.facts import Fact
from dormouse.judging.scope import scope_line
from dormouse.slots import PROJECT, VERB_MARKS, Statement, read
from dormouse.slots.values import Difference, compare

_ALIKE = 0.75  # of the shorter text's content words: nearly the same sentence
_ALIKE_CHANGED = 0.5  # enough where the new one speaks of a change


def slots(new: Fact) -> list[tuple[str, str | None]]:
    """The (subject, attribute) pairs to look up for *new*; attribute None means any."""
    slot = new.slot
    if slot.subject is None or (slot.subject == PROJECT and slot.attribute is None):
        return []
    return [(slot.subject, slot.attribute)]


def terms(new: Fact) -> list[str]:
    """Words to search for beside the caller's own: values that *new* calls outdated or ended."""
    statement = read(new.text)
    outdated = [statement.old, statement.slot.value if statement.ends else None]
    return [value for value in outdated if value is not None]


def near(new: Fact, hits: Sequence[Fact]) -> list[Fact]:
    """Return the *hits* near enough to *new* to be judged with it, each once, in their order."""
    lost = {hit.id for hit in unclear(new, hits)}
    return [hit for hit in beside(new, hits) if hit.id not in lost and _near(new, hit)]


def unclear(new: Fact, hits: Sequence[Fact]) -> list[Fact]:
    """Of "not 8080, it's 9090": the facts with 8080, if several; one is meant: ask which."""
    statement = read(new.text)
    if statement.old is None or statement.slot.subject is not None:
        return []
    meant = [hit for hit in beside(new, hits) if _holds(hit, statement)]
    return meant if len({(hit.slot.subject, hit.slot.attribute) for hit in meant}) > 1 else []


def beside(new: Fact, hits: Sequence[Fact]) -> list[Fact]:
    """The current *hits* in the scope of *new*, each once, in their order."""
    line = scope_line(new)
    once = {hit.id: hit for hit in hits if hit.id != new.id and hit.current}
    return [hit for hit in once.values() if scope_line(hit) == line]


def _holds(hit: Fact, correction: Statement) -> bool:
    held = read(hit.text)
    if held.kind is None or held.kind != correction.kind or correction.old is None:
        return False
    value = held.slot.value
    return value is not None and compare(held.kind, value, correction.old) is Difference.SAME


def _near(new: Fact, hit: Fact) -> bool:
    a, b = read(new.text), read(hit.text)
    if a.slot.subject is None and _holds(hit, a):
        return True
    if _same_slot(a, b):
        return True
    return _alike(a, b)


def _same_slot(a: Statement, b: Statement) -> bool:
    if a.slot.subject is None or a.slot.subject != b.slot.subject:
        return False
    if a.slot.attribute is None or b.slot.attribute is None:
        return a.slot.subject != PROJECT
    return a.slot.attribute == b.slot.attribute


def _alike(a: Statement, b: Statement) -> bool:
    x, y = set(a.words) - VERB_MARKS, set(b.words) - VERB_MARKS
    shared = len(x & y)
    if shared < 2:
        return False
    changed = a.change or a.ends or a.negated or b.change or b.ends or b.negated
    return shared >= (_ALIKE_CHANGED if changed else _ALIKE) * min(len(x), len(y))
