"""An upgrade keeps every row, or changes nothing. Later migrations exist in these tests only."""

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlcipher3.dbapi2 as sqlcipher

from dormouse.errors import MigrationGap, NewerStore, SchemaDiffers, WriteRefused
from dormouse.ledger.connecting import connect
from dormouse.ledger.migrations import MIGRATIONS, Migration, contents, run_statements
from tests.unit.ledger.store import (
    EVERYTHING,
    KEY,
    Clock,
    dump,
    found,
    journal,
    open_ledger,
    say,
    supersede,
    texts,
    turn,
)


def _moods(db: Any) -> None:
    db.execute("ALTER TABLE facts ADD COLUMN mood TEXT")
    db.execute("CREATE TABLE moods (fact_id TEXT PRIMARY KEY REFERENCES facts (id)) STRICT")
    db.execute("UPDATE facts SET mood = 'glad' WHERE pinned = 1")


def _rebuilt(db: Any) -> None:
    """A change for which SQLite needs a new table: the old rows are moved."""
    run_statements(
        db,
        "CREATE TABLE settings2 (name TEXT PRIMARY KEY, value TEXT NOT NULL, at TEXT) STRICT;\n"
        "INSERT INTO settings2 (name, value) SELECT name, value FROM settings;\n"
        "DROP TABLE settings;\n"
        "ALTER TABLE settings2 RENAME TO settings;\n",
    )


SECOND = Migration(2, "moods", _moods)
THIRD = Migration(3, "settings with a time", _rebuilt)
NEW = (*MIGRATIONS, SECOND)
NEWEST = (*NEW, THIRD)
OLD_ROWS = 40


@pytest.fixture
def filled(path: Path) -> Path:
    """A store of the first schema, as after a clean stop."""
    with open_ledger(path) as ledger:
        for number in range(OLD_ROWS):
            say(ledger, f"fact {number} is here", pinned=number % 2 == 0, session=f"s{number}")
        supersede(ledger, say(ledger, "port is 1"), say(ledger, "port is 2"))
        for _ in range(3):
            journal(ledger, turn("equal texts in one session", line_id=os.urandom(8).hex()))
        ledger.write(lambda w: w.set_setting("a", "b")).result(10)
    return path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rows(path: Path) -> dict[str, int]:
    with closing(connect(path, KEY)) as db:
        return contents(db)


def backup_of(path: Path, number: int = 2) -> Path:
    return path.with_name(f"memory.db.before-{number}")


@pytest.mark.parametrize("known", [NEW, NEWEST])
def test_an_upgrade_keeps_every_row_and_every_text(
    filled: Path, known: tuple[Migration, ...]
) -> None:
    before = rows(filled)
    with open_ledger(filled, known=known) as ledger:
        assert ledger.trouble is None
        after = rows(filled)
        assert {name: after[name] for name in before} == before
        moods = [row[-1] for row in dump(ledger)["facts"]]
        assert (moods.count("glad"), moods.count(None)) == (OLD_ROWS // 2, OLD_ROWS // 2 + 2)
        assert found(ledger, "port") == ["port is 2"]
        assert say(ledger, "tea is green").current
        assert ledger.integrity() == []
        numbers = [row[0] for row in dump(ledger)["migrations"]]
        assert numbers == list(range(1, len(known) + 1))
    with open_ledger(filled, known=known) as again:
        assert len(texts(again)) == OLD_ROWS + 2


def test_the_backup_from_before_is_encrypted_and_opens_with_the_old_version(filled: Path) -> None:
    open_ledger(filled, known=NEW).close()
    copy = backup_of(filled)
    assert copy.stat().st_mode & 0o777 == 0o600
    with pytest.raises(sqlite3.DatabaseError), closing(sqlite3.connect(copy)) as plain:
        plain.execute("SELECT * FROM sqlite_master")
    elsewhere = filled.with_name("old")
    elsewhere.mkdir()
    with open_ledger(copy.rename(elsewhere / "memory.db")) as old:
        assert len(texts(old)) == OLD_ROWS + 1
        assert old.integrity() == []


def test_an_upgrades_backup_is_named_when_a_fact_is_erased(filled: Path, clock: Clock) -> None:
    clock.go_on(days=1)
    with open_ledger(filled, known=NEW, now=clock) as ledger:
        fact = ledger.read(lambda r: r.search(["port"], EVERYTHING))[0].fact
        assert ledger.erase([fact.id]).still_in == (str(backup_of(filled)),)


def test_nothing_is_backed_up_when_nothing_is_to_do(filled: Path) -> None:
    before = digest(filled)
    open_ledger(filled).close()
    assert digest(filled) == before
    assert not backup_of(filled).exists()


def test_an_old_version_refuses_a_newer_file_with_both_numbers(filled: Path) -> None:
    open_ledger(filled, known=NEWEST).close()
    before = digest(filled)
    with pytest.raises(NewerStore, match=r"schema 3.* only 1"):
        open_ledger(filled)
    assert digest(filled) == before


@contextmanager
def forged(path: Path) -> Iterator[Any]:
    with closing(connect(path, KEY, write=True)) as db:
        yield db


@pytest.mark.parametrize("missing", [1, 2])
def test_a_gap_in_the_record_of_migrations_is_refused(filled: Path, missing: int) -> None:
    open_ledger(filled, known=NEWEST).close()
    with forged(filled) as db:
        db.execute("DROP TRIGGER migrations_never_deleted")
        db.execute("DELETE FROM migrations WHERE number = ?", (missing,))
    before = digest(filled)
    with pytest.raises(MigrationGap, match=f"migration {missing}"):
        open_ledger(filled, known=NEWEST)
    assert digest(filled) == before


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE facts ADD COLUMN surprise TEXT",
        "ALTER TABLE runs DROP COLUMN plan",
        "CREATE TABLE surprise (x)",
        "DROP INDEX facts_by_hash",
        "DROP TRIGGER outcomes_never_changed",
    ],
)
def test_real_tables_are_compared_with_the_expected_ones_at_every_start(
    filled: Path, sql: str
) -> None:
    with forged(filled) as db:
        db.execute(sql)
    for known in (MIGRATIONS, NEW):
        with pytest.raises(SchemaDiffers):
            open_ledger(filled, known=known)
    assert not backup_of(filled).exists()


