"""A night: its steps, its checkpoints, and what it does when disturbed, failing or killed."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from dormouse.errors import Conflict
from dormouse.work import rem
from tests.night import Bed

Work = Callable[[rem.Sleeping], Awaitable[None]]
NAMES = ["catch_up", "read_day", "settle", "consolidate", "tidy"]


class KilledError(BaseException):
    """Ends a night as kill -9 does: nothing is written any more."""


def with_step(name: str, work: Work) -> list[rem.Step]:
    """The night's steps, one of them doing something else."""
    return [replace(step, do=work) if step.name == name else step for step in rem.STEPS]


def before_and(step: rem.Step, then: Work) -> Work:
    """The step's own work, and then something more, before its checkpoint."""

    async def work(sleeping: rem.Sleeping) -> None:
        await step.do(sleeping)
        await then(sleeping)

    return work


async def kill(_: rem.Sleeping) -> None:
    raise KilledError


async def fail(_: rem.Sleeping) -> None:
    raise RuntimeError("on purpose")


def filled(bed: Bed) -> Bed:
    """A day with something for every step to do."""
    bed.say("The staging server is at 10.0.0.5")
    bed.say("the staging server is at 10.0.0.9 now")
    bed.say("We deploy with make ship", session="a")
    bed.say("we deploy with make  ship!", session="b")
    bed.candidate("the API lives in services/api", bed.prompt("p", "s1"), bed.prompt("q", "s2"))
    bed.candidate("the cron runs hourly", bed.prompt("r", "s1"))
    return bed


def test_a_night_does_its_steps_in_order_and_notes_the_facts_before_and_after(bed: Bed) -> None:
    run = filled(bed).sleep()
    assert run.state == "done"
    steps = bed.steps(run)
    assert [step.step for step in steps] == NAMES
    assert {step.state for step in steps} == {"done"}
    assert (steps[0].before, steps[-1].after) == (run.facts_before, run.facts_after)
    assert run.report["settled"]["supersede"] == 1
    (judge,) = run.report["by"]
    assert judge.startswith("slot:")
    assert run.report["waits"] == {"candidates": 1, "proposals": 0, "questions": 0}
    assert "the API lives in services/api" in bed.facts()
    assert bed.candidates() == ["the cron runs hourly"]


def test_a_second_night_changes_nothing(bed: Bed) -> None:
    filled(bed).sleep()
    before = bed.state()
    again = bed.sleep()
    assert again.state == "done"
    assert bed.state() == before
    assert again.report["retired"] == []
    assert "made" not in again.report


def test_undo_gives_the_evening_back_and_the_next_night_does_not_redo_it(bed: Bed) -> None:
    facts = filled(bed).state()
    run = bed.sleep()
    assert bed.state() != facts
    assert bed.undo(run).state == "undone"
    assert bed.state() == facts
    bed.sleep()
    assert bed.state() == facts


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_in_any_step_is_gone_on_from_nothing_twice_nothing_lost(
    bed: Bed, name: str, moment: str
) -> None:
    filled(bed)
    step = next(step for step in rem.STEPS if step.name == name)
    work = kill if moment == "before" else before_and(step, kill)
    with pytest.raises(KilledError):
        bed.sleep(steps=with_step(name, work))
    assert bed.runs()[0].state == "running"  # as the killed daemon left it
    bed.again()
    run = bed.sleep(asked=False)
    assert [r.state for r in bed.runs()] == ["done"], "one night, not two"
    done = [s.step for s in bed.steps(run) if s.state == "done"]
    assert sorted(done) == sorted(NAMES), "no step that was done is done again"
    assert [s.step for s in bed.steps(run) if s.state == "interrupted"] == [name]
    texts = [fact.text for fact in bed.facts().values()]
    assert sorted(texts) == sorted(set(texts))
    assert {"the staging server is at 10.0.0.9 now", "the API lives in services/api"} <= set(texts)
    assert "The staging server is at 10.0.0.5" not in texts
    assert bed.candidates() == ["the cron runs hourly"]
    bed.undo(run)
    assert "The staging server is at 10.0.0.5" in bed.facts(), "undo knows what a kill cut off"
    assert "the API lives in services/api" in bed.candidates()


