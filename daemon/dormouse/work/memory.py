"""The open memory: the parts that the work needs, and one way to read and to write.

Reads run on a few threads of their own and never wait for the writer; a write is done when its
transaction is on disk.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from dormouse.judging.ladder import Ladder
from dormouse.ledger import Ledger, Reader, Writer
from dormouse.recall.frequencies import Frequencies
from dormouse.sessions import Event
from dormouse.settings import Settings
from dormouse.thinking import Door
from dormouse.times import Clock, stamp
from dormouse.work.meaning import PROMPT_S, Asked, Meaning
from dormouse.work.model import Models
from dormouse.work.places import Places
from dormouse_wire.paths import Home

T = TypeVar("T")
log = logging.getLogger("dormouse")
READERS = 3


@dataclass(slots=True)
class Memory:
    """Everything that answering, settling and sleeping need. One for each running daemon."""

    home: Home
    ledger: Ledger
    settings: Settings
    clock: Clock
    ladder: Ladder
    places: Places
    door: Door | None = None  # to thinkers
    meaning: Meaning | None = None  # the second leg of recall
    models: Models | None = None
    pool: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(READERS, thread_name_prefix="reader")
    )
    to_settle: asyncio.Event = field(default_factory=asyncio.Event)
    to_catch_up: asyncio.Event = field(default_factory=asyncio.Event)
    caught_up: asyncio.Event = field(default_factory=asyncio.Event)
    heard: asyncio.Event = field(default_factory=asyncio.Event)  # an agent speaks: sleep pauses
    asleep: bool = False  # a night's run settles what it makes itself
    loop: asyncio.AbstractEventLoop | None = None
    ringing: dict[str, Event] = field(default_factory=dict)  # transcripts to read on, by path
    seen_agents: set[str] = field(default_factory=set)
    counted: dict[str, int] = field(default_factory=dict)
    facts: int = 0  # how many there were when last searched
    frequencies: Frequencies = field(default_factory=Frequencies)

    def now(self) -> str:
        """The time of this memory's clock, as the ledger stores it."""
        return stamp(self.clock())

    async def read(self, do: Callable[[Reader], T]) -> T:
        """Run *do* on a read-only connection, off the event loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.pool, self.ledger.read, do)

    async def write(self, do: Callable[[Writer], T]) -> T:
        """Run *do* in a transaction of its own; returns after the commit."""
        return await asyncio.wrap_future(self.ledger.write(do))

    async def aside(self, do: Callable[[], T]) -> T:
        """Run *do*, which may wait for files or take long, away from the loop and the readers."""
        return await asyncio.to_thread(do)

    async def ask(
        self, text: str, within_s: float = PROMPT_S, *, explicit: bool = False
    ) -> Asked | None:
        """What *text* means, if that is known in time."""
        if self.meaning is None:
            return None
        return await self.meaning.ask(text, within_s, explicit=explicit)

    def ring(self, event: Event) -> None:
        """Have the session's transcript read on, soon and off the request."""
        if event.transcript_path:
            self.ringing[event.transcript_path] = event
        self.to_catch_up.set()

    def wake_settle(self) -> None:
        """Tell the settling task, from any thread, that something was captured."""
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.to_settle.set)

    def count(self, what: str) -> None:
        """Count something that was ignored, for ``doctor``."""
        self.counted[what] = self.counted.get(what, 0) + 1

    def close(self) -> None:
        """Stop thinking, then the readers, and close the ledger."""
        if self.door is not None:
            self.door.close()
        if self.meaning is not None:
            self.meaning.close()
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.ledger.close()
