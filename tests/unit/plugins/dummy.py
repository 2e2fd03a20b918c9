"""A home with the real hook program in it, and a dummy daemon that behaves in every wrong way."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dormouse_plugins.connect import write_bin
from dormouse_wire.client import reachable_name
from dormouse_wire.paths import Home


@dataclass
class Run:
    """How one run of the hook ended."""

    code: int
    out: bytes
    err: bytes
    took_s: float


@dataclass
class Daemon:
    """What the dummy daemon was sent, whole requests only."""

    requests: list[bytes] = field(default_factory=list)
    connections: int = 0


def make_home(root: Path, python: str = sys.executable) -> Home:
    root.mkdir(parents=True, mode=0o700)
    home = Home(root)
    write_bin(home, python)
    return home


def run_hook(
    home: Home, *arguments: str, body: bytes = b"{}", env: dict[str, str] | None = None
) -> Run:
    """Run the wrapper as an agent does: with an environment that holds a secret."""
    outer = {"PATH": os.environ["PATH"], "HOME": str(home.root), "AGENT_TOKEN": "secret"}
    begin = time.monotonic()
    done = subprocess.run(
        [home.bin / "dormouse-hook", *arguments],
        input=body,
        capture_output=True,
        env=outer | (env or {}),
        timeout=20,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr, time.monotonic() - begin)


def read_request(connection: socket.socket) -> bytes:
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        if end:
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            if len(body) >= length:
                return data
        more = connection.recv(2**20)
        if not more:
            raise ConnectionError
        data += more


def answer(status: str, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@contextlib.contextmanager
def daemon(home: Home, *answers: bytes | None) -> Iterator[Daemon]:
    """Answer each request with the next of *answers* (the last one stays); None: say nothing."""
    seen = Daemon()
    listener = socket.socket(socket.AF_UNIX)
    with reachable_name(home.socket) as name:
        listener.bind(name)
    listener.listen(64)
    held: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        number = seen.connections
        seen.connections += 1
        reply = answers[min(number, len(answers) - 1)]
        held.append(connection)
        if reply is None:
            return
        with contextlib.suppress(OSError, IndexError):
            seen.requests.append(read_request(connection))
            connection.sendall(reply)
        connection.close()

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                serve(listener.accept()[0])

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)
        for connection in held:
            connection.close()


# A daemon that only tells how it was started, and stays until it is told to go.
RECORDER = """
import json, os, sys, time
home = os.environ["DORMOUSE_HOME"]
lock = os.fstat(int(os.environ["DORMOUSE_LOCK_FD"]))
held = os.stat(home + "/dormouse.lock")
told = {
    "env": dict(os.environ), "argv": sys.argv[1:], "cwd": os.getcwd(), "session": os.getsid(0),
    "pid": os.getpid(), "lock": (lock.st_dev, lock.st_ino) == (held.st_dev, held.st_ino),
    "files": sorted(int(name) for name in os.listdir("/proc/self/fd")),
    "isolated": sys.flags.isolated,
}
with open(f"{home}/started-{os.getpid()}.part", "w") as file:
    json.dump(told, file)
os.rename(file.name, file.name[:-5])
end = time.monotonic() + 10
while time.monotonic() < end and not os.path.exists(home + "/enough"):
    time.sleep(0.01)
"""


def recording_python(folder: Path) -> str:
    """An environment of its own whose ``dormouse.main`` is RECORDER; return its interpreter."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    package = folder / "lib" / version / "site-packages" / "dormouse"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "main.py").write_text(RECORDER)
    base = Path(sys._base_executable).resolve()  # type: ignore[attr-defined]
    (folder / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(base)
    return str(folder / "bin" / "python")


def wait_for(condition: Callable[[], bool], limit_s: float = 10.0) -> bool:
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
