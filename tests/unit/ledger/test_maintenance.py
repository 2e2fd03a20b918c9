"""Erasing, backing up, checking: what only the owner has done, with the writer paused."""

import json
import stat
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from dormouse.errors import BadRequest, Conflict, NotFound, WrongKey
from dormouse.facts import How, Scope, Slot, Source
from dormouse.ledger import Captured, Ledger, Writer
from dormouse.ledger.connecting import PAGE, connect
from tests.unit.ledger.store import (
    EVERYTHING,
    KEY,
    Clock,
    decide,
    dump,
    found,
    journal,
    new_fact,
    open_ledger,
    say,
    settle,
    supersede,
    texts,
    turn,
)

CANARY = "yellowhammer"
STEM = b"yellowham"  # as far as the index keeps it
TEXT = f"the vault is at {CANARY}"


def decrypted(path: Path) -> bytes:
    """Every page in the clear, free ones too, as SQLCipher 4 lays it out.

    The first page begins with 16 bytes of salt; each ends with an initialisation vector of 16 bytes
    and an authentication code of 64.
    """
    raw = path.read_bytes()
    clear = []
    for start in range(0, len(raw), PAGE):
        page = raw[start : start + PAGE]
        vector = page[PAGE - 80 : PAGE - 64]
        cipher = Cipher(algorithms.AES(KEY), modes.CBC(vector)).decryptor()
        clear.append(cipher.update(page[0 if start else 16 : PAGE - 80]))
    return b"".join(clear)


def everywhere(ledger: Ledger) -> Any:
    """Put the canary into every table that can hold a text."""
    turn_id, _ = journal(ledger, turn(f"Remember: {TEXT.upper()}!", line_id="u1"))
    journal(ledger, turn("and something else"))
    old = say(ledger, TEXT, turn_id=turn_id, slot=Slot("vault", "place", CANARY))
    new = say(ledger, "the vault is at wren")
    supersede(ledger, old, new, reason=f"{CANARY} became wren")
    again = say(ledger, TEXT, scope=Scope.PROJECT, project_id="p1")

    def do(w: Writer) -> None:
        w.add_candidate(TEXT)
        w.add_candidate("something else")
        w.propose("pin", {"fact": old.id, "text": TEXT}, by="codex")
        w.keep_answer("k", "f", f'{{"text": "{TEXT}"}}')
        w.set_session_summary("codex", "s1", f"we learnt that {TEXT}")
        w.suppress(text_hash=w.hash_of(TEXT), slot=old.slot, project_id=None, by="owner")
        w.note_uses("codex", "s1", [old.id], "said")
        w.stop_run(w.open_run("settle"), [decide(again, new, reason=f"{CANARY}?")])
        w.add_source(new.id, Source("codex", "s9", None, How.EXPLICIT, "2026-06-01"))

    ledger.write(do).result(10)
    return old, new, again


def test_erasing_removes_a_fact_from_everywhere_and_counts_honestly(
    ledger: Ledger, path: Path
) -> None:
    old, new, again = everywhere(ledger)
    assert repr(dump(ledger)).lower().count(CANARY) > 10
    erased = ledger.erase([old.id])
    assert (erased.facts, erased.derived, erased.turns, erased.vectors) == (1, 1, 1, 0)
    assert (erased.derived_ids, erased.still_in, erased.checkpointed) == ((again.id,), (), True)
    assert CANARY not in repr(dump(ledger)).lower()
    assert (path.parent / "memory.db-wal").stat().st_size == 0
    assert texts(ledger, which="all") == ["the vault is at wren"]
    assert found(ledger, CANARY, history=True) == []
    assert [t.text for t in ledger.read(lambda r: r.turns())] == ["and something else"]
    assert len(ledger.read(lambda r: r.candidates(None))) == 1
    assert {row[0] for row in dump(ledger)["erasures"]} == {old.id, again.id}
    assert ledger.integrity() == []
    with pytest.raises(NotFound):
        ledger.read(lambda r: r.fact(old.id))
    assert ledger.read(lambda r: r.judgments(fact_id=new.id)), "that was judged stays"


@pytest.mark.parametrize(
    "text",
    [
        f'the "{CANARY}" opens the vault',
        f"die Tür zum Tresor heißt {CANARY}",
        f"the vault is at C:\\{CANARY}\\x",
        f"the vault is\tat {CANARY}\nand nowhere else",
    ],
    ids=["quotes", "umlauts", "backslashes", "white space"],
)
def test_an_erased_text_is_found_in_stored_json_however_it_is_escaped_there(
    ledger: Ledger, text: str
) -> None:
    fact = say(ledger, text)

    def do(w: Writer) -> None:
        w.propose("pin", {"fact": fact.id, "text": text}, by="codex")
        answer = json.dumps({"id": fact.id, "text": text})
        w.keep_answer("k", "f", json.dumps({"status": 200, "body": answer}))

    ledger.write(do).result()
    ledger.erase([fact.id])
    assert CANARY not in repr(dump(ledger)).lower()


def test_no_copy_of_an_erased_word_stays_in_the_pages(path: Path) -> None:
    """Both settings are needed: without FTS5's or without the pragma copies stay."""
    with open_ledger(path) as ledger:
        for number in range(300):
            say(ledger, f"filler number{number} stands here")
        fact = say(ledger, f"the vault is at {CANARY}")
        for number in range(300):
            say(ledger, f"filler number{number} stands there")
        ledger.erase([fact.id])
        assert ledger.integrity() == []
    assert STEM not in decrypted(path)


def test_looking_into_pages_would_find_a_word_that_is_there(path: Path) -> None:
    with open_ledger(path) as ledger:
        say(ledger, TEXT)
    assert decrypted(path).count(STEM) >= 3, "in the text, its words and the index"


