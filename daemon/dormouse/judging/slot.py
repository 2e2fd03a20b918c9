"""The judge in plain code. It is sure only where both texts are read to the last word."""

from dataclasses import dataclass

from dormouse.facts import Fact
from dormouse.judging import gate
from dormouse.judgments import Ruling, Verdict

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
        return Ruling(Verdict.UNSURE, self.name, reason="unread")
