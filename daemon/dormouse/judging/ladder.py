"""The gate, then the judges from the cheapest up, until one is sure. It holds no ledger."""

from collections.abc import Sequence
from dataclasses import dataclass

from dormouse.facts import Fact
from dormouse.judging import gate
from dormouse.judgments import Judge, Ruling, Verdict, Veto


@dataclass(frozen=True, slots=True)
class Ladder:
    """Asks the gate, then *judges* in order; nobody sure is UNSURE."""

    judges: Sequence[Judge]
    name: str = "ladder"

    def __call__(self, older: Fact, newer: Fact) -> Ruling:
        vetoed = gate.veto(older, newer)
        if vetoed is None:
            return self._ask(older, newer)
        if vetoed is not Veto.TRUST:
            return Ruling(Verdict.KEEP, "gate", reason=str(vetoed), vetoed_by=vetoed)
        ruling = self._ask(older, newer)
        if ruling.verdict is Verdict.KEEP:  # a restatement needs no question
            return ruling
        return Ruling(Verdict.UNSURE, "gate:trust", reason=str(vetoed), vetoed_by=vetoed)

    def _ask(self, older: Fact, newer: Fact) -> Ruling:
        ruling = Ruling(Verdict.UNSURE, self.name, reason="no judge")
        for judge in self.judges:
            ruling = judge(older, newer)
            if ruling.verdict in (Verdict.SUPERSEDE, Verdict.KEEP):
                return ruling
        return ruling
