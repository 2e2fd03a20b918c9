"""The table of privacy levels says what the door does."""

import pytest

from dormouse.thinking import Level
from dormouse.thinking.levels import ASKED, TABLE, describe, level_of, may


def test_each_level_allows_what_the_one_before_allows() -> None:
    for who, part in TABLE.items():
        for task in part.tasks:
            allowed = [may(level, who, task) for level in Level]
            assert allowed == sorted(allowed)


def test_who_is_not_in_the_table_may_do_nothing() -> None:
    for level in Level:
        assert not may(level, "somebody", "judge")
        assert not may(level, "codex", "delete")


@pytest.mark.parametrize("text", [None, "", "AGENTS", "all", "hosted "])
def test_an_unknown_word_is_local(text: str | None) -> None:
    assert level_of(text) is Level.LOCAL


def test_at_local_nothing_goes_to_anybody_but_this_machine() -> None:
    for row in describe(Level.LOCAL, ASKED, "http://127.0.0.1:1/v1"):
        assert row["sends"] == "nothing" or "this machine" in row["to"]


def test_each_part_says_what_it_sends_and_to_whom() -> None:
    rows = {row["part"]: row for row in describe(Level.HOSTED, ASKED, "https://m.example/v1")}
    assert "Anthropic" in rows["claude-code"]["to"]
    assert "OpenAI" in rows["codex"]["to"]
    assert rows["hosted endpoint"]["to"] == "https://m.example/v1"
    assert all("redacted" in row["sends"] for row in rows.values() if row["to"] != "nobody")


def test_what_is_not_set_up_sends_nothing() -> None:
    for row in describe(Level.HOSTED, [], ""):
        assert (row["sends"], row["to"].partition(":")[0]) == ("nothing", "nobody")
