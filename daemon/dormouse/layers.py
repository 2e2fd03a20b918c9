"""The two short layers: working memory and the session's own. Pure arithmetic and rules.

Relevance is a function of age alone, so that asking often changes nothing.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from dormouse.times import parse

PLACES = 7  # a session's working memory
GONE = 0.01  # below this a place is empty
WINDOW = 50  # turns of a session that its summary is made from
LONGEST = 300  # characters of one place, and of one sentence of a summary
SUMMARY = 2_000  # characters


class FocusKind(StrEnum):
    """What stands in a place of working memory."""

    GOAL = "goal"
    DECISION = "decision"
    STEP = "step"
    FILE = "file"


# An hour: a goal is gone after 19 days, a decision after 10, a step after 2, a file after 9 hours.
RATES = {
    FocusKind.GOAL: 0.01,
    FocusKind.DECISION: 0.02,
    FocusKind.STEP: 0.1,
    FocusKind.FILE: 0.5,
}


@dataclass(frozen=True, slots=True)
class Focus:
    """One place: what the running task is about. ``quoted``: from a host's own summary, in which a
    tool's output may stand; it is not handed on to another agent."""

    kind: FocusKind
    text: str = field(repr=False)
    at: str
    quoted: bool = False


def relevance(place: Focus, now: str) -> float:
    """e^(-rate * age), from 1 down to 0; the rate is the kind's, an hour."""
    age = max(0.0, (parse(now) - parse(place.at)).total_seconds() / 3600)
    return math.exp(-RATES[place.kind] * age)


def alive(places: Iterable[Focus], now: str) -> tuple[Focus, ...]:
    """The places that still hold something, most relevant first."""
    kept = [place for place in places if relevance(place, now) >= GONE]
    return tuple(sorted(kept, key=lambda p: (-relevance(p, now), p.kind, p.text)))


def admit(places: Sequence[Focus], new: Focus, now: str) -> tuple[Focus, ...]:
    """*places* with *new*: said again it is fresh again, a new goal replaces the old one.

    Where all seven are full the least relevant goes.
    """
    rest = [
        place
        for place in places
        if not (place.kind is new.kind and (place.text == new.text or new.kind is FocusKind.GOAL))
    ]
    return alive([new, *rest], now)[:PLACES]


# Sentences that say what is done, what is open, what was decided; English, German, Chinese.
_DONE = re.compile(
    r"^(?:i(?:'ve| have)? |we(?:'ve| have)? )?(?:just |now |already )?"
    r"(?:added|implemented|fixed|wrote|created|moved|renamed|removed|replaced|updated|changed"
    r"|finished|completed|done|refactored|tested|migrated|split)\b"
    r"|\b(?:is|are) (?:now )?(?:done|finished|implemented|fixed|in place)\b"
    r"|\btests? (?:now )?pass|^(?:erledigt|fertig)\b"
    r"|\b(?:habe ich|ich habe|wurden?|ist|sind)\b.*\b(?:hinzugefügt|implementiert|behoben|erledigt"
    r"|fertig|angelegt|umbenannt|entfernt|ersetzt|geändert)\b|已(?:经)?(?:完成|添加|修复|实现|创建|删除)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"^(?:todo|next(?: step| steps)?|still (?:open|to do|missing)|remaining|left to do|open)\b"
    r"|\b(?:still (?:needs?|have|has|must|missing|open)|remains? to|next,? (?:i|we)\b"
    r"|needs? to be|not yet (?:done|implemented|tested)|is (?:still )?missing|left to do)\b"
    r"|\b(?:als nächstes|noch offen|noch zu tun|fehlt noch|muss noch|bleibt noch)\b"
    r"|下一步|还需要|尚未|待办|还没",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:(?:we|i)(?:'ve| have)? decided|decision:|(?:let's|let us|we(?:'ll| will)?) "
    r"(?:use|go with|keep|stay with|switch to|take)|going with|instead of)\b"
    r"|\b(?:entscheidung:|wir (?:haben )?(?:uns )?(?:entschieden|nehmen|bleiben bei|verwenden))\b"
    r"|(?:我们)?决定|改用|采用",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_MARK = re.compile(r"^\s*(?:[-*•]|\d+[.)]|#+|\[[ x]\])\s*", re.IGNORECASE)
_HEADING = re.compile(r"^\W*(done|open|todo|next steps?|decisions?|remaining)\W*:?\W*$", re.I)


def sentences(text: str) -> list[str]:
    """The sentences of *text*, one line each; code blocks are left out."""
    plain = re.sub(r"```.*?(?:```|\Z)", "\n", text, flags=re.DOTALL)
    parts = (" ".join(_MARK.sub("", part).split()) for part in _SENTENCE.split(plain))
    return [part[:LONGEST] for part in parts if len(part) > 2]


@dataclass(frozen=True, slots=True)
class Heard:
    """What the rules found in what was said."""

    done: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()


def listen(text: str) -> Heard:
    """Sort the sentences of *text*; one that says none of the three is in none."""
    found: dict[str, list[str]] = {"done": [], "open": [], "decision": []}
    under: str | None = None
    for sentence in sentences(text):
        if heading := _HEADING.match(sentence):
            name = heading[1].casefold()
            under = "done" if name == "done" else "decision" if "dec" in name else "open"
        elif _DECIDED.search(sentence):
            found["decision"].append(sentence)
        elif _OPEN.search(sentence):
            found["open"].append(sentence)
        elif _DONE.search(sentence):
            found["done"].append(sentence)
        elif under:
            found[under].append(sentence)
    return Heard(*(tuple(dict.fromkeys(each)) for each in found.values()))


def sum_up(turns: Sequence[tuple[str, str]]) -> str:
    """A summary of a session, without a model: its first and last words and what the rules heard.

    *turns* are (role, text), oldest first.
    """
    turns = turns[-WINDOW:]
    person = [text for role, text in turns if role == "person"]
    agent = [text for role, text in turns if role == "assistant"]
    heard = listen("\n".join(agent))
    lines = []
    if person:
        lines.append(f"asked first: {_first(person[0])}")
    lines += [f"decided: {each}" for each in heard.decisions[-5:]]
    lines += [f"done: {each}" for each in heard.done[-5:]]
    lines += [f"open: {each}" for each in heard.open[-5:]]
    if len(person) > 1:
        lines.append(f"asked last: {_first(person[-1])}")
    if agent:
        lines.append(f"answered last: {_first(agent[-1])}")
    kept, size = [], 0
    for line in dict.fromkeys(lines):
        size += len(line) + 1
        if size <= SUMMARY:
            kept.append(line)
    return "\n".join(kept)


def _first(text: str) -> str:
    found = sentences(text)
    return found[0] if found else " ".join(text.split())[:LONGEST]
