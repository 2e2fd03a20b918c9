"""Word stems: FTS5's own Porter, so that rules see what the index sees, and a light German one.

Porter is a port of SQLite's ``fts5_tokenize.c`` (Porter, 1980), byte for byte; it is not a general
purpose stemmer and knows no language but English.
"""

from functools import lru_cache

_LONGEST = 64  # bytes; FTS5 passes longer tokens through as they are

# Step 2 and 3: suffix -> replacement where a vowel-consonant pair stands before; first match wins.
_STEP2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("logi", "log"), ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"),
    ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"),
    ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP3 = (
    ("ical", "ic"), ("ness", ""), ("icate", "ic"), ("iciti", "ic"), ("ful", ""), ("ative", ""),
    ("alize", "al"),
)  # fmt: skip
_STEP4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def _is_vowel(char: str, y_too: bool) -> bool:
    return char in "aeiou" or (y_too and char == "y")


def _pairs(word: str) -> int:
    """How many vowel-consonant pairs *word* has, counted up to two (Porter's measure m)."""
    found, consonant, seen_vowel = 0, False, False
    for char in word:
        consonant = not _is_vowel(char, consonant)
        if consonant and seen_vowel:
            found += 1
            seen_vowel = False
            if found == 2:
                break
        elif not consonant:
            seen_vowel = True
    return found


def _has_vowel(word: str) -> bool:
    return any(_is_vowel(char, at > 0) for at, char in enumerate(word))


def _ends_short(word: str) -> bool:
    """Whether *word* ends consonant, vowel, consonant, the last not w, x, y."""
    if word[-1:] in ("w", "x", "y"):
        return False
    consonant, pattern = False, 0
    for char in word:
        consonant = not _is_vowel(char, consonant)
        pattern = (pattern << 1) + consonant
    return pattern & 7 == 5


def _step1(word: str) -> str:
    if word.endswith("s"):
        if word.endswith("es"):
            double = (len(word) > 4 and word[-4:-2] == "ss") or (len(word) > 3 and word[-3] == "i")
            word = word[:-2] if double else word[:-1]
        elif word[-2:-1] != "s":
            word = word[:-1]
    if len(word) > 3 and word.endswith("eed"):
        return word[:-1] if _pairs(word[:-3]) else word
    for suffix in ("ed", "ing"):
        stem = word[: -len(suffix)]
        if len(word) > len(suffix) and word.endswith(suffix):
            return _mended(stem) if _has_vowel(stem) else word
    return word


def _mended(word: str) -> str:
    """What stands after -ed or -ing went: hop(p), fil(e), at(e)."""
    if len(word) > 2 and word.endswith(("at", "bl", "iz")):
        return word + "e"
    last = word[-1:]
    if last not in "aeioulsz" and last == word[-2:-1]:
        return word[:-1]
    if _pairs(word) == 1 and _ends_short(word):
        return word + "e"
    return word


def _replace(word: str, table: tuple[tuple[str, str], ...]) -> str:
    for suffix, instead in table:
        if len(word) > len(suffix) and word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + instead if _pairs(stem) else word
    return word


def _step4(word: str) -> str:
    for suffix in _STEP4:
        if len(word) > len(suffix) and word.endswith(suffix):
            stem = word[: -len(suffix)]
            allowed = _pairs(stem) > 1 and (suffix != "ion" or stem[-1] in "st")
            return stem if allowed else word
    return word


def _step5(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        pairs = _pairs(stem)
        if pairs > 1 or (pairs == 1 and not _ends_short(stem)):
            word = stem
    if word.endswith("ll") and _pairs(word[:-1]) > 1:
        word = word[:-1]
    return word


@lru_cache(maxsize=16_384)
def porter(token: str) -> str:
    """The term that FTS5's porter tokenizer keeps for *token* (one token, already folded)."""
    if token.isdigit():
        return token
    raw = token if token.isascii() else token.encode("utf-8", "replace").decode("latin-1")
    if not 3 <= len(raw) <= _LONGEST:
        return token
    word = _step1(raw)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _step5(_step4(_replace(_replace(word, _STEP2), _STEP3)))
    return word if token.isascii() else word.encode("latin-1").decode("utf-8", "replace")


_GERMAN = ("ern", "en", "er", "em", "es", "et", "st", "e", "s", "n", "t")


@lru_cache(maxsize=16_384)
def german(token: str) -> str:
    """*token* without its German ending, at least four letters long: deployen and deployt alike."""
    for suffix in _GERMAN:
        if len(token) - len(suffix) >= 4 and token.endswith(suffix):
            return token[: -len(suffix)]
    return token
