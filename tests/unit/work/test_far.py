"""Pairs that only share words or meaning: a change is rare there, so a judge has to look again."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from dormouse.errors import ModelRefused
from dormouse.facts import Fact
from dormouse.judging import as_fact
from dormouse.judging.embedded import CHANGED, EmbeddedJudge
from dormouse.judging.ladder import Ladder
from dormouse.judgments import Decision, Verdict
from dormouse.work.settle import Nominated, rule
from dormouse.work.weigh import LOOKED_AT_AGAIN

OLD = as_fact("my reports are written in LibreOffice", "2026-03-02T09:00:00Z", id="a")
NEW = as_fact("my reports are written in Typst now", "2026-06-02T09:00:00Z", id="b")
BARE = as_fact("my reports are written in Typst", "2026-06-02T09:00:00Z", id="b")
PLAN = as_fact("maybe my reports will be written in Typst", "2026-06-02T09:00:00Z", id="b")
LIKELY = 0.97


class Model:
    """Reads pairs of *facts* as a change, doubts them when read in another way; counts readings."""

    def __init__(self, *facts: Fact, likely: float = LIKELY, again: float = LIKELY) -> None:
        self.texts = {fact.text for fact in facts}
        self.likely, self.again, self.read = likely, again, 0

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        self.read += len(pairs)
        return [[self._of(older, newer), 0.0, 0.0] for older, newer in pairs]

    def _of(self, older: str, newer: str) -> float:
        gap, text = newer.split(": ", 1)
        as_it_was = {older, text} <= self.texts and gap != "minutes later"
        return self.likely if as_it_was else self.again


def ruled(
    model: Callable[[Sequence[tuple[str, str]]], list[list[float]]],
    newer: Fact,
    *older: Fact,
    cosine: float = 0.8,
    near: bool = False,
) -> list[Decision]:
    return rule(Ladder([EmbeddedJudge(model)]), drawn(newer, *older, cosine=cosine, near=near))[0]


def unsure(model: "Model", newer: Fact, *older: Fact, cosine: float = 0.8) -> bool:
    """Whether a thinker would be asked."""
    return bool(rule(Ladder([EmbeddedJudge(model)]), drawn(newer, *older, cosine=cosine))[1])


def drawn(newer: Fact, *older: Fact, cosine: float, near: bool = False) -> Nominated:
    pairs = [(each, newer) for each in older]
    found = Nominated(newer, pairs) if near else Nominated(newer, far=pairs)
    found.cosines.update((each.id, cosine) for each in older)
    return found


@pytest.mark.parametrize("newer", [NEW, BARE])
@pytest.mark.parametrize("near", [True, False])
def test_a_pair_that_is_read_again_as_a_change_is_retired(newer: Fact, near: bool) -> None:
    likely = CHANGED - 0.01 if near else LIKELY
    [decision] = ruled(Model(OLD, newer, likely=likely), newer, OLD, near=near)
    assert decision.ruling.verdict is Verdict.SUPERSEDE
    assert decision.ruling.judge == EmbeddedJudge(Model()).name
    assert decision.ruling.probability == likely


def test_one_that_is_doubted_when_read_again_is_not() -> None:
    [decision] = ruled(Model(OLD, NEW, likely=0.99, again=0.2), NEW, OLD)
    assert decision.ruling.verdict is Verdict.UNSURE


def test_nobody_is_asked_about_one_that_seems_to_be_something_else() -> None:
    model = Model(OLD, NEW, likely=0.99, again=0.01)
    assert ruled(model, NEW, OLD, cosine=0.0) == []
    assert not unsure(model, NEW, OLD, cosine=0.0)
    assert unsure(Model(OLD, NEW, likely=0.99, again=0.2), NEW, OLD)


def test_a_near_pair_that_the_judge_is_sure_of_needs_no_second_look() -> None:
    model = Model(OLD, NEW, likely=CHANGED)
    [decision] = ruled(model, NEW, OLD, near=True)
    assert decision.ruling.verdict is Verdict.SUPERSEDE
    assert model.read == 1


def test_only_the_likeliest_pairs_are_looked_at_again() -> None:
    older = [replace(OLD, id=f"a{n}", text=f"{OLD.text}, volume {n}") for n in range(6)]
    model = Model(NEW, *older)
    ruled(model, NEW, *older)
    assert model.read == len(older) + 3 * LOOKED_AT_AGAIN


def test_across_two_languages_nothing_is_looked_at_again() -> None:
    german = as_fact("alle Berichte mache ich jetzt mit Typst", "2026-06-02T09:00:00Z", id="b")
    model = Model(OLD, german)
    for decision in ruled(model, german, OLD):
        assert decision.ruling.verdict is Verdict.UNSURE
    assert model.read == 1


def breaks_after(model: Model, answer: Callable[[], list[list[float]]]) -> Model:
    """*model*, which answers with *answer* where it is asked again."""

    class Breaking(Model):
        def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
            return answer() if len(pairs) > 1 else model(pairs)

    return Breaking()


def refused() -> list[list[float]]:
    raise ModelRefused(path="judge.npz", why="it is gone")


@pytest.mark.parametrize("answer", [refused, list, lambda: [[7.0, 0.0, 0.0]] * 3])
def test_what_the_model_can_no_longer_read_is_not_settled(
    answer: Callable[[], list[list[float]]],
) -> None:
    [decision] = ruled(breaks_after(Model(OLD, NEW, likely=1.0), answer), NEW, OLD)
    assert decision.ruling.verdict is Verdict.UNSURE


@pytest.mark.parametrize("near", [True, False])
def test_what_states_nothing_is_never_looked_at_again(near: bool) -> None:
    question = as_fact("are my reports written in Typst?", "2026-06-02T09:00:00Z", id="b")
    model = Model(OLD, question, likely=1.0, again=1.0)
    assert ruled(model, question, OLD, near=near) == []
    assert model.read == 0


def test_a_second_look_overrules_what_the_gate_has_read() -> None:
    [decision] = ruled(Model(OLD, PLAN, likely=0.97, again=0.97), PLAN, OLD)
    assert decision.ruling.verdict is Verdict.SUPERSEDE
