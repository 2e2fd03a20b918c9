"""Ids: random, short to type, safe in every shell. It keeps no counter and knows no table."""

import secrets

LENGTH = 16
SHORTEST = 4
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_LETTERS = frozenset(_ALPHABET)


def new_id() -> str:
    """Return 80 random bits as 16 characters of lower-case base32."""
    number = secrets.randbits(5 * LENGTH)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(0, 5 * LENGTH, 5))


def could_be_id(text: str) -> bool:
    """Whether *text* may be an id or the beginning of one."""
    return 0 < len(text) <= LENGTH and _LETTERS.issuperset(text)


def as_named(text: str) -> str:
    """*text* as an error may repeat it: what can be no id may be anything, a secret too."""
    return text if could_be_id(text) else "given"


def shortest_unique(id: str, before: str | None, after: str | None) -> str:
    """Return the shortest beginning of *id* (at least 4) that neither neighbour in order shares."""
    shared = max(_shared(id, before), _shared(id, after))
    return id[: max(SHORTEST, shared + 1)]


def _shared(one: str, other: str | None) -> int:
    if other is None:
        return 0
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length
