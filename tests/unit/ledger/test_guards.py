"""No statement can lose or rewrite a fact: the authorizer refuses it, then the triggers do."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlcipher3.dbapi2 as sqlcipher

from dormouse.ledger import Ledger
from dormouse.ledger.connecting import connect
from tests.unit.ledger.store import KEY, dump, found, open_ledger, say, supersede

LOSING = [
    "DELETE FROM facts",
    "DELETE FROM facts WHERE id = 'x'",
    "UPDATE facts SET text = 'x'",
    "UPDATE OR REPLACE facts SET id = 'x'",
    "UPDATE facts SET captured_at = 'x'",
    "UPDATE facts SET text_hash = 'x'",
    "UPDATE facts SET words = ''",
    "UPDATE facts SET nr = nr + 1",
    "DELETE FROM judgments",
    "UPDATE judgments SET verdict = 'keep'",
    "UPDATE judgments SET reason = NULL",
    "DELETE FROM outcomes",
    "UPDATE outcomes SET outcome = 'undone'",
    "DELETE FROM erasures",
    "DELETE FROM migrations",
    "UPDATE migrations SET number = 9",
]
REPLACING = [
    "REPLACE INTO facts SELECT * FROM facts",
    "INSERT OR REPLACE INTO facts SELECT nr, 'aaaabbbbccccdddd', scope, project_id, branch,"
    " session_id, retired_at, retired_because, superseded_by, kind, layer, trust, confidence,"
    " importance, weight, pinned, stated_at, valid_from, valid_to, captured_at, language, subject,"
    " attribute, value, text_hash, 'another', words FROM facts LIMIT 1",
    "REPLACE INTO judgments SELECT * FROM judgments",
    "REPLACE INTO outcomes SELECT * FROM outcomes",
]
CHANGING = [
    "DROP TABLE facts",
    "DROP TRIGGER facts_never_deleted",
    "DROP VIEW current_facts",
    "ALTER TABLE facts DROP COLUMN text",
    "ALTER TABLE facts RENAME TO gone",
    "ATTACH ':memory:' AS other",
    "CREATE TRIGGER bad AFTER INSERT ON facts BEGIN UPDATE facts SET pinned = 1; END",
    "CREATE TEMP TRIGGER bad AFTER INSERT ON facts BEGIN UPDATE facts SET pinned = 1; END",
    "CREATE TABLE other (x)",
    "CREATE TEMP TABLE other (x)",
    "CREATE VIEW other AS SELECT 1",
    "INSERT INTO erasures (fact_id, at, open) VALUES ('x', 'x', 1)",
    "INSERT INTO migrations (number, name, at) VALUES (2, 'x', 'x')",
    "UPDATE store SET value = 'x'",
    "DELETE FROM sqlite_master",
    "VACUUM",
    "VACUUM INTO '/tmp/never'",
    "REINDEX",
    "PRAGMA writable_schema = ON",
    "PRAGMA recursive_triggers = OFF",
    "PRAGMA foreign_keys = OFF",
    "PRAGMA secure_delete = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA temp_store = FILE",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA ignore_check_constraints = ON",
    "PRAGMA rekey = 'x'",
    "PRAGMA key = 'x'",
    "PRAGMA trusted_schema = ON",
    "SELECT load_extension('x')",
    "SELECT sqlcipher_export('x')",
]


@pytest.fixture
def filled(ledger: Ledger) -> Ledger:
    supersede(ledger, say(ledger, "tea is green"), say(ledger, "tea is black"))
    return ledger


@pytest.fixture
def unguarded(filled: Ledger) -> Iterator[Any]:
    """A connection as maintenance has it: no authorizer, the triggers only."""
    with contextlib.closing(connect(filled.path, KEY, write=True)) as db:
        yield db


@pytest.mark.parametrize("sql", LOSING + REPLACING + CHANGING)
def test_the_writer_refuses_what_could_lose_a_fact(filled: Ledger, sql: str) -> None:
    before = dump(filled)
    with pytest.raises(sqlcipher.DatabaseError):
        filled.write(lambda w: w._db.execute(sql).fetchall()).result(10)
    assert dump(filled) == before


BY_SQLITE = {"VACUUM", "VACUUM INTO '/tmp/never'", "DELETE FROM sqlite_master"}  # in any case


@pytest.mark.parametrize("sql", [sql for sql in LOSING + CHANGING if sql not in BY_SQLITE])
def test_the_authorizer_alone_refuses_it_at_compiling(filled: Ledger, sql: str) -> None:
    with pytest.raises(sqlcipher.DatabaseError, match=r"not authorized|prohibited"):
        filled.write(lambda w: w._db.execute(f"EXPLAIN {sql}")).result(10)


@pytest.mark.parametrize(
    "sql", [sql for sql in LOSING if "'x'" not in sql or "SET" in sql] + REPLACING
)
def test_the_triggers_alone_refuse_it_too(filled: Ledger, unguarded: Any, sql: str) -> None:
    before = dump(filled)
    unguarded.execute("BEGIN")
    unguarded.execute("INSERT INTO erasures (fact_id, at, open) VALUES ('another', 'x', 0)")
    with pytest.raises(sqlcipher.IntegrityError):
        unguarded.execute(sql)
    unguarded.execute("ROLLBACK")
    assert dump(filled) == before


def test_a_facts_own_trigger_refuses_to_delete_it(filled: Ledger, unguarded: Any) -> None:
    with pytest.raises(sqlcipher.IntegrityError, match="never deleted"):
        unguarded.execute("DELETE FROM facts")


def test_a_fact_goes_only_with_an_erasure_of_its_own_id_that_is_open(
    filled: Ledger, unguarded: Any
) -> None:
    ids = [row[0] for row in unguarded.execute("SELECT id FROM facts ORDER BY nr")]
    unguarded.execute("INSERT INTO erasures (fact_id, at, open) VALUES (?, 'x', 0)", (ids[0],))
    with pytest.raises(sqlcipher.IntegrityError, match="never deleted"):
        unguarded.execute("DELETE FROM facts WHERE id = ?", (ids[0],))
    unguarded.execute("INSERT INTO erasures (fact_id, at, open) VALUES (?, 'x', 1)", (ids[1],))
    with pytest.raises(sqlcipher.IntegrityError, match="never deleted"):
        unguarded.execute("DELETE FROM facts WHERE id = ?", (ids[0],))
    unguarded.execute("DELETE FROM facts WHERE id = ?", (ids[1],))
    assert unguarded.execute("SELECT retired_at, superseded_by FROM facts").fetchone()[1] is None


def test_a_fact_is_retired_once(unguarded: Any) -> None:
    with pytest.raises(sqlcipher.IntegrityError, match="retired already"):
        unguarded.execute("UPDATE facts SET retired_at = 'later' WHERE retired_at IS NOT NULL")


def test_without_recursive_triggers_replacing_would_lose_a_fact(unguarded: Any) -> None:
    """The reason for the setting: this is what it prevents."""
    unguarded.execute("PRAGMA recursive_triggers = OFF")
    unguarded.execute("PRAGMA foreign_keys = OFF")
    unguarded.execute("BEGIN")
    unguarded.execute(REPLACING[1])
    assert unguarded.execute("SELECT count(*) FROM facts WHERE text = 'another'").fetchone() == (1,)
    unguarded.execute("ROLLBACK")


def test_a_reader_can_change_nothing(filled: Ledger) -> None:
    for sql in [*LOSING, "INSERT INTO settings VALUES ('a', 'b')", "CREATE TABLE x (y)"]:
        with pytest.raises(sqlcipher.DatabaseError):
            filled.read(lambda r, sql=sql: r._db.execute(sql))  # type: ignore[misc]


def test_the_connection_has_every_setting_it_must_have(ledger: Ledger) -> None:
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "recursive_triggers": 1,
        "trusted_schema": 0,
        "temp_store": 2,
        "secure_delete": 1,
    }

    def values(db: Any) -> dict[str, Any]:
        return {name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in wanted}

    assert ledger.write(lambda w: values(w._db)).result(10) == wanted
    reader = ledger.read(lambda r: values(r._db))
    assert (reader["temp_store"], reader["trusted_schema"]) == (2, 0)
    assert ledger.read(lambda r: r._db.execute("PRAGMA query_only").fetchone()) == (1,)
    secure = "SELECT v FROM search_config WHERE k = 'secure-delete'"
    assert ledger.read(lambda r: r._db.execute(secure).fetchone()) == (1,)


def test_full_text_search_still_merges_its_index_under_the_authorizer(ledger: Ledger) -> None:
    for number in range(200):
        say(ledger, f"the port of service{number} is {number}")
    assert len(found(ledger, "port", limit=500)) == 200


def test_nothing_readable_reaches_the_disk(path: Path) -> None:
    with open_ledger(path) as ledger:
        say(ledger, "the canary is yellowhammer", at="2026-06-01T00:00:00.000+00:00")
        files = [file.read_bytes() for file in path.parent.iterdir()]
    assert len(files) == 4
    for content in [*files, path.read_bytes()]:
        assert b"yellowhammer" not in content
        assert b"SQLite format" not in content
