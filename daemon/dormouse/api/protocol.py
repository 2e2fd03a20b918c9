"""The HTTP protocol on our socket: a connection from another user is cut before a byte is read."""

import asyncio
import logging
import os
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dormouse.hygiene import peer_uid

log = logging.getLogger("dormouse")
WHOLE_S = 20.0  # so long a request may be on its way: its sender is on this machine


class PeerChecked(H11Protocol):
    """uvicorn's HTTP/1.1 that talks to our own user only. The socket's mode is the first guard.

    A connection whose request does not come is cut: each one costs a descriptor, and who has used
    them up would keep everybody out.
    """

    _patience: asyncio.TimerHandle | None = None
    _answered = -1

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        connected: Any = transport.get_extra_info("socket")
        if peer_uid(connected) != os.getuid():
            log.warning("a connection from another user was refused")
            transport.abort()
            return
        super().connection_made(transport)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._patience is not None:
            self._patience.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        """Cut the connection if at two looks in a row the same request was not yet whole."""
        coming = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if coming and self._answered == self._requests:
            self.transport.close()
            return
        self._answered = self._requests if coming else -1
        self._patience = self.loop.call_later(WHOLE_S, self._look)

    _requests = 0

    def on_response_complete(self) -> None:
        self._requests += 1
        super().on_response_complete()