def _fails(db: Any) -> None:
    _moods(db)
    raise sqlcipher.OperationalError("injected")


def _loses_a_row(db: Any) -> None:
    db.execute("DELETE FROM settings")


def _merges_equal_texts(db: Any) -> None:
    db.execute("DELETE FROM turns WHERE nr NOT IN (SELECT min(nr) FROM turns GROUP BY text)")


def _rewrites_a_text(db: Any) -> None:
    db.execute("UPDATE turns SET text = upper(text)")


def _breaks_a_reference(db: Any) -> None:
    db.execute("CREATE TABLE x (f TEXT REFERENCES facts (id))")
    db.execute("INSERT INTO x VALUES ('nothing')")


def _deletes_a_fact(db: Any) -> None:
    db.execute("DELETE FROM facts")


BAD = [
    _fails, _loses_a_row, _merges_equal_texts, _rewrites_a_text, _breaks_a_reference,
    _deletes_a_fact,
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_a_migration_that_fails_or_loses_something_changes_nothing(filled: Path, bad: Any) -> None:
    before, whole = digest(filled), rows(filled)
    ledger = open_ledger(filled, known=(*NEW, Migration(3, "bad", bad)))
    assert ledger.trouble == "migration_failed"
    assert ledger.step in ("bad", "comparing")
    assert found(ledger, "port") == ["port is 2"], "recall goes on"
    assert len(texts(ledger)) == OLD_ROWS + 1
    for refused in (
        lambda: say(ledger, "tea is green"),
        lambda: ledger.erase(["x"]),
        lambda: ledger.checkpoint(),
        lambda: ledger.integrity(),
    ):
        with pytest.raises(WriteRefused, match="upgrade failed"):
            refused()
    ledger.close()
    assert digest(filled) == before
    assert rows(filled) == whole
    with open_ledger(filled) as old:
        assert say(old, "tea is green").current
    with open_ledger(filled, known=NEW) as mended:
        assert mended.trouble is None
        assert len(texts(mended)) == OLD_ROWS + 2


def test_the_statement_that_fails_may_be_any_of_them(filled: Path) -> None:
    """Fail the first statement of the last migration, the second, and so on until none fails."""

    class Failing:
        def __init__(self, db: Any, after: int) -> None:
            self.db, self.left = db, after

        def execute(self, sql: str) -> Any:
            self.left -= 1
            if self.left < 0:
                raise sqlcipher.OperationalError("injected")
            return self.db.execute(sql)

    before = digest(filled)
    failures = 0
    for number in range(10):
        migration = Migration(2, "moods", lambda db, n=number: _moods(Failing(db, n)))  # type: ignore[misc]
        try:
            ledger = open_ledger(filled, known=(*MIGRATIONS, migration))
        except sqlcipher.OperationalError:  # also the expected tables are made with it
            pytest.fail("an injected error has to be told, not raised")
        state, step = ledger.trouble, ledger.step
        ledger.close()
        if state is None:
            break
        failures += 1
        assert step == "moods"
        assert digest(filled) == before
    assert failures == 3


def test_backups_of_failed_upgrades_do_not_gather_and_one_of_a_crash_is_kept(
    filled: Path,
) -> None:
    for _ in range(3):
        open_ledger(filled, known=(*MIGRATIONS, Migration(2, "bad", _fails))).close()
    assert list(filled.parent.glob("memory.db.*")) == []
    backup_of(filled).write_bytes(b"half a backup")
    with open_ledger(filled, known=NEW) as ledger:
        assert ledger.trouble is None
    assert backup_of(filled).read_bytes() == b"half a backup"
    assert filled.with_name("memory.db.before-2.2").stat().st_size > 100_000
