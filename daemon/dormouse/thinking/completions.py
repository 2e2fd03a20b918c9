"""The OpenAI-compatible protocol over one plain connection. No proxy, no redirect, no second host.

The standard library's client, not httpx: it lets the peer be checked after connecting and before
the first byte is sent, and it costs the daemon neither start nor memory (docs/decisions).
"""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dormouse.thinking.programs import count, is_quota, signed
from dormouse.thinking.values import Result, Said, Stop, Thought

MOST = 2 * 2**20  # bytes of an answer


class Refused(Exception):
    """The other end is not one that may be spoken to."""


@dataclass(frozen=True, slots=True)
class Line:
    """How to reach one server: ``connect`` gives a checked, connected socket or raises."""

    host: str  # for the Host header
    base: str  # path before /chat/completions
    connect: Callable[[float], socket.socket]
    timeout_s: float
    secret: str | None = None

    def __repr__(self) -> str:
        return f"Line({self.host}{self.base})"


def body(thought: Thought, model: str) -> bytes:
    """The request that a thought becomes."""
    form = {"name": "answer", "strict": True, "schema": thought.schema}
    return json.dumps(
        {
            "model": model,
            "messages": [
                {"role": "system", "content": thought.system},
                {"role": "user", "content": signed(thought)},
            ],
            "max_tokens": thought.max_output_tokens,
            "temperature": 0,
            "stream": False,
            "response_format": {"type": "json_schema", "json_schema": form},
        },
        ensure_ascii=False,
    ).encode("utf-8", "replace")


def request(
    line: Line, method: str, path: str, sent: bytes = b"", stop: Stop | None = None
) -> tuple[int, bytes]:
    """One request; its status and body. Raises OSError, HTTPException, Refused; ends in time."""
    connected = line.connect(line.timeout_s)

    def cut() -> None:
        with contextlib.suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    # A server that drips a byte a second passes every time-out of a socket: the whole is timed.
    timer = threading.Timer(line.timeout_s, cut)
    timer.daemon = True
    timer.start()
    if stop is not None:
        stop.then(cut)
    connection = http.client.HTTPConnection(line.host, timeout=line.timeout_s)
    connection.sock = connected
    headers = {"Content-Type": "application/json", "Connection": "close"}
    if line.secret:
        headers["Authorization"] = f"Bearer {line.secret}"
    try:
        connection.request(method, path, body=sent or None, headers=headers)
        answer = connection.getresponse()
        received = answer.read(MOST + 1)
        return answer.status, received
    finally:
        timer.cancel()
        connection.close()
        connected.close()


def complete(line: Line, model: str, thought: Thought, stop: Stop) -> Said:
    """Ask *model*; whatever goes wrong becomes a result."""
    sent = body(thought, model)
    end = time.monotonic() + line.timeout_s
    try:
        status, received = request(line, "POST", f"{line.base}/chat/completions", sent, stop)
    except (ConnectionRefusedError, FileNotFoundError, Refused):
        return Said(Result.STOPPED if stop else Result.UNAVAILABLE)
    except TimeoutError:
        return Said(Result.TIMEOUT)
    except (OSError, http.client.HTTPException, ValueError):
        late = Result.TIMEOUT if time.monotonic() >= end else Result.FAILED
        return Said(Result.STOPPED if stop else late)
    if stop:
        return Said(Result.STOPPED)
    if len(received) > MOST:
        return Said(Result.RUBBISH, received=MOST)
    if status != http.client.OK:
        limited = status in (402, 429) or (status >= 400 and is_quota(_text(received)))
        return Said(Result.QUOTA if limited else Result.FAILED, received=len(received))
    return read(received)


def _text(received: bytes) -> str:
    return received[:4_096].decode("utf-8", "replace")


def read(received: bytes) -> Said:
    """The message of the first choice, if it was finished, and the usage."""
    size = len(received)
    try:
        answer: Any = json.loads(received)
        choice = answer["choices"][0]
        text = choice["message"]["content"]
        usage = answer.get("usage") or {}
        tokens = count(usage.get("prompt_tokens"), usage.get("completion_tokens"))
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return Said(Result.RUBBISH, received=size)
    if not isinstance(text, str) or choice.get("finish_reason") not in ("stop", None):
        return Said(Result.RUBBISH, "", tokens, size)
    return Said(Result.ANSWERED, text, tokens, size)
