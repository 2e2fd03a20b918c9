"""Facets that a model mixes up: who looks after a thing, where it is, what it is made of; and one
length of time in two units.

"The search service is run by Maria" / "the search service has moved to Falkenstein": one thing, two
matters, and the embedded judge is as sure of a change as it ever is. Only words that say the facet
outright are taken; whatever else two facts speak of is left to the judge.
"""

import re
from typing import Final

from dormouse.slots.tokens import cjk_number

_OWNED = re.compile(  # said of the thing: somebody runs it
    r"\b(?:run|managed|owned|maintained|operated|looked after|administered) by\b"
    r"|\bvon .{2,30} (?:betreut|verwaltet|gepflegt|betrieben|verantwortet)\b"
    r"|由.{1,10}(?:负责|维护|管理|运维)|归.{1,8}(?:管|负责)",
    re.IGNORECASE,
)
_ANYBODY = re.compile(  # said of a person, in whatever way
    r"\b(?:by|respons\w*|in charge|owns?|owner|looks? after|take[sn]? care|took|maint\w*|manag\w*"
    r"|contact|leads?|led|do(?:es)?|handl\w*|runs|ask|admin\w*|duty|job|who|team|belongs?"
    r"|hand\w*|pass\w*)\b"
    r"|zuständig|verantwort|kümmer|betreu|übern|leite|macht|pflegt|verwalt|ansprech|gehört"
    r"|负责|维护|管|找|对接|接手|接管|交给|交接|运维|归|主管|联系",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"\bwritten in\b|\bin \S+ geschrieben\b|用.{1,20}(?:写的|编写|开发的)", re.IGNORECASE
)
_PLACED = re.compile(
    r"部署(?:在|到)|放(?:在|到)|搬到|迁(?:移)?到|机房|地址"
    r"|\b(?:moved? to|lives? (?:in|on)|deployed (?:in|to)|located in|address)\b|umgezogen",
    re.IGNORECASE,
)
_USES = re.compile(r"[^作采]用\s*[A-Z]|\b(?:uses|is built (?:on|with)|runs on)\b")
_UNITS: Final = {"秒": 1, "分钟": 60, "小时": 3_600, "天": 86_400, "周": 604_800, "星期": 604_800}
_LENGTH = re.compile(
    rf"(?<![第一二两三四五六七八九十])(\d+(?:\.\d+)?|[一二两三四五六七八九十半])\s*个?({'|'.join(_UNITS)})(?![一二两三半\d吃抽喂])"
)


def apart(older: str, newer: str) -> bool:
    """Whether one text says who runs a thing, or what it is written in, the other where it is."""
    for a, b in ((older, newer), (newer, older)):
        somewhere = _PLACED.search(b) is not None
        owned = _OWNED.search(a) is not None and _ANYBODY.search(b) is None
        if owned and (somewhere or _USES.search(b)):
            return True
        written = _WRITTEN.search(a) is not None and _WRITTEN.search(b) is None
        if written and (somewhere or _OWNED.search(b)):
            return True
    return False


def same_length(older: str, newer: str) -> bool:
    """Whether both name one length of time, the same in Chinese words, whatever the unit."""
    a, b = (_lengths(text) for text in (older, newer))
    return len(a) == len(b) == 1 and a == b


def _lengths(text: str) -> list[float]:
    return [_number(number) * _UNITS[unit] for number, unit in _LENGTH.findall(text)]


def _number(text: str) -> float:
    if text == "半":
        return 0.5
    return float(text) if text[0].isdigit() else cjk_number(text)
