"""The judge in plain code. It is sure only where both texts are read to the last word.

It never retires on likeness: one word that stands in one text only, and it is unsure.
"""

from dataclasses import dataclass

from dormouse.facts import Fact, How, Trust
from dormouse.judging import gate
from dormouse.judgments import Ruling, Verdict
from dormouse.slots import VERB_MARKS, Modality, Single, Statement, read
from dormouse.slots.values import ADDRESS, Difference, compare

VERSION = 1


@dataclass(frozen=True, slots=True)
class SlotJudge:
    """SUPERSEDE where all but the value agree, or where the older one is ended explicitly."""

    name: str = f"slot:{VERSION}"

    def __call__(self, older: Fact, newer: Fact) -> Ruling:
        vetoed = gate.veto(older, newer)
        if vetoed is not None:
            # The ladder never asks then; asked alone, it stays out of what the gate keeps apart.
            return Ruling(Verdict.UNSURE, self.name, reason=f"gate: {vetoed}")
        verdict, reason = decide(read(older.text), read(newer.text), prompt=_prompt(older, newer))
        return Ruling(verdict, self.name, reason=reason)


@dataclass(frozen=True, slots=True)
class Prompt:
    """How the two statements were made: on one day, both explicitly by the person."""

    same_day: bool
    both_explicit: bool


def _prompt(older: Fact, newer: Fact) -> Prompt:
    return Prompt(
        same_day=older.valid_from[:10] == newer.valid_from[:10],
        both_explicit=_explicit(older) and _explicit(newer),
    )


def _explicit(fact: Fact) -> bool:
    """Whether the person said this on purpose, to be remembered."""
    told = any(source.how in (How.EXPLICIT, How.HUMAN) for source in fact.sources)
    return fact.trust is Trust.USER and told


def decide(older: Statement, newer: Statement, *, prompt: Prompt) -> tuple[Verdict, str]:
    """Return the verdict on two statements that the gate let pass, and why, without their words."""
    if older.modality is not Modality.ASSERTED:
        return Verdict.UNSURE, "the older one is no plain statement"
    if _same_value(older, newer):
        return Verdict.KEEP, "same value"
    if _ended(older, newer):
        return Verdict.SUPERSEDE, "ended explicitly"
    if _denied(older, newer, prompt):
        return Verdict.SUPERSEDE, "denied, or no longer denied, word for word"
    if _contrasted(older, newer):
        return Verdict.SUPERSEDE, "denied, with what holds instead"
    if _put_right(older, newer):
        return Verdict.SUPERSEDE, "its value is named as outdated"
    if not _other_value(older, newer):
        return Verdict.UNSURE, "not the same slot, or not read to the last word"
    if not _single(older, newer, prompt):
        return Verdict.UNSURE, "both values may hold"
    if prompt.same_day and not newer.change and not prompt.both_explicit:
        return Verdict.UNSURE, "two statements of one day, no word of change"
    return Verdict.SUPERSEDE, "same slot, other value"


def _plain(statement: Statement) -> bool:
    return not statement.ends and not statement.negated


def _difference(older: Statement, newer: Statement, value: str | None) -> Difference:
    """Compare the older value with *value* of the newer; without two of one kind it is unclear."""
    if older.slot.value is None or value is None or older.kind is None:
        return Difference.UNCLEAR
    if older.kind == newer.kind:
        return compare(older.kind, older.slot.value, value)
    if older.kind in ADDRESS and newer.kind in ADDRESS and newer.moved:
        return Difference.OTHER  # an IP address and a host name can be one machine, if it stayed
    return Difference.UNCLEAR


def _same_slot(older: Statement, newer: Statement) -> bool:
    return (
        older.slot.subject is not None
        and older.slot.attribute is not None
        and older.slot.subject == newer.slot.subject
        and older.slot.attribute == newer.slot.attribute
        and older.qualifiers == newer.qualifiers
    )


