"""One night: who runs it, which step it is at, and whether an agent speaks. It does no work."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dormouse.ledger import Writer
from dormouse.work.memory import Memory

T = TypeVar("T")
READ = "read_day"  # the step whose new facts an undo takes back
Note = dict[str, Any]  # counts and ids, no text


class PausedError(Exception):
    """An agent speaks: the step ends at its checkpoint and is gone on with later."""


class StoppedError(Exception):
    """The fuse kept a plan from being carried out; the owner decides."""


@dataclass(slots=True)
class Night:
    """The run that is going on, if any: only one at a time."""

    running: str | None = None
    step: str | None = None
    busy: bool = False
    asked: bool = False  # a person waits for it
    task: asyncio.Task[str] | None = None

    async def stop(self) -> None:
        """End what goes on at its checkpoint, because the daemon ends."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Sleeping:
    """What a step is given: the memory, its run, and the two things that every step must do."""

    memory: Memory
    run_id: str
    step: str
    key: str = field(repr=False)

    def undisturbed(self) -> bool:
        """Whether no agent has spoken since the cycle went on."""
        return not self.memory.heard.is_set()

    async def breathe(self) -> None:
        """Between two pieces of work. Raises PausedError when an agent speaks."""
        await asyncio.sleep(0)
        if not self.undisturbed():
            raise PausedError

    async def write(self, do: Callable[[Writer, Note], T]) -> T:
        """Write in one transaction together with what the step notes about it in its report."""

        def noted(w: Writer) -> T:
            note = w.step_report(self.run_id, self.step, self.key)
            done = do(w, note)
            w.note_step(self.run_id, self.step, self.key, note)
            return done

        return await self.memory.write(noted)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a night. Doing it twice must change nothing the second time.

    ``risky``: it retires facts, so it is left out once the fuse has stopped the run.
    """

    name: str
    do: Callable[[Sleeping], Awaitable[None]]
    risky: bool = True


def count(note: Note, name: str, number: int = 1) -> None:
    """Add to a number of a report; noughts leave no trace."""
    if number:
        note[name] = note.get(name, 0) + number


def add(note: Note, name: str, *values: Any) -> None:
    """Add to a list of a report."""
    if values:
        note[name] = [*note.get(name, []), *values]
