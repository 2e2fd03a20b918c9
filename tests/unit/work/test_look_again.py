"""A better judge looks once at what was left open before it came; nothing final is touched."""

import pytest

from dormouse.facts import Fact
from dormouse.judging import second_look
from dormouse.judging.embedded import EmbeddedJudge
from dormouse.judging.ladder import Ladder
from dormouse.judging.slot import SlotJudge
from dormouse.judgments import Verdict
from dormouse.work.look_again import LOOKED
from tests.night import EVERYTHING, Bed

OLD, NEW = "the beta runs on marten-3", "the beta runs on otter-9"


def with_a_model(bed: Bed, supersede: float) -> list[int]:
    """Give the memory an embedded judge; how many pairs it was asked about at each call."""
    asked: list[int] = []

    def scores(pairs: object) -> list[list[float]]:
        count = len(list(pairs))  # type: ignore[call-overload]
        asked.append(count)
        return [[supersede, 1 - supersede, 0.0]] * count

    bed.memory.ladder = Ladder([SlotJudge(), EmbeddedJudge(scores)])
    return asked


def questions(bed: Bed) -> int:
    return len(bed.memory.ledger.read(lambda r: r.questions(EVERYTHING)))


def left_open(bed: Bed) -> tuple[str, str]:
    """One question that the slot judge has left; the ids of its facts."""
    old = bed.say(OLD)
    bed.sleep()
    new = bed.say(NEW)
    bed.sleep()
    assert questions(bed) == 1
    return old.id, new.id


def test_it_settles_an_old_question_in_the_next_night(bed: Bed) -> None:
    old, new = left_open(bed)
    with_a_model(bed, 1.0)
    bed.sleep()
    fact = bed.memory.ledger.read(lambda r: r.fact(old))
    assert (fact.superseded_by, questions(bed)) == (new, 0)


def test_it_looks_once_and_not_each_night(bed: Bed) -> None:
    left_open(bed)
    asked = with_a_model(bed, 0.5)
    bed.sleep()
    bed.sleep()
    assert (asked, questions(bed)) == ([1, 3], 1)  # at first sight, and once more in three ways


def test_a_far_pair_is_looked_at_twice_by_a_better_judge_too(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    def not_sure(likely: object, pair: tuple[Fact, Fact], seen: object) -> float:
        looks.append(pair[0].text)
        return (second_look.SURE + second_look.UNLIKELY) / 2

    monkeypatch.setattr(second_look, "believed", not_sure)
    old = bed.say("finance reads its numbers in Looker")
    bed.say("the finance team has been cut over to Metabase")
    with_a_model(bed, 0.99)
    bed.sleep()
    assert (set(looks), questions(bed)) == ({old.text}, 1)
    looks.clear()
    bed.memory.ledger.write(lambda w: w.set_setting(LOOKED, "an older judge")).result()
    sure = [0.99, 0.01, 0.0]
    better = EmbeddedJudge(lambda pairs: [sure] * len(pairs), "a better one")
    bed.memory.ladder = Ladder([SlotJudge(), better])
    bed.sleep()
    assert looks == [old.text]
    assert len(bed.memory.ledger.read(lambda r: r.facts(EVERYTHING))) == 2


def test_what_the_owner_has_answered_is_not_looked_at(bed: Bed) -> None:
    left_open(bed)
    (question,) = bed.memory.ledger.read(lambda r: r.questions(EVERYTHING))
    bed.memory.ledger.write(lambda w: w.answer_question(question.id, Verdict.KEEP)).result()
    assert with_a_model(bed, 1.0) == []
    bed.sleep()
    assert len(bed.memory.ledger.read(lambda r: r.facts(EVERYTHING))) == 2


def test_it_reads_what_a_night_makes_of_candidates_too(bed: Bed) -> None:
    old = bed.say(OLD)
    bed.sleep()
    with_a_model(bed, 1.0)
    bed.candidate(NEW, bed.prompt("one"), bed.prompt("two", session="s2"))
    bed.sleep()
    fact = bed.memory.ledger.read(lambda r: r.fact(old.id))
    assert fact.superseded_by == bed.facts()[NEW].id
