"""The labelled pairs: who is trained on is never tested on, and the exam is in none of them."""

import json
import re
from pathlib import Path

import pytest

from training.judge.pairs import DATA, LABELS, Pair, derived, hand_written, read, writers

EXAM = Path(__file__).parents[2] / "data" / "judge_exam_dev.jsonl"


def everything() -> list[Pair]:
    names = [name for split in ("train", "calibrate", "test") for name in writers(split)]
    return hand_written(names) + derived(names)


def plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return everything()


@pytest.fixture(scope="module")
def kept(pairs: list[Pair]) -> list[Pair]:
    """All there is, with what no judge was trained on yet."""
    return pairs + read(DATA / "near-misses.jsonl")


def test_there_is_enough_written_by_hand_by_enough_writers() -> None:
    names = [name for split in ("train", "calibrate", "test") for name in writers(split)]
    assert len(names) >= 12
    assert len(hand_written(names)) >= 3_000


def test_with_what_is_derived_there_are_eight_thousand(pairs: list[Pair]) -> None:
    assert len(pairs) >= 8_000


def test_no_writer_is_both_trained_on_and_measured_on() -> None:
    train, calibrate, test = (set(writers(split)) for split in ("train", "calibrate", "test"))
    assert not (train & calibrate or train & test or calibrate & test)


def test_nothing_is_derived_from_who_is_measured_on() -> None:
    assert derived(writers("test")) == []


def test_each_pair_is_whole_and_has_a_name_of_its_own(kept: list[Pair]) -> None:
    assert {pair.label for pair in kept} == set(LABELS)
    assert all(pair.older.strip() and pair.newer.strip() for pair in kept)
    assert all(pair.gap.total_seconds() >= 0 for pair in kept)
    assert len({pair.id for pair in kept}) == len(kept)


def test_no_note_of_the_exam_is_in_the_data(kept: list[Pair]) -> None:
    exam = {
        plain(row[side])
        for row in map(json.loads, EXAM.read_text("utf-8").splitlines())
        for side in ("older", "newer")
    }
    assert not [pair.id for pair in kept if plain(pair.older) in exam or plain(pair.newer) in exam]


def test_the_card_names_every_file() -> None:
    card = (DATA / "README.md").read_text("utf-8")
    for path in [*DATA.glob("derived*.jsonl"), *DATA.glob("near*.jsonl")]:
        assert path.name in card
