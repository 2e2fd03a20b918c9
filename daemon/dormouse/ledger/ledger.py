"""Every fact there ever was, in one encrypted file with one writer. The only way to the file."""

import contextlib
import logging
import os
import secrets
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

from dormouse.errors import (
    BadRequest,
    Conflict,
    DamagedPages,
    DiskFull,
    DormouseError,
    ReadOnlyFolder,
    StoreExists,
    WriteRefused,
)
from dormouse.ledger import checks, maintenance, migrations
from dormouse.ledger.access import Reader, Writer
from dormouse.ledger.authorizer import authorize
from dormouse.ledger.ballast import Ballast
from dormouse.ledger.base import Prepare
from dormouse.ledger.connecting import DatabaseError, connect, error_name, is_damage, use_wal
from dormouse.ledger.migrations import MIGRATIONS, Migration
from dormouse.ledger.rows import Erased
from dormouse.ledger.writing import WriterThread
from dormouse.times import Clock, stamp

T = TypeVar("T")
log = logging.getLogger("dormouse.ledger")
IDLE_READERS = 4
MOVES = "SELECT (SELECT max(nr) FROM facts), (SELECT max(nr) FROM moved)"
COPY_LOOKS = 20_000  # steps of SQLite between two looks at whether to go on copying
WHY = {
    "disk_full": "the disk is full",
    "read_only": "the file or its folder is read-only",
    "migration_failed": "its upgrade failed, nothing was changed",
    "closed": "it is closed",
}


