"""Look into a ledger as its owner could, with the key from the key slots, to see what stands in it.

Only tests do this: it goes round the daemon.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlcipher3

from dormouse.keys import KeySlots


@contextmanager
def opened(home: Path) -> Iterator[Any]:
    """A connection to the ledger of *home*; it may write, as an older version might have."""
    key = KeySlots.load(home / "keyslots.json").open_with_keyfile()
    with closing(sqlcipher3.connect(str(home / "memory.db"))) as connection:
        connection.execute(f"PRAGMA key = \"x'{key.hex()}'\"")
        yield connection


@contextmanager
def unguarded(home: Path, table: str) -> Iterator[Any]:
    """A connection on which *table* has no triggers: what a stranger could do to the file."""
    with opened(home) as connection:
        triggers = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", (table,)
        ).fetchall()
        for name, _ in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        yield connection
        for _, statement in triggers:
            connection.execute(statement)
        connection.commit()


def dump(home: Path) -> str:
    """Every value of every table, as one text."""
    with opened(home) as connection:
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%fts5%'"
            )
        ]
        rows: list[Any] = []
        for table in tables:
            rows += connection.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - our own schema
        return "\n".join(map(str, rows))
