"""One sentence that commands: what it tells the memory to do, by the phrasebooks' patterns."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dormouse.capture.forget_all import wants_all_forgotten
from dormouse.capture.kind_of import kind_of
from dormouse.capture.phrasebook import Phrase, books, word
from dormouse.capture.statement import (
    LONGEST,
    Hints,
    Said,
    at_a_word,
    cut,
    has_body,
    length,
    plain,
    take_hints,
)
from dormouse.capture.under import Left
from dormouse.facts import Kind, Scope


@dataclass(frozen=True, slots=True)
class Remember:
    """Keep this statement. ``scope`` is set only where the person named one; ``said`` is how many
    characters it had where it was too long to be kept whole, ``left`` what of it can't be kept:
    "lines" under it, something "quoted" under it, or "all", where only that says something."""

    text: str = field(repr=False)
    kind: Kind | None = None
    scope: Scope | None = None
    everywhere: bool = False
    pin: bool = False
    confidence: float = 0.99
    how_named: str = "remember"
    said: int = 0
    left: Left = ""

    def longer(self, text: str) -> "Remember":
        """The same, saying *text*; what is too long for a fact is cut at a word."""
        return replace(
            self, text=at_a_word(text), said=len(text) if len(text) > LONGEST else self.said
        )


@dataclass(frozen=True, slots=True)
class Forget:
    """Retire what this names. ``id`` is set where the target may be a short id; it can also be a
    plain word, so that a caller who finds no such fact looks for the target's words."""

    target: str = field(repr=False)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """This holds instead of something known. ``old`` and ``new`` are the two values, if named.

    ``dangling``: the text has no subject of its own ("it's 9090"); it means something only with
    the fact that ``old`` is found in, and should not be kept without it.
    """

    text: str = field(repr=False)
    old: str | None = field(default=None, repr=False)
    confidence: float = 0.93
    new: str | None = field(default=None, repr=False)
    dangling: bool = False
    scope: Scope | None = None
    everywhere: bool = False


Command = Remember | Forget | Correction

LONGEST_RULE = 600  # rules, corrections and targets are one sentence; more is not one

_ASKING = ("吗", "呢", "么")
_SHORT_ID = re.compile(r"#?([a-z2-7]{4,16})$")
_NO_ID = frozenset(
    ["about", "everything", "that", "this", "staging", "these", "those", "them", "what", "dass"]
)


def in_order(said: Said, found: re.Match[str]) -> Said:
    """What is to be kept; German puts the verb first after "ab jetzt", so that is turned round."""
    places = found.groupdict()
    rest = said.part(found.start("text"), found.end("text"))
    if not (places.get("subject") and places.get("verb")):
        return rest
    names = [name for name in ("subject", "verb", "adverb") if places.get(name)]
    words = [*(said.part(*found.span(name)) for name in names), rest]
    return Said(" ".join(w.cover for w in words), " ".join(w.text for w in words))


def matches(kind: str, cover: str) -> Iterator[tuple[Phrase, re.Match[str]]]:
    for book in books():
        for phrase in getattr(book, kind):
            found = phrase.pattern.match(cover)
            if found:
                yield phrase, found


def commands(cover: str) -> bool:
    return any(True for kind in ("forget", "remember", "rule") for _ in matches(kind, cover))


def remembered(
    said: Said, phrase: Phrase, hints: Hints, check: str, *, polite: bool = False
) -> Remember | None:
    said, more = take_hints(said)
    said, asks = cut(said, rule=check in ("said", "standing", "rule"), question=check != "rule")
    text = plain(said)
    if text.endswith(_ASKING):
        asks, text = True, text[:-1].rstrip()
    empty = check not in ("rule", "said") and word("empty").match(text)
    if (asks and not polite) or empty or not has_body(text):
        return None
    if not _passes(check, said.cover, text):
        return None
    hints = more.over(hints)
    return Remember(
        text=text,
        kind=_kind(text, phrase, check),
        scope=hints.scope,
        everywhere=hints.everywhere,
        pin=phrase.pin or hints.pin,
        confidence=phrase.confidence,
        how_named=phrase.name,
        said=long if (long := length(said)) > LONGEST else 0,
    )


