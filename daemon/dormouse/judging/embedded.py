"""The embedded judge: a small model that reads both texts. It decides only where it is very sure.

What it may decide by itself was set on pairs of writers it was not trained on (docs/judging.md). A
pair it can't read whole, in a language it was not measured in, or in which a text speaks to its
judge, is not put before it.
"""

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from dormouse.errors import DormouseError
from dormouse.facts import Fact
from dormouse.judging import facets, gate
from dormouse.judging.sides import sides
from dormouse.judging.thinker import speaks_to_the_judge
from dormouse.judgments import Ruling, Verdict
from dormouse.slots import read

log = logging.getLogger("dormouse")
VERSION: Final = 5
NAME: Final = f"embedded:{VERSION}"
LONGEST: Final = 400  # characters of one text that surely fit into what the model reads
KEEP: Final = 0.90  # at least so likely, and KEEP is its word
# At least so likely, and SUPERSEDE is its word: so that at most 1 % of the pairs of the calibration
# writers that must not be retired would be, then raised until all test writers held that as well
# (docs/judging.md).
CHANGED: Final = 0.88  # where the newer text speaks of a change, an end, a "no longer"
GATED: Final = 0.88  # where the gate has read a difference
BARE: Final = 0.95  # where it only states a value
MEASURED: Final = ("en", "de", "zh")  # in others it abstains, and where the two differ
# What says that something stays as it was changes a part at most: of 257 such pairs of the training
# writers 32 are changes.
_STAYS = re.compile(
    r"\b(?:untouched|unchanged|stay(?:s|ed)?|remains?|bleib(?:t|en)|unverändert|weiterhin)\b"
    r"|nach wie vor|照旧|照样|不变|没动",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*|\n+")
Scores = Callable[[Sequence[tuple[str, str]]], Sequence[Sequence[float]]]
"""Two texts each to the probabilities of supersede, keep and unsure; raises where it can't."""


@dataclass(frozen=True, slots=True)
class EmbeddedJudge:
    """Judges by *scores*."""

    scores: Scores
    name: str = NAME

    def __call__(self, older: Fact, newer: Fact) -> Ruling:
        return self.judge_many([(older, newer)])[0]

    def judge_many(self, pairs: Sequence[tuple[Fact, Fact]]) -> list[Ruling]:
        """One ruling a pair, in order; the model reads them together."""
        rulings = [_unread(older, newer) for older, newer in pairs]
        asked = [n for n, ruling in enumerate(rulings) if ruling is None]
        try:
            found = self._read([pairs[n] for n in asked]) if asked else []
        except DormouseError as error:
            found = []
            log.error("the embedded judge can't read: %s", error.code)
        for n, row in zip(asked, found, strict=False):
            if len(row) == len(Verdict) and all(0.0 <= each <= 1.0 for each in row):
                rulings[n] = _ruling(float(row[0]), float(row[1]), _threshold(*pairs[n]))
        silent = Ruling(Verdict.UNSURE, self.name, reason="it has not spoken")
        return [ruling or silent for ruling in rulings]

    def likely(self, pairs: Sequence[tuple[Fact, Fact]]) -> list[float]:
        """How likely each is SUPERSEDE as the model alone reads it. Raises DormouseError."""
        return [float(row[0]) for row in self._read(pairs)]

    def _read(self, pairs: Sequence[tuple[Fact, Fact]]) -> Sequence[Sequence[float]]:
        told = [tuple(without_orders(fact) for fact in pair) for pair in pairs]
        return self.scores([sides(older, newer) for older, newer in told])


def _unread(older: Fact, newer: Fact) -> Ruling | None:
    vetoed = gate.firm(older, newer) or gate.by_trust(older, newer)
    if vetoed is not None:
        return Ruling(Verdict.UNSURE, NAME, reason=f"gate: {vetoed}")
    if not all(without_orders(fact).text for fact in (older, newer)):
        return Ruling(Verdict.UNSURE, NAME, reason="a text speaks to its judge alone")
    if max(len(older.text), len(newer.text)) > LONGEST:
        return Ruling(Verdict.UNSURE, NAME, reason="too long to be read whole")
    return None


def without_orders(fact: Fact) -> Fact:
    """*fact* without the sentences that speak to whoever judges it; they change nothing."""
    if not speaks_to_the_judge(fact.text):
        return fact
    rest = (part for part in _SENTENCE.split(fact.text) if not speaks_to_the_judge(part))
    text = " ".join(rest).strip()
    return replace(fact, text="" if speaks_to_the_judge(text) else text)


def abstains(older: Fact, newer: Fact) -> bool:
    """Whether its mistakes are as likely as its finds (docs/judging.md): across two languages, in
    one that it was not measured in, and of one length of time in two units."""
    strange = older.language != newer.language or newer.language not in MEASURED
    return strange or facets.same_length(older.text, newer.text)


def _threshold(older: Fact, newer: Fact) -> float:
    """From which probability on it may retire; above 1 where it abstains."""
    if abstains(older, newer):
        return 2.0
    if _STAYS.search(newer.text):
        return BARE
    if gate.veto(older, newer) is not None:
        return GATED
    return CHANGED if tells_a_change(newer) else BARE


def tells_a_change(fact: Fact) -> bool:
    """Whether a text speaks of a change, an end, a "no longer", and doesn't only state a value."""
    said = read(fact.text)
    return bool(said.change or said.ends or said.negated)


def _ruling(supersede: float, keep: float, threshold: float) -> Ruling:
    said = round(supersede, 4)
    if supersede >= threshold:
        return Ruling(Verdict.SUPERSEDE, NAME, said, "read as one and the same, changed")
    if keep >= KEEP:
        return Ruling(Verdict.KEEP, NAME, said, "read as true beside each other")
    return Ruling(Verdict.UNSURE, NAME, said, "not sure enough")
