"""The running service: an open memory, or a locked one, and its state. One for each process."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from dormouse import idle
from dormouse.errors import Conflict, Damaged, DormouseError, Locked
from dormouse.keys import KeySlots
from dormouse.times import Clock, system_clock
from dormouse.work import background
from dormouse.work.memory import Memory
from dormouse.work.rem import Night
from dormouse.work.status import State
from dormouse_wire.paths import Home

log = logging.getLogger("dormouse")


@dataclass(slots=True)
class Service:
    """What the routes share. ``open_with`` makes a memory from a data key."""

    home: Home
    open_with: Callable[[bytes], Memory]
    clock: Clock = system_clock
    slots: KeySlots | None = None
    memory: Memory | None = None
    state: State = field(default_factory=State)
    night: Night = field(default_factory=Night)
    failure: DormouseError | None = None
    seen: tuple[tuple[int, ...], ...] = ()  # the files of the last try to open it, see opening
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    data_key: bytes = field(default=b"", repr=False)
    stop: Callable[[], None] = lambda: None
    started: Callable[[], object] = lambda: None
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def need(self) -> Memory:
        """The open memory, or the error that says why there is none."""
        if self.memory is not None:
            return self.memory
        raise self.failure or Locked(path=self.home.ledger)

    def need_key(self) -> None:
        """Raise why there is no memory, unless only its file is at fault: its key is known then."""
        if not (isinstance(self.failure, Damaged) and self.data_key):
            self.need()

    def opened(self, memory: Memory, data_key: bytes) -> None:
        """The memory is open."""
        self.memory, self.data_key = memory, data_key
        self.state.locked, self.state.trouble, self.failure = False, None, None

    def failed(self, error: DormouseError) -> None:
        """The memory is closed; *error* says why, and is what every request is answered with."""
        self.failure = error
        self.state.locked = isinstance(error, Locked)
        self.state.trouble = error.hint if self.state.locked else str(error)

    async def unlock(self, data_key: bytes) -> None:
        """Open the memory with *data_key* unless it is open already."""
        async with self.opening:
            if self.memory is None:
                self.data_key = data_key  # it fits the slots, whatever became of the file
                await self._open_again()
                self.need()

    def begin(self) -> None:
        """Start what goes on beside the requests."""
        if self.memory is not None and not self.tasks:
            self.tasks = background.start(self.memory)
            self.tasks.append(asyncio.create_task(idle.watch(self.memory, self.night)))

    async def while_closed(self, do: Callable[[], bytes]) -> None:
        """Run *do* while nobody has the file open, then open the memory with the key it returns.

        Meanwhile requests are refused. If *do* fails the memory opens as before, and it is raised.
        A memory that is closed because its file is damaged may be exchanged, too.
        """
        self.need_key()
        async with self.opening:
            self.need_key()
            self.failure = Conflict(what="the memory's file is being exchanged")
            try:
                await self._close_memory()
                self.data_key = await asyncio.to_thread(do)
            finally:
                await self._open_again()

    async def _open_again(self) -> None:
        try:
            self.opened(await asyncio.to_thread(self.open_with, self.data_key), self.data_key)
            self.begin()
        except DormouseError as error:
            self.failed(error)
            log.error("the memory can't be opened again: %s", error.code)

    async def close(self) -> None:
        """Stop the background and close the memory; a clean stop leaves no WAL behind."""
        await self._close_memory()
        log.info("stopped")

    async def _close_memory(self) -> None:
        memory, self.memory = self.memory, None
        await self.night.stop()
        await background.stop(self.tasks)
        self.tasks = []
        if memory is not None:
            await asyncio.to_thread(memory.close)
