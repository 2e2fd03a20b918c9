"""Typed values: their one canonical form, and whether two of them differ for sure.

It refuses to call two values different when one may be part, or another spelling, of the other.
"""

import re
from enum import Enum

from dormouse.slots.lexicon import words

_UNITS: dict[str, tuple[str, float]] = {
    "ms": ("time", 0.001), "s": ("time", 1), "sec": ("time", 1), "min": ("time", 60),
    "m": ("time", 60), "h": ("time", 3600), "hr": ("time", 3600), "d": ("time", 86400),
    "w": ("time", 604800), "mo": ("time", 2592000), "y": ("time", 31536000),
    "b": ("bytes", 1), "kb": ("bytes", 2**10), "mb": ("bytes", 2**20), "gb": ("bytes", 2**30),
    "tb": ("bytes", 2**40), "kib": ("bytes", 2**10), "mib": ("bytes", 2**20),
    "gib": ("bytes", 2**30), "%": ("percent", 1), "eur": ("eur", 1), "€": ("eur", 1),
    "usd": ("usd", 1), "$": ("usd", 1), "rpm": ("rpm", 1), "rps": ("rps", 1), "qps": ("rps", 1),
    "px": ("px", 1), "ghz": ("ghz", 1), "mbit": ("mbit", 1), "gbit": ("gbit", 1),
}  # fmt: skip
ADDRESS = frozenset({"ip", "host", "url"})
_TLDS = words(
    "com org net io dev de cn eu at ch uk app ai co cloud intern internal corp local lan test "
    "example home localdomain invalid info me us svc tech systems"
)
_SUFFIXES = words(
    "md py js ts tsx jsx json toml yml yaml txt ini cfg conf sh sql rs go java rb php html css "
    "lock xml csv env log pdf cpp hpp kt swift vue gradle"
)
_REGION = re.compile(
    r"(?:us|eu|ap|sa|ca|me|af|cn|il|europe|asia|australia|northamerica|southamerica)-"
    r"(?:gov-)?(?:north|south|east|west|central|northeast|southeast|northwest|southwest)-?\d?"
)
_NUMBER = re.compile(r"(v?)(\d+(?:[.,]\d+)*)(\.x)?([a-z%€$µ]*)")
_NICKNAMES = {
    "bob": "robert", "bill": "william", "will": "william", "jack": "john", "dick": "richard",
    "peggy": "margaret", "ted": "edward", "tony": "anthony", "hank": "henry",
    "sascha": "alexander",
    "sasha": "alexander", "hans": "johannes", "sepp": "josef", "uli": "ulrich",
    "betty": "elizabeth",
    "dave": "david", "mike": "michael", "kate": "catherine", "nick": "nicholas",
}  # fmt: skip


class Difference(Enum):
    """How two values compare. UNCLEAR: it can't be said from the texts."""

    SAME = 0
    OTHER = 1
    UNCLEAR = 2


def quantity(number: str, unit: str) -> tuple[str, str] | None:
    """Return (kind, canon) of a number with a unit, in base units; None if unknown."""
    known = _UNITS.get(unit)
    if known is None:
        return None
    dimension, factor = known
    return "qty", f"{float(number) * factor:.10g} {dimension}"


