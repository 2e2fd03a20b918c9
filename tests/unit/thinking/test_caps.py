"""What a day of thinking may cost, and that nothing makes it cost more."""

import os
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

from dormouse.thinking import Level, Result, Said, Thought
from dormouse.thinking.caps import midnight
from dormouse.times import parse, stamp
from tests.unit.thinking.world import SCHEMA, THOUGHT, Clock, Scripted, World


@pytest.fixture
def berlin() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def made(world: World) -> int:
    return len(world.log.rows)


def spend(world: World, times: int) -> int:
    """Try that often; each time a daemon that has just started."""
    for _ in range(times):
        world.door().think(THOUGHT)
    return made(world)


def test_the_cap_of_calls_holds_across_restarts() -> None:
    world = World(calls=3)
    assert spend(world, 10) == 3


def test_no_call_is_made_that_might_pass_the_cap_of_tokens() -> None:
    world = World([Scripted(says=Said(Result.ANSWERED, '{"verdict":"keep"}', 4_000, 1))])
    world.calls, world.tokens = 20, 50_000
    assert spend(world, 500) == 12
    usage = world.door().usage()
    assert (usage.calls, usage.calls_cap) == (12, 20)
    assert (usage.tokens, usage.tokens_cap) == (48_000, 50_000)


def test_a_call_is_estimated_by_its_bytes_and_its_largest_answer() -> None:
    world = World(tokens=1_000)
    assert world.door().think(Thought("judge", "s", "x" * 3_600, SCHEMA, 200)) is None
    assert made(world) == 0
    assert world.door().think(Thought("judge", "s", "x" * 400, SCHEMA, 200)) is not None


def test_a_call_whose_daemon_died_counts_as_estimated() -> None:
    world = World(tokens=1_000)
    world.log.begin(who="codex", level=Level.AGENTS, task="judge", sent=9, estimated=900)
    assert world.door().think(THOUGHT) is None
    assert world.door().usage().tokens == 900


def test_a_thinker_that_tells_no_usage_costs_what_was_estimated() -> None:
    world = World([Scripted(says=Said(Result.ANSWERED, '{"verdict":"keep"}', None, 1))])
    world.door().think(THOUGHT)
    assert world.door().usage().tokens == world.log.rows[0].estimated > 100


def test_what_was_never_sent_costs_nothing() -> None:
    world = World([Scripted(says=Said(Result.UNAVAILABLE)), Scripted("codex")], calls=1)
    assert world.door().think(THOUGHT) is not None
    assert world.door().usage().calls == 1


def test_the_day_ends_at_local_midnight(berlin: None) -> None:
    world = World(calls=1, clock=Clock("2026-06-01T21:30:00+00:00"))  # 23:30 in Berlin
    assert spend(world, 2) == 1
    assert world.door().usage().resets_at == "2026-06-01T22:00:00.000+00:00"
    world.clock.now += timedelta(minutes=31)
    assert spend(world, 2) == 2


@pytest.mark.parametrize(
    ("now", "began", "ends"),
    [
        ("2026-03-29T10:00:00+00:00", "2026-03-28T23:00", "2026-03-29T22:00"),  # 23 hours
        ("2026-10-25T10:00:00+00:00", "2026-10-24T22:00", "2026-10-25T23:00"),  # 25 hours
    ],
)
def test_a_day_with_a_changed_clock_has_its_own_length(
    berlin: None, now: str, began: str, ends: str
) -> None:
    assert stamp(midnight(parse(now))).startswith(began)
    assert stamp(midnight(parse(now), 1)).startswith(ends)


def test_setting_the_clock_back_gives_no_second_budget() -> None:
    world = World(calls=1)
    spend(world, 1)
    world.clock.now -= timedelta(days=2)
    assert spend(world, 1) == 1


def test_after_a_quota_answer_nothing_leaves_until_the_next_day() -> None:
    quota, codex, own = Scripted(says=Said(Result.QUOTA)), Scripted("codex"), Scripted("endpoint")
    world = World([quota, codex])
    assert spend(world, 5) == 1
    assert codex.asked == []
    assert "quota" in (world.door().why_not() or "")
    world.thinkers = [quota, own]
    assert world.door().think(THOUGHT) is not None  # this machine has no quota
    world.thinkers = [codex]
    world.clock.now += timedelta(days=1)
    assert world.door().think(THOUGHT) is not None


def test_a_thinker_that_fails_three_times_rests_until_the_next_day() -> None:
    broken = Scripted(says=Said(Result.FAILED))
    world = World([broken])
    assert spend(world, 10) == 3
    assert "3 times" in (world.door().why_not() or "")
    world.clock.now += timedelta(days=1)
    assert spend(world, 1) == 4


def test_a_call_that_was_stopped_is_no_failure() -> None:
    world = World([Scripted(says=Said(Result.STOPPED))])
    assert spend(world, 6) == 6
