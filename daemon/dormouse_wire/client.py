"""The one client of the daemon: HTTP/1.1 over its Unix socket, standard library only.

It starts nothing and never touches the socket file. ``launch`` starts a daemon.
"""

import contextlib
import errno
import json
import os
import socket
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

DEFAULT_TIMEOUT_S = 3.0
MAX_SOCKET_PATH = 103 if sys.platform == "darwin" else 107


class Unreachable(Exception):
    """No daemon at {path}."""

    text = "No daemon is running at {path}."

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(self.text.format(path=path))


class NotAnswering(Unreachable):
    """Something owns the socket and does not answer."""

    text = "The daemon at {path} is not answering."


class Sandboxed(Unreachable):
    """A sandbox forbids this process to connect."""

    text = "Blocked by the agent's sandbox: {path} can't be reached from here."


@contextlib.contextmanager
def reachable_name(path: Path) -> Iterator[str]:
    """A name for *path* that fits a socket address, also where the path itself is too long."""
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    before = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        if Path("/proc/self/fd").is_dir():
            yield f"/proc/self/fd/{folder}/{path.name}"
        else:
            os.fchdir(folder)
            yield path.name
    finally:
        os.fchdir(before)
        os.close(before)
        os.close(folder)


def request(
    socket_path: Path,
    method: str,
    route: str,
    body: bytes = b"",
    *,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> tuple[int, bytes]:
    """Send one request; return its status and raw body. Raises Unreachable and its children."""
    extra = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    head = (
        f"{method} {route} HTTP/1.1\r\nHost: dormouse\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\n{extra}Content-Length: {len(body)}\r\n\r\n"
    )
    try:
        with (
            reachable_name(socket_path) as name,
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection,
        ):
            connection.settimeout(timeout_s)
            connection.connect(name)
            connection.sendall(head.encode() + body)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
    except TimeoutError as error:
        raise NotAnswering(socket_path) from error
    except OSError as error:
        sandboxed = error.errno in (errno.EPERM, errno.EACCES)
        raise (Sandboxed if sandboxed else Unreachable)(socket_path) from error
    header, separator, content = answer.partition(b"\r\n\r\n")
    if not separator or not header.startswith(b"HTTP/1."):
        raise NotAnswering(socket_path)
    return int(header.split(b" ", 2)[1]), content


def call(
    socket_path: Path,
    method: str,
    route: str,
    body: Any = None,
    *,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> tuple[int, Any]:
    """Send one JSON request; return its status and decoded JSON body."""
    payload = b"" if body is None else json.dumps(body).encode()
    status, content = request(
        socket_path, method, route, payload, headers=headers, timeout_s=timeout_s
    )
    return status, json.loads(content or b"null")
