"""What goes on beside the requests: settling, catching up, counting what was not delivered."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Coroutine

from dormouse.work import catchup, undelivered
from dormouse.work.implicit import take_pending
from dormouse.work.memory import Memory
from dormouse.work.model import IDLE_S
from dormouse.work.settle import settle_fact

log = logging.getLogger("dormouse")
ALL_EVERY_S = 5.0  # at most this often an event has every transcript looked at
TICK_S = 60.0
AT_ONCE = 500  # facts settled before the list is read again


def start(memory: Memory) -> list[asyncio.Task[None]]:
    """Begin the tasks of one memory; the caller cancels them before it closes the memory."""
    memory.loop = asyncio.get_running_loop()
    memory.to_settle.set()
    tasks: list[Coroutine[None, None, None]] = [_settle(memory), _catch_up(memory), _tick(memory)]
    if memory.meaning is not None:
        tasks.append(memory.meaning.run())
    return [asyncio.create_task(task) for task in tasks]


async def stop(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel and wait."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _settle(memory: Memory) -> None:
    while True:
        await memory.to_settle.wait()
        memory.to_settle.clear()
        if memory.asleep:
            continue  # woken again when the night ends or pauses
        await _take_implicit(memory)
        pending = await memory.read(lambda r: r.pending_settle(limit=AT_ONCE))
        if len(pending) == AT_ONCE:
            memory.to_settle.set()
        for fact_id in pending:
            try:
                await settle_fact(memory, fact_id)
            except Exception as error:  # one fact must not stop the settling of the others
                log.error("fact %s could not be settled: %s", fact_id, type(error).__name__)
                memory.count("settle_failed")


async def _take_implicit(memory: Memory) -> None:
    try:
        await take_pending(memory)
    except Exception as error:  # it is tried again with the next prompt; facts still get settled
        log.error("turns could not be read: %s", type(error).__name__)
        memory.count("implicit_failed")


async def _catch_up(memory: Memory) -> None:
    """Read transcripts on: all of them after a start, then those whose sessions ring."""
    last = time.monotonic()
    await _all(memory)
    memory.caught_up.set()
    while True:
        await memory.to_catch_up.wait()
        memory.to_catch_up.clear()
        ringing, memory.ringing = memory.ringing, {}
        for event in ringing.values():
            try:
                await memory.aside(lambda e=event: catchup.own_transcript(memory, e))  # type: ignore[misc]
            except Exception as error:
                log.error("catching up failed: %s", type(error).__name__)
        if time.monotonic() - last >= ALL_EVERY_S:
            last = time.monotonic()
            await _all(memory)


async def _all(memory: Memory) -> None:
    try:
        await memory.aside(lambda: undelivered.take(memory))
        while not await memory.aside(lambda: catchup.everything(memory)):
            await asyncio.sleep(0)
    except Exception as error:
        log.error("catching up failed: %s", type(error).__name__)
        memory.count("catch_up_failed")


async def _tick(memory: Memory) -> None:
    while True:
        await asyncio.sleep(TICK_S)
        with contextlib.suppress(OSError):
            await memory.aside(lambda: undelivered.take(memory))
        if memory.models is not None:
            memory.models.let_go(IDLE_S)