class Ledger:
    """An open store. Any thread may read and write; reads never wait for writes.

    ``trouble`` is None, or in one word why writes are refused, which a read may find out too;
    ``step`` names the failed step of an upgrade. ``on_move`` is called, in the writer's thread,
    after facts were captured, moved or erased. Raises the errors of ``checks`` when the file can't
    be opened.
    """

    def __init__(
        self,
        path: Path,
        key: bytes,
        *,
        prepare: Prepare,
        now: Clock,
        known: Sequence[Migration] = MIGRATIONS,
    ) -> None:
        self.path = path
        self.trouble: str | None = None
        self.step: str | None = None
        self.on_move: Callable[[], None] = lambda: None
        self._moves: Any = None
        self._key, self._prepare, self._clock = key, prepare, now
        self._ballast = Ballast(path.with_name("ballast"))
        self._readers: deque[Reader] = deque()
        self._thread: WriterThread | None = None
        self._closed = False
        checks.check_file(path)
        checks.check_folder(path)
        checks.check_key(path, key)
        path.chmod(0o600)
        with _nothing_left_beside(path):
            self._open_with_room(known)

    @classmethod
    def create(cls, path: Path, key: bytes, *, store_id: str, prepare: Prepare, now: Clock) -> None:
        """Make a new store. Raises StoreExists if there is anything of one, and other errors."""
        checks.check_folder(path)
        checks.check_nothing_there(path)
        draft = path.with_name(f"new-{secrets.token_hex(8)}")
        try:
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            _fill(draft, key, store_id, stamp(now()))
            os.link(draft, path)  # unlike a rename this never replaces a store
            _sync_folder(path.parent)
        except FileExistsError:
            raise StoreExists(path=path, what="there is a memory already") from None
        except (DatabaseError, OSError) as error:
            raise _explain(error, path) from error
        finally:
            for leftover in path.parent.glob(draft.name + "*"):
                leftover.unlink(missing_ok=True)
        Ballast(path.with_name("ballast")).take()

    def _open(self, known: Sequence[Migration]) -> None:
        db = connect(self.path, self._key, write=True)
        try:
            self.store_id = checks.read_canary(db, self.path)
            use_wal(db)
            self.step = migrations.upgrade(db, self.path, known, stamp(self._clock()))
        except BaseException:
            db.close()
            raise
        if self.step is not None:
            db.close()
            self.trouble = "migration_failed"
            self._readers.append(self._new_reader())  # holds the log open for the others
            return
        db.set_authorizer(authorize)
        self._db = db
        writer = Writer(db, self._prepare, self._clock, self._check_room)
        self._thread = WriterThread(db, writer, self._diagnose, self._committed)
        if not self._ballast.take():
            log.warning("no room for the ballast of 8 MB")

    def _open_with_room(self, known: Sequence[Migration]) -> None:
        """Open; if the disk is too full even for that, give the ballast back and try once more."""
        try:
            try:
                self._open(known)
            except DatabaseError as error:
                if not isinstance(_explain(error, self.path), DiskFull):
                    raise
                if not self._ballast.release():
                    raise
                self._open(known)
                self.trouble = "disk_full"
        except DatabaseError as error:
            raise _explain(error, self.path) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r}, trouble={self.trouble!r})"

    def write(self, do: Callable[[Writer], T]) -> "Future[T]":
        """Let *do* write in a transaction. The future is resolved after the commit.

        *do* may be run twice and must not keep state. While ``trouble`` is set, new facts are
        refused with WriteRefused or DamagedPages; after the ballast was released facts can still be
        retired.
        """
        if self._thread is None or self.trouble in ("migration_failed", "integrity"):
            refused: Future[T] = Future()
            refused.set_exception(self._refusal())
            return refused
        return self._thread.submit(do)

    def read(self, do: Callable[[Reader], T]) -> T:
        """Run *do* in this thread on a read-only connection, on one state of the ledger.

        Raises DamagedPages where a page can't be read; nothing more is written then.
        """
        if self._closed:
            raise self._refusal()
        try:
            return self._read(do)
        except DatabaseError as error:
            if not is_damage(error):
                raise
            raise self._diagnose(error)[0] from error

    def _read(self, do: Callable[[Reader], T]) -> T:
        try:
            reader = self._readers.popleft()
        except IndexError:
            reader = self._new_reader()
        db = reader._db
        try:
            db.execute("BEGIN")
            return do(reader)
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
            if self._closed or len(self._readers) >= IDLE_READERS:
                db.close()
            else:
                self._readers.appendleft(reader)  # the warmest cache is used first

    def close(self) -> None:
        """Finish what waits, empty the log, let go of the file. Idempotent."""
        if self._closed:
            return
        self._closed = True
        if self._thread is not None:
            self._thread.stop()
            self._thread = None
        while self._readers:
            self._readers.popleft()._db.close()
        if self.step is None:
            with contextlib.suppress(DatabaseError):
                maintenance.checkpoint(self._db)
            self._db.close()

    # -- maintenance, with the writer paused ------------------------------------------------------

    def erase(self, ids: Iterable[str], now: str | None = None, *, dry_run: bool = False) -> Erased:
        """Destroy facts and what holds their text, then empty the log. Raises NotFound."""
        wanted = list(ids)
        at = now or stamp(self._clock())
        erased = self._maintain(lambda db: maintenance.erase(db, wanted, at, dry_run=dry_run))
        if dry_run:
            return erased
        return replace(erased, checkpointed=self.checkpoint())

    def backup(self, target: Path) -> None:
        """Write an encrypted copy, 0600, that opens with the same key.

        Raises Conflict if there is something already, BadRequest if it can't be written there.
        """
        target = target.absolute()

        def do(db: Any) -> None:
            migrations.write_backup(db, target)
            migrations.note_copy(db, target, "backup", stamp(self._clock()))

        try:
            self._maintain(do)
        except FileExistsError:
            raise Conflict(what=f"{target} exists already") from None
        except OSError as error:
            raise BadRequest(what=f"{target}: {error.strerror}") from None

    def copy_to(self, target: Path, *, go_on: Callable[[], bool]) -> None:
        """Write an encrypted copy like ``backup``, while others write; stops when not *go_on*.

        Raises InterruptedError then, and what ``backup`` raises. ``note_copy`` it under its name.
        """
        db = connect(self.path, self._key, write=True)
        try:
            db.set_progress_handler(lambda: 0 if go_on() else 1, COPY_LOOKS)
            migrations.write_backup(db, target)
        except DatabaseError as error:
            if error_name(error) == "SQLITE_INTERRUPT":
                raise InterruptedError from None
            raise self._diagnose(error)[0] from error
        except OSError as error:
            raise BadRequest(what=f"{target}: {error.strerror}") from None
        finally:
            db.close()

    def note_copy(self, target: Path) -> None:
        """Remember that *target* is a backup, so that erasing can name it."""
        now = stamp(self._clock())
        self._maintain(lambda db: migrations.note_copy(db, target.absolute(), "backup", now))

    def checkpoint(self) -> bool:
        """Move the log into the file and empty it; False if a reader was in the way."""
        return self._maintain(maintenance.checkpoint)

    def integrity(self) -> list[str]:
        """What is wrong with the file; sets ``trouble`` if something is."""
        problems = self._maintain(maintenance.integrity)
        if any(not problem.startswith(maintenance.IN_THE_WAY) for problem in problems):
            self.trouble = "integrity"
        return problems

    def count_secrets(self, find: Callable[[str], object]) -> int:
        """In how many facts, turns, candidates and proposals *find* finds something."""
        return self.read(lambda r: maintenance.count_holding(r._db, find))

    def _maintain(self, do: Callable[[Any], T]) -> T:
        """Run *do* on a connection of its own, in the writer's thread: nobody writes meanwhile."""
        if self._thread is None:
            raise self._refusal()

        def alone(_: Any, again: bool = True) -> T:
            try:
                with contextlib.closing(connect(self.path, self._key, write=True)) as db:
                    done = do(db)
                    self._tell_moves(db)
                    return done
            except DatabaseError as error:
                told, mended = self._diagnose(error)
                if not (mended and again):
                    raise told from error
            return alone(_, again=False)

        return self._thread.submit(alone, alone=True).result()

    # -- trouble ----------------------------------------------------------------------------------

    def _new_reader(self) -> Reader:
        return Reader(connect(self.path, self._key), self._prepare, self._clock)

    def _refusal(self) -> DormouseError:
        word = "closed" if self._closed else self.trouble or "closed"
        if word == "disk_full":
            return DiskFull(path=self.path, why=WHY[word])
        if word == "read_only":
            return ReadOnlyFolder(path=self.path, why=WHY[word])
        if word == "integrity":
            return DamagedPages(path=self.path)
        return WriteRefused(path=self.path, why=WHY[word])

    def _check_room(self) -> None:
        """Called before a new fact is written: refuse on a full disk, until there is room again."""
        if self.trouble != "disk_full":
            return
        if not self._ballast.take():
            raise self._refusal()
        self.trouble = None

    def _committed(self) -> None:
        if self.trouble == "read_only":
            self.trouble = None  # it can be written again
        self._tell_moves(self._db)

    def _tell_moves(self, db: Any) -> None:
        """Call ``on_move`` if facts came, moved or went since the last look (two rows, 10 us)."""
        moves = None
        with contextlib.suppress(DatabaseError):  # what was committed stays committed
            moves = db.execute(MOVES).fetchone()
        if moves is None or moves != self._moves:
            self._moves = moves
            self.on_move()

    def _diagnose(self, error: BaseException) -> tuple[Exception, bool]:
        """What an error of the file means, and whether trying again makes sense now."""
        name = error_name(error)
        full = name == "SQLITE_FULL" or (
            name.startswith("SQLITE_IOERR") and shutil.disk_usage(self.path.parent).free == 0
        )
        if full:
            self.trouble = "disk_full"
            return self._refusal(), self._ballast.release()
        if name.startswith("SQLITE_READONLY"):
            self.trouble = "read_only"
            return self._refusal(), False
        if is_damage(error):
            self.trouble = "integrity"
            return self._refusal(), False
        if name.startswith("SQLITE_IOERR"):
            return WriteRefused(path=self.path, why="the disk gave an error"), False
        return error if isinstance(error, Exception) else RuntimeError(str(error)), False


