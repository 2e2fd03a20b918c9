"""Reading requests and sending answers. Bodies are bounded; errors never echo what was sent."""

import hashlib
import json
import logging
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from dormouse.errors import BadRequest, DormouseError, TooLarge
from dormouse.work.prepare import mask

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MAX_BODY = 8 * 1024 * 1024  # bytes
log = logging.getLogger("dormouse")


async def read_body(receive: Receive) -> bytes:
    """The whole body; raises TooLarge beyond MAX_BODY."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        part = message.get("body", b"")
        size += len(part)
        if size > MAX_BODY:
            raise TooLarge(limit=MAX_BODY)
        parts.append(part)
        if not message.get("more_body"):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def read_json(body: bytes) -> dict[str, Any]:
    """The JSON object in *body*; raises BadRequest, which does not echo it."""
    try:
        value = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise BadRequest(what="the body is not JSON") from error
    if not isinstance(value, dict):
        raise BadRequest(what="the body is not a JSON object")
    return value


def header(scope: Scope, name: bytes) -> str | None:
    """The first header of that (lower-case) name."""
    for key, value in scope["headers"]:
        if key == name:
            return bytes(value).decode("latin-1")
    return None


def idempotency_key(scope: Scope) -> str | None:
    """The key under which the answer is kept. Raises BadRequest for one that may be a secret."""
    key = header(scope, b"idempotency-key")
    if key and mask(key) != key:
        raise BadRequest(
            "Take a key that says nothing, for example a UUID.",
            what="the Idempotency-Key looks like a secret, and it would be stored",
        )
    return key


def fingerprint(scope: Scope, body: bytes) -> str:
    """What an idempotency key stands for: this request of this caller."""
    who = header(scope, b"dormouse-agent")
    caller = b"owner" if who is None else b"agent " + who.encode()
    return hashlib.sha256(b"\0".join((caller, scope["path"].encode(), body))).hexdigest()


async def send(send: Send, status: int, body: bytes, kind: bytes = b"application/json") -> None:
    """Send one whole answer."""
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def send_json(to: Send, status: int, value: Any) -> None:
    """Send *value* as JSON; a lone surrogate can't break it."""
    await send(to, status, json.dumps(value).encode())


def error_body(error: DormouseError) -> dict[str, Any]:
    """The error object of the contract. What was sent as an id or a name may be a secret."""
    told = {name: error.about.get(name) for name in error.told}
    return {"error": {"code": error.code, "message": mask(str(error)), "hint": error.hint, **told}}


def log_failure(where: str, error: BaseException) -> None:
    """Log an unexpected error by kind and place. Its message may hold a fact's text: left out."""
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    places = " < ".join(f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}" for f in reversed(frames))
    log.error("%s failed: %s at %s", where, type(error).__name__, places)
