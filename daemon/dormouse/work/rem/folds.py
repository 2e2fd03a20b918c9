"""Which facts say the same, and which of them keeps the word. Decides only; changes nothing.

Folded is only what loses nothing: the same slot with the same value, meant the same way, and every
word of the one in the other; or a statement that its slot says completely. In doubt both stay.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dormouse import slots
from dormouse.facts import Fact, Layer, Scope
from dormouse.slots import Statement

LAYERS = (Layer.SEMANTIC, Layer.CORE)  # two episodes are two, however alike


@dataclass(frozen=True, slots=True)
class Fold:
    """*duplicate* is retired, *into* gets its sources."""

    duplicate: str
    into: str


def folds(facts: Iterable[Fact], final: Callable[[str, str], bool]) -> list[Fold]:
    """The duplicates among current *facts*; *final* says that a pair was decided by the owner."""
    groups: dict[Any, list[tuple[Fact, Statement]]] = {}
    for fact in facts:
        if fact.current and fact.layer in LAYERS:
            said = slots.read(fact.text)
            groups.setdefault(_group(fact, said), []).append((fact, said))
    found: list[Fold] = []
    for group in groups.values():
        if len(group) > 1:
            found += _in_group(sorted(group, key=_better), final)
    return found


def _group(fact: Fact, said: Statement) -> tuple[Any, ...]:
    """Facts can only be duplicates where all of this is equal."""
    slot = said.slot
    known = slot.subject is not None and slot.attribute is not None and slot.value is not None
    what: Any = slot if known else frozenset(said.words) if said.free_order else said.words
    branch = fact.branch if fact.scope is Scope.BRANCH else None
    session = fact.session_id if fact.scope is Scope.SESSION else None
    meant = (said.modality, said.negated, said.ends, said.denies, said.qualifiers)
    return (fact.scope, fact.project_id, branch, session, fact.kind, known, what, meant)


def _better(one: tuple[Fact, Statement]) -> tuple[Any, ...]:
    """Who keeps the word comes first: the most trusted, the pinned, who says most, the oldest."""
    fact, said = one
    return (-fact.trust.rank, not fact.pinned, -len(set(said.words)), fact.stated_at, fact.id)


def _in_group(
    ordered: Sequence[tuple[Fact, Statement]], final: Callable[[str, str], bool]
) -> list[Fold]:
    found: list[Fold] = []
    kept: list[tuple[Fact, Statement]] = []
    for fact, said in ordered:
        for into, fuller in kept:
            if says_all(fuller, said) and not final(fact.id, into.id):
                found.append(Fold(fact.id, into.id))
                break
        else:
            kept.append((fact, said))
    return found


def says_all(fuller: Statement, said: Statement) -> bool:
    """Whether nothing of *said* is missing in *fuller*, whose slot is the same."""
    if not said.words:
        return False
    if set(said.words) <= set(fuller.words):
        return True
    return said.whole and fuller.whole and said.slot.value is not None