@contextlib.contextmanager
def _nothing_left_beside(path: Path) -> Iterator[None]:
    """If opening fails, take away the empty log and its index that SQLite made for it."""
    beside = [path.with_name(path.name + end) for end in ("-wal", "-shm")]
    before = [file.exists() for file in beside]
    try:
        yield
    except BaseException:
        log_is_empty = not beside[0].exists() or beside[0].stat().st_size == 0
        for file, was_there in zip(beside, before, strict=True):
            if log_is_empty and not was_there:
                file.unlink(missing_ok=True)
        raise


def _fill(draft: Path, key: bytes, store_id: str, now: str) -> None:
    db = connect(draft, key, write=True)
    try:
        db.execute("BEGIN")
        for migration in MIGRATIONS:
            migration.apply(db)
            migrations.record(db, migration, now)
        for name, value in (("canary", checks.CANARY), ("store_id", store_id), ("made_at", now)):
            db.execute("INSERT INTO store (name, value) VALUES (?, ?)", (name, value))
        db.execute("COMMIT")
        use_wal(db)
    finally:
        db.close()


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _explain(error: Exception, path: Path) -> Exception:
    name = error_name(error)
    full = isinstance(error, OSError) and error.errno == 28
    if full or name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR"):
        return DiskFull(path=path, why=WHY["disk_full"])
    if isinstance(error, OSError) or name.startswith("SQLITE_READONLY"):
        return ReadOnlyFolder(path=path, why=WHY["read_only"])
    return checks.explain(error, path)