def number(text: str, language: str) -> tuple[str, str] | None:
    """Read a token that starts with a digit: (kind, canon), or None if it is only a name."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    prefix, digits, any_minor, suffix = found.groups()
    if prefix or any_minor or digits.count(".") >= 2:
        return ("version", digits + (any_minor or "")) if not suffix else None
    plain = _plain(digits, language)
    if plain is None:
        return None
    if not suffix:
        return "num", plain
    if suffix in ("am", "pm"):
        return "time", clock(plain, "00", suffix)
    if suffix == "k":
        return "num", f"{float(plain) * 1000:.10g}"
    return quantity(plain, suffix)


def _plain(digits: str, language: str) -> str | None:
    if language != "de" and re.fullmatch(r"\d{1,3}\.\d{3}", digits):
        return None  # a thousand to some, one to others
    group, point = (".", ",") if language == "de" else (",", ".")
    if re.fullmatch(rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+", digits):
        digits = digits.replace(group, "")
    elif point == ",":
        digits = digits.replace(",", ".") if digits.count(",") == 1 else digits
    return digits if re.fullmatch(r"\d+(?:\.\d+)?", digits) else None


def clock(hours: str, minutes: str, half: str = "") -> str:
    """Return a time of day as HH:MM in 24 hours."""
    hour = int(float(hours))
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return f"{hour:02d}:{minutes}"


def address(text: str) -> str:
    """Return the canonical form of an IP address, host name or URL."""
    bare = re.sub(r"^[a-z][a-z0-9+.-]*://", "", text).rstrip("/").removesuffix(":443")
    return re.sub(r"^127\.0\.0\.1(?=:|$)", "localhost", bare)


def dotted(word: str) -> str | None:
    """Say whether a word with dots is a "host" or a "path" (a file); None for neither."""
    last = word.rsplit(".", 1)[-1]
    if last in _SUFFIXES and word.count(".") == 1:
        return "path"
    return "host" if last in _TLDS else None


def is_region(word: str) -> bool:
    """Whether *word* is a cloud region's name."""
    return _REGION.fullmatch(word) is not None


def path(text: str) -> str:
    """Return a path without leading ./ and trailing slash."""
    return re.sub(r"^(?:\./)+", "", text).rstrip("/") or "/"


def compare(kind: str, a: str, b: str) -> Difference:
    """Compare two values of one kind."""
    if a == b:
        return Difference.SAME
    if kind == "qty":
        return _compare_quantities(a, b)
    if kind == "num":
        return Difference.SAME if float(a) == float(b) else Difference.OTHER
    if kind == "name":
        return _compare_names(a, b)
    if kind in ("version", "path", *ADDRESS):
        return Difference.UNCLEAR if _part_of(a, b) or _part_of(b, a) else Difference.OTHER
    return Difference.OTHER


def _part_of(a: str, b: str) -> bool:
    """Whether *a* begins or ends *b* at a joint: 3.11 and 3.11.4, api and apps/api."""
    return any(b.startswith(a + joint) or b.endswith(joint + a) for joint in "./:-") or a == ""


def _compare_quantities(a: str, b: str) -> Difference:
    (x, x_dim), (y, y_dim) = a.split(), b.split()
    if x_dim != y_dim:
        return Difference.UNCLEAR
    low, high = sorted((float(x), float(y)))
    # 2 GB and 2000 MB, 3 months and 90 days are one value for people: 5 % covers both readings.
    coarse = x_dim == "bytes" or (x_dim == "time" and low >= 86400)
    if coarse and high <= 1.05 * low:
        return Difference.UNCLEAR
    return Difference.OTHER


def _compare_names(a: str, b: str) -> Difference:
    """Names differ for sure only where neither can be short for, or a spelling of, the other."""
    if a.isascii() != b.isascii():
        return Difference.UNCLEAR
    x, y = _names(a), _names(b)
    if x == y:
        return Difference.SAME
    team = {"team"}
    left, right = x - y - team, y - x - team
    if not left or not right:
        return Difference.UNCLEAR
    alike = any(_alike(p, q) for p in left for q in right)
    initials = _initials(a) in right or _initials(b) in left
    return Difference.UNCLEAR if alike or initials else Difference.OTHER


def _names(text: str) -> frozenset[str]:
    return frozenset(_NICKNAMES.get(part, part) for part in text.replace("@", "").split())


def _initials(text: str) -> str:
    return "".join(part[0] for part in text.split())


def _alike(p: str, q: str) -> bool:
    if p in q or q in p or len(p) < 3 or len(q) < 3:
        return min(len(p), len(q)) > 0 and (p in q or q in p or p[0] == q[0])
    return p[:3] == q[:3]
