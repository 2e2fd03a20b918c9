"""Starting one thinker's program under the supervisor and reading what it says, within bounds.

No text is in its arguments, its environment or a file; the folder it runs in is empty and goes
with it.
"""

import contextlib
import json
import os
import selectors
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from dormouse.thinking import supervisor
from dormouse.thinking.values import Stop
from dormouse_wire.hosts import THINKER_FOLDER, THINKER_MARKER
from dormouse_wire.launch import KEPT

MOST = 2 * 2**20  # bytes of an answer; whoever says more is cut off
GRACE_S = 5.0  # beyond its time-out, for the supervisor to clean up
_TMPFS = ("/dev/shm",)  # noqa: S108  only below a fresh 0700 folder
# Where agents' own installers put their programs; a service's PATH often lacks them.
_USUAL = (".local/bin", ".claude/local", ".npm-global/bin", ".bun/bin", ".volta/bin")
_COMMON = ("/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin")


class Ran(NamedTuple):
    """What came of a run: ``ended`` is done, timeout, too_much, stopped or missing."""

    ended: str
    good: bool  # exit code 0
    out: bytes

    def __repr__(self) -> str:
        return f"Ran(ended={self.ended!r}, good={self.good}, {len(self.out)} bytes)"


@dataclass(frozen=True, slots=True)
class Folder:
    """A thinker's own place: ``work`` is its empty working directory, ``scratch`` its TMPDIR."""

    root: Path

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def scratch(self) -> Path:
        return self.root / "tmp"


@contextlib.contextmanager
def folder() -> Iterator[Folder]:
    """A fresh folder, 0700, in memory where there is such a place; gone afterwards."""
    made = Folder(Path(tempfile.mkdtemp(prefix=THINKER_FOLDER, dir=_base())))
    try:
        made.work.mkdir(mode=0o700)
        made.scratch.mkdir(mode=0o700)
        yield made
    finally:
        shutil.rmtree(made.root, ignore_errors=True)


def _base() -> str | None:
    for place in (os.environ.get("XDG_RUNTIME_DIR", ""), *_TMPFS):
        if place and Path(place).is_absolute() and os.access(place, os.W_OK | os.X_OK):
            return place
    return None


def find_program(name: str) -> Path | None:
    """The program *name*, on PATH or where its installer puts it; nobody else may be able to
    write it."""
    for place in search_path():
        found = Path(place) / name
        with contextlib.suppress(OSError):
            real = found.resolve(strict=True)
            if os.access(real, os.X_OK) and _only_ours(real):
                return found
    return None


def search_path() -> list[str]:
    """Absolute folders to look in, each once."""
    given = os.environ.get("PATH", "").split(os.pathsep)
    home = [str(Path.home() / place) for place in _USUAL]
    return list(dict.fromkeys(p for p in (*given, *home, *_COMMON) if Path(p).is_absolute()))


def _only_ours(path: Path) -> bool:
    found = path.stat()
    writable = stat.S_IMODE(found.st_mode) & 0o022
    return stat.S_ISREG(found.st_mode) and found.st_uid in (0, os.getuid()) and not writable


def environment(place: Folder, more: Mapping[str, str]) -> dict[str, str]:
    """What a thinker may know: where its login is, and that it is ours. Nothing of DORMOUSE_*."""
    kept = {name: value for name, value in os.environ.items() if name in KEPT}
    path = os.pathsep.join(search_path())
    return kept | {"PATH": path, "TMPDIR": str(place.scratch), THINKER_MARKER: "1", **more}


def launcher(*, service: bool | None = None) -> list[str]:
    """What the supervisor is started with: below systemd a transient unit of its own, since the
    daemon's unit limits memory and address families, and children inherit that."""
    own = [sys.executable, "-I", "-S", supervisor.__file__]
    return [*_unit(), *own] if (in_service() if service is None else service) else own


def in_service(cgroup: Path = Path("/proc/self/cgroup")) -> bool:
    """Whether this process runs in Dormouse's own systemd service."""
    with contextlib.suppress(OSError):
        for line in cgroup.read_text("utf-8", "replace").splitlines():
            last = line.rpartition("/")[2]
            if last.startswith("dormouse") and last.endswith(".service"):
                return True
    return False


def _unit() -> list[str]:
    wrap = ["systemd-run", "--user", "--pipe", "--wait", "--collect", "--quiet"]
    for rule in ("KillMode=control-group", "LimitCORE=0", "UMask=0077", "Description=a thinker"):
        wrap += ["--property", rule]
    return [*wrap, "--"]


@dataclass(slots=True)
class _Exchange:
    """One run: what is still to be written, what was read, and how it may end."""

    process: subprocess.Popen[bytes]
    waiting: memoryview
    stop: Stop
    deadline: float
    out: bytearray = field(default_factory=bytearray)

    def go(self) -> str:
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            return "missing"
        os.set_blocking(stdin.fileno(), False)
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            selector.register(stdin, selectors.EVENT_WRITE)
            while True:
                if self.stop:
                    return "stopped"
                if time.monotonic() > self.deadline:
                    return "timeout"
                for key, _ in selector.select(0.1):
                    if key.fileobj is stdin:
                        self._write(selector, stdin.fileno())
                    elif not self._read(stdout.fileno()):
                        return "done"
                if len(self.out) > MOST:
                    return "too_much"

    def _write(self, selector: selectors.BaseSelector, number: int) -> None:
        """Write on; afterwards standard input stays open: its end is the sign that we are gone."""
        try:
            self.waiting = self.waiting[os.write(number, self.waiting[: 64 * 1024]) :]
        except BlockingIOError:
            return
        except OSError:
            self.waiting = self.waiting[:0]
        if not self.waiting:
            selector.unregister(self.process.stdin or number)

    def _read(self, number: int) -> bool:
        chunk = os.read(number, 64 * 1024)
        self.out += chunk
        return bool(chunk)


def run(
    argv: Sequence[str],
    given: bytes,
    *,
    env: Mapping[str, str],
    place: Folder,
    timeout_s: float,
    stop: Stop,
    launch: Sequence[str] | None = None,
) -> Ran:
    """Run *argv* in *place* with *given* on its standard input. Never raises for what it does."""
    header = {
        "argv": list(argv),
        "env": dict(env),
        "cwd": str(place.work),
        "remove": str(place.root),
        "timeout_s": timeout_s,
        "bytes": len(given),
    }
    wire = json.dumps(header).encode() + b"\n" + given
    try:
        process = subprocess.Popen(
            list(launch or launcher()),
            env={name: value for name, value in env.items() if name in (*KEPT, THINKER_MARKER)},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
    except OSError:
        return Ran("missing", False, b"")
    return _exchange(process, wire, stop, time.monotonic() + timeout_s + GRACE_S)


def _exchange(process: subprocess.Popen[bytes], wire: bytes, stop: Stop, deadline: float) -> Ran:
    """Give the supervisor its part, read the thinker's, and see both off."""
    exchange = _Exchange(process, memoryview(wire), stop, deadline)
    try:
        ended = exchange.go()
    finally:
        code = _close(process)
    if ended == "done" and code == supervisor.TIMED_OUT:
        ended = "timeout"
    elif ended == "done" and code == supervisor.NOT_STARTED:
        ended = "missing"
    return Ran(ended, code == 0, bytes(exchange.out) if ended == "done" else b"")


def _close(process: subprocess.Popen[bytes]) -> int:
    """Close the supervisor's standard input: it ends its thinker, then itself."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    try:
        return process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()  # its thinker dies with it (PDEATHSIG)
        return process.wait()
