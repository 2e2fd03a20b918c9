"""Another file in the place of a closed store: under a new key, or from a backup.

Everything is made and looked at in a draft beside the store; one rename then puts it in place. A
kill leaves the one file or the other, whole, and never a byte in clear.
"""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dormouse.errors import Conflict, Damaged, DamagedBackup, TruncatedStore, WrongKey
from dormouse.hygiene import sync_folder
from dormouse.ledger import checks, maintenance, migrations
from dormouse.ledger.connecting import DatabaseError, connect, error_name, use_wal

DRAFT = "exchange.db"
FULL = ("SQLITE_FULL", "SQLITE_IOERR")  # the disk is at fault, not what is read from it
# Ways to the same rows: where one meets a damaged page another may not.
WAYS = {
    "SELECT fact_id FROM erasures": ("ORDER BY rowid", "ORDER BY fact_id", "ORDER BY rowid DESC"),
    "SELECT path, kind, at FROM copies": ("ORDER BY path, at", "ORDER BY path DESC, at DESC"),
}
SALT_BYTES = 16  # SQLCipher's own, random, at the beginning of each file


class CarriedOver(NamedTuple):
    """How many facts were erased again, and whether all that was erased since could be read."""

    erased: int
    whole: bool


class Looked(NamedTuple):
    """What a backup holds, in counts. ``key`` is the one that opens it."""

    key: bytes
    store_id: str
    current: int
    retired: int
    newest: str | None


def salt_of(path: Path) -> bytes:
    """What tells one encrypted file from another, without a key; empty if there is none."""
    try:
        with path.open("rb") as file:
            return file.read(SALT_BYTES)
    except FileNotFoundError:
        return b""


def clear_drafts(folder: Path) -> None:
    """Remove what a killed daemon left of an exchange."""
    for left in folder.glob(DRAFT + "*"):
        left.unlink(missing_ok=True)


def draft_of(source: Path, key: bytes, store: Path, new_key: bytes) -> Path:
    """A copy of *source* under *new_key*, beside *store*, found to hold the same. Raises Damaged,
    of a source that is damaged itself before a byte of it is copied.

    The backup API copies page by page, each decrypted and encrypted in memory (7 x a plain copy).
    """
    clear_drafts(store.parent)
    draft = store.with_name(DRAFT)
    old = _whole(source, key, Damaged if source == store else DamagedBackup)
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        new = connect(draft, new_key, write=True)
        try:
            old.backup(new)
            use_wal(new)
            checks.read_canary(new, draft)
            problems = maintenance.integrity(new)
            if problems or migrations.contents(new) != migrations.contents(old):
                raise Damaged(path=source, why="its copy differs from it")
            maintenance.checkpoint(new)
        finally:
            new.close()
    finally:
        old.close()
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    return draft


def put_in_place(draft: Path, store: Path, *, log_is_kept: bool = False) -> None:
    """One rename. Raises Conflict if the store's log still holds something that is kept nowhere
    else: it would be mixed up with the new file."""
    for end in ("-wal", "-shm"):
        beside = _beside(store, end)
        if end == "-wal" and not log_is_kept and _holds_something(beside):
            raise Conflict(what="the memory's log could not be emptied")
        beside.unlink(missing_ok=True)
    draft.replace(store)
    sync_folder(store.parent)


def _whole(path: Path, key: bytes, damaged: type[Damaged]) -> Any:
    """A connection to a file each of whose pages was read and found good. Raises *damaged*."""
    try:
        db = connect(path, key, immutable=True)
    except DatabaseError:  # it reads the tables' names
        raise damaged(path=path, why="its tables can't be read") from None
    if problems := maintenance.damage(db):
        db.close()
        raise damaged(path=path, why=f"{len(problems)} problem(s), the first is {problems[0]}")
    return db


def look(path: Path, keys: Iterable[bytes]) -> Looked:
    """What the backup at *path* holds, opened with the key of *keys* that fits. Raises Damaged.

    Every page is read: a backup that opens may still be damaged further on.
    """
    try:
        checks.check_file(path)
        for key in keys:
            try:
                checks.check_key(path, key)
            except WrongKey:
                continue
            return _look_with(path, key)
    except TruncatedStore as error:
        raise DamagedBackup(path=path, why=error.about["why"]) from None
    hint = (
        "A backup opens with the keys of the memory that it was made of; this one is another"
        " memory's, or its first page is damaged."
    )
    raise WrongKey(hint, path=path, why="no key fits")


