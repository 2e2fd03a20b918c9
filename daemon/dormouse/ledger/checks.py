"""Is this file a memory that may be opened? Looks only: nothing is made or changed beside it."""

import contextlib
import os
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from dormouse.errors import (
    Damaged,
    EmptyStore,
    ForeignStore,
    MissingStore,
    NetworkFileSystem,
    ReadOnlyFolder,
    StoreExists,
    TruncatedStore,
    WrongKey,
)
from dormouse.ledger.connecting import PAGE, DatabaseError, connect, error_name

CANARY = "dormouse"
NETWORK = frozenset(
    [
        "nfs",
        "nfs3",
        "nfs4",
        "cifs",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "ncpfs",
        "afs",
        "ceph",
        "lustre",
        "glusterfs",
        "beegfs",
        "gpfs",
        "orangefs",
        "pvfs2",
        "davfs",
        "fuse.sshfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.gcsfuse",
        "fuse.goofys",
        "fuse.davfs2",
        "fuse.glusterfs",
        "fuse.ceph",
        "fuse.cephfs",
        "fuse.smbnetfs",
        "fuse.curlftpfs",
    ]
)
_ESCAPED = re.compile(r"\\([0-7]{3})")
_DISTINCT = 200  # 4,096 encrypted bytes hold about 256 different values, a text far fewer


def read_mounts() -> str:
    """The kernel's table of mounts; empty where there is none (macOS)."""
    with contextlib.suppress(OSError):
        return Path("/proc/self/mounts").read_text("utf-8", "replace")
    return ""


def network_kind(path: Path, mounts: str) -> str | None:
    """The network file system that *path* lies on, or None. *mounts* is as in /proc/mounts."""
    best, kind = -1, ""
    for line in mounts.splitlines():
        parts = line.split(" ")
        if len(parts) < 3:
            continue
        point = _ESCAPED.sub(lambda m: chr(int(m[1], 8)), parts[1])  # "\\040" is a space
        inside = point == "/" or path == Path(point) or Path(point) in path.parents
        if inside and len(point) >= best:
            best, kind = len(point), parts[2]
    return kind if kind in NETWORK else None


def check_folder(path: Path, mounts: Callable[[], str] = read_mounts) -> None:
    """Raise unless the folder of *path* is local and can be written."""
    folder = path.parent.resolve()
    kind = network_kind(folder, mounts())
    if kind is not None:
        raise NetworkFileSystem(path=path, kind=kind, why="it lies on a network")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ReadOnlyFolder(path=path, why="its folder is read-only")
    if path.exists() and not os.access(path, os.W_OK):
        raise ReadOnlyFolder(path=path, why="the file is read-only")


def check_nothing_there(path: Path) -> None:
    """Raise StoreExists if any file of a store is there: it is never set up again."""
    if any(path.parent.glob(path.name + "*")):
        raise StoreExists(path=path, what="there is a memory already")


def check_file(path: Path) -> None:
    """Raise unless *path* looks, from outside, like a whole encrypted database."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise MissingStore(path=path, why="there is no file") from None
    except OSError as error:
        raise Damaged(path=path, why=error.strerror) from None
    if not path.is_file():
        raise ForeignStore(path=path, why="it is not a regular file")
    if size == 0:
        raise EmptyStore(path=path, why="the file is empty")
    with path.open("rb") as file:
        head = file.read(PAGE)
    if head.startswith(b"SQLite format 3\0"):
        raise ForeignStore(path=path, why="it is a database that is not encrypted")
    if len(head) == PAGE and len(set(head)) < _DISTINCT:
        raise ForeignStore(path=path, why="it is not encrypted")
    if size % PAGE and not _has_log(path):  # a log may hold what the file still lacks
        if size < PAGE and _is_text(head):
            raise ForeignStore(path=path, why="it is a text")
        raise TruncatedStore(path=path, why=f"{size} bytes are no whole number of pages")


def _is_text(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError:
        return False
    return True


def _has_log(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return log.exists() and log.stat().st_size > 0


def check_key(path: Path, key: bytes) -> None:
    """Read one row with *key*, without locks and without making a log. Raises WrongKey."""
    try:
        with closing(connect(path, key, immutable=True)) as probe:
            read_canary(probe, path)
    except DatabaseError as error:
        if not _has_log(path):
            raise explain(error, path) from None
    except (WrongKey, TruncatedStore):
        if not _has_log(path):  # a page may be torn in the file and whole in the log
            raise


def read_canary(db: Any, path: Path) -> str:
    """The store's id, after the key and the tables were seen to fit."""
    try:
        (tables,) = db.execute(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'store'"
        ).fetchone()
        if not tables:
            raise ForeignStore(path=path, why="it has other tables")
        rows = dict(db.execute("SELECT name, value FROM store").fetchall())
    except DatabaseError as error:
        raise explain(error, path) from None
    if rows.get("canary") != CANARY:
        raise ForeignStore(path=path, why="it has other contents")
    return str(rows["store_id"])


def explain(error: BaseException, path: Path) -> Damaged:
    """What an error of SQLite means for a file that is being opened."""
    name = error_name(error)
    if name.startswith("SQLITE_NOTADB"):
        return WrongKey(path=path, why="the key does not fit")
    if name.startswith("SQLITE_CORRUPT"):
        return TruncatedStore(path=path, why="pages are missing or torn")
    return Damaged(path=path, why=name or "it can't be read")
