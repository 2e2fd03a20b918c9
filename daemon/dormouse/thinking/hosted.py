"""A hosted endpoint, for pairs that nobody was sure of. Only at level hosted, only the one that the
owner agreed to, only by TLS, never through a proxy, never after a redirect.
"""

import socket
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from dormouse.thinking.completions import Line, complete
from dormouse.thinking.endpoint import is_local
from dormouse.thinking.values import Result, Said, Stop, Thought

TIMEOUT_S = 120.0


def is_hosted(url: str) -> bool:
    """Whether *url* can be a hosted endpoint at all."""
    try:
        parts = urlsplit(url)
        port = parts.port or 443
    except ValueError:
        return False
    odd = parts.username or parts.password or parts.query or parts.fragment
    return parts.scheme == "https" and bool(parts.hostname) and not odd and port > 0


@dataclass(frozen=True, slots=True)
class Hosted:
    """Asks *url* if it is the one that was *agreed* to."""

    url: str
    model: str
    agreed: str | None
    secret: str | None = None
    timeout_s: float = TIMEOUT_S
    trust: ssl.SSLContext | None = None
    name: str = "hosted"

    def __repr__(self) -> str:
        return f"Hosted({self.url})"

    def ready(self) -> bool:
        agreed = self.agreed is not None and self.agreed == self.url
        return agreed and bool(self.model) and is_hosted(self.url) and not is_local(self.url)

    def ask(self, thought: Thought, stop: Stop) -> Said:
        if not self.ready():
            return Said(Result.UNAVAILABLE)
        parts = urlsplit(self.url)
        host, port = parts.hostname or "", parts.port or 443

        def connect(timeout_s: float) -> socket.socket:
            context = self.trust or ssl.create_default_context()
            plain = socket.create_connection((host, port), timeout_s)
            try:
                return context.wrap_socket(plain, server_hostname=host)
            except BaseException:
                plain.close()
                raise

        base = parts.path.rstrip("/") or "/v1"
        line = Line(parts.netloc, base, connect, self.timeout_s, self.secret)
        return complete(line, self.model, thought, stop)
