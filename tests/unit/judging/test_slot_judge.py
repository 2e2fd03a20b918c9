"""The slot judge: the stories it must tell right, and the ones it must leave alone."""

from dataclasses import replace

import pytest

from dormouse.facts import Fact, How, Trust
from dormouse.judging import Ladder, SlotJudge, as_fact
from dormouse.judgments import Verdict

EARLIER, LATER = "2026-03-02T09:00:00Z", "2026-04-02T15:00:00Z"
JUDGE = SlotJudge()


def verdict(older: str, newer: str, *, how: How = How.IMPLICIT) -> Verdict:
    a, b = as_fact(older, EARLIER, id="a", how=how), as_fact(newer, LATER, id="b", how=how)
    return Ladder([JUDGE])(a, b).verdict


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("the staging server is at 10.0.0.5", "the staging server is at 10.0.0.9"),
        ("the staging server is at 10.0.0.5", "staging moved to 10.0.0.9"),
        ("the staging server is at 10.0.0.5", "staging is now at 10.0.0.9"),
        ("wir deployen donnerstags", "wir deployen jetzt dienstags"),
        ("wir deployen donnerstags", "Nein, wir deployen jetzt dienstags"),
        ("der Staging-Server ist 10.0.0.5", "der Staging-Server ist 10.0.0.9"),
        ("预发布服务器是 10.0.0.5", "预发布服务器现在是 10.0.0.9"),
        ("预发布服务器是 10.0.0.5", "预发布服务器改成了 10.0.0.9"),
        ("tests run with Jest", "we moved the tests to Vitest last week"),
        ("we use npm", "we use pnpm"),
        ("port is 4100", "port is 4200"),
        ("the API listens on port 8080", "not 8080, it's 9090"),
        ("on-call is team North", "on-call is team South"),
        ("on-call is team South", "on-call is team North"),
        ("the API lives in services/api", "the API lives in apps/api"),
        ("deploys happen on Thursdays", "we deploy on Tuesdays now"),
        ("we are on Python 3.11", "we are on Python 3.12"),
        ("default branch is master", "default branch is main"),
        ("Kofi is the on-call", "Mara is the on-call"),
        ("we use Redis", "we no longer use Redis"),
        ("we use Redis", "wir nutzen kein Redis mehr"),
        ("we use Redis", "不再使用 Redis"),
        ("the staging server is at 10.0.0.5", "预发布服务器改成了 10.0.0.9"),
        ("The frontend is built with webpack", "Das Frontend wird jetzt mit Vite gebaut"),
    ],
)
def test_a_fact_that_no_longer_holds_is_superseded(older: str, newer: str) -> None:
    assert verdict(older, newer) is Verdict.SUPERSEDE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("the staging server is at 10.0.0.5", "the production server is at 10.0.0.9"),
        ("the API port is 8080", "the web port is 9090"),
        ("tests run with Jest", "tests run nightly"),
        ("lint with tool L", "lint with tool M"),
        ("web-1 is at 10.0.0.5", "web-2 is at 10.0.0.9"),
        ("we use Slack", "we also use Discord"),
        ("we use Redis for caching", "we use Redis for queues"),
        ("EU customers pay 20 %", "US customers pay 8 %"),
        ("deploys go out on Wednesdays", "this Wednesday's deploy is skipped"),
        ("we use pytest", "we use Postgres"),
    ],
)
def test_facts_that_can_hold_beside_each_other_stay(older: str, newer: str) -> None:
    for how in (How.IMPLICIT, How.EXPLICIT):
        assert verdict(older, newer, how=how) is not Verdict.SUPERSEDE
        assert verdict(newer, older, how=how) is not Verdict.SUPERSEDE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("the staging server is at 10.0.0.5", "Der Staging-Server ist 10.0.0.5"),
        ("the request timeout is 30 seconds", "the request timeout is 30000 ms"),
        ("we deploy on Thursdays", "Thursday is our deploy day"),
        ("the database is PostgreSQL", "the database is Postgres, with nightly backups"),
        ("we like long walks", "we like long walks"),
    ],
)
def test_saying_it_again_is_no_change(older: str, newer: str) -> None:
    ruling = JUDGE(as_fact(older, EARLIER), as_fact(newer, LATER))
    assert ruling.verdict in (Verdict.KEEP, Verdict.UNSURE)
    assert verdict(older, newer) is Verdict.KEEP


