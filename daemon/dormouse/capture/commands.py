"""What a person tells the memory to do, in so many words. Guesses nothing and obeys no quoted text."""

import re
from dataclasses import dataclass, field

from dormouse.facts import Kind, Scope


@dataclass(frozen=True, slots=True)
class Remember:
    """Keep this statement. ``scope`` is set only where the person named one."""

    text: str = field(repr=False)
    kind: Kind | None = None
    scope: Scope | None = None
    everywhere: bool = False
    pin: bool = False
    confidence: float = 0.99
    how_named: str = "remember"


@dataclass(frozen=True, slots=True)
class Forget:
    """Retire what this names. ``id`` is set where the target may be a short id; it can also be a
    plain word, so that a caller who finds no such fact looks for the target's words."""

    target: str = field(repr=False)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """This holds instead of something known. ``old`` and ``new`` are the two values, if named.

    ``dangling``: the text has no subject of its own ("it's 9090"); it means something only with
    the fact that ``old`` is found in, and should not be kept without it.
    """

    text: str = field(repr=False)
    old: str | None = field(default=None, repr=False)
    confidence: float = 0.93
    new: str | None = field(default=None, repr=False)
    dangling: bool = False
    scope: Scope | None = None
    everywhere: bool = False


Command = Remember | Forget | Correction

_FIRST = re.compile(
    r"^(?:please )?(?:remember(?: that|:)|merke? dir(?:[:,] dass|:|, dass)|记住[：:]?)\s*(.+?)[.。!！]?$",
    re.IGNORECASE | re.MULTILINE,
)


def read_prompt(text: str) -> list[Command]:
    """The commands of one prompt, in the order in which they were said."""
    return [Remember(found[1]) for found in _FIRST.finditer(text)]
