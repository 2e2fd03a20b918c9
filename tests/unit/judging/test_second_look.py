"""A second look: a change is believed where it is read as one again and is about the same."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from dormouse.judging import as_fact
from dormouse.judging.second_look import (
    SURE,
    WEIGHTS,
    Pair,
    Seen,
    believed,
    evidence,
    readings,
)

OLD = as_fact("The nightly load starts at 02:30.", "2026-03-02T09:00:00Z", id="a")
NEW = as_fact("Nightly load kicks off at 01:15.", "2026-06-02T09:00:00Z", id="b")
OTHER = as_fact("The nightly load writes to the shelf.", "2026-06-02T09:00:00Z", id="b")
SEEN = Seen(0.95, near=False, cosine=0.6)


def sure(pair: Pair = (OLD, NEW), seen: Seen = SEEN, again: float = 0.95) -> float:
    """How far a judge is believed that says *again* of the pair when it reads it again."""

    def likely(pairs: Sequence[Pair]) -> list[float]:
        return [again] * len(pairs)

    found = believed(likely, pair, seen)
    assert found is not None
    return found


def test_a_change_that_stays_one_is_believed() -> None:
    assert sure() >= SURE


def test_a_judge_that_doubts_when_it_reads_the_pair_again_is_not_believed() -> None:
    assert sure(again=0.4) < sure()
    assert sure(again=0.1) < SURE


def test_what_lies_far_apart_in_meaning_or_words_is_believed_less() -> None:
    assert sure(seen=Seen(0.95, near=False, cosine=0.1)) < sure()
    assert sure((OLD, OTHER)) < sure()
    assert sure() < sure(seen=Seen(0.95, near=True, cosine=0.6))


@pytest.mark.parametrize("near", [True, False])
def test_however_alike_a_pair_is_the_model_has_to_be_clear(near: bool) -> None:
    alike = Seen(0.6, near=near, cosine=1.0)
    assert sure((OLD, OLD), alike, again=0.6) < SURE
    assert sure((OLD, OLD), replace(alike, likely=0.9), again=0.9) >= SURE


@pytest.mark.parametrize("rubbish", [[], [0.5], [7.0] * 3, [float("nan")] * 3])
def test_from_rubbish_nothing_is_known(rubbish: list[float]) -> None:
    assert believed(lambda pairs: rubbish, (OLD, NEW), SEEN) is None


def test_a_pair_is_read_soon_after_in_lower_case_and_the_other_way_round() -> None:
    asked = readings(OLD, NEW)
    assert [(older.text, newer.text) for older, newer in asked] == [
        (OLD.text, NEW.text),
        ("the nightly load starts at 02:30", "nightly load kicks off at 01:15"),
        (NEW.text, OLD.text),
    ]
    assert [newer.valid_from for _, newer in asked] == [
        "2026-03-02T09:20:00.000+00:00",
        NEW.valid_from,
        NEW.valid_from,
    ]
    assert {older.valid_from for older, _ in asked} == {OLD.valid_from}


def test_the_evidence_is_what_is_weighed() -> None:
    found = evidence((OLD, NEW), SEEN, [0.5, 0.5, 0.9])
    assert set(found) == set(WEIGHTS)
    assert found["cosine"] == SEEN.cosine
    assert found["turned"] > found["sight"] > 0.0
    assert found["of_older"] == found["of_newer"] == pytest.approx(0.5, abs=0.2)
    assert found["digits_alike"] == 1.0
    assert evidence((OLD, OTHER), SEEN, [0.5] * 3)["digits_alike"] == 0.0
