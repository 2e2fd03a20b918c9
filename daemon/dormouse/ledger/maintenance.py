"""What the writer may not do: erase, back up, check. It runs while the writer is paused.

The connection is short-lived and has no authorizer; the triggers stay, so a fact goes only with its
erasures row in the same transaction.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dormouse.errors import NotFound
from dormouse.handoffs import Content
from dormouse.ledger.base import as_list
from dormouse.ledger.connecting import DatabaseError, error_name
from dormouse.ledger.rows import Erased

IN_THE_WAY = "a reader was in the way"
_TEXTS = (
    ("facts", "text"),
    ("turns", "text"),
    ("candidates", "text"),
    ("proposals", "payload"),
    ("focus", "text"),
    ("handoffs", "content"),
)
ERASED_CONTENT = json.dumps(Content("[erased]").as_dict())
_IN = "IN (SELECT value FROM json_each(?))"


def derived_from(db: Any, ids: Sequence[str]) -> list[str]:
    """Facts made out of *ids* by sleep or merging, and facts of equal text: they hold it too."""
    found = list(ids)
    for id in found:
        rows = db.execute(
            "SELECT fact_id FROM sources WHERE from_fact = ?1"
            " UNION SELECT id FROM facts WHERE superseded_by = ?1 AND retired_because = 'duplicate'"
            " UNION SELECT id FROM facts WHERE text_hash ="
            " (SELECT text_hash FROM facts WHERE id = ?1)",
            (id,),
        ).fetchall()
        found += [row[0] for row in rows if row[0] not in found]
    return found[len(ids) :]


def erase(db: Any, ids: Iterable[str], now: str, *, dry_run: bool = False) -> Erased:
    """Destroy facts and what holds their text. Raises NotFound; ``dry_run`` only counts."""
    named = list(dict.fromkeys(ids))
    for id in named:
        if db.execute("SELECT 1 FROM facts WHERE id = ?", (id,)).fetchone() is None:
            raise NotFound(what="fact", id=id)
    db.execute("BEGIN IMMEDIATE")
    try:
        derived = derived_from(db, named)
        still_in = _copies_with(db, [*named, *derived])
        counts = _erase_all(db, [*named, *derived], now)
        db.execute("ROLLBACK" if dry_run else "COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
    facts, vectors, turns = counts
    return Erased(
        facts - len(derived), vectors, turns, len(derived), tuple(derived), tuple(still_in)
    )


def _erase_all(db: Any, ids: list[str], now: str) -> tuple[int, int, int]:
    wanted = as_list(ids)
    texts = [r[0] for r in db.execute(f"SELECT text FROM facts WHERE id {_IN}", (wanted,))]
    hashes = [r[0] for r in db.execute(f"SELECT text_hash FROM facts WHERE id {_IN}", (wanted,))]
    db.executemany(
        "INSERT INTO erasures (fact_id, at, open) VALUES (?, ?, 1)", [(id, now) for id in ids]
    )
    turns = _erase_turns(db, wanted, texts)
    _erase_beside(db, wanted, texts, hashes)
    numbers = f"(SELECT nr FROM facts WHERE id {_IN})"
    # First out of the conversation: its trigger takes the words away from the neighbours' rows.
    db.execute(f"DELETE FROM conversation_facts WHERE fact_nr IN {numbers}", (wanted,))
    db.execute(
        "INSERT INTO search (search, rowid, words, near)"
        f" SELECT 'delete', nr, words, near FROM search_rows WHERE nr IN {numbers}",
        (wanted,),
    )
    vectors = db.execute(f"DELETE FROM vectors WHERE fact_nr IN {numbers}", (wanted,)).rowcount
    facts = db.execute(f"DELETE FROM facts WHERE id {_IN}", (wanted,)).rowcount
    db.execute("UPDATE erasures SET open = 0 WHERE open = 1")
    return facts, vectors, turns


def _erase_turns(db: Any, wanted: str, texts: list[str]) -> int:
    """The turns that are a source of the facts, or that contain their text."""
    gone = {
        row[0]
        for row in db.execute(
            f"SELECT id FROM turns WHERE id IN (SELECT turn_id FROM sources WHERE fact_id {_IN})",
            (wanted,),
        )
    }
    gone |= {id for id, text in db.execute("SELECT id, text FROM turns") if _holds(text, texts)}
    return int(db.execute(f"DELETE FROM turns WHERE id {_IN}", (as_list(gone),)).rowcount)


def _erase_beside(db: Any, wanted: str, texts: list[str], hashes: list[str]) -> None:
    """Everything else in which a text, or something said about it, is kept."""
    for table, key, column in (
        ("candidates", "id", "text"),
        ("proposals", "id", "payload"),
        ("kept_answers", "key", "answer"),
    ):
        rows = db.execute(f"SELECT {key}, {column} FROM {table}").fetchall()
        gone = as_list(row[0] for row in rows if _holds(row[1], texts))
        db.execute(f"DELETE FROM {table} WHERE {key} {_IN}", (gone,))
    _erase_passed_on(db, texts)
    for agent, id, summary in db.execute(
        "SELECT agent, id, summary FROM sessions WHERE summary IS NOT NULL"
    ).fetchall():
        if _holds(summary, texts):
            db.execute("UPDATE sessions SET summary = NULL WHERE agent = ? AND id = ?", (agent, id))
    db.execute(
        "UPDATE suppressions SET subject = NULL, attribute = NULL, value = NULL"
        f" WHERE text_hash {_IN}",
        (as_list(hashes),),
    )
    db.execute(
        f"UPDATE judgments SET reason = NULL WHERE older_id {_IN} OR newer_id {_IN}",
        (wanted, wanted),
    )
    db.execute(
        "UPDATE runs SET plan = NULL WHERE plan IS NOT NULL AND EXISTS (SELECT 1 FROM"
        " json_each(?) AS w WHERE instr(plan, w.value))",
        (wanted,),
    )


def _erase_passed_on(db: Any, texts: list[str]) -> None:
    """Working memory, details of other facts, and what was handed on: of a handoff that holds a
    text only its goal's place stays, so that its history can still be read."""
    for agent, id, hash_, text in db.execute(
        "SELECT agent, session_id, text_hash, text FROM focus"
    ).fetchall():
        if _holds(text, texts):
            db.execute(
                "DELETE FROM focus WHERE agent = ? AND session_id = ? AND text_hash = ?",
                (agent, id, hash_),
            )
    said = "SELECT nr, json_array(steps, tools, outcome, context) FROM details"
    gone = as_list(str(nr) for nr, more in db.execute(said).fetchall() if _holds(more, texts))
    db.execute(f"DELETE FROM details WHERE CAST(nr AS TEXT) {_IN}", (gone,))
    for id, content in db.execute("SELECT id, content FROM handoffs").fetchall():
        if _holds(content, texts):
            db.execute("UPDATE handoffs SET content = ? WHERE id = ?", (ERASED_CONTENT, id))


