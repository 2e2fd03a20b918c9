"""Another file in a store's place: whole, encrypted, and with nothing of the old one's log."""

from contextlib import closing
from pathlib import Path

import pytest

from dormouse.errors import Conflict, Damaged, DamagedBackup, ForeignStore, WrongKey
from dormouse.ledger import Ledger, exchange
from dormouse.ledger.connecting import PAGE, connect
from dormouse.ledger.exchange import DRAFT
from tests.unit.ledger import store
from tests.unit.ledger.store import KEY

NEW = bytes(reversed(range(32)))
TEXT = b"canary-4711"
NOW = "2026-06-01T00:00:00.000+00:00"


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
    assert exchange.carry_over(path, draft, KEY, NOW) == (1, True)
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


def put_back(path: Path, copy: Path, aside: Path) -> tuple[exchange.CarriedOver, bool]:
    """What restoring a backup does with a closed store."""
    draft = exchange.draft_of(copy, KEY, path, KEY)
    copied = exchange.keep_aside(path, KEY, aside, draft, NOW)
    carried = exchange.carry_over(path, draft, KEY, NOW)
    exchange.put_in_place(draft, path, log_is_kept=not copied)
    return carried, copied


def backed_up(folder: Path) -> tuple[Path, Path, bytes]:
    """A store of some size, its backup, and its bytes: since then one fact was erased."""
    path, copy = filled(folder), folder / "backup.db"
    with store.open_ledger(path) as ledger:
        for number in range(200):
            store.say(ledger, f"fact {number} is {number}")
        ledger.backup(copy)
        gone = ledger.read(lambda r: r.facts(store.EVERYTHING))[-1]
        ledger.erase([gone.id])
    return path, copy, path.read_bytes()


def pages_of(path: Path, like: str) -> list[int]:
    sql = "SELECT rootpage FROM sqlite_master WHERE name LIKE ? AND rootpage > 0"
    with closing(connect(path, KEY)) as db:
        return [row[0] - 1 for row in db.execute(sql, (like,))]


def test_a_backup_takes_the_place_of_a_memory_with_a_damaged_page_whose_bytes_are_kept(
    tmp_path: Path,
) -> None:
    path, copy, whole = backed_up(tmp_path)
    last = len(whole) // PAGE - 1
    wanted = {0, 1, 5, last, *(last * part // 10 for part in (1, 2, 3, 5, 7, 9))}
    raw = 0
    for page in sorted(wanted | set(pages_of(path, "facts"))):
        damaged = bytearray(whole)
        damaged[page * PAGE + 1000 : page * PAGE + 1016] = bytes(16)
        path.write_bytes(damaged)
        aside = tmp_path / f"before-{page}.db"
        carried, copied = put_back(path, copy, aside)
        assert carried == ((1, True) if carried.whole else (carried.erased, False)), page
        assert copied or aside.read_bytes() == bytes(damaged), page
        assert aside.stat().st_mode & 0o077 == 0
        assert len(texts(path, KEY)) == 201 - carried.erased, page
        assert not list(tmp_path.glob(DRAFT + "*"))
        raw += not copied
    assert raw >= 3


def test_what_was_erased_is_read_past_a_damaged_page_or_said_to_be_unread(tmp_path: Path) -> None:
    path, copy, whole = backed_up(tmp_path)
    table, index = pages_of(path, "erasures")[0], pages_of(path, "sqlite_autoindex_erasures%")[0]
    for number, (pages, expected) in enumerate(
        (
            ({table}, (1, True)),
            ({index}, (1, True)),
            ({table, index}, (0, False)),
            ({0}, (0, False)),
        )
    ):
        path.write_bytes(whole)
        for page in pages:
            flip(path, page * PAGE + 1000)
        carried, _ = put_back(path, copy, tmp_path / f"before-{number}.db")
        assert carried == expected, pages


def test_a_backup_takes_the_place_of_a_memory_that_is_cut_short(tmp_path: Path) -> None:
    path, copy, whole = backed_up(tmp_path)
    for size in (0, 1, 2_000, PAGE, len(whole) // 2, len(whole) - PAGE, len(whole) - 1):
        path.write_bytes(whole[:size])
        aside = tmp_path / f"before-{size}.db"
        put_back(path, copy, aside)
        assert aside.read_bytes() == whole[:size], size
        assert len(texts(path, KEY)) >= 200, size


def test_the_log_of_a_damaged_memory_is_kept_beside_its_bytes(tmp_path: Path) -> None:
    path, copy, whole = backed_up(tmp_path)
    flip(path, 1000)
    log = tmp_path / "memory.db-wal"
    log.write_bytes(b"what is not in the file yet")
    put_back(path, copy, tmp_path / "before.db")
    kept = tmp_path / "before.db-wal"
    assert kept.read_bytes() == b"what is not in the file yet"
    assert kept.stat().st_mode & 0o077 == 0
    assert not log.exists()
    assert len(texts(path, KEY)) == 201
    assert len(whole) == (tmp_path / "before.db").stat().st_size


def test_a_log_that_was_left_of_a_whole_memory_is_in_the_copy(tmp_path: Path) -> None:
    path, copy, _ = backed_up(tmp_path)
    ledger = store.open_ledger(path)
    store.say(ledger, "the last thing is said")
    kept = {end: (tmp_path / f"memory.db{end}").read_bytes() for end in ("", "-wal")}
    ledger.close()
    for end, content in kept.items():
        (tmp_path / f"memory.db{end}").write_bytes(content)
    aside = tmp_path / "before.db"
    assert put_back(path, copy, aside) == ((1, True), True)
    assert "the last thing is said" in texts(aside, KEY)
    assert not list(tmp_path.glob("before.db?*"))
