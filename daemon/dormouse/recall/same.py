"""Words that mean the same in other words or another language (``lists/same.toml``). Data only."""

from collections.abc import Iterable
from functools import lru_cache

from dormouse.recall.folding import fold
from dormouse.recall.lists import lines
from dormouse.recall.stem import german, porter


def _keys(word: str) -> tuple[str, str]:
    return porter(word), porter(german(word))


def _read() -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Which thing a word's stem names, and the words for each thing."""
    thing_of: dict[str, str] = {}
    words_of: dict[str, tuple[str, ...]] = {}
    for line in lines("same", "same"):
        words = tuple(dict.fromkeys(fold(word) for word in line.split()))
        words_of[words[0]] = words
        for word in words:
            for key in _keys(word):
                thing_of.setdefault(key, words[0])
    return thing_of, words_of


_THING_OF, _WORDS_OF = _read()


@lru_cache(maxsize=8_192)
def thing(term: str) -> str | None:
    """What *term* names, under the first of the words for it; None where only itself does."""
    plain, bare = _keys(term)
    return _THING_OF.get(plain) or _THING_OF.get(bare)


def others(terms: Iterable[str]) -> list[str]:
    """*terms*, and after each the other words for what it names."""
    found: dict[str, None] = {}
    for term in terms:
        found[term] = None
        named = thing(term)
        if named is not None:
            found |= dict.fromkeys(_WORDS_OF[named])
    return list(found)