def test_a_dry_run_counts_and_changes_nothing(ledger: Ledger) -> None:
    old, _, again = everywhere(ledger)
    before = dump(ledger)
    planned = ledger.erase([old.id], dry_run=True)
    assert dump(ledger) == before
    assert planned.derived_ids == (again.id,)
    assert ledger.erase([old.id]) == planned


def test_erasing_what_is_not_there_changes_nothing(ledger: Ledger) -> None:
    tea = say(ledger, "tea is green")
    before = dump(ledger)
    with pytest.raises(NotFound):
        ledger.erase([tea.id, "aaaabbbbccccdddd"])
    assert dump(ledger) == before


def test_what_an_erased_fact_retired_stays_retired(ledger: Ledger) -> None:
    old, new = say(ledger, "port is 1"), say(ledger, "port is 2")
    supersede(ledger, old, new)
    ledger.erase([new.id])
    read = ledger.read(lambda r: r.fact(old.id))
    assert (read.current, read.superseded_by) == (False, None)
    (link,) = ledger.read(lambda r: r.chain(old.id))
    assert link.judgment is not None
    restored = ledger.write(lambda w: w.restore(old.id, by="owner")).result(10)
    assert restored.current


def test_backups_that_still_hold_an_erased_fact_are_named(
    ledger: Ledger, tmp_path: Path, clock: Clock
) -> None:
    ledger.backup(tmp_path / "before")
    clock.go_on(hours=1)
    tea = say(ledger, "tea is green")
    clock.go_on(hours=1)
    for name in ("kept", "gone"):
        ledger.backup(tmp_path / name)
    (tmp_path / "disk").mkdir()
    ledger.backup(tmp_path / "disk" / "unplugged")
    (tmp_path / "gone").unlink()
    (tmp_path / "disk" / "unplugged").unlink()
    (tmp_path / "disk").rmdir()
    still_in = ledger.erase([tea.id]).still_in
    assert still_in == (str(tmp_path / "kept"), str(tmp_path / "disk" / "unplugged"))


def test_a_backup_is_encrypted_private_and_opens_with_the_same_key(
    ledger: Ledger, tmp_path: Path
) -> None:
    say(ledger, TEXT)
    target = tmp_path / "copy" / "memory.db"
    target.parent.mkdir()
    ledger.backup(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert CANARY.encode() not in target.read_bytes()
    with pytest.raises(WrongKey):
        open_ledger(target, bytes(32))
    with open_ledger(target) as copy:
        assert texts(copy) == [TEXT]
        assert found(copy, CANARY) == [TEXT]
        assert copy.store_id == ledger.store_id
        assert copy.integrity() == []


def test_a_backup_never_overwrites_and_says_where_it_can_not_be_written(
    ledger: Ledger, tmp_path: Path
) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(Conflict, match="notes"):
        ledger.backup(tmp_path / "notes")
    assert (tmp_path / "notes").read_text() == "mine"
    with pytest.raises(BadRequest, match="nowhere"):
        ledger.backup(tmp_path / "nowhere" / "copy")
    assert dump(ledger)["copies"] == []


def test_a_whole_file_has_no_problems_while_others_read_and_write(ledger: Ledger) -> None:
    supersede(ledger, say(ledger, "port is 1"), say(ledger, "port is 2"))
    assert ledger.integrity() == []
    assert ledger.trouble is None
    assert ledger.checkpoint() is True


def test_a_damaged_page_is_found_and_writes_are_refused(path: Path) -> None:
    with open_ledger(path) as ledger:
        for number in range(300):
            say(ledger, f"fact {number}")
    with closing(connect(path, KEY)) as db:
        sql = "SELECT rootpage FROM sqlite_master WHERE name = 'facts_by_hash'"
        (page,) = db.execute(sql).fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * PAGE + 100] ^= 1
    path.write_bytes(content)
    ledger = open_ledger(path)
    problems = ledger.integrity()
    assert problems
    assert not any("fact" in problem and "number" in problem for problem in problems)
    assert ledger.trouble == "integrity"
    with pytest.raises(Exception, match="damaged"):
        say(ledger, "tea is green")
    ledger.close()


def test_a_missing_search_row_is_found(path: Path) -> None:
    with open_ledger(path) as ledger:
        tea = say(ledger, "tea is green")
    with closing(connect(path, KEY, write=True)) as db:
        db.execute(
            "INSERT INTO search (search, rowid, words) SELECT 'delete', nr, words FROM facts"
            " WHERE id = ?",
            (tea.id,),
        )
    with open_ledger(path) as ledger:
        assert any("search" in problem for problem in ledger.integrity())


def test_secrets_of_an_older_version_are_counted_without_showing_them(path: Path) -> None:
    with open_ledger(path) as ledger:
        say(ledger, "tea is green")
        journal(ledger, turn("milk is white"))
        assert ledger.count_secrets(lambda text: "tea" in text or "milk" in text) == 2
        assert ledger.count_secrets(lambda text: "ghp_" in text) == 0


def capture(ledger: Ledger, text: str) -> "Future[Captured]":
    new = new_fact(text)
    return ledger.write(lambda w: w.capture(new))


def test_maintenance_waits_for_what_came_before_and_nothing_is_lost_around_it(
    ledger: Ledger, tmp_path: Path
) -> None:
    futures = []
    for number in range(30):
        futures.append(capture(ledger, f"fact {number}"))
        if number % 10 == 5:
            ledger.backup(tmp_path / f"copy{number}")
    assert len({future.result(10).fact.id for future in futures}) == 30
    assert len(ledger.read(lambda r: r.facts(EVERYTHING))) == 30
    assert settle(ledger)[1].skipped == 0
