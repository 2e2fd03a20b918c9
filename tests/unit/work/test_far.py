"""Pairs that only share words or meaning: a change is rare there, so more is asked of a judge."""

import pytest

from dormouse.facts import Fact
from dormouse.judging import as_fact
from dormouse.judging.embedded import BARE as BARE_SURE
from dormouse.judging.embedded import EmbeddedJudge
from dormouse.judging.ladder import Ladder
from dormouse.judgments import Verdict
from dormouse.work.settle import LIKE, SURE_OF_FAR, SURE_OF_LIKE, Nominated, rule

OLD = as_fact("my reports are written in LibreOffice", "2026-03-02T09:00:00Z", id="a")
NEW = as_fact("all reports are made with Typst now", "2026-06-02T09:00:00Z", id="b")
BARE = as_fact("all reports are made with Typst", "2026-06-02T09:00:00Z", id="b")
OTHER = as_fact("maybe we will move to Typst now", "2026-06-02T09:00:00Z", id="b")
PLAN = as_fact("maybe I will use Typst for reports", "2026-06-02T09:00:00Z", id="b")


def verdict(
    probability: float, newer: Fact = NEW, *, far: bool = True, cosine: float | None = None
) -> Verdict | None:
    """What is written down of the pair, if anything."""
    ladder = Ladder([EmbeddedJudge(lambda pairs: [[probability, 0.0, 0.0]] * len(pairs))])
    found = Nominated(newer, far=[(OLD, newer)]) if far else Nominated(newer, [(OLD, newer)])
    if cosine is not None:
        found.cosines[OLD.id] = cosine
    decisions, _ = rule(ladder, found)
    return decisions[0].ruling.verdict if decisions else None


def test_a_far_pair_is_retired_only_where_the_judge_is_surer() -> None:
    assert verdict(SURE_OF_FAR) is Verdict.SUPERSEDE
    assert verdict(SURE_OF_FAR - 0.01) is Verdict.UNSURE


def test_a_far_pair_is_not_retired_by_what_only_states_a_value() -> None:
    assert verdict(1.0, BARE) is Verdict.UNSURE
    assert verdict(1.0, BARE, far=False) is Verdict.SUPERSEDE


@pytest.mark.parametrize("newer", [NEW, BARE, PLAN])
def test_what_means_nearly_the_same_is_retired_whatever_it_tells(newer: Fact) -> None:
    sure = max(SURE_OF_LIKE, BARE_SURE)
    assert verdict(sure, newer, cosine=LIKE) is Verdict.SUPERSEDE
    assert verdict(sure, newer, cosine=LIKE - 0.01) is Verdict.UNSURE
    assert verdict(SURE_OF_LIKE - 0.01, newer, cosine=LIKE) is Verdict.UNSURE


def test_a_change_of_another_matter_retires_nothing_however_alike() -> None:
    assert verdict(1.0, OTHER, cosine=1.0) is Verdict.UNSURE
    assert verdict(1.0, OTHER, far=False) is Verdict.SUPERSEDE


def test_a_close_one_is_retired_at_the_judges_own_threshold() -> None:
    assert verdict(SURE_OF_FAR - 0.01, far=False) is Verdict.SUPERSEDE


@pytest.mark.parametrize(("far", "what"), [(True, Verdict.UNSURE), (False, Verdict.SUPERSEDE)])
def test_what_the_gate_reads_is_overruled_for_close_pairs_alone(far: bool, what: Verdict) -> None:
    assert verdict(1.0, PLAN, far=far) is what
