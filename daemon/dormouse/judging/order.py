"""Which of two facts is the older one. It looks at times and ids only, never at the texts."""

from dormouse.facts import Fact


def ordered(a: Fact, b: Fact) -> tuple[Fact, Fact]:
    """Return (older, newer): by when they began to hold, were said, arrived; ties by id."""
    return (a, b) if _key(a) <= _key(b) else (b, a)


def _key(fact: Fact) -> tuple[str, str, str, str]:
    return fact.valid_from, fact.stated_at, fact.captured_at, fact.id