def test_an_agent_that_speaks_pauses_the_night_and_the_next_goes_on_from_there(bed: Bed) -> None:
    async def speak(sleeping: rem.Sleeping) -> None:
        sleeping.memory.heard.set()
        await sleeping.breathe()

    filled(bed)
    run = bed.sleep(asked=False, steps=with_step("settle", speak))
    assert run.state == "paused"
    assert [step.state for step in bed.steps(run)] == ["done", "done", "paused"]
    again = bed.sleep(asked=False)
    assert (again.id, again.state) == (run.id, "done")
    assert [s.step for s in bed.steps(run)].count("catch_up") == 1


def test_a_run_that_a_person_waits_for_goes_on_when_the_agent_is_silent(bed: Bed) -> None:
    spoken: list[str] = []

    async def speak_once(sleeping: rem.Sleeping) -> None:
        if not spoken:
            spoken.append("once")
            sleeping.memory.heard.set()
        await sleeping.breathe()

    run = bed.sleep(asked=True, steps=with_step("settle", speak_once))
    assert run.state == "done"
    assert [step.state for step in bed.steps(run)].count("paused") == 1


def test_a_failed_step_does_not_keep_the_others_and_after_three_times_waits_for_a_person(
    bed: Bed,
) -> None:
    broken = with_step("consolidate", fail)
    first = filled(bed).sleep(asked=False, steps=broken)
    assert first.state == "failed"
    assert [s.state for s in bed.steps(first)] == ["done", "done", "done", "failed", "done"]
    assert bed.steps(first)[3].report["error"] == "RuntimeError"
    assert first.report["settled"]["supersede"] == 1, "what was settled stays"
    later = bed.memory.ledger.read(rem.not_before)
    assert later is not None and later > bed.memory.now()
    for _ in range(2):
        again = bed.sleep(asked=False, steps=broken)
        assert again.id == first.id, "the same night is tried again, only what failed"
    assert bed.memory.ledger.read(rem.given_up) == ["consolidate"]
    assert bed.memory.ledger.read(rem.not_before) is None
    other = bed.sleep(asked=False, steps=broken)
    assert other.state == "done"
    assert "consolidate" not in [s.step for s in bed.steps(other)]
    assert bed.sleep(asked=True).state == "done"
    assert bed.memory.ledger.read(rem.given_up) == []


def test_the_fuse_stops_the_whole_plan_and_only_tidying_goes_on(bed: Bed) -> None:
    for number in range(40):
        bed.say(f"the server {number:02d}x is at 10.0.0.{number}")
        bed.say(f"the server {number:02d}x is at 10.1.0.{number} now")
    before = bed.state()
    run = bed.sleep()
    assert run.state == "stopped"
    assert bed.state() == before
    assert [s.step for s in bed.steps(run)] == ["catch_up", "read_day", "settle", "tidy"]
    assert "the limit is" in run.report["why"]
    approved = bed.memory.ledger.write(lambda w: rem.approve(w, run.id)).result()
    assert approved.state == "done"
    assert len(bed.facts()) == 40


def test_only_one_night_at_a_time(bed: Bed) -> None:
    async def both() -> tuple[object, object]:
        night = rem.Night()
        begun = rem.begin(bed.memory, night)
        assert rem.begin(bed.memory, night) is begun, "whoever asks again waits for the same night"
        return await asyncio.gather(begun, rem.sleep(bed.memory, night), return_exceptions=True)

    run_id, refused = asyncio.run(both())
    assert isinstance(run_id, str)
    assert isinstance(refused, Conflict)
    assert [run.id for run in bed.runs()] == [run_id]