def pair(how: How, newer: str = "the port is 4200") -> tuple[Fact, Fact]:
    older = as_fact("the port is 4100", "2026-03-02T09:00:00Z", id="a", how=how)
    return older, as_fact(newer, "2026-03-02T09:00:30Z", id="b", how=how)


def test_two_implicit_statements_of_one_day_in_conflict_stay_unsure() -> None:
    assert JUDGE(*pair(How.IMPLICIT)).verdict is Verdict.UNSURE


def test_a_word_of_change_settles_one_day() -> None:
    assert JUDGE(*pair(How.IMPLICIT, "the port is 4200 now")).verdict is Verdict.SUPERSEDE


@pytest.mark.parametrize("how", [How.EXPLICIT, How.HUMAN])
def test_of_two_explicit_statements_of_the_person_the_later_wins(how: How) -> None:
    assert JUDGE(*pair(how)).verdict is Verdict.SUPERSEDE


def test_an_agents_explicit_statement_is_not_the_persons() -> None:
    older, newer = (replace(fact, trust=Trust.ASSISTANT) for fact in pair(How.EXPLICIT))
    assert JUDGE(older, newer).verdict is Verdict.UNSURE


def test_a_value_that_comes_back_supersedes_the_one_in_between() -> None:
    first = as_fact("on-call is team North", "2026-01-01", id="a")
    second = as_fact("on-call is team South", "2026-02-01", id="b")
    third = as_fact("on-call is team North", "2026-03-01", id="c")
    assert JUDGE(first, second).verdict is Verdict.SUPERSEDE
    assert JUDGE(second, third).verdict is Verdict.SUPERSEDE
    assert JUDGE(first, third).verdict is Verdict.KEEP


def test_where_several_are_common_only_a_named_change_counts() -> None:
    for how in (How.IMPLICIT, How.EXPLICIT):
        assert verdict("we use MySQL", "we use PostgreSQL", how=how) is Verdict.UNSURE
        assert verdict("we use MySQL", "we use PostgreSQL now", how=how) is Verdict.UNSURE
        changed = "we moved from MySQL to PostgreSQL"
        assert verdict("we use MySQL", changed, how=how) is Verdict.SUPERSEDE


def test_a_habit_changes_by_a_word_of_change_or_by_two_explicit_statements() -> None:
    older, newer = "we deploy on Thursdays", "we deploy on Tuesdays"
    assert verdict(older, newer) is Verdict.UNSURE
    assert verdict(older, newer, how=How.EXPLICIT) is Verdict.SUPERSEDE
    assert verdict(older, newer + " now") is Verdict.SUPERSEDE


def test_an_end_for_every_purpose_ends_each_of_them_but_not_the_other_way_round() -> None:
    assert verdict("we use Redis for caching", "we no longer use Redis") is Verdict.SUPERSEDE
    assert verdict("we use Redis", "we no longer use Redis for caching") is Verdict.UNSURE


def test_part_of_the_older_one_may_still_be_true() -> None:
    assert verdict("we use npm and the port is 80", "we use pnpm now") is not Verdict.SUPERSEDE
    assert verdict("We use npm. The port is 80.", "we use pnpm now") is not Verdict.SUPERSEDE


def test_asked_alone_it_respects_the_gate() -> None:
    older, newer = pair(How.EXPLICIT)
    assert JUDGE(older, replace(newer, trust=Trust.TOOL)).verdict is Verdict.UNSURE
    assert JUDGE(newer, older).verdict is Verdict.UNSURE


def test_a_ruling_holds_no_word_of_the_facts() -> None:
    ruling = JUDGE(*pair(How.EXPLICIT))
    assert ruling.judge == "slot:1"
    assert ruling.probability is None
    assert "4100" not in repr(ruling)
    assert "4200" not in repr(ruling)
