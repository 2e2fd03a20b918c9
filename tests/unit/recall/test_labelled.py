"""Found or silent: measured on a labelled set, in stores of every size.

The figures below chose FLOOR; a change that makes one worse has to be weighed, not waved through.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from dormouse.recall.rank import FLOOR
from tests.unit.recall.support import Store, found, store_of

_DATA = tomllib.loads((Path(__file__).parent / "labelled.toml").read_text(encoding="utf-8"))
FACTS: dict[str, str] = _DATA["facts"]
ASKS: dict[str, list[str]] = _DATA["asks"]
SILENT: list[str] = _DATA["silent"]["prompts"]


@dataclass(frozen=True)
class Figures:
    recall: float
    first: float
    silence: float


def measured(store: Store, half: int | None = None) -> Figures:
    """Of the questions, or of every second one: answered among six, answered first; kept silent."""
    asks = [each for at, each in enumerate(ASKS.items()) if half is None or at % 2 == half]
    prompts = [each for at, each in enumerate(SILENT) if half is None or at % 2 == half]
    answers = [(found(store.recall(question)), wanted) for question, wanted in asks]
    return Figures(
        recall=sum(bool(set(got) & set(wanted)) for got, wanted in answers) / len(asks),
        first=sum(bool(set(got[:1]) & set(wanted)) for got, wanted in answers) / len(asks),
        silence=sum(not store.recall(prompt) for prompt in prompts) / len(prompts),
    )


def test_the_set_is_large_enough_to_say_something() -> None:
    assert len(ASKS) >= 60
    assert len(SILENT) >= 30
    assert {id for wanted in ASKS.values() for id in wanted} <= set(FACTS)


@pytest.mark.parametrize("crowd", [0, 500, 5_000])
def test_what_can_be_answered_is_answered_and_what_cannot_is_met_with_silence(crowd: int) -> None:
    figures = measured(store_of(FACTS, crowd))
    assert figures.recall >= 0.92
    assert figures.first >= 0.90
    assert figures.silence >= 0.95


def test_the_lines_that_no_weight_was_fitted_to_do_as_well_as_the_others() -> None:
    store = store_of(FACTS, 500)
    fitted, others = measured(store, 0), measured(store, 1)
    assert others.recall >= fitted.recall - 0.05
    assert others.silence >= fitted.silence - 0.05


def test_a_single_fact_is_found_by_a_question_about_it_and_by_nothing_else() -> None:
    """A store of one has no frequencies of its own: the prior has to carry it."""
    unrelated = [prompt for prompt in SILENT if "with tests" not in prompt]
    for id in ("staging", "vitest", "tuesdays", "de_deploy", "zh_staging", "zh_deploy"):
        store = store_of({id: FACTS[id]})
        for question, wanted in ASKS.items():
            if wanted == [id]:
                assert found(store.recall(question)) == [id], question
        heard = [prompt for prompt in unrelated if store.recall(prompt)]
        assert heard == [], id


@pytest.mark.parametrize(
    "prompt",
    ["hi", "thanks, looks good", "continue", "qqzv wxyk plomb", "write a limerick about otters"],
)
def test_prompts_about_nothing_in_the_shop_get_nothing(prompt: str) -> None:
    store = store_of({}, crowd=500)
    assert store.recall(prompt) == []
    assert store.recall(prompt, explicit=True) == []


def test_one_identifier_in_a_long_prompt_is_enough() -> None:
    store = store_of(FACTS, crowd=5_000)
    prompt = (
        "I have been chasing this all morning. After the upgrade the browser shows a blank page,"
        " the console complains about a mixed content warning, and somebody on the team believes"
        " that the proxy strips a header. Look at services/api and tell me what you would change"
        " first, but do not touch anything yet, and list the risks of each option in a table."
    )
    assert found(store.recall(prompt))[:1] == ["api"]


def test_the_floor_stands_where_the_figures_were_taken() -> None:
    assert FLOOR == 0.39
