"""Where a sentence ends: the points of addresses, numbers and abbreviations are no ends."""

import re
from collections.abc import Iterator

_END = re.compile(r"[.!?…]+[\"'”»)\]*_]{0,3}(?=\s|\Z)|[。！？]+[”」』）]?")
# Whatever follows; a single letter too, so "z. B." and "J. Doe" go on.
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|z\.B|d\.h|u\.a|bzw|ca|Dr|Mrs?|Ms|Prof|Sra?|Srta|Nr|St|Str"
    r"|(?-i:[A-ZÄÖÜ]\w*str)|evtl|ggf|inkl|zzgl|vgl|usw|bspw|sog|ул)|(?<![\w.])[^\W\d_])\Z",
    re.IGNORECASE,
)
# "No." alone is a sentence, "No. 5" is a number.
_OF_A_NUMBER = re.compile(
    r"\b(?:nos?|nrn|núms?|figs?|abb|secs?|vols?|pp|chap|ch|ver|max|min|tel|ext|art|abs|kap|bd|ziff"
    r"|стр|рис)\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s{1,3}[#(]?\d")
_DOTTED = re.compile(r"(?<![\w.])(?:[^\W\d_]\.)+[^\W\d_]\Z")  # "at 9 a.m. on Mondays"
_GOES_ON = re.compile(r"\s{1,3}[^\W_A-ZÄÖÜ]")
_COUNTED = re.compile(r"(?<![\w.:])\d{1,2}\Z")
_ORDINAL = re.compile(
    r"\s(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Quartal|Stock|Version)", re.IGNORECASE
)


def ends(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The marks in *text* that end a sentence which begins at *start*, in their order."""
    at = start
    for found in _END.finditer(text, start, end):
        if found[0] != "." or not _inside(text, at, found):
            yield found
            at = found.end()


def _inside(text: str, at: int, point: re.Match[str]) -> bool:
    """Whether a single point stands inside its sentence."""
    before = text[max(at, point.start() - 16) : point.start()]
    number, goes_on = _NUMBER.match(text, point.end()), _GOES_ON.match(text, point.end())
    return bool(
        _ABBREVIATED.search(before)
        or (number and _OF_A_NUMBER.search(before))
        or (goes_on and _DOTTED.search(before))
        or (_COUNTED.search(before) and _ORDINAL.match(text, point.end()))
    )
