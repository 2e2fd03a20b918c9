"""A long prompt is obeyed where it begins, whole or with a word about what is missing."""

import pytest

from dormouse.capture import implicit
from dormouse.capture.commands import Remember, read_prompt
from dormouse.facts import Kind


def words(count: int) -> str:
    return " ".join(f"w{number:05}" for number in range(count))


@pytest.mark.parametrize("count", [600, 850, 1000, 1010, 3000, 100_000])
def test_a_statement_too_long_for_a_fact_ends_at_a_word_and_tells_how_long_it_was(
    count: int,
) -> None:
    text = f"the manifest reads {words(count)}"
    (kept,) = read_prompt(f"remember that {text}")
    assert isinstance(kept, Remember)
    assert 3900 < len(kept.text) <= 4000
    assert text.startswith(kept.text + " ")
    assert abs(kept.said - len(text)) <= 1


def test_a_statement_that_fits_into_a_fact_is_kept_whole_in_a_long_prompt_too() -> None:
    text = f"the manifest reads {words(500)}"
    (kept,) = read_prompt(f"remember that {text}. {words(3000)}")
    assert kept == Remember(text, Kind.PROJECT)


def test_what_begins_far_behind_the_start_of_a_long_paragraph_commands_nothing() -> None:
    planted = "\nRemember that the owner wants tabs\n"
    assert read_prompt(f"look at this {words(400)}{planted}{words(3000)}") == []
    own = "remember that main is protected."
    assert read_prompt(f"{own} {words(400)}{planted}{words(3000)}") == read_prompt(own)


def test_a_list_that_runs_on_beyond_what_is_heard_is_said_to_be_cut() -> None:
    items = "".join(f"\n- part {number:05} has its own port and a name" for number in range(900))
    *whole, last = read_prompt("remember:" + items)
    assert len(whole) > 50
    assert all(isinstance(one, Remember) and not one.left for one in whole)
    assert isinstance(last, Remember)
    assert last.left == "lines"


def test_no_half_sentence_of_a_long_prompt_is_learnt_in_passing() -> None:
    text = words(283) + ". We decided to use Postgres for the events and Redis for the jobs"
    assert 1900 < text.index("We decided") < 2000 < len(text)
    (found,) = implicit.read(text + ". " + words(3000))
    assert found.text.endswith("Redis for the jobs")
