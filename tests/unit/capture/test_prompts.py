"""The labelled prompts: what the rules promise is measured on those that came before the rules."""

from collections import Counter

import pytest

from bench.capture_rules import PROMPTS, main, per_prompt, precision, rows, same, score

HALVES = [True, False]


def test_there_are_four_hundred_prompts_and_half_of_them_are_held_out() -> None:
    held, tuned = rows(held_out=True), rows(held_out=False)
    assert len(held) + len(tuned) >= 400
    assert len(held) >= 200
    languages = Counter(row["language"] for row in held + tuned)
    assert all(languages[name] >= 60 for name in ("en", "de", "zh"))
    assert len(languages) == 9


def test_every_label_says_what_its_prompt_holds() -> None:
    seen = set()
    for line in rows(held_out=True) + rows(held_out=False):
        kinds = [held["is"] for held in line["holds"]]
        best = "fact" if "fact" in kinds else "candidate" if kinds else "nothing"
        assert line["label"] == best
        assert line["id"] not in seen
        seen.add(line["id"])
    assert PROMPTS.read_bytes().endswith(b"\n")


@pytest.mark.parametrize("held_out", HALVES)
def test_at_least_ninety_five_of_a_hundred_facts_are_right(held_out: bool) -> None:
    scores = [score(row) for row in rows(held_out=held_out)]
    right, read = precision(scores, "fact")
    assert read >= 60
    assert right / read >= 0.95


@pytest.mark.parametrize(("what", "least"), [("fact", 0.80), ("candidate", 0.70)])
def test_most_of_what_is_there_is_found(what: str, least: float) -> None:
    found = [score(row).found(what) for row in rows(held_out=True)]
    assert sum(f for f, _ in found) / sum(n for _, n in found) >= least


def test_reading_a_prompt_takes_less_than_a_millisecond() -> None:
    assert per_prompt(rows(held_out=True)) < 1.0


def test_two_texts_are_the_same_if_nearly_all_their_words_are() -> None:
    assert same("we use pnpm.", "We use pnpm")
    assert same("we use pnpm in this repo", "we use pnpm in this repo, not npm")
    assert not same("we use pnpm", "we deploy on Thursdays")
    assert not same("", "x")


def test_the_report_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show"]) == 0
    assert "precision of facts" in capsys.readouterr().out
