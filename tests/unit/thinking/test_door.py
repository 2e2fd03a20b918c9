"""Who is asked, what leaves, and what counts as an answer."""

import logging
import threading
import time

import pytest

from dormouse.errors import WriteRefused
from dormouse.thinking import Level, Result, Said, Stop, Thought
from tests.unit.thinking.world import KEEP, SCHEMA, THOUGHT, Scripted, World

NOBODY = Said(Result.UNAVAILABLE)


def test_an_answer_that_fits_comes_through_with_who_gave_it() -> None:
    world = World()
    answer = world.door().think(THOUGHT)
    assert answer is not None
    assert (answer.value, answer.who, answer.level) == (
        {"verdict": "keep"},
        "claude-code",
        Level.AGENTS,
    )
    (row,) = world.log.rows
    assert (row.result, row.tokens, row.received, row.task) == (Result.ANSWERED, 100, 20, "judge")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "keep",
        '"keep"',
        '{"verdict":"delete"}',
        '{"verdict":"keep","verdict":"supersede"}',
        '{"verdict":"keep","why":"x"}',
        '{"verdict":["keep"]}',
        '```json\n{"verdict":"keep"}\n```',
        '{"verdict":"keep"} and more',
        "[" * 5000,
        "NaN",
    ],
)
def test_anything_else_is_no_answer_and_nobody_else_is_told(text: str) -> None:
    second = Scripted("codex")
    world = World([Scripted(says=Said(Result.ANSWERED, text, 5, 5)), second])
    assert world.door().think(THOUGHT) is None
    assert world.log.rows[0].result is Result.RUBBISH
    assert second.asked == []


def test_at_level_local_no_agent_is_asked_and_at_level_agents_no_host() -> None:
    agent, host, own = Scripted(), Scripted("hosted"), Scripted("endpoint")
    last = Thought("judge", "s", "u", SCHEMA, last_resort=True)
    world = World([agent, host], Level.LOCAL)
    assert world.door().think(THOUGHT) is None
    assert world.door().think(last) is None
    world.level = Level.AGENTS
    assert world.door().think(last) is None
    assert (agent.asked, host.asked, world.log.rows) == ([], [], [])
    world.level, world.thinkers = Level.LOCAL, [agent, own]
    assert world.door().think(THOUGHT) is not None
    assert (len(own.asked), agent.asked) == (1, [])


def test_a_hosted_endpoint_is_asked_only_what_nobody_was_sure_of() -> None:
    agent, host = Scripted(), Scripted("hosted")
    door = World([agent, host], Level.HOSTED).door()
    door.think(THOUGHT)
    assert host.asked == []
    door.think(Thought("judge", "s", "u", SCHEMA, last_resort=True))
    assert (len(agent.asked), len(host.asked)) == (1, 1)
    assert door.think(Thought("extract", "s", "u", SCHEMA, last_resort=True)) is None


def test_a_narrower_level_can_be_asked_for_and_a_wider_one_not() -> None:
    world = World()
    assert world.door().think(THOUGHT, at_most=Level.LOCAL) is None
    world.level = Level.LOCAL
    assert world.door().think(THOUGHT, at_most=Level.HOSTED) is None
    assert world.log.rows == []


def test_the_own_machine_first_then_the_agent_that_knows_the_facts() -> None:
    claude, codex, own = Scripted(), Scripted("codex"), Scripted("endpoint", NOBODY)
    world = World([claude, codex, own])
    door = world.door()
    door.think(Thought("judge", "s", "u", SCHEMA, prefers="codex"))
    assert [len(t.asked) for t in (own, codex, claude)] == [1, 1, 0]
    world.order = ("codex", "claude-code")
    world.door().think(THOUGHT)
    assert [len(t.asked) for t in (own, codex, claude)] == [1, 2, 0]
    world.door().think(Thought("judge", "s", "u", SCHEMA, prefers="claude-code"))
    assert len(claude.asked) == 1


def test_what_leaves_has_no_secret_in_it_whoever_made_the_text() -> None:
    secret = "ghp_" + "A" * 36
    thinker = Scripted()
    World([thinker]).door().think(Thought("judge", "s", f'{{"text":"it is {secret}"}}', SCHEMA))
    assert secret not in thinker.asked[0].user
    assert "[redacted:" in thinker.asked[0].user


def test_a_thinker_that_raises_is_a_failed_call_and_no_more() -> None:
    def broken(thought: Thought, stop: Stop) -> Said:
        raise RuntimeError(thought.user)

    world = World([Scripted(says=broken)])
    assert world.door().think(THOUGHT) is None
    assert world.log.rows[0].result is Result.FAILED


def test_no_call_is_made_that_could_not_be_written_down() -> None:
    world, thinker = World(), Scripted()
    world.thinkers = [thinker]

    def refuse(**about: object) -> str:
        raise WriteRefused(path="x", why="disk_full")

    world.log.begin = refuse  # type: ignore[method-assign]
    assert world.door().think(THOUGHT) is None
    assert thinker.asked == []


def test_only_one_call_goes_on_at_a_time() -> None:
    together, most, lock = [0], [0], threading.Lock()

    def slow(thought: Thought, stop: Stop) -> Said:
        with lock:
            together[0] += 1
            most[0] = max(most[0], together[0])
        time.sleep(0.02)
        with lock:
            together[0] -= 1
        return KEEP

    door = World([Scripted(says=slow)]).door()
    threads = [threading.Thread(target=door.think, args=(THOUGHT,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_stopping_ends_the_call_that_goes_on_and_closing_all_others() -> None:
    begun = threading.Event()

    def waits(thought: Thought, stop: Stop) -> Said:
        done = threading.Event()
        stop.then(done.set)
        begun.set()
        done.wait(10)
        return Said(Result.STOPPED)

    world = World([Scripted(says=waits)])
    door = world.door()
    thread = threading.Thread(target=door.think, args=(THOUGHT,))
    thread.start()
    begun.wait(10)
    door.close()
    thread.join(10)
    assert world.log.rows[0].result is Result.STOPPED
    assert door.think(THOUGHT) is None
    assert len(world.log.rows) == 1


def test_nothing_of_a_text_or_an_answer_is_logged_or_shown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    canary = "canary-8d2e"
    said = Said(Result.ANSWERED, f'{{"verdict":"{canary}"}}', 1, 1)
    thought = Thought("judge", canary, canary, {**SCHEMA, "description": canary})
    with caplog.at_level(logging.DEBUG):
        World([Scripted(says=said)]).door().think(thought)
        World().door().think(thought)
    assert canary not in caplog.text
    assert canary not in repr((thought, said, World().door().think(thought)))


def test_why_nothing_is_asked_is_said_in_words() -> None:
    world = World(level=Level.LOCAL)
    assert world.door().why_not() == "no thinker is at hand that may be asked at level local"
    world.level = Level.AGENTS
    assert world.door().why_not() is None
    assert world.door().who(THOUGHT) == ["claude-code"]
    world.calls = 0
    assert world.door().why_not() == "the cap of 0 thinker calls a day forbids it"