def _kind(text: str, phrase: Phrase, check: str) -> Kind:
    kind = kind_of(text)
    told_how = phrase.name == "from_now_on" and not word("of_us").match(text)
    if check in ("rule", "standing") or (kind is not Kind.USER and told_how):
        return Kind.FEEDBACK
    return kind


def _passes(check: str, cover: str, text: str) -> bool:
    if check == "statement":
        return word("statement").search(cover) is not None and len(text) >= 3
    if check == "standing":
        return word("standing").search(cover) is not None
    if check == "said":
        return word("asks").match(cover.strip()) is None
    if check == "not_to":  # "denk dran, die Tests laufen zu lassen" is a task, not a fact
        return word("to_do").search(cover.strip()) is None or _passes("standing", cover, text)
    if check == "fact":
        return word("fact").search(cover) is not None or _passes("standing", cover, text)
    if check == "clear":
        bare = cover.strip()
        return word("clear").match(bare) is not None and not word("unclear").search(bare)
    return True


def forget(said: Said) -> list[Command]:
    if len(said.cover) > LONGEST_RULE or wants_all_forgotten(said.cover):
        return []
    for _, found in matches("forget", said.cover):
        target_said, _ = cut(said.part(found.start("target"), found.end("target")))
        target = plain(target_said).rstrip("?？").strip()
        if not target or word("forget_nothing").match(target):
            return []
        short = _SHORT_ID.match(target)
        known = short[1] if short and short[1] not in _NO_ID else None
        return [Forget(target.removeprefix("#") if known else target, known)]
    return []


def rule(said: Said, hints: Hints) -> list[Remember]:
    if len(said.cover) > LONGEST_RULE:
        return []
    for phrase, found in matches("rule", said.cover):
        verb = found.groupdict().get("verb")
        if verb is not None and not word("imperative").fullmatch(verb):
            continue
        rest = said.part(found.start("text"), found.end("text"))
        if word("no_rule").match(rest.cover):
            continue
        made = remembered(rest, phrase, hints, "rule")
        if made:
            return [made]
    return []


def correct(said: Said, hints: Hints) -> list[Command]:
    if len(said.cover) > LONGEST_RULE:
        return []
    said, more = take_hints(said)
    said, asks = cut(said)
    hints = more.over(hints)
    if asks:
        return []
    for phrase, found in matches("correction", said.cover):
        made = _corrected(said, phrase, found, hints)
        if made:
            return [made]
    return []


def _corrected(said: Said, phrase: Phrase, found: re.Match[str], hints: Hints) -> Correction | None:
    def group(*names: str) -> str | None:
        places = [found.span(name) for name in names if name in found.groupdict()]
        spans = [span for span in places if span[0] >= 0]
        return plain(said.part(*spans[0])) or None if spans else None

    new, old = group("new", "new2"), group("old")
    ordered = in_order(said, found) if "text" in found.groupdict() else None
    text = plain(ordered) if ordered else None
    cover = text
    if text is None:  # "the port is not 8080 but 9090": take the old value out of the middle
        parts = [group("before"), group("prep"), group("is"), new]
        glue = "" if group("is") and "is" in found.groupdict() else " "
        text = cover = glue.join(part for part in parts if part)
    else:
        cover = ordered.cover if ordered else text
    if not (has_body(text) or new) or not text or not _passes(phrase.check, cover or "", text):
        return None
    return Correction(
        text=text,
        old=old,
        confidence=0.93,
        new=new,
        dangling=text == new or phrase.name == "meant" or word("vague").match(text) is not None,
        scope=hints.scope,
        everywhere=hints.everywhere,
    )
