"""What a judge's likelihood is worth: at first sight, and after a second look.

Near pairs are about one slot or nearly one sentence: where the judge is sure of one, it is settled.
Far pairs share no more than words or meaning. A stream of facts draws them by the hundred, and most
that the embedded judge is sure of are no changes: what only states something mostly speaks of
something else of the same name. So none of them is settled without a second look.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from dormouse.errors import DormouseError
from dormouse.facts import Fact
from dormouse.judging import second_look
from dormouse.judging.embedded import EmbeddedJudge, abstains
from dormouse.judging.ladder import Ladder
from dormouse.judgments import Ruling, Verdict

log = logging.getLogger("dormouse")
LOOKED_AT_AGAIN: Final = 4  # pairs of one fact, the likeliest; each is read three times more


@dataclass(frozen=True, slots=True)
class Drawn:
    """A pair that was drawn for a judge; *cosine*: how near its facts are in meaning."""

    older: Fact
    newer: Fact
    near: bool
    cosine: float


def weigh(ladder: Ladder, drawn: Sequence[Drawn], rulings: Sequence[Ruling]) -> list[Ruling]:
    """What the *rulings* on the pairs are worth, one each, in order; some are read again."""
    again = _looked_at_again(ladder, drawn, rulings)
    return [
        again.get(n) or (ruling if pair.near else _doubted(ruling))
        for n, (pair, ruling) in enumerate(zip(drawn, rulings, strict=True))
    ]


def worth_a_second_look(pair: Drawn, ruling: Ruling) -> bool:
    """A near pair that is settled needs none; where the judge abstains it is not asked again."""
    settled = pair.near and ruling.verdict is Verdict.SUPERSEDE
    likely = ruling.probability is not None and ruling.probability >= second_look.LOOKS
    return likely and not settled and not abstains(pair.older, pair.newer)


def _looked_at_again(
    ladder: Ladder, drawn: Sequence[Drawn], rulings: Sequence[Ruling]
) -> dict[int, Ruling]:
    """The rulings after a second look, by place, where one was had."""
    judge = next((each for each in ladder.judges if isinstance(each, EmbeddedJudge)), None)
    if judge is None:
        return {}
    likely = {
        n: ruling.probability or 0.0
        for n, (pair, ruling) in enumerate(zip(drawn, rulings, strict=True))
        if worth_a_second_look(pair, ruling)
    }
    found: dict[int, Ruling] = {}
    for n in sorted(likely, key=likely.__getitem__, reverse=True)[:LOOKED_AT_AGAIN]:
        pair = drawn[n]
        seen = second_look.Seen(likely[n], pair.near, pair.cosine)
        try:
            sure = second_look.believed(judge.likely, (pair.older, pair.newer), seen)
        except DormouseError as error:
            log.error("the embedded judge can't look again: %s", error.code)
            return found
        if sure is not None:
            found[n] = _ruling(judge.name, pair, rulings[n], sure)
    return found


def _ruling(name: str, pair: Drawn, ruling: Ruling, sure: float) -> Ruling:
    if sure >= second_look.SURE:
        told = "read again, it is one and the same, changed"
        return Ruling(Verdict.SUPERSEDE, name, ruling.probability, told)
    if sure < second_look.UNLIKELY and not pair.near:  # nobody is to be asked about it
        return Ruling(Verdict.UNSURE, name, reason="read again, it seems to be something else")
    return _doubted(ruling)


def _doubted(ruling: Ruling) -> Ruling:
    """*ruling*, if it is not a model's word alone that something changed."""
    if ruling.verdict is not Verdict.SUPERSEDE or ruling.probability is None:
        return ruling
    return replace(ruling, verdict=Verdict.UNSURE, reason="not sure enough when read again")
