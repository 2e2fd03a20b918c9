"""What every part of a reader and a writer stands on: a connection, a clock, one way to run SQL."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from dormouse.facts import Look
from dormouse.ledger.rows import Prepared
from dormouse.times import Clock, stamp

URGENT = 4_096  # characters of a turn that a full disk still takes, so that "forget" works

Prepare = Callable[[str], Prepared]


def clean(text: str) -> str:
    """*text* without what SQLite can't bind or reads wrongly: lone surrogates and NUL."""
    if text.isascii():
        return text.replace("\0", "�") if "\0" in text else text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "�")


def as_list(values: Iterable[str]) -> str:
    """Values for ``IN (SELECT value FROM json_each(?))``: one statement for any number of them."""
    return json.dumps(list(values))


def visible(look: Look, table: str = "f") -> tuple[str, tuple[str | None, ...]]:
    """The condition for what *look* may see, and its values."""
    if look.everything:
        return "1", ()
    parts = [f"{table}.scope IN ('user', 'organisation')"]
    values: list[str | None] = []
    if look.project_id is not None:
        parts.append(f"({table}.scope = 'project' AND {table}.project_id = ?)")
        values.append(look.project_id)
        if look.branch is not None:
            parts.append(
                f"({table}.scope = 'branch' AND {table}.project_id = ? AND {table}.branch = ?)"
            )
            values += [look.project_id, look.branch]
    if look.session_id is not None:
        parts.append(f"({table}.scope = 'session' AND {table}.session_id = ?)")
        values.append(look.session_id)
    return f"({' OR '.join(parts)})", tuple(values)


class Connected:
    """A connection with the clock and the one preparation of texts."""

    def __init__(
        self, db: Any, prepare: Prepare, clock: Clock, room: Callable[[], None] = lambda: None
    ) -> None:
        self._db = db
        self._prepare = prepare
        self._clock = clock
        self._room = room

    def _refuse_if_full(self, size: int | None = None) -> None:
        """Raise DiskFull if the disk is full, unless it is only a small text."""
        if size is None or size > URGENT:
            self._room()

    def _now(self) -> str:
        return stamp(self._clock())

    def now(self) -> str:
        """The time of this ledger's clock."""
        return self._now()

    def _run(self, sql: str, *values: object) -> Any:
        try:
            return self._db.execute(sql, values)
        except UnicodeEncodeError:
            cleaned = tuple(clean(v) if isinstance(v, str) else v for v in values)
            return self._db.execute(sql, cleaned)

    def _all(self, sql: str, *values: object) -> list[Any]:
        rows: list[Any] = self._run(sql, *values).fetchall()
        return rows

    def _one(self, sql: str, *values: object) -> Any:
        """The first row, or None."""
        return self._run(sql, *values).fetchone()

    def _scalar(self, sql: str, *values: object) -> Any:
        """The first value of the first row, or None."""
        row = self._run(sql, *values).fetchone()
        return None if row is None else row[0]

    def _prepared(self, text: str) -> Prepared:
        """*text* made fit to be stored: the only way by which a text comes into the ledger."""
        prepared = self._prepare(text)
        if prepared.text.isascii() and "\0" not in prepared.text:
            return prepared
        return prepared._replace(text=clean(prepared.text))

    def hash_of(self, text: str) -> str:
        """The hash under which equal texts are found."""
        return self._prepare(text).hash
