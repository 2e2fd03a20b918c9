"""Connections to the encrypted file, with the settings that every one of them must have.

It never makes a file: a missing one is an error, because SQLCipher would start a new store.
"""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlcipher3.dbapi2 as sqlcipher

KEY_BYTES = 32
PAGE = 4096
BUSY_MS = 5_000
READER_CACHE_KIB = 6_000  # of a few readers each; a page outside it costs 10 us to decrypt
WRITER_CACHE_KIB = 32_000  # ids and hashes are random: with 8 MB a write cost 1.3 x at 100 k facts
WAL_LIMIT = 16 * 1024 * 1024  # bytes that an emptied WAL may keep
STATEMENTS = 512  # prepared statements kept by each connection
HEX = frozenset("0123456789abcdef")

DatabaseError = sqlcipher.DatabaseError


def connect(path: Path, key: bytes, *, write: bool = False, immutable: bool = False) -> Any:
    """Open *path*, which must exist, with the raw *key*; nothing is read yet."""
    mode = "mode=rw" if write else "mode=ro&immutable=1" if immutable else "mode=ro"
    db = sqlcipher.connect(
        f"file:{quote(str(path))}?{mode}",
        uri=True,
        timeout=BUSY_MS / 1000,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=STATEMENTS,
    )
    try:
        unlock(db, key)
        _settle(db, write)
    except BaseException:
        db.close()
        raise
    return db


def unlock(db: Any, key: bytes) -> None:
    """Give *db* its key. ``PRAGMA key`` says ok to anything, so its form is checked here.

    A malformed hex key would silently be taken as the passphrase of a new database.
    """
    text = key.hex()
    if len(key) != KEY_BYTES or len(text) != 2 * KEY_BYTES or not HEX.issuperset(text):
        raise ValueError(f"a key has {KEY_BYTES} bytes, not {len(key)}")
    db.execute("PRAGMA cipher_log_level = NONE")  # a wrong key would print lines on stderr
    db.execute(f"PRAGMA key = \"x'{text}'\"")


def _settle(db: Any, write: bool) -> None:
    db.execute("PRAGMA temp_store = MEMORY")
    if db.execute("PRAGMA temp_store").fetchone()[0] != 2:
        raise RuntimeError("sorting would spill plain text to temporary files")
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA foreign_keys = ON")
    if not write:
        db.execute("PRAGMA query_only = ON")
        db.execute(f"PRAGMA cache_size = -{READER_CACHE_KIB}")
        return
    db.execute(f"PRAGMA cache_size = -{WRITER_CACHE_KIB}")
    db.execute("PRAGMA synchronous = FULL")
    # REPLACE deletes without asking the authorizer, and fires delete triggers only with this.
    db.execute("PRAGMA recursive_triggers = ON")
    db.execute("PRAGMA secure_delete = ON")
    db.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT}")


def use_wal(db: Any) -> None:
    """Switch the file to a write-ahead log, which stays encrypted like the file."""
    (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise RuntimeError(f"the file's journal mode is {mode}, not wal")


def error_name(error: BaseException) -> str:
    """SQLite's own name of an error, as ``SQLITE_FULL``; empty for other errors."""
    return getattr(error, "sqlite_errorname", None) or ""


def is_damage(error: BaseException) -> bool:
    """Whether a page could not be read as it was written: its checksum or its form is wrong."""
    return error_name(error).startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))
