"""Case 28: an upgrade keeps every row or changes nothing. The newer version is a copy of this."""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.decrypt import dump, opened, unguarded
from tests.machine import Machine
from tests.mutations import Copy
from tests.source import needs_source

pytestmark = [pytest.mark.slow, needs_source]

DERIVED = ("vectors", "moved")  # made in the background from the facts, whatever the version
FILE = "daemon/dormouse/ledger/migrations.py"
ONE = 'MIGRATIONS: tuple[Migration, ...] = (Migration(1, "first", _first),)'
TWO = """
def _second(db: Any) -> None:
    db.execute("ALTER TABLE facts ADD COLUMN mood TEXT")
    db.execute("CREATE INDEX facts_by_mood ON facts (mood)")
    {then}

MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "first", _first), Migration(2, "moods", _second),
)
"""


def newer(folder: Path, then: str = "") -> Path:
    """The program of a version with a second schema; *then* is what its migration does last."""
    copy = Copy(folder)
    path = copy.tree / FILE
    text = path.read_text()
    assert text.count(ONE) == 1
    path.write_text(text.replace(ONE, TWO.format(then=then)))
    return copy.python.parent / "dormouse"


@pytest.fixture
def filled(daemon: Machine) -> Machine:
    """A stopped store of 1,000 facts, some of them retired, and some turns with equal texts."""
    for number in range(1_000):
        daemon.remember(f"shelf {number} holds part {number * 7}", settle=False)
    for fact in daemon.facts()[:5]:
        daemon.ask("POST", f"/v1/facts/{fact['id']}/retire", {"why": "owner"})
    for _ in range(3):
        session = daemon.session("claude-code", daemon.work)
        session.prompt("good morning")
        session.stop("Good morning!")
    daemon.settled()
    daemon.down()
    return daemon


def content(home: Path) -> dict[str, object]:
    """Row counts of every table of ours and the multiset of texts."""
    with opened(home) as connection:
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search%'"
            )
            if row[0] not in ("migrations", "copies", *DERIVED)
        ]
        found: dict[str, object] = {
            name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]  # noqa: S608
            for name in tables
        }
        found["texts"] = sorted(
            connection.execute("SELECT text FROM facts UNION ALL SELECT text FROM turns").fetchall()
        )
    return found


def digest(home: Path) -> str:
    return hashlib.sha256((home / "memory.db").read_bytes()).hexdigest()


def copies(machine: Machine) -> Iterator[Path]:
    return machine.home.glob("memory.db.before-*")


def test_case_28_an_upgrade_keeps_every_row_and_a_backup_from_before(
    filled: Machine, tmp_path: Path
) -> None:
    before = content(filled.home)
    old_program, filled.program = filled.program, newer(tmp_path)
    filled.up()
    assert filled.recall("shelf 77")
    filled.down()
    assert content(filled.home) == before

    filled.program = old_program
    refused = filled.cli("up", check=False)
    assert refused.returncode == 7
    assert "2" in refused.stderr
    assert "1" in refused.stderr
    filled.kill()

    (backup,) = copies(filled)
    assert not backup.read_bytes().startswith(b"SQLite format 3")
    shutil.copy(backup, filled.home / "memory.db")
    for leftover in ("memory.db-wal", "memory.db-shm"):
        (filled.home / leftover).unlink(missing_ok=True)
    filled.up()
    assert filled.recall("shelf 77")
    filled.down()
    assert content(filled.home) == before


def test_case_28_a_migration_that_fails_half_way_changes_nothing(
    filled: Machine, tmp_path: Path
) -> None:
    before = digest(filled.home)
    filled.program = newer(tmp_path, then='raise RuntimeError("half way")')
    filled.cli("up", check=False)
    assert filled.recall("shelf 77"), "what is known can still be recalled"
    status, answer = filled.call("POST", "/v1/facts", {"text": "nothing new can be captured now"})
    assert status >= 500, answer
    given = {"session_id": "s", "cwd": str(filled.work), "prompt": "which part is on shelf 77?"}
    assert filled.hook("claude-code", "UserPromptSubmit", given).returncode == 0
    said = filled.cli("status", check=False)
    assert said.returncode == 1
    assert "migration" in said.stdout + said.stderr
    filled.down()
    assert digest(filled.home) == before
    assert "half way" not in dump(filled.home)


def test_case_28_a_gap_in_the_record_of_migrations_is_refused(filled: Machine) -> None:
    with unguarded(filled.home, "migrations") as connection:
        connection.execute("DELETE FROM migrations")
    before = digest(filled.home)
    refused = filled.cli("up", check=False)
    assert refused.returncode == 7
    assert "migration" in refused.stderr
    assert digest(filled.home) == before
