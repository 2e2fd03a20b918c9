"""How a file's tables come to be what this version expects. No migration removes or merges a row.

Migrations are only ever appended. All that a file lacks are applied in one transaction, after an
encrypted backup, and what was there is counted again before the commit.
"""

import hashlib
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import sqlcipher3.dbapi2 as sqlcipher

from dormouse.errors import MigrationGap, NewerStore, SchemaDiffers
from dormouse.ledger import schema

log = logging.getLogger("dormouse.ledger")

TEXTS = (("facts", "text"), ("turns", "text"), ("candidates", "text"))
Contents = dict[str, int]


class Migration(NamedTuple):
    """One step from a schema to the next. ``number`` counts from 1 without a gap."""

    number: int
    name: str
    apply: Callable[[Any], None]


def run_statements(db: Any, sql: str) -> None:
    """Run each statement of *sql* in the transaction that is open (executescript would end it)."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            db.execute(statement)
            statement = ""


def _first(db: Any) -> None:
    run_statements(db, schema.STATEMENTS)
    # With PRAGMA secure_delete alone an erased word would stay in the index's pages.
    db.execute("INSERT INTO search (search, rank) VALUES ('secure-delete', 1)")
    db.execute("INSERT INTO search (search, rank) VALUES ('rank', 'bm25(1.0, 0.35)')")


MIGRATIONS: tuple[Migration, ...] = (Migration(1, "first", _first),)


def record(db: Any, migration: Migration, now: str) -> None:
    """Write down that *migration* was applied."""
    db.execute(
        "INSERT INTO migrations (number, name, at) VALUES (?, ?, ?)",
        (migration.number, migration.name, now),
    )


def version(db: Any, path: Path, migrations: Sequence[Migration]) -> int:
    """The schema's number. Raises MigrationGap or NewerStore."""
    numbers = [row[0] for row in db.execute("SELECT number FROM migrations ORDER BY number")]
    found = numbers[-1] if numbers else 0
    missing = sorted(set(range(1, found + 1)) - set(numbers))
    if missing or not numbers:
        raise MigrationGap(path=path, missing=missing[0] if missing else 1, why="")
    if found > len(migrations):
        raise NewerStore(path=path, found=found, known=len(migrations), why="")
    return found


def check_schema(db: Any, path: Path, migrations: Sequence[Migration]) -> None:
    """Raise SchemaDiffers unless tables, triggers and views are as *migrations* make them."""
    plain = sqlcipher.connect(":memory:", isolation_level=None)
    try:
        for migration in migrations:
            migration.apply(plain)
        expected, real = _schema(plain), _schema(db)
    finally:
        plain.close()
    for name in sorted(expected.keys() | real.keys()):
        if expected.get(name) != real.get(name):
            raise SchemaDiffers(path=path, what=name, why="")


def _schema(db: Any) -> dict[str, str]:
    rows = db.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master")
    return {
        f"{kind} {name}": sql
        for kind, name, sql in rows.fetchall()
        if not name.startswith("sqlite_")
    }


def upgrade(db: Any, path: Path, migrations: Sequence[Migration], now: str) -> str | None:
    """Bring the file up to date; None, or the name of the step that failed and changed nothing."""
    found = version(db, path, migrations)
    check_schema(db, path, migrations[:found])
    todo = migrations[found:]
    if not todo:
        return None
    step, copy = "backup", _free_name(path.with_name(f"{path.name}.before-{found + 1}"))
    try:
        write_backup(db, copy)
        for step in _apply_all(db, path, migrations, todo, now, copy):  # noqa: B007
            pass
    except Exception as error:
        log.error("step %s of the upgrade failed: %s", step, type(error).__name__)
        copy.unlink(missing_ok=True)  # the file itself is as it was
        return step
    return None


def _free_name(path: Path) -> Path:
    """*path*, or a name like it where a crash left an earlier backup."""
    number = 1
    name = path
    while name.exists():
        number += 1
        name = path.with_name(f"{path.name}.{number}")
    return name


def _apply_all(
    db: Any,
    path: Path,
    migrations: Sequence[Migration],
    todo: Sequence[Migration],
    now: str,
    copy: Path,
) -> Iterator[str]:
    """Apply *todo* in one transaction, yielding each step's name before it is run."""
    db.execute("PRAGMA foreign_keys = OFF")  # a table may have to be built anew; checked below
    try:
        db.execute("BEGIN IMMEDIATE")
        before = contents(db)
        for migration in todo:
            yield migration.name
            migration.apply(db)
            record(db, migration, now)
        yield "comparing"
        _compare(db, before)
        check_schema(db, path, migrations)
        note_copy(db, copy, "backup", now)
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
        db.execute("PRAGMA foreign_keys = ON")


def _compare(db: Any, before: Contents) -> None:
    after = contents(db)
    lost = [name for name, number in before.items() if after.get(name) != number]
    broken = db.execute("PRAGMA foreign_key_check").fetchall()
    if lost or broken:
        raise RuntimeError(f"rows differ in {', '.join(lost) or 'references'}")


def contents(db: Any) -> Contents:
    """Row counts of every table, and for every text column a sum that knows no order."""
    tables = [
        row[0]
        for row in db.execute(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
            " AND name NOT LIKE 'sqlite_%' AND name <> 'migrations' AND name <> 'copies'"
        ).fetchall()
    ]
    found = {name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
    for table, column in TEXTS:
        if table in found:
            texts = db.execute(f"SELECT {column} FROM {table}")
            found[f"{table}.{column}"] = sum(_number(row[0]) for row in texts) % 2**256
    return found


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())


def write_backup(db: Any, target: Path) -> None:
    """Write an encrypted copy with the same key to *target*, 0600. Raises FileExistsError."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        db.execute("VACUUM INTO ?", (str(target),))  # takes an empty file as its target
        with target.open("rb") as file:
            os.fsync(file.fileno())
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def note_copy(db: Any, path: Path, kind: str, now: str) -> None:
    """Remember where a copy lies, so that erasing can name it."""
    db.execute(
        "INSERT OR REPLACE INTO copies (path, kind, at) VALUES (?, ?, ?)", (str(path), kind, now)
    )
