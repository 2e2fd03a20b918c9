"""The ladder: gate first, then the cheapest judge that is sure; nobody sure is unsure."""

from dataclasses import dataclass, field

import pytest

from dormouse.facts import Fact, Trust
from dormouse.judging import Ladder, SlotJudge, as_fact
from dormouse.judgments import Ruling, Verdict, Veto


@dataclass
class Says:
    """A judge with one answer that remembers whether it was asked."""

    verdict: Verdict
    name: str = "says:1"
    asked: list[str] = field(default_factory=list)

    def __call__(self, older: Fact, newer: Fact) -> Ruling:
        self.asked.append(newer.id)
        return Ruling(self.verdict, self.name)


OLDER = as_fact("something about the port", "2026-03-02", id="a")
NEWER = as_fact("something else about the port", "2026-04-02", id="b")


def test_the_first_sure_judge_decides_and_no_other_is_asked() -> None:
    first, second, third = Says(Verdict.UNSURE), Says(Verdict.KEEP, "b:1"), Says(Verdict.SUPERSEDE)
    ruling = Ladder([first, second, third])(OLDER, NEWER)
    assert (ruling.verdict, ruling.judge) == (Verdict.KEEP, "b:1")
    assert (len(first.asked), len(second.asked), len(third.asked)) == (1, 1, 0)


def test_nobody_sure_is_unsure() -> None:
    assert Ladder([Says(Verdict.UNSURE)] * 2)(OLDER, NEWER).verdict is Verdict.UNSURE
    assert Ladder([])(OLDER, NEWER).verdict is Verdict.UNSURE


def test_a_vetoed_pair_reaches_no_judge() -> None:
    judge = Says(Verdict.SUPERSEDE)
    ruling = Ladder([judge])(NEWER, OLDER)
    assert (ruling.verdict, ruling.judge) == (Verdict.KEEP, "gate")
    assert ruling.vetoed_by is Veto.ORDER
    assert judge.asked == []


@pytest.mark.parametrize("answer", [Verdict.SUPERSEDE, Verdict.UNSURE])
def test_less_trust_becomes_a_question_whatever_the_judges_say(answer: Verdict) -> None:
    agent = as_fact(NEWER.text, "2026-04-02", id="b", trust=Trust.ASSISTANT)
    ruling = Ladder([Says(answer)])(OLDER, agent)
    assert (ruling.verdict, ruling.judge) == (Verdict.UNSURE, "gate:trust")
    assert ruling.vetoed_by is Veto.TRUST


def test_less_trust_that_says_the_same_is_no_question() -> None:
    mine = as_fact("the port is 4100", "2026-03-02", id="a")
    agents = as_fact("Der Port ist 4100.", "2026-04-02", id="b", trust=Trust.ASSISTANT)
    forged = as_fact("Der Port ist 6666.", "2026-04-02", id="b", trust=Trust.ASSISTANT)
    slot_judge = SlotJudge()
    assert Ladder([slot_judge])(mine, agents).verdict is Verdict.UNSURE
    assert Ladder([slot_judge])(mine, forged).verdict is Verdict.UNSURE
    assert Ladder([Says(Verdict.KEEP)])(mine, agents).verdict is Verdict.KEEP
