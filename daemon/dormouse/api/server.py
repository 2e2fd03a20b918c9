"""uvicorn's server, without its clock: it looks ten times a second whether to end, ours is told."""

import asyncio
import contextlib
from types import FrameType

import uvicorn

LOOK_S = 60.0  # even if nobody tells it


class QuietServer(uvicorn.Server):
    """Sleeps until there is a request or its end. ``end`` may be called from a signal handler."""

    _loop: asyncio.AbstractEventLoop | None = None
    _told: asyncio.Event | None = None

    async def main_loop(self) -> None:
        self._loop, self._told = asyncio.get_running_loop(), asyncio.Event()
        while not self.should_exit:
            await self.on_tick(0)  # the Date of the answers' heads, which nobody reads
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), LOOK_S)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.end()

    def end(self) -> None:
        """Stop serving, in good order."""
        self.should_exit = True
        if self._loop is not None and self._told is not None:
            self._loop.call_soon_threadsafe(self._told.set)
