"""Nomination: one slot, one correction or one sentence, never a mere shared word."""

from dataclasses import replace

import pytest

from dormouse.facts import Because, Fact, Scope
from dormouse.judging import as_fact, nominate


def fact(text: str, id: str = "x") -> Fact:
    return as_fact(text, "2026-03-02", id=id)


def nears(new: str, *hits: str) -> list[str]:
    found = nominate.near(fact(new, "new"), [fact(text, str(n)) for n, text in enumerate(hits)])
    return [hit.text for hit in found]


def test_facts_of_one_slot_are_near_whatever_their_language() -> None:
    hit = "预发布服务器是 10.0.0.5"
    assert nears("staging moved to 10.0.0.9", hit) == [hit]


@pytest.mark.parametrize(
    ("new", "hit"),
    [
        ("the staging server is at 10.0.0.9", "the production server is at 10.0.0.5"),
        ("we use pnpm", "we use Postgres"),
        ("lint with tool M", "lint with tool L"),
        ("staging deploys need a ticket", "we deploy to staging with Helm"),
        ("the office plant is called Bob", "we deploy on Thursdays"),
        ("", "we use npm"),
    ],
)
def test_facts_that_merely_share_words_are_not_near(new: str, hit: str) -> None:
    assert nears(new, hit) == []


def test_nearly_the_same_sentence_is_near_and_so_is_half_of_one_with_a_change() -> None:
    hit = "the billing exports land in the finance bucket"
    assert nears("the billing exports land in the legal bucket", hit) == [hit]
    assert nears("billing exports go to the archive bucket now", hit) == [hit]


def test_a_correction_without_a_subject_finds_the_fact_that_holds_the_old_value() -> None:
    hit = "the API listens on port 8080"
    assert nears("not 8080, it's 9090", hit, "the web port is 3000") == [hit]


def test_a_correction_that_could_mean_several_facts_is_judged_with_none_of_them() -> None:
    new = fact("not 8080, it's 9090", "new")
    hits = [fact("the API port is 8080", "a"), fact("the web port is 8080", "b")]
    assert nominate.near(new, hits) == []
    assert [hit.id for hit in nominate.unclear(new, hits)] == ["a", "b"]
    assert nominate.unclear(new, hits[:1]) == []
    assert nominate.unclear(fact("the API port is 9090", "new"), hits) == []


def test_only_current_facts_of_the_same_scope_line_are_near_and_each_once() -> None:
    new, hit = fact("the port is 4200", "new"), fact("the port is 4100", "old")
    assert nominate.near(new, [hit, hit, new]) == [hit]
    assert nominate.near(new, [replace(hit, scope=Scope.PROJECT, project_id="p")]) == []
    retired = replace(hit, retired_at=hit.valid_from, retired_because=Because.OWNER)
    assert nominate.near(new, [retired]) == []


def test_slots_and_terms_say_what_to_look_up() -> None:
    assert nominate.slots(fact("the API port is 9090")) == [("api", "port")]
    assert nominate.slots(fact("the weather is nice")) == []
    assert nominate.terms(fact("not 8080, it's 9090")) == ["8080"]
    assert nominate.terms(fact("we no longer use Redis")) == ["redis"]
    assert nominate.terms(fact("the port is 4100")) == []
