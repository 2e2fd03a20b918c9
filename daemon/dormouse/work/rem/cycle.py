"""Runs a night's steps in order, leaves a checkpoint after each, and goes on from there.

Catches broadly: a step that fails must not keep the others from their work.
"""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from datetime import timedelta

from dormouse.errors import Conflict
from dormouse.ledger import Reader, Writer
from dormouse.times import parse, stamp
from dormouse.work.memory import Memory
from dormouse.work.rem.night import Night, PausedError, Sleeping, Step, StoppedError
from dormouse.work.rem.reports import report_of
from dormouse.work.rem.steps import STEPS

log = logging.getLogger("dormouse")
TRIES = 3  # a step that failed so often waits for a person
RETRY = (timedelta(minutes=10), timedelta(hours=1))  # after the first failure, the second
HOLDS = timedelta(hours=6)  # a checkpoint; after that there may be new work for its step
QUIET_S = 2.0  # a run that a person asked for goes on once agents were silent so long


async def sleep(
    memory: Memory, night: Night, *, asked: bool = True, steps: Sequence[Step] = STEPS
) -> str:
    """Sleep through the steps that are not done yet; the run's id. Raises Conflict if one runs.

    Ends paused when an agent speaks; *asked* for by a person it only waits until they are silent.
    """
    if night.busy:
        raise Conflict(what="a sleep is going on already", hint="See `dormouse rem log`.")
    night.busy, night.asked = True, asked
    try:
        run_id = await memory.write(lambda w: _begin(w, asked=asked))
        night.running = run_id
        while await _through(memory, night, run_id, steps) == "paused" and night.asked:
            await _quiet(memory)
            await memory.write(lambda w: w.go_on_with(run_id))
        return run_id
    finally:
        night.running = night.step = None
        night.busy = False


def begin(memory: Memory, night: Night, *, asked: bool = True) -> "asyncio.Task[str]":
    """Let a night begin beside everything else; one that is going on already is joined."""
    if night.task is None or night.task.done():
        night.task = asyncio.create_task(sleep(memory, night, asked=asked))
        night.task.add_done_callback(_log_failure)
    night.asked = night.asked or asked
    return night.task


def _log_failure(task: "asyncio.Task[str]") -> None:
    if not task.cancelled() and task.exception() is not None:
        log.error("sleeping failed: %s", type(task.exception()).__name__)


def _begin(w: Writer, *, asked: bool) -> str:
    """Go on with the run that was paused, cut off or failed, or open a new one."""
    w.cut_off_runs()
    last = w.last_sleep()
    if last is not None:
        again = asked or all(number < TRIES for number, _ in w.failures().values())
        if last.state == "paused" or (last.state == "failed" and again):
            w.go_on_with(last.id)
            return last.id
    return w.open_run("rem")


def given_up(r: Reader) -> list[str]:
    """The steps that failed so often that they wait for a person."""
    return sorted(step for step, (number, _) in r.failures().items() if number >= TRIES)


def not_before(r: Reader) -> str | None:
    """When a failed step may be tried again by itself, if one has failed."""
    times = [
        stamp(parse(at) + RETRY[number - 1])
        for number, at in r.failures().values()
        if number < TRIES
    ]
    return max(times, default=None)


async def _through(memory: Memory, night: Night, run_id: str, steps: Sequence[Step]) -> str:
    """Do what is left of the run; the state it ends in."""
    memory.asleep = True
    memory.heard.clear()
    try:
        return await _steps(memory, night, run_id, steps)
    finally:
        memory.asleep = False
        memory.to_settle.set()


async def _steps(memory: Memory, night: Night, run_id: str, steps: Sequence[Step]) -> str:
    ended, left_out = await memory.read(
        lambda r: (_checkpoints(r, run_id, memory.now()), [] if night.asked else given_up(r))
    )
    failed, stopped = False, "stopped" in ended.values()
    for step in steps:
        if step.name in ended or step.name in left_out or (stopped and step.risky):
            continue
        night.step = step.name
        outcome = await _one(memory, run_id, step)
        if outcome == "paused":
            return outcome
        failed, stopped = failed or outcome == "failed", stopped or outcome == "stopped"
    state = "stopped" if stopped else "failed" if failed else "done"
    await memory.write(lambda w: w.close_run(run_id, state=state, report=report_of(w, run_id)))
    log.info("run %s is %s", run_id, state)
    return state


def _checkpoints(r: Reader, run_id: str, now: str) -> dict[str, str]:
    """The steps that need not be done again, by the state they ended in."""
    since = stamp(parse(now) - HOLDS)
    return {
        row.step: row.state
        for row in r.run_steps(run_id)
        if row.state in ("done", "stopped") and row.ended_at is not None and row.ended_at >= since
    }


async def _one(memory: Memory, run_id: str, step: Step) -> str:
    key = await memory.write(lambda w: w.begin_step(run_id, step.name))
    sleeping = Sleeping(memory, run_id, step.name, key)
    ear = asyncio.create_task(_stop_thinking(memory))
    state = "done"
    try:
        await sleeping.breathe()
        await step.do(sleeping)
    except PausedError:
        state = "paused"
    except StoppedError:
        state = "stopped"
    except asyncio.CancelledError:
        await memory.write(lambda w: _end(w, run_id, step.name, key, "paused"))
        raise
    except Exception as error:
        log.exception("step %s of run %s failed", step.name, run_id)
        name = type(error).__name__
        await sleeping.write(lambda w, note: note.update(error=name))
        state = "failed"
    finally:
        ear.cancel()
    await memory.write(lambda w: _end(w, run_id, step.name, key, state))
    return state


def _end(w: Writer, run_id: str, step: str, key: str, state: str) -> None:
    w.end_step(run_id, step, key, state)
    if state == "paused":
        w.pause_run(run_id)


async def _stop_thinking(memory: Memory) -> None:
    """A thinker may take minutes; an agent that speaks ends its call at once."""
    await memory.heard.wait()
    if memory.door is not None:
        memory.door.stop()


async def _quiet(memory: Memory) -> None:
    """Wait until no agent has spoken for a moment."""
    while memory.heard.is_set():
        memory.heard.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(memory.heard.wait(), QUIET_S)
