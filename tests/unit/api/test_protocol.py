"""A connection costs something: whoever never finishes a request is cut off, others are not."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from dormouse.api import protocol

PATIENCE_S = 0.2
ASK = b"GET / HTTP/1.1\r\nHost: d\r\n\r\n"


async def slow(scope: Any, receive: Any, send: Any) -> None:
    """Answers only after much longer than a request may take to arrive."""
    await asyncio.sleep(4 * PATIENCE_S)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"done"})


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A connection to a server that speaks our protocol."""
    monkeypatch.setattr(protocol, "WHOLE_S", PATIENCE_S)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("")  # an abstract name of the kernel's choice
    listener.listen()
    config = uvicorn.Config(slow, http=protocol.PeerChecked, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as connection:
        connection.settimeout(10)
        connection.connect(listener.getsockname())
        yield connection
    server.should_exit = True
    thread.join()


@pytest.mark.parametrize(
    "begun", [b"", ASK[:-2], b"POST / HTTP/1.1\r\nHost: d\r\nContent-Length: 9\r\n\r\n12"]
)
def test_a_request_that_does_not_come_is_not_waited_for(ours: socket.socket, begun: bytes) -> None:
    ours.sendall(begun)
    answer = b"".join(iter(lambda: ours.recv(4096), b""))
    assert b"200" not in answer


def test_a_slow_answer_is_waited_for_and_the_connection_stays(ours: socket.socket) -> None:
    for _ in range(2):
        ours.sendall(ASK)
        answer = b""
        while b"done" not in answer:
            part = ours.recv(4096)
            assert part, answer
            answer += part
