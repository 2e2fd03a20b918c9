"""A model gone wild: whatever it says of every pair, little is retired and all of it comes back."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from dormouse.judging.embedded import EmbeddedJudge
from dormouse.judging.ladder import Ladder
from dormouse.judging.slot import SlotJudge
from dormouse.work.settle import MAX_BY_ONE, settle_pending
from tests.night import EVERYTHING, Bed

Rows = Callable[[int], Sequence[Sequence[float]]]
COUNT = 40


def judged_by(bed: Bed, rows: Rows) -> None:
    """Capture many facts that share their words and settle them with this model."""
    bed.memory.ladder = Ladder([SlotJudge(), EmbeddedJudge(lambda pairs: rows(len(pairs)))])
    for number in range(COUNT):
        bed.say(f"shelf {number} in the green hall holds lamps of sort {number * 7}")
    asyncio.run(settle_pending(bed.memory))


def current(bed: Bed) -> int:
    return len(bed.memory.ledger.read(lambda r: r.facts(EVERYTHING)))


def test_one_that_always_says_supersede_is_stopped_by_the_fuse(bed: Bed) -> None:
    judged_by(bed, lambda n: [[1.0, 0.0, 0.0]] * n)
    assert current(bed) >= COUNT - max(MAX_BY_ONE, bed.settings.fuse_facts)


def test_what_it_retired_comes_back_with_one_undo(bed: Bed) -> None:
    judged_by(bed, lambda n: [[1.0, 0.0, 0.0]] * n)
    runs = bed.memory.ledger.read(lambda r: r.runs(limit=1_000))
    for run in runs:
        if run.state == "done":
            bed.memory.ledger.write(lambda w, id=run.id: w.undo_run(id, by="owner")).result()  # type: ignore[misc]
    assert current(bed) == COUNT


@pytest.mark.parametrize(
    "rows",
    [
        lambda n: [],
        lambda n: [[float("nan")] * 3] * n,
        lambda n: [[7.0, -3.0, 1.0]] * n,
        lambda n: [[0.0, 0.0, 1.0]] * n,
    ],
    ids=["nothing", "no numbers", "no probabilities", "never sure"],
)
def test_one_that_answers_rubbish_retires_nothing(bed: Bed, rows: Rows) -> None:
    judged_by(bed, rows)
    assert current(bed) == COUNT