def _holds(text: str, texts: Sequence[str]) -> bool:
    """Whether *text* contains one of *texts*; white space and case make no difference."""
    flat = " ".join(" ".join([text, *_inside(text)]).split()).casefold()
    return any(_flat(one) in flat for one in texts)


def _inside(text: str) -> Iterator[str]:
    """The texts in stored JSON as they were said, also of JSON within it: there it is escaped."""
    if not text.startswith(("{", "[")):
        return
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
            yield from _inside(value)
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".!?。！？")


def _copies_with(db: Any, ids: list[str]) -> list[str]:
    """Backups and exports made since one of *ids* was captured, unless they are gone for sure."""
    first = db.execute(
        f"SELECT min(captured_at) FROM facts WHERE id {_IN}", (as_list(ids),)
    ).fetchone()[0]
    rows = db.execute("SELECT DISTINCT path FROM copies WHERE at >= ? ORDER BY at", (first,))
    # A folder that is not there may be a disk that is not plugged in.
    return [r[0] for r in rows if Path(r[0]).exists() or not Path(r[0]).parent.exists()]


def checkpoint(db: Any) -> bool:
    """Move the log into the file and empty it; False if a reader was in the way."""
    (busy, _, _) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def integrity(db: Any) -> list[str]:
    """What is wrong with the file, in words without any text of a fact; empty if nothing is."""
    if not checkpoint(db):  # the cipher's check would give false alarms on a partly emptied log
        return [f"{IN_THE_WAY}, nothing was checked"]
    return damage(db) + _run(db, (("search row", _search_rows),))


def damage(db: Any) -> list[str]:
    """The same of a file that is only read and has no log: all but the search rows."""
    return _run(db, (("page", _pages), ("structure", _structure), ("reference", _references)))


def _run(db: Any, checks: Iterable[tuple[str, Callable[[Any], list[str]]]]) -> list[str]:
    problems = []
    for name, check in checks:
        try:
            problems += [f"{name}: {found}" for found in check(db)]
        except DatabaseError as error:  # what is damaged may not even be readable
            problems.append(f"{name}: {error_name(error)}")
    return problems


def _pages(db: Any) -> list[str]:
    return [str(row[0]) for row in db.execute("PRAGMA cipher_integrity_check").fetchall()]


def _structure(db: Any) -> list[str]:
    rows = db.execute("PRAGMA integrity_check(20)").fetchall()
    return [str(row[0]) for row in rows if row[0] != "ok"]


def _references(db: Any) -> list[str]:
    rows = db.execute("PRAGMA foreign_key_check").fetchall()
    return [f"a row of {row[0]} refers to nothing in {row[2]}" for row in rows]


def _search_rows(db: Any) -> list[str]:
    facts = db.execute("SELECT count(*) FROM facts").fetchone()[0]
    indexed = db.execute("SELECT count(*) FROM search_docsize").fetchone()[0]
    db.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
    return [] if facts == indexed else [f"{indexed} for {facts} facts"]


def count_holding(db: Any, find: Callable[[str], object]) -> int:
    """In how many rows *find* finds something."""
    return sum(
        1
        for table, column in _TEXTS
        for row in db.execute(f"SELECT {column} FROM {table}")
        if find(row[0])
    )
