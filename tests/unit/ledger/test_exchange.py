"""Another file in a store's place: whole, encrypted, and with nothing of the old one's log."""

from pathlib import Path

import pytest

from dormouse.errors import Conflict, Damaged, DamagedBackup, ForeignStore, WrongKey
from dormouse.ledger import Ledger, exchange
from dormouse.ledger.exchange import DRAFT
from tests.unit.ledger import store
from tests.unit.ledger.store import KEY

NEW = bytes(reversed(range(32)))
TEXT = b"canary-4711"


def filled(folder: Path) -> Path:
    path = store.make(folder)
    with store.open_ledger(path) as ledger:
        store.say(ledger, f"the vault is at {TEXT.decode()}")
    return path


def texts(path: Path, key: bytes) -> list[str]:
    with Ledger(path, key, prepare=store.prepare, now=store.Clock()) as ledger:
        return [fact.text for fact in ledger.read(lambda r: r.facts(store.EVERYTHING))]


def test_a_draft_under_a_new_key_holds_the_same_and_the_old_key_does_not_open_it(
    tmp_path: Path,
) -> None:
    path = filled(tmp_path)
    draft = exchange.draft_of(path, KEY, path, NEW)
    exchange.put_in_place(draft, path)
    assert texts(path, NEW) == [f"the vault is at {TEXT.decode()}"]
    with pytest.raises(WrongKey):
        texts(path, KEY)
    assert not list(tmp_path.glob(DRAFT + "*"))


def test_at_no_moment_a_text_stands_in_clear_beside_it(tmp_path: Path) -> None:
    path = filled(tmp_path)
    exchange.draft_of(path, KEY, path, NEW)
    for file in tmp_path.iterdir():
        assert TEXT not in file.read_bytes(), file
        assert file.stat().st_mode & 0o077 == 0, file


def test_a_log_that_still_holds_something_is_never_mixed_with_another_file(tmp_path: Path) -> None:
    path = filled(tmp_path)
    draft = exchange.draft_of(path, KEY, path, NEW)
    (tmp_path / "memory.db-wal").write_bytes(b"x")
    with pytest.raises(Conflict):
        exchange.put_in_place(draft, path)
    (tmp_path / "memory.db-wal").unlink()
    assert texts(path, KEY)


def test_what_was_erased_since_stays_erased(tmp_path: Path) -> None:
    path = filled(tmp_path)
    copy = tmp_path / "backup.db"
    with store.open_ledger(path) as ledger:
        ledger.backup(copy)
        (fact,) = ledger.read(lambda r: r.facts(store.EVERYTHING))
        ledger.erase([fact.id])
    draft = exchange.draft_of(copy, KEY, path, KEY)
    assert exchange.carry_over(path, draft, KEY, "2026-06-01T00:00:00.000+00:00") == 1
    exchange.put_in_place(draft, path)
    assert texts(path, KEY) == []


def test_a_backup_is_looked_at_with_the_key_that_fits(tmp_path: Path) -> None:
    path = filled(tmp_path)
    before = path.read_bytes()
    looked = exchange.look(path, [NEW, KEY])
    assert (looked.key, looked.current, looked.retired) == (KEY, 1, 0)
    assert path.read_bytes() == before
    with pytest.raises(WrongKey):
        exchange.look(path, [NEW])
    other = tmp_path / "note.txt"
    other.write_text("hello " * 1000)
    with pytest.raises(ForeignStore):
        exchange.look(other, [KEY])


def flip(path: Path, offset: int) -> None:
    content = bytearray(path.read_bytes())
    for at in range(offset, offset + 4):
        content[at] ^= 0xFF
    path.write_bytes(content)


def test_a_backup_with_a_damaged_page_is_neither_called_good_nor_copied(tmp_path: Path) -> None:
    path, copy = filled(tmp_path), tmp_path / "backup.db"
    with store.open_ledger(path) as ledger:
        ledger.backup(copy)
    whole = copy.read_bytes()
    for page in range(1, len(whole) // 4096):  # the first one is the key's own trial
        copy.write_bytes(whole)
        flip(copy, page * 4096 + 1000)
        with pytest.raises(DamagedBackup, match="is damaged: ") as caught:
            exchange.look(copy, [KEY])
        assert "Take another backup" in caught.value.hint
        assert TEXT.decode() not in str(caught.value)
    with pytest.raises(DamagedBackup):
        exchange.draft_of(copy, KEY, path, NEW)
    for cut in (len(whole) - 1, len(whole) - 4096):
        copy.write_bytes(whole[:cut])
        with pytest.raises(DamagedBackup):
            exchange.look(copy, [KEY])
    copy.write_bytes(whole)
    flip(copy, 1000)
    with pytest.raises(WrongKey) as first:
        exchange.look(copy, [KEY])
    assert "first page is damaged" in first.value.hint
    assert not list(tmp_path.glob(DRAFT + "*"))


def test_a_memory_that_is_damaged_gets_no_new_key_and_is_named_as_the_one(tmp_path: Path) -> None:
    path = filled(tmp_path)
    flip(path, 10 * 4096 + 1000)
    with pytest.raises(Damaged, match="problem") as caught:
        exchange.draft_of(path, KEY, path, NEW)
    assert not isinstance(caught.value, DamagedBackup)
