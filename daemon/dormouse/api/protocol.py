"""The HTTP protocol on our socket: a connection from another user is cut before a byte is read."""

import asyncio
import logging
import os
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from dormouse.hygiene import peer_uid

log = logging.getLogger("dormouse")


class PeerChecked(H11Protocol):
    """uvicorn's HTTP/1.1 that talks to our own user only. The socket's mode is the first guard."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        connected: Any = transport.get_extra_info("socket")
        if peer_uid(connected) != os.getuid():
            log.warning("a connection from another user was refused")
            transport.abort()
            return
        super().connection_made(transport)