def _look_with(path: Path, key: bytes) -> Looked:
    db = _whole(path, key, DamagedBackup)
    try:
        store_id = checks.read_canary(db, path)
        migrations.version(db, path, migrations.MIGRATIONS)
        row = db.execute(
            "SELECT count(*) - count(retired_at), count(retired_at), max(captured_at) FROM facts"
        ).fetchone()
    finally:
        db.close()
    return Looked(key, store_id, *row)


def carry_over(store: Path, draft: Path, key: bytes, now: str) -> CarriedOver:
    """What was erased since the backup was made is erased from it, too.

    The store's list of copies goes along, so that erasing can name them. Both open with *key*; of a
    damaged store goes along what can still be read.
    """
    (gone, whole), (copies, _) = (_readable(store, key, rows) for rows in WAYS)
    with contextlib.closing(connect(draft, key, write=True)) as new:
        there = [id for (id,) in sorted(gone) if _holds(new, id)]
        if there:
            maintenance.erase(new, there, now)
        new.executemany("INSERT OR IGNORE INTO copies (path, kind, at) VALUES (?, ?, ?)", copies)
        maintenance.checkpoint(new)
    return CarriedOver(len(there), whole)


def _readable(store: Path, key: bytes, rows: str) -> tuple[set[tuple[str, ...]], bool]:
    """Every row that any way leads to, and whether one of them led to all."""
    found: set[tuple[str, ...]] = set()
    for order in WAYS[rows]:
        with _or_unreadable(), contextlib.closing(connect(store, key)) as db:
            for row in db.execute(f"{rows} {order}"):
                found.add(tuple(row))
            return found, True
    return found, False


@contextlib.contextmanager
def _or_unreadable() -> Iterator[None]:
    """Go on behind this block where the file, and not the disk, made an end of it."""
    try:
        yield
    except Damaged:
        pass
    except DatabaseError as error:
        if error_name(error).startswith(FULL):
            raise


def _holds(db: Any, fact_id: str) -> bool:
    return db.execute("SELECT 1 FROM facts WHERE id = ?", (fact_id,)).fetchone() is not None


def keep_aside(store: Path, key: bytes, target: Path, draft: Path, now: str) -> bool:
    """Before it is exchanged: a copy of the store at *target*, noted in the draft.

    False if the store can't be read as a whole: then its bytes, and those of its log, lie there.
    A log that was left is copied first: SQLite throws it away where it makes nothing of the file.
    """
    copied, log_left = False, _holds_something(_beside(store, "-wal"))
    if log_left:
        _keep_bytes(store, target)
    copy = _beside(target, ".new") if log_left else target
    with _or_unreadable(), contextlib.closing(connect(store, key, write=True)) as old:
        checks.read_canary(old, store)
        migrations.write_backup(old, copy)
        copied = True
    if copied and log_left:
        copy.replace(target)
        _beside(target, "-wal").unlink()
    elif not copied and not log_left:
        _keep_bytes(store, target)
    with contextlib.closing(connect(draft, key, write=True)) as new:
        migrations.note_copy(new, target, "backup", now)
        maintenance.checkpoint(new)
    return copied


def _keep_bytes(store: Path, target: Path) -> None:
    """The file and its log as they are, in new files, 0600 and on the disk."""
    for end in ("", "-wal"):
        source = _beside(store, end)
        if end and not _holds_something(source):
            continue
        copy = os.open(_beside(target, end), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with source.open("rb") as old, os.fdopen(copy, "wb") as new:
                shutil.copyfileobj(old, new, 1 << 20)
                new.flush()
                os.fsync(new.fileno())
        except OSError:
            _beside(target, end).unlink()
            raise
    sync_folder(target.parent)


def _holds_something(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def copies_of(store: Path, key: bytes) -> list[str]:
    """The copies of the store that may still be there."""
    db = connect(store, key, write=True)
    try:
        rows = db.execute("SELECT DISTINCT path FROM copies ORDER BY path").fetchall()
    finally:
        db.close()
    return [row[0] for row in rows if Path(row[0]).exists() or not Path(row[0]).parent.exists()]
