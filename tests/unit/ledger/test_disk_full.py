"""A full disk: nothing is lost, reads go on, and facts can still be retired."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dormouse.errors import DiskFull, DormouseError
from dormouse.facts import Because, Fact
from dormouse.ledger import Ledger
from dormouse.ledger.ballast import SIZE, Ballast
from dormouse.ledger.connecting import connect
from dormouse.ledger.migrations import MIGRATIONS, Migration
from tests.unit.ledger.store import KEY, found, journal, make, open_ledger, say, texts, turn

DISK = 48 * 1024 * 1024


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own; only root can make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=700", "tmpfs", str(folder)]
    try:
        made = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        made = False
    if not made:
        pytest.skip("NOT RUN: a full disk needs a file system of its own, which only root can make")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Take all the room there is, to the last block."""
    filler = folder / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (1024 * 1024, 4096):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue
    return filler


def retire(ledger: Ledger, fact: Fact) -> Fact:
    return ledger.write(
        lambda w: w.retire(fact.id, because=Because.OWNER, by="owner", run_id=None)
    ).result(10)


def until_full(ledger: Ledger) -> int:
    """Capture until the disk is full; how many were acknowledged."""
    number = 0
    with pytest.raises(DiskFull) as caught:
        while number < 100_000:
            say(ledger, f"fact {number} " + "and so on " * 300)
            number += 1
    assert str(ledger.path) in str(caught.value)
    return number


def test_on_a_full_disk_facts_are_refused_but_can_be_retired_until_there_is_room(
    disk: Path,
) -> None:
    with open_ledger(make(disk)) as ledger:
        tea = say(ledger, "tea is green")
        milk = say(ledger, "milk is white")
        assert ledger._ballast.path.stat().st_size == SIZE
        filler = fill(disk)
        kept = until_full(ledger)
        assert ledger.trouble == "disk_full"
        assert not ledger._ballast.path.exists(), "its room is for what is urgent"
        assert len(texts(ledger)) == kept + 2, "nothing acknowledged is lost, reads go on"
        with pytest.raises(DiskFull):
            say(ledger, "coffee is black")
        with pytest.raises(DiskFull):
            journal(ledger, turn("x" * 10_000))
        assert journal(ledger, turn("forget tea"))[1], "a forget is journalled first"
        assert not retire(ledger, tea).current
        assert ledger.erase([milk.id]).facts == 1
        assert ledger.trouble == "disk_full"

        filler.unlink()
        assert say(ledger, "coffee is black").current
        assert ledger.trouble is None
        assert ledger._ballast.path.stat().st_size == SIZE
        assert ledger.integrity() == []
        assert len(texts(ledger)) == kept + 1


def test_a_ledger_opens_on_a_full_disk_with_the_room_of_its_ballast(disk: Path) -> None:
    with open_ledger(make(disk)) as ledger:
        tea = say(ledger, "tea is green")
    fill(disk)
    with open_ledger(ledger.path) as again:
        assert found(again, "tea") == ["tea is green"]
        assert not retire(again, tea).current


def test_a_full_disk_without_ballast_is_an_error_of_its_own(disk: Path) -> None:
    path = make(disk)
    with open_ledger(path) as ledger:
        say(ledger, "tea is green")
    ledger._ballast.release()
    filler = fill(disk)
    with pytest.raises(DiskFull):
        open_ledger(path)
    assert sorted(file.name for file in disk.iterdir()) == ["filler", "memory.db"]
    filler.unlink()
    with open_ledger(path) as ledger:
        assert texts(ledger) == ["tea is green"]


def test_a_store_is_not_half_made_on_a_full_disk(disk: Path) -> None:
    filler = fill(disk)
    with pytest.raises(DiskFull):
        make(disk)
    assert list(disk.iterdir()) == [filler]


def test_a_disk_that_fills_up_during_an_upgrades_backup_changes_nothing(disk: Path) -> None:
    path = make(disk)
    with open_ledger(path) as ledger:
        say(ledger, "tea is green")
        ledger._ballast.release()
    filler = fill(disk)
    with filler.open("r+b") as file:
        file.truncate(filler.stat().st_size - 128 * 1024)
    before = path.read_bytes()
    second = Migration(2, "second", lambda db: db.execute("CREATE TABLE more (x)"))
    with open_ledger(path, known=(*MIGRATIONS, second)) as ledger:
        assert (ledger.trouble, ledger.step) == ("migration_failed", "backup")
        assert found(ledger, "tea") == ["tea is green"]
    assert path.read_bytes() == before
    assert not list(disk.glob("*before*"))
    with closing(connect(path, KEY)) as db:
        assert db.execute("SELECT max(number) FROM migrations").fetchone() == (1,)


def test_a_backup_to_a_full_disk_leaves_nothing_and_the_ledger_goes_on(
    disk: Path, ledger: Ledger
) -> None:
    say(ledger, "tea is green")
    fill(disk)
    with pytest.raises(DormouseError):
        ledger.backup(disk / "copy")
    assert not (disk / "copy").exists()
    assert say(ledger, "milk is white").current


# -- the same without a file system of its own ----------------------------------------------------


def limit(ledger: Ledger, pages: int) -> None:
    """Let SQLite itself say that the disk is full beyond so many pages more."""
    ledger._db.set_authorizer(None)
    (count,) = ledger._db.execute("PRAGMA page_count").fetchone()
    ledger._db.execute(f"PRAGMA max_page_count = {count + pages}")


def test_when_sqlite_says_full_the_group_is_refused_one_by_one_and_nothing_is_half_kept(
    ledger: Ledger,
) -> None:
    tea = say(ledger, "tea is green")
    limit(ledger, 20)
    kept = until_full(ledger)
    assert len(texts(ledger)) == kept + 1
    assert not retire(ledger, tea).current, "which needs no page more"
    limit(ledger, 100_000)
    assert say(ledger, "coffee is black").current
    assert ledger.trouble is None
    assert ledger.integrity() == []


def test_the_ballast_is_real_bytes_for_the_owner_only(tmp_path: Path) -> None:
    ballast = Ballast(tmp_path / "ballast")
    assert ballast.take()
    state = ballast.path.stat()
    assert (state.st_size, state.st_mode & 0o777) == (SIZE, 0o600)
    assert state.st_blocks * 512 >= SIZE, "a sparse file would hold no room"
    assert ballast.take(), "it is there already"
    assert ballast.release()
    assert not ballast.release()


def test_a_ballast_that_was_cut_short_is_taken_again(tmp_path: Path) -> None:
    ballast = Ballast(tmp_path / "ballast")
    ballast.path.write_bytes(b"x")
    assert ballast.take()
    assert ballast.path.stat().st_size == SIZE


def test_a_ballast_is_never_written_through_a_link(tmp_path: Path) -> None:
    target = tmp_path / "mine"
    target.write_text("mine")
    (tmp_path / "ballast").symlink_to(target)
    assert not Ballast(tmp_path / "ballast").take()
    assert target.read_text() == "mine"
