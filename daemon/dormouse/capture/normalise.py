"""One form for every text: what can be stored, and what counts as equal. Never changes meaning."""

import hashlib
import re
import unicodedata

_NEWLINES = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_LONE = re.compile("[\x00\ud800-\udfff]")
_SPACE = re.compile(r"\s+")
# Marks that end a statement or only join letters invisibly; they never tell two statements apart.
_TRAILING = " \t\n.!?,;:…。！？，、；：｡"
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_NOT_SEEN = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Me"))  # a mark needs a letter
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"  # letters by name, blank by looks


def clean(text: str) -> str:
    """NFC with plain newlines; NUL and lone surrogates (SQLite refuses them) become U+FFFD."""
    if _LONE.search(text):
        # Two surrogates that belong together arrive apart when JSON was read piece by piece.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        text = text.replace("\x00", "\ufffd")
    return unicodedata.normalize("NFC", _NEWLINES.sub("\n", text))


def is_blank(text: str) -> bool:
    """Whether nothing of *text* can be seen: space, control, joining and filling letters only."""
    # Most texts show it at once; of one that does not, each letter is looked at once.
    return all(map(_unseen, text[:99])) and all(map(_unseen, set(text)))


def _unseen(letter: str) -> bool:
    return unicodedata.category(letter) in _NOT_SEEN or letter in _FILLERS


def fold(text: str) -> str:
    """The form in which two statements are compared: case, width, spacing and end marks are off."""
    text = _INVISIBLE.sub("", clean(text))
    # Case folding can undo NFKC and the other way round; Unicode's own definition repeats them.
    for _ in range(2):
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", text).casefold())
    return _SPACE.sub(" ", _INVISIBLE.sub("", text)).strip(_TRAILING).strip()


def text_hash(text: str) -> str:
    """SHA-256 of the folded text, in hex."""
    return hashlib.sha256(fold(text).encode("utf-8", "replace")).hexdigest()
