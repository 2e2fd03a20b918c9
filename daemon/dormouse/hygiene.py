"""What keeps the daemon's process and files private. It reads no fact and logs none.

umask, core dumps, environment, folders, atomic files, socket peers and the log, each in one place.
"""

import contextlib
import ctypes
import logging
import os
import re
import resource
import socket
import stat
import struct
import sys
import tempfile
import traceback
from collections.abc import MutableMapping
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from dormouse.errors import Refused
from dormouse_wire.launch import KEPT
from dormouse_wire.paths import Home

LOG_BYTES, LOG_FILES = 10_000_000, 5
LOG_LINE = 500  # characters

_PR_SET_DUMPABLE = 4
_KEPT = frozenset({*KEPT, "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "USER"})
_NETWORK = {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "glusterfs", "gfs2", "lustre"}
_NETWORK |= {"ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs"}
_NETWORK |= {"fuse.ceph", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"}


def harden_process() -> list[str]:
    """New files are private, and nothing of the memory ends in a core dump. Tells what failed.

    RLIMIT_CORE alone does not stop a dump that is piped to a program; not being dumpable does, and
    keeps other programs of the same user out of /proc/self/mem and environ.
    """
    failed = []
    os.umask(0o077)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError):
        failed.append("core_limit")
    if sys.platform == "linux" and ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        failed.append("dumpable")
    return failed


def scrub_environment(environment: MutableMapping[str, str] = os.environ) -> list[str]:
    """Forget every variable a daemon has no use for (an agent's tokens); returns their names."""
    gone = [name for name in environment if name not in _KEPT and not name.startswith("DORMOUSE_")]
    for name in gone:
        del environment[name]
    return gone


def make_private_folders(home: Home) -> None:
    """Make the home's folders, 0700. Raises Refused for a link or another user's folder."""
    home.root.parent.mkdir(parents=True, exist_ok=True)
    for folder in (home.root, home.log, home.bin):
        make_private_folder(folder)


def make_private_folder(folder: Path) -> None:
    """Make *folder* 0700, or make an existing one of ours so. Raises Refused, OSError."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    file = _open_folder(folder)
    try:
        found = os.fstat(file)
        if found.st_uid != os.getuid():
            raise Refused(what=f"{folder} belongs to another user", hint=_OTHER_FOLDER)
        if stat.S_IMODE(found.st_mode) != 0o700:
            os.fchmod(file, 0o700)
    finally:
        os.close(file)


_OTHER_FOLDER = "Set DORMOUSE_HOME to a folder of your own."


def _open_folder(folder: Path) -> int:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except NotADirectoryError:  # what O_DIRECTORY | O_NOFOLLOW says of a link, too
        what = f"{folder} is a link or no folder"
        raise Refused(what=what, hint=_OTHER_FOLDER) from None


def atomic_write(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Replace *path* by a new file, on the disk before this returns: all of it or nothing."""
    file, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(file, "wb") as out:
            os.fchmod(out.fileno(), mode)
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make new names in *folder* survive a crash."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def peer_uid(sock: socket.socket) -> int | None:
    """Who is at the other end of a Unix socket; None where the system does not say."""
    try:
        if sys.platform == "darwin":
            # struct xucred: version, uid, ...; SOL_LOCAL 0, LOCAL_PEERCRED 1
            version, uid = struct.unpack_from("II", sock.getsockopt(0, 1, 76))
            return int(uid) if version == 0 else None
        size = struct.calcsize("3i")
        peer = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    except (AttributeError, OSError, struct.error):
        return None
    return int(struct.unpack("3i", peer)[1])


def on_network_filesystem(path: Path, mountinfo: Path = Path("/proc/self/mountinfo")) -> str | None:
    """The network file system *path* lies on (``nfs4``), or None. Linux only.

    Locks and the WAL's shared memory can't be trusted there.
    """
    try:
        lines = mountinfo.read_bytes().decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    place = os.path.realpath(path)
    best, kind = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        mount = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        below = place == mount or place.startswith(mount.rstrip("/") + "/")
        if below and len(mount) >= len(best):  # of two mounts on one folder the later one is on top
            best, kind = mount, after.split(" ")[0]
    return kind if kind in _NETWORK else None


class _PrivateFile(RotatingFileHandler):
    """Every file it makes is 0600 from its first byte; a link in its place is not followed."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(self.baseFilename, flags, 0o600)
        os.fchmod(file, 0o600)
        return os.fdopen(file, "a", encoding="utf-8", errors="backslashreplace")

    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk costs the line; nothing of it goes to stderr instead."""


class _Line(logging.Formatter):
    """One short line a record: an exception's class and places, never its message or values."""

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record).replace("\n", " | ").replace("\r", " ")
        return line if len(line) <= LOG_LINE else line[: LOG_LINE - 1] + "…"

    def formatException(
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        frames = traceback.extract_tb(ei[2])[-6:]
        where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
        return f"{ei[0].__name__ if ei[0] else 'nothing'} at {where}"


def set_up_log(folder: Path, at_most: int = LOG_BYTES) -> logging.Logger:
    """Log ids, counts and durations to *folder*: 0600, *at_most* bytes in all its files."""
    file = folder / "dormoused.log"
    handler = _PrivateFile(file, maxBytes=at_most // LOG_FILES, backupCount=LOG_FILES - 1)
    handler.setFormatter(_Line("%(asctime)s %(levelname)s %(name)s %(message)s"))
    log = logging.getLogger("dormouse")
    for old in list(log.handlers):
        log.removeHandler(old)
        old.close()
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    return log
