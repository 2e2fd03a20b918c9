"""What must not be read at all: the person's <private> parts and blocks that were put in by us.

Refuses to guess in favour of reading: a part that is never closed hides the rest.
"""

import re

# Attributes are bounded so that a stray "<" costs a constant, not a scan to the end.
# A Chinese or Japanese keyboard types the wide brackets.
_PRIVATE = re.compile(
    r"[<＜]\s{0,4}([/／]?)\s{0,4}(private)\b[^<>＜＞]{0,200}[>＞]",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"<\s{0,4}(/?)\s{0,4}(dormouse-memory|hook_context|system-reminder)\b[^<>]{0,400}>",
    re.IGNORECASE,
)


def strip_private(text: str) -> str:
    """Without <private>…</private>; parts may be nested, and an open end hides the rest."""
    return _without(text, _PRIVATE)


def strip_own(text: str) -> str:
    """Without what this memory or the host put into the prompt: it is not the person speaking."""
    return _without(text, _OWN)


def _without(text: str, tag: re.Pattern[str]) -> str:
    kept: list[str] = []
    start, depth, inside = 0, 0, ""
    closed = ""  # the part that ended last
    for found in tag.finditer(text):
        closing, name = bool(found[1]), found[2].lower()
        if depth == 0:
            # One more end of the part that ended last: what lies between was in it all along.
            if not (closing and name == closed):
                kept.append(text[start : found.start()])
            start = found.end()
            if not closing:
                depth, inside = 1, name
        elif name == inside:
            depth += -1 if closing else 1
            if depth == 0:
                start, closed = found.end(), name
    if depth == 0:
        kept.append(text[start:])
    return "".join(kept).strip() if len(kept) > 1 or depth else text