def _same_value(older: Statement, newer: Statement) -> bool:
    """The newer says the same again, or more about it."""
    if not (_plain(older) and _plain(newer)) or newer.old is not None:
        return False
    if older.words and older.words == newer.words and older.slot == newer.slot:
        return True
    same = _difference(older, newer, newer.slot.value) is Difference.SAME
    return same and older.slot.attribute == newer.slot.attribute


def _ended(older: Statement, newer: Statement) -> bool:
    """we use Redis / we no longer use Redis; an end for all purposes ends each of them."""
    if not newer.ends or not _plain(older) or not older.whole:
        return False
    if _difference(older, newer, newer.slot.value) is not Difference.SAME:
        return False
    if older.slot.subject != newer.slot.subject or older.slot.attribute != newer.slot.attribute:
        return False
    extra = {kind for kind, _ in older.qualifiers - newer.qualifiers}
    return newer.qualifiers <= older.qualifiers and extra <= {"purpose"}


def _denied(older: Statement, newer: Statement, prompt: Prompt) -> bool:
    """The same words with and without a negation."""
    if not (older.whole and newer.whole) or older.ends or older.qualifiers != newer.qualifiers:
        return False
    if len(older.words) < 2 or not _same_words(older, newer):
        return False
    if newer.ends:
        return not older.negated
    if older.negated == newer.negated:
        return False
    told = newer.change or prompt.both_explicit
    return told if older.negated else told or not prompt.same_day


def _same_words(older: Statement, newer: Statement) -> bool:
    free = newer.free_order or not older.language == newer.language == "en"
    return _alike(older.words, newer.words, free=free)  # German and Chinese move the verb


def _alike(a: tuple[str, ...], b: tuple[str, ...], *, free: bool) -> bool:
    return sorted(a) == sorted(b) if free else a == b


def _contrasted(older: Statement, newer: Statement) -> bool:
    """The newer denies exactly the older one before it says what holds instead."""
    if len(older.words) < 2 or not newer.denies or not _plain(older) or not older.whole:
        return False
    free = older.language != "en" or newer.language != "en"
    words = tuple(w for w in older.words if w not in VERB_MARKS)
    denied = tuple(w for w in newer.denies if w not in VERB_MARKS)
    return older.qualifiers == newer.qualifiers and _alike(words, denied, free=free)


def _put_right(older: Statement, newer: Statement) -> bool:
    """The newer names the older's value as outdated: "not 8080, it's 9090", "from npm to pnpm"."""
    if newer.old is None or newer.slot.value is None or not _plain(older) or not older.whole:
        return False
    if newer.single is Single.NEVER or older.kind != newer.kind:
        return False
    if _difference(older, newer, newer.old) is not Difference.SAME:
        return False
    if _difference(older, newer, newer.slot.value) is not Difference.OTHER:
        return False
    if newer.slot.subject is not None:
        return _same_slot(older, newer)
    # "not 8080, it's 9090": no subject, so the old value itself must tell which fact is meant.
    same = newer.slot.attribute in (None, older.slot.attribute)
    return same and len(newer.old) >= 3 and newer.qualifiers <= older.qualifiers


def _other_value(older: Statement, newer: Statement) -> bool:
    if not (_plain(older) and _plain(newer) and older.whole):
        return False
    if newer.old is not None and _difference(older, newer, newer.old) is not Difference.SAME:
        return False  # it puts another value right
    return (
        _same_slot(older, newer) and _difference(older, newer, newer.slot.value) is Difference.OTHER
    )


_STRICTNESS = (Single.FIRM, Single.HABIT, Single.CUED, Single.LOOSE, Single.NEVER)


def _single(older: Statement, newer: Statement, prompt: Prompt) -> bool:
    weaker = max(older.single, newer.single, key=_STRICTNESS.index)
    if weaker is Single.FIRM:
        return True
    if weaker is Single.HABIT:
        return newer.change or prompt.both_explicit
    if weaker is Single.CUED:
        return newer.change
    return weaker is Single.LOOSE and newer.moved
