"""Which current facts a new fact is to be judged with. Likeness nominates, it decides nothing."""

from collections.abc import Sequence

from dormouse.facts import Fact
from dormouse.judging.scope import scope_line
from dormouse.slots import read


def slots(new: Fact) -> list[tuple[str, str | None]]:
    """The (subject, attribute) pairs to look up for *new*; attribute None means any."""
    slot = new.slot
    return [] if slot.subject is None else [(slot.subject, slot.attribute)]


def terms(new: Fact) -> list[str]:
    """Values that *new* itself calls outdated: to be searched for beside the caller's own terms."""
    old = read(new.text).old
    return [] if old is None else [old]


def near(new: Fact, hits: Sequence[Fact]) -> list[Fact]:
    """Return the *hits* near enough to *new* to be judged with it, in their order."""
    line = scope_line(new)
    return [hit for hit in hits if hit.id != new.id and scope_line(hit) == line and _near(new, hit)]


def _near(new: Fact, hit: Fact) -> bool:
    if new.slot.subject is not None and new.slot.subject == hit.slot.subject:
        return True
    a, b = set(read(new.text).words), set(read(hit.text).words)
    shared = len(a & b)
    return shared >= 2 and 2 * shared >= min(len(a), len(b))
