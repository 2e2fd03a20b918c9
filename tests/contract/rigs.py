"""Each way to a model, set up for a test: scripted, and asked afterwards what it was told."""

import contextlib
import datetime
import ipaddress
import json
import os
import socket
import socketserver
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from dormouse.thinking import Thinker
from dormouse.thinking.claude import Claude
from dormouse.thinking.codex import Codex
from dormouse.thinking.endpoint import Endpoint
from dormouse.thinking.hosted import Hosted
from dormouse.thinking.programs import Account
from tests.clients.fake_model import FakeModel
from tests.contract import stand_in

SECRET = "sk-" + "s" * 20


class Rig(Protocol):
    """One way to a model. ``leaves``: the data leaves this process's own connections."""

    name: str

    def thinker(self, timeout_s: float = 20.0) -> Thinker: ...
    def script(self, plan: dict[str, Any]) -> None: ...
    def told(self) -> list[str]:
        """The texts of the person that came in, call by call."""
        ...

    def break_it(self) -> None:
        """Take away what it would be asked through."""
        ...

    def close(self) -> None: ...


class ProgramRig:
    """An agent's program, played by ``stand_in``."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        program = {"claude-code": "claude", "codex": "codex"}[name]
        self.program = folder / program
        self.program.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -I "{stand_in.__file__}" "$@"\n'
        )
        self.program.chmod(0o700)
        self.sessions: list[str] = []

    def thinker(self, timeout_s: float = 20.0) -> Thinker:
        account = Account({"HOME": str(self.folder)}, timeout_s, lambda _: self.find())
        if self.name == "codex":
            return Codex(account)
        return Claude(self.sessions.append, account)

    def find(self) -> Path | None:
        return self.program if self.program.exists() else None

    def script(self, plan: dict[str, Any]) -> None:
        (self.folder / "script.json").write_text(json.dumps(plan))

    def seen(self) -> list[dict[str, Any]]:
        """Everything that the program was given, call by call."""
        file = self.folder / "seen.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def told(self) -> list[str]:
        return [call["given"] for call in self.seen()]

    def break_it(self) -> None:
        self.program.unlink()

    def close(self) -> None:
        """Nothing runs on."""


class ServerRig:
    """A model server on loopback, played by FakeModel."""

    name = "endpoint"

    def __init__(self, folder: Path) -> None:
        self.log, self.plan = folder / "requests.jsonl", folder / "script.json"
        self.model = FakeModel(0, self.log, self.plan)
        self._wrap(folder)
        self.port = self.model.server_address[1]
        threading.Thread(target=self.model.serve_forever, args=(0.01,), daemon=True).start()

    def _wrap(self, folder: Path) -> None:
        """For rigs that listen another way."""

    def thinker(self, timeout_s: float = 20.0) -> Thinker:
        return Endpoint(f"http://127.0.0.1:{self.port}/v1", "fake", None, timeout_s)

    def script(self, plan: dict[str, Any]) -> None:
        self.plan.write_text(json.dumps(plan))

    def requests(self) -> list[dict[str, Any]]:
        """Every request that came in."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [json.loads(line) for line in lines]

    def told(self) -> list[str]:
        bodies = [line["body"] for line in self.requests() if line["path"].endswith("completions")]
        return [body["messages"][-1]["content"] for body in bodies]

    def break_it(self) -> None:
        self.close()

    def close(self) -> None:
        self.model.shutdown()
        self.model.server_close()


class UnixRig(ServerRig):
    """The same server behind a Unix socket."""

    def _wrap(self, folder: Path) -> None:
        self.path = folder / "m.sock"
        self.front = _Front(str(self.path), self.model.server_address[1])
        threading.Thread(target=self.front.serve_forever, args=(0.01,), daemon=True).start()

    def thinker(self, timeout_s: float = 20.0) -> Thinker:
        return Endpoint(f"unix:{self.path}:/v1", "fake", None, timeout_s)

    def close(self) -> None:
        super().close()
        self.front.shutdown()
        self.front.server_close()
        self.path.unlink(missing_ok=True)


class _Front(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Passes what comes in on to a port, both ways."""

    daemon_threads = True

    def __init__(self, path: str, port: int) -> None:
        super().__init__(path, _Pass)
        self.port = port


class _Pass(socketserver.BaseRequestHandler):
    server: _Front

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.port)) as behind:
            back = threading.Thread(target=_pump, args=(behind, self.request), daemon=True)
            back.start()
            _pump(self.request, behind)
            back.join()


def _pump(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    with contextlib.suppress(OSError):
        other.shutdown(socket.SHUT_WR)


class HostedRig(ServerRig):
    """The same server behind TLS, with a certificate of its own."""

    name = "hosted"

    def _wrap(self, folder: Path) -> None:
        certificate = folder / "cert.pem"
        certificate.write_bytes(_certificate())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.model.socket = context.wrap_socket(self.model.socket, server_side=True)
        self.trust = ssl.create_default_context(cafile=str(certificate))

    def thinker(self, timeout_s: float = 20.0) -> Thinker:
        # A name, so that it counts as hosted; it only resolves to this machine.
        url = f"https://localhost:{self.port}/v1"
        return Hosted(url, "fake", url, SECRET, timeout_s, self.trust)


def _certificate() -> bytes:
    """A key and a certificate for localhost, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + made.public_bytes(pem)


RIGS: dict[str, Callable[[Path], Rig]] = {
    "claude-code": lambda folder: ProgramRig("claude-code", folder),
    "codex": lambda folder: ProgramRig("codex", folder),
    "endpoint": ServerRig,
    "unix": UnixRig,
    "hosted": HostedRig,
}


@contextlib.contextmanager
def rig(name: str, folder: Path) -> Iterator[Rig]:
    """One rig, closed at the end."""
    made = RIGS[name](folder)
    try:
        yield made
    finally:
        with contextlib.suppress(OSError):
            made.close()


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return b") Z " not in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        with contextlib.suppress(OSError):
            os.kill(pid, 0)
            return not Path("/proc").is_dir()
        return False
