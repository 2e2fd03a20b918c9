"""The gate, then the judges from the cheapest up, until one is sure. It holds no ledger."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from dormouse.facts import Fact
from dormouse.judging import gate
from dormouse.judgments import Judge, Ruling, Verdict, Veto

Pair = tuple[Fact, Fact]
_SURE = (Verdict.SUPERSEDE, Verdict.KEEP)  # whatever else a judge says, it is not sure


@runtime_checkable
class Reader(Protocol):
    """A judge that reads both texts whole, several pairs together.

    Where it says SUPERSEDE it may overrule what the gate has read out of the texts, never what the
    gate knows of time, place and trust.
    """

    def judge_many(self, pairs: Sequence[Pair]) -> list[Ruling]: ...


@dataclass(frozen=True, slots=True)
class Ladder:
    """Asks the gate, then *judges* in order; nobody sure is UNSURE."""

    judges: Sequence[Judge]
    name: str = "ladder"

    def __call__(self, older: Fact, newer: Fact) -> Ruling:
        return self.judge_many([(older, newer)])[0]

    def judge_many(self, pairs: Sequence[Pair]) -> list[Ruling]:
        """One ruling a pair, in order."""
        vetoes = [gate.veto(*pair) for pair in pairs]
        asked = [n for n, veto in enumerate(vetoes) if veto in (None, Veto.TRUST)]
        said = dict(zip(asked, self.ungated([pairs[n] for n in asked]), strict=True))
        rulings = [_ruling(said.get(n), veto) for n, veto in enumerate(vetoes)]
        misread = [n for n in range(len(pairs)) if n not in said and self._may_overrule(pairs[n])]
        read = Ladder(self.readers).ungated([pairs[n] for n in misread])
        for n, ruling in zip(misread, read, strict=True):
            if ruling.verdict is not Verdict.SUPERSEDE:
                ruling = replace(rulings[n], probability=ruling.probability)
            rulings[n] = ruling
        return rulings

    @property
    def readers(self) -> list[Judge]:
        """The judges that read both texts by a model."""
        return [judge for judge in self.judges if isinstance(judge, Reader)]

    def _may_overrule(self, pair: Pair) -> bool:
        return gate.firm(*pair) is None and gate.by_trust(*pair) is None

    def ungated(self, pairs: Sequence[Pair]) -> list[Ruling]:
        """The same without the gate, for trying judges out."""
        rulings = [Ruling(Verdict.UNSURE, self.name, reason="no judge")] * len(pairs)
        open_ = list(range(len(pairs)))
        for judge in self.judges:
            for n, ruling in zip(open_, _all(judge, [pairs[n] for n in open_]), strict=True):
                rulings[n] = ruling
            open_ = [n for n in open_ if rulings[n].verdict not in _SURE]
        return rulings


def _all(judge: Judge, pairs: Sequence[Pair]) -> list[Ruling]:
    if isinstance(judge, Reader):
        return judge.judge_many(pairs)
    return [judge(*pair) for pair in pairs]


def _ruling(said: Ruling | None, veto: Veto | None) -> Ruling:
    if said is None:
        return Ruling(Verdict.KEEP, "gate", reason=str(veto), vetoed_by=veto)
    if veto is None or said.verdict is Verdict.KEEP:  # a restatement needs no question
        return said
    return Ruling(Verdict.UNSURE, "gate:trust", reason=str(veto), vetoed_by=veto)
