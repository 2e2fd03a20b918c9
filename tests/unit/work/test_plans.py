"""Between planning and carrying out a model may read for a second: what changes then is seen."""

import asyncio
from collections.abc import Callable

from dormouse.facts import Fact, How, Kind, Trust
from dormouse.judging.embedded import EmbeddedJudge
from dormouse.judging.ladder import Ladder
from dormouse.work.places import Where
from dormouse.work.remember import Speaker, Wish, remember
from dormouse.work.settle import plan_for, settle_pending, write_down
from tests.night import EVERYTHING, Bed

HERE = Where("p1", "p1", None)
ASSISTANT = Speaker("codex", "s1", None, Trust.ASSISTANT, How.ASSISTANT, attended=False)
OLD, NEW = "the beta runs on marten-3", "the beta runs on otter-9"


def says(bed: Bed, text: str, who: Speaker) -> Fact:
    wish = Wish(text, Kind.PROJECT)
    kept = bed.memory.ledger.write(
        lambda w: remember(w, wish, who, HERE, bed.memory.now())
    ).result()
    assert kept.fact is not None
    return kept.fact


def while_it_reads(bed: Bed, happens: Callable[[], object]) -> list[int]:
    """A judge that is sure of a change; *happens* as it reads for the first time."""
    calls: list[int] = []

    def scores(pairs: object) -> list[list[float]]:
        calls.append(len(list(pairs)))  # type: ignore[call-overload]
        if len(calls) == 1:
            happens()
        return [[1.0, 0.0, 0.0]] * calls[-1]

    bed.memory.ladder = Ladder([EmbeddedJudge(scores)])
    return calls


def current(bed: Bed) -> set[str]:
    return {fact.text for fact in bed.memory.ledger.read(lambda r: r.facts(EVERYTHING))}


def test_a_fact_that_gains_trust_before_its_plan_is_carried_out_is_looked_at_again(
    bed: Bed,
) -> None:
    new = says(bed, NEW, ASSISTANT)
    plan = asyncio.run(plan_for(bed.memory, new.id))
    assert plan is not None
    says(bed, NEW, Speaker())
    bed.memory.ledger.write(lambda w: write_down(w, bed.memory, plan, None)).result()
    assert bed.memory.ledger.read(lambda r: r.pending_settle()) == [new.id]
    again = asyncio.run(plan_for(bed.memory, new.id))
    assert again is not None
    bed.memory.ledger.write(lambda w: write_down(w, bed.memory, again, None)).result()
    assert bed.memory.ledger.read(lambda r: r.pending_settle()) == []


def test_what_a_judge_is_sure_of_is_retired(bed: Bed) -> None:
    says(bed, OLD, ASSISTANT)
    asyncio.run(settle_pending(bed.memory))
    says(bed, NEW, ASSISTANT)
    while_it_reads(bed, lambda: None)
    asyncio.run(settle_pending(bed.memory))
    assert current(bed) == {NEW}


def test_a_fact_erased_meanwhile_stops_nothing(bed: Bed) -> None:
    says(bed, OLD, Speaker())
    asyncio.run(settle_pending(bed.memory))
    new = says(bed, NEW, Speaker())
    while_it_reads(bed, lambda: bed.memory.ledger.erase([new.id], dry_run=False))
    asyncio.run(settle_pending(bed.memory))
    assert current(bed) == {OLD}
