"""Makes foreign text harmless for a block of context: one line, no tags of ours or of a host.

Says nothing about what is shown or in which order. Measures in a host's own unit.
"""

import re
import unicodedata

_GONE = (
    re.compile(  # unseen or reordering characters: what a person can't see, an agent shan't read
        "[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
        "\U000e0000-\U000e0fff]"
        "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"  # joiners beside ASCII
    )
)
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_OPEN = "[<\uff1c\ufe64\u2039\u3008\u27e8\u2329]"
# Delimiters of ours and of the hosts, however they are spelt; and tags that speak for somebody,
# unless they follow a letter: Promise<User> is a type.
_TAG = re.compile(
    _OPEN + r"(?=[\s/\\!?]*(?:dormouse|system[\s_\-]*reminder|hook[\s_\-]*context))"
    r"|(?:(?<!\w)" + _OPEN + "|" + _OPEN + r"(?=\s*/))(?=[\s/\\!?]*(?:system|user|human|assistant|"
    r"developer|instructions?|context|prompt|tool\w*|function\w*|invoke|antml\w*|memory|reminder|"
    r"private|(?:local-)?command[\w\-]*)(?![\w\-]))",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?;](?=\s|$)|[。！？；]")
_ASCII = {"utf16": 2, "utf8": 1}


def measure(text: str, unit: str) -> int:
    """How long *text* is in *unit*: utf16 (code units) or utf8 (bytes)."""
    if unit not in _ASCII:
        raise ValueError(f"unknown unit {unit!r}")
    if text.isascii():
        return len(text)
    if unit == "utf8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def flatten(text: str) -> str:
    """*text* on one line, without control, unseen or half characters."""
    text = text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text
    return _SPACE.sub(" ", _GONE.sub("", text)).strip()


def escape(text: str) -> str:
    """*text* with the opening bracket of anything like a delimiter of ours or of a host defused."""
    if not text.isascii():
        plain = unicodedata.normalize("NFKC", text)  # ＜／ｄｏｒｍｏｕｓｅ looks like ours
        if len(_TAG.findall(plain)) > len(_TAG.findall(text)):
            text = plain
    return _TAG.sub("&lt;", text)


def cut(text: str, limit: int, unit: str, tail: str = "…") -> str:
    """*text* within *limit*, ended at a sentence where one is near, else at a word, and *tail*."""
    if measure(text, unit) <= limit:
        return text
    room = limit - measure(tail, unit)
    if room <= 0:
        return ""
    kept = _prefix(text, room, unit)
    # looked for in the whole text: at the cut, 10.0.0. is no end of a sentence
    ends = [m.end() for m in _SENTENCE.finditer(text) if m.end() <= len(kept)]
    if ends and ends[-1] * 2 >= len(kept):
        return kept[: ends[-1]] + tail
    space = kept.rfind(" ")
    if space * 2 >= len(kept):
        kept = kept[:space]
    return kept.rstrip() + tail


def _prefix(text: str, room: int, unit: str) -> str:
    low, high = 0, min(len(text), room)
    while low < high:  # the longest prefix of whole code points that fits
        middle = (low + high + 1) // 2
        if measure(text[:middle], unit) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low]
