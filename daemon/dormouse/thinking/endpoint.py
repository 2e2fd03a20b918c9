"""A model server of the person's own, on this machine. Nothing it is told leaves by our doing.

Only a literal loopback address or a Unix socket; names are refused, since what they mean can
change, and so are models that the server itself runs somewhere else.
"""

import contextlib
import http.client
import ipaddress
import json
import os
import re
import socket
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from dormouse.thinking.completions import Line, Refused, complete, request
from dormouse.thinking.values import Result, Said, Stop, Thought
from dormouse_wire.client import reachable_name

TIMEOUT_S = 300.0  # a small machine thinks slowly
LOOK_S = 5.0  # for what is asked about the model itself
_ELSEWHERE = re.compile(r"(?:^|[^a-z])(?:cloud|remote)(?:$|[^a-z])", re.IGNORECASE)
_REMOTE_KEYS = ("remote_host", "remote_model", "remote", "cloud")


def is_local(url: str) -> bool:
    """Whether *url* is a literal loopback address or a Unix socket."""
    try:
        parts = urlsplit(url)
        if parts.scheme == "unix":
            return Path(parts.path).is_absolute() and not parts.netloc
        _address(parts)
    except (Refused, ValueError):
        return False
    return True


def _address(parts: SplitResult) -> tuple[str, int]:
    """Address and port of an http URL. Raises Refused for a name and anything odd."""
    host = parts.hostname or ""
    if parts.scheme != "http" or parts.username or parts.password or parts.query or parts.fragment:
        raise Refused("not a plain http address")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        raise Refused("a name, not an address") from None
    if not _is_loopback(address):
        raise Refused("not on this machine")
    return str(address), parts.port or 80


def _is_loopback(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return address in ipaddress.ip_network("127.0.0.0/8")
    return address == ipaddress.ip_address("::1") and address.scope_id is None


def connect_loopback(host: str, port: int, timeout_s: float) -> socket.socket:
    """A connection to *host*, looked at again once it stands."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.settimeout(timeout_s)
        made.connect((host, port))
        if not _is_loopback(ipaddress.ip_address(made.getpeername()[0])):
            raise Refused("the peer is not on this machine")
    except BaseException:
        made.close()
        raise
    return made


def connect_unix(path: str, timeout_s: float) -> socket.socket:
    """A connection to a socket that belongs to the person or the system."""
    real = Path(path).resolve()
    found = real.stat()
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid not in (0, os.getuid()):
        raise Refused("not a socket of this person")
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.settimeout(timeout_s)
        with reachable_name(real) as name:
            made.connect(name)
    except BaseException:
        made.close()
        raise
    return made


def line_to(url: str, timeout_s: float, secret: str | None = None) -> Line:
    """How to reach *url*. Raises Refused if it is not on this machine."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        path, _, base = parts.path.partition(":")  # unix:/run/model.sock:/v1
        return Line("localhost", base or "/v1", lambda t: connect_unix(path, t), timeout_s, secret)
    host, port = _address(parts)
    base = parts.path.rstrip("/") or "/v1"
    return Line(parts.netloc, base, lambda t: connect_loopback(host, port, t), timeout_s, secret)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Asks the configured server, once it is sure that the model runs here."""

    url: str
    model: str
    secret: str | None = None
    timeout_s: float = TIMEOUT_S
    name: str = "endpoint"

    def __repr__(self) -> str:
        return f"Endpoint({self.url})"

    def ready(self) -> bool:
        return bool(self.model) and is_local(self.url) and not _ELSEWHERE.search(self.model)

    def ask(self, thought: Thought, stop: Stop) -> Said:
        if not self.ready():
            return Said(Result.UNAVAILABLE)
        try:
            if self._runs_elsewhere():
                return Said(Result.UNAVAILABLE)
            line = line_to(self.url, self.timeout_s, self.secret)
        except (OSError, http.client.HTTPException, ValueError, Refused):
            return Said(Result.UNAVAILABLE)
        return complete(line, self.model, thought, stop)

    def _runs_elsewhere(self) -> bool:
        """Ask the server what the model is, without any text of a person in the question."""
        line = line_to(self.url, LOOK_S, self.secret)
        known = _json(line, "GET", f"{line.base}/models")
        listed = known.get("data") if isinstance(known, dict) else None
        for row in listed if isinstance(listed, list) else []:
            if isinstance(row, dict) and row.get("id") == self.model and _marked(row):
                return True
        show = _json(line, "POST", "/api/show", {"model": self.model})  # Ollama's
        return isinstance(show, dict) and _marked(show)


def _marked(row: dict[str, Any]) -> bool:
    if any(row.get(key) for key in _REMOTE_KEYS):
        return True
    owner = row.get("owned_by")
    return isinstance(owner, str) and _ELSEWHERE.search(owner) is not None


def _json(line: Line, method: str, path: str, sent: Any = None) -> Any:
    """What the server says of itself; None where it has no such route."""
    raw = b"" if sent is None else json.dumps(sent).encode()
    status, received = request(line, method, path, raw)
    if status == http.client.OK:
        with contextlib.suppress(ValueError, RecursionError):
            return json.loads(received)
    return None
