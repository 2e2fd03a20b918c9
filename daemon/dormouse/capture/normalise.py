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


def clean(text: str) -> str:
    """NFC with plain newlines; NUL and lone surrogates (SQLite refuses them) become U+FFFD."""
    if _LONE.search(text):
        # Two surrogates that belong together arrive apart when JSON was read piece by piece.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        text = text.replace("\x00", "\ufffd")
    return unicodedata.normalize("NFC", _NEWLINES.sub("\n", text))


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
