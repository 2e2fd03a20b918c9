"""The gate: what is known on both sides and different is no contradiction, and nothing else is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dormouse.facts import Fact, Scope, Trust
from dormouse.judging import as_fact
from dormouse.judging.gate import veto
from dormouse.judgments import Veto

EARLIER, LATER = "2026-03-02T09:00:00Z", "2026-04-02T15:00:00Z"


def vetoed(older: str, newer: str) -> Veto | None:
    return veto(as_fact(older, EARLIER, id="a"), as_fact(newer, LATER, id="b"))


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("the staging server is at 10.0.0.5", "production is at 10.0.0.9", Veto.SCOPE),
        ("we use Redis for caching", "we use Redis for queues", Veto.SCOPE),
        ("EU customers pay 20 %", "US customers pay 8 %", Veto.SCOPE),
        ("On branch x/1 we use npm", "On branch x/2 we use pnpm", Veto.SCOPE),
        ("the API port is 8080", "the web port is 9090", Veto.SUBJECT),
        ("web-1 is at 10.0.0.5", "web-2 is at 10.0.0.9", Veto.SUBJECT),
        ("tests run with Jest", "tests run nightly", Veto.ATTRIBUTE),
        ("we use pytest", "we use Postgres", Veto.ATTRIBUTE),
        ("we use npm", "we plan to move to pnpm", Veto.MODALITY),
        ("deploys go out on Wednesdays", "this Wednesday's deploy is skipped", Veto.MODALITY),
        ("we use Slack", "we also use Discord", Veto.MULTI_VALUED),
        ("we use Foo", "we use Bar", Veto.MULTI_VALUED),
    ],
)
def test_a_known_difference_is_a_veto(older: str, newer: str, expected: Veto) -> None:
    assert vetoed(older, newer) is expected


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("the staging server is at 10.0.0.5", "the server is at 10.0.0.9"),
        ("the port is 8080", "the API port is 9090"),
        ("lint with tool L", "lint with tool M"),
        ("IE11 is supported", "Support for IE11 has been discontinued"),
        ("the user prefers dark mode", "the user has switched to light mode"),
        ("we use Redis", "we no longer use Redis"),
    ],
)
def test_what_is_unknown_passes(older: str, newer: str) -> None:
    assert vetoed(older, newer) is None


def older_and_newer() -> tuple[Fact, Fact]:
    older = as_fact("the staging server is at 10.0.0.5", EARLIER, id="a")
    return older, as_fact("the staging server is at 10.0.0.9", LATER, id="b")


def test_order_goes_by_when_a_fact_began_to_hold_not_by_when_it_was_said() -> None:
    older, newer = older_and_newer()
    late_remark = replace(newer, valid_from="2026-01-01T00:00:00.000+00:00")
    assert veto(older, late_remark) is Veto.ORDER
    assert veto(older, replace(older, id="c", text=newer.text)) is None


@pytest.mark.parametrize(
    ("scope", "change"),
    [
        (Scope.PROJECT, {"project_id": "q"}),
        (Scope.BRANCH, {"branch": "y"}),
        (Scope.SESSION, {"session_id": "t"}),
    ],
)
def test_facts_of_another_scope_line_are_left_alone(scope: Scope, change: dict[str, str]) -> None:
    line = {"scope": scope, "project_id": "p", "branch": "x", "session_id": "s"}
    older, newer = (replace(fact, **line) for fact in older_and_newer())  # type: ignore[arg-type]
    assert veto(older, newer) is None
    assert veto(older, replace(newer, **change)) is Veto.SCOPE  # type: ignore[arg-type]
    assert veto(older, replace(newer, scope=Scope.USER)) is Veto.SCOPE


def test_branch_and_session_are_provenance_in_project_scope() -> None:
    older, newer = older_and_newer()
    older = replace(older, scope=Scope.PROJECT, project_id="p", branch="x", session_id="s")
    newer = replace(newer, scope=Scope.PROJECT, project_id="p", branch="y", session_id="t")
    assert veto(older, newer) is None


@pytest.mark.parametrize("older_trust", list(Trust))
@pytest.mark.parametrize("newer_trust", list(Trust))
def test_a_fact_never_meets_one_of_higher_trust(older_trust: Trust, newer_trust: Trust) -> None:
    older, newer = older_and_newer()
    found = veto(replace(older, trust=older_trust), replace(newer, trust=newer_trust))
    assert (found is Veto.TRUST) == (newer_trust.rank < older_trust.rank)


def test_trust_asks_only_about_pairs_that_have_to_do_with_each_other() -> None:
    older = as_fact("we use pytest", EARLIER, id="a")
    newer = as_fact("we use Postgres", LATER, id="b", trust=Trust.TOOL)
    assert veto(older, newer) is Veto.ATTRIBUTE


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(Trust), st.sampled_from(Trust))
def test_no_text_gets_past_trust(a: str, b: str, x: Trust, y: Trust) -> None:
    older, newer = as_fact(a, EARLIER, id="a", trust=x), as_fact(b, LATER, id="b", trust=y)
    if y.rank < x.rank:
        assert veto(older, newer) is not None
