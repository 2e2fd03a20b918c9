"""Judging two facts that contradict each other.

A judge is shown two facts and returns one of three words. It holds no ledger, so whatever a model
says, it can neither delete nor rewrite anything.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from dormouse.facts import Fact


class Verdict(StrEnum):
    """The only answers a judge may give."""

    SUPERSEDE = "supersede"
    KEEP = "keep"
    UNSURE = "unsure"


class Veto(StrEnum):
    """Why the gate let no judge see a pair."""

    SUBJECT = "subject"
    ATTRIBUTE = "attribute"
    SCOPE = "scope"
    MODALITY = "modality"
    ORDER = "order"
    MULTI_VALUED = "multi_valued"
    TRUST = "trust"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What was said of a pair, by whom, and why. ``probability`` is that of SUPERSEDE, or None."""

    verdict: Verdict
    judge: str
    probability: float | None = None
    reason: str | None = None
    vetoed_by: Veto | None = None
    prompt_hash: str | None = None
    took_ms: float = 0.0


class Judge(Protocol):
    """Decides a pair, ordered by validity: *older* and *newer*. Never raises on purpose."""

    @property
    def name(self) -> str:
        """Name and version, as ``slot:1``."""
        ...

    def __call__(self, older: Fact, newer: Fact) -> Ruling: ...


class Outcome(StrEnum):
    """What was done with a judgment."""

    CARRIED_OUT = "carried_out"
    UNDONE = "undone"
    OVERRULED = "overruled"
    ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Decision:
    """One pair with its ruling, ready to be carried out."""

    older_id: str
    newer_id: str
    ruling: Ruling


def parse_verdict(answer: str) -> Verdict:
    """Read a model's answer; anything but one of the three words is UNSURE."""
    try:
        return Verdict(answer.strip().lower())
    except ValueError:
        return Verdict.UNSURE
