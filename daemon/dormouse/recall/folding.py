"""From any spelling to one: NFKC, case, diacritics. Knows scripts, no languages and no lists."""

import re
import unicodedata
from functools import lru_cache

# Characters that people don't see. They would split a word, or hide one.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134a"
HIRAGANA = "\u3041-\u309f"
KATAKANA = "\u30a0-\u30fa\u30fc-\u30ff"
HANGUL = "\u1100-\u11ff\u3131-\u318f\uac00-\ud7a3"
# Thai, Lao, Myanmar, Khmer: written without spaces as well
SPACELESS = "\u0e01-\u0e59\u0e81-\u0ed9\u1000-\u109f\u1780-\u17dd"


def compose(text: str) -> str:
    """*text* in NFKC without unseen characters; case and diacritics stay."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", text))


class _Bare(dict[int, str]):
    """Letter -> letter without its marks, filled as they come. Kana keep theirs: か is not が."""

    def __missing__(self, point: int) -> str:
        char = chr(point)
        if unicodedata.category(char).startswith("M"):
            bare = ""
        elif point < 0x0590 or 0x1E00 <= point < 0x2000:
            parts = unicodedata.normalize("NFD", char)
            bare = "".join(part for part in parts if not unicodedata.combining(part))
        else:
            bare = char
        if len(self) < 70_000:
            self[point] = bare
        return bare


_BARE = _Bare()


_SPECIAL = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th"})


@lru_cache(maxsize=16_384)
def fold(token: str) -> str:
    """The first form of a token: NFKC, casefolded, diacritics off (ß is ss, ü is u)."""
    if token.isascii():
        return token.lower()
    folded = unicodedata.normalize("NFKC", compose(token).casefold())
    return folded.translate(_BARE).translate(_SPECIAL)


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
# ae, oe, ue that can stand for an umlaut: not after a vowel or q (neue, Quelle, Bauer)
_SPELT_OUT = re.compile(r"(?<![aeouq])([aou])e")


def second_form(token: str) -> str | None:
    """The other German spelling of a token: Größe as groesse, Groesse as grosse; else None."""
    if token.isascii():
        lower = token.lower()
        other = _SPELT_OUT.sub(r"\1", lower)
        return other if other != lower else None
    lower = unicodedata.normalize("NFKC", compose(token).casefold())
    other = lower.translate(_UMLAUTS)
    return fold(other) if other != lower else None
