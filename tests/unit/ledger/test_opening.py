"""What may be opened, and what each thing that may not be opened says."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import sqlcipher3.dbapi2 as sqlcipher

from dormouse.errors import (
    Damaged,
    DormouseError,
    EmptyStore,
    ForeignStore,
    MissingStore,
    NetworkFileSystem,
    ReadOnlyFolder,
    SchemaDiffers,
    StoreExists,
    TruncatedStore,
    WrongKey,
)
from dormouse.ledger import Ledger
from dormouse.ledger.checks import check_folder, network_kind
from dormouse.ledger.connecting import connect, unlock
from tests.unit.ledger.store import KEY, STORE_ID, Clock, make, open_ledger, prepare, say, texts


def refused(path: Path, expected: type[DormouseError], key: bytes = KEY) -> DormouseError:
    """Try to open; the error must be the expected one and leave no trace beside the file."""
    before = {file.name: file.stat().st_size for file in path.parent.iterdir()}
    content = path.read_bytes() if path.exists() else None
    with pytest.raises(expected) as caught:
        open_ledger(path, key)
    assert type(caught.value) is expected
    assert str(path) in str(caught.value)
    assert caught.value.hint
    assert {file.name: file.stat().st_size for file in path.parent.iterdir()} == before
    assert (path.read_bytes() if path.exists() else None) == content
    return caught.value


def test_a_new_store_opens_and_knows_its_id(path: Path) -> None:
    with open_ledger(path) as ledger:
        assert ledger.store_id == STORE_ID
        assert ledger.trouble is None


def test_everything_beside_the_store_is_for_the_owner_only(path: Path) -> None:
    with open_ledger(path) as ledger:
        say(ledger, "tea is green")
        files = list(path.parent.iterdir())
        assert {file.name for file in files} >= {"memory.db", "memory.db-wal", "ballast"}
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_file_that_others_could_read_is_closed_to_them_again(path: Path) -> None:
    path.chmod(0o644)
    open_ledger(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_clean_stop_leaves_one_file_without_a_log(path: Path) -> None:
    with open_ledger(path) as ledger:
        say(ledger, "tea is green")
    assert sorted(file.name for file in path.parent.iterdir()) == ["ballast", "memory.db"]
    with open_ledger(path) as ledger:
        assert texts(ledger) == ["tea is green"]


@pytest.mark.parametrize("leftover", ["memory.db", "memory.db-wal", "memory.db.before-2"])
def test_where_anything_of_a_store_is_no_new_one_is_made(tmp_path: Path, leftover: str) -> None:
    (tmp_path / leftover).write_bytes(b"x")
    with pytest.raises(StoreExists):
        make(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [leftover]


def test_making_a_store_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        make(tmp_path, b"short")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_no_new_store(path: Path) -> None:
    path.unlink()
    refused(path, MissingStore)


def test_an_empty_file_is_no_new_store(path: Path) -> None:
    path.write_bytes(b"")
    refused(path, EmptyStore)


def test_a_wrong_key_is_said_so_and_prints_nothing(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    refused(path, WrongKey, bytes(32))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("rest", [1_000, 4_096 * 3 + 17, 4_096 * 5])
def test_a_file_that_is_cut_short_is_said_so(path: Path, rest: int) -> None:
    path.write_bytes(path.read_bytes()[:rest])
    refused(path, TruncatedStore)


def test_a_damaged_first_page_is_not_opened(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[200] ^= 1
    path.write_bytes(content)
    refused(path, WrongKey)


@pytest.mark.parametrize("content", [b"notes\n", b"tea is green\n" * 2_000, bytes(8_192)])
def test_a_file_that_is_not_encrypted_is_foreign(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    refused(path, ForeignStore)


def test_a_plain_database_is_foreign(path: Path) -> None:
    path.unlink()
    plain = sqlcipher.connect(str(path))
    plain.execute("CREATE TABLE facts (id)")
    plain.close()
    refused(path, ForeignStore)


def test_another_programs_encrypted_database_is_foreign_even_with_our_key(path: Path) -> None:
    path.unlink()
    other = sqlcipher.connect(str(path))
    unlock(other, KEY)
    other.execute("CREATE TABLE facts (id)")
    other.close()
    refused(path, ForeignStore)


def test_a_folder_in_the_place_of_the_file_is_foreign(path: Path) -> None:
    path.unlink()
    path.mkdir()
    with pytest.raises(ForeignStore):
        open_ledger(path)


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33), b"passphrase"])
def test_a_key_of_another_length_is_never_taken_as_a_passphrase(path: Path, key: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        open_ledger(path, key)


def test_a_missing_trigger_or_column_is_noticed(path: Path) -> None:
    db = connect(path, KEY, write=True)
    db.execute("DROP TRIGGER facts_never_deleted")
    db.close()
    with pytest.raises(SchemaDiffers, match="facts_never_deleted"):
        open_ledger(path)


MOUNTS = """\
/dev/vda / ext4 rw 0 0
tmpfs /tmp tmpfs rw 0 0
server:/home /home nfs4 rw 0 0
/dev/vdb /home/local ext4 rw 0 0
host:/x /mnt/with\\040space fuse.sshfs rw 0 0
//nas/share /mnt/share cifs rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/anna/.dormouse", "nfs4"),
        ("/home", "nfs4"),
        ("/homes/anna", None),
        ("/home/local/anna", None),
        ("/mnt/with space/d", "fuse.sshfs"),
        ("/mnt/share", "cifs"),
        ("/root", None),
    ],
)
def test_a_network_file_system_is_recognised_by_the_nearest_mount(
    folder: str, kind: str | None
) -> None:
    assert network_kind(Path(folder), MOUNTS) == kind


def test_a_store_on_a_network_file_system_is_refused(path: Path) -> None:
    with pytest.raises(NetworkFileSystem, match="nfs4"):
        check_folder(path, lambda: f"server:/x {path.parent} nfs4 rw 0 0")


def test_no_table_of_mounts_is_no_error(path: Path) -> None:
    check_folder(path, lambda: "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become someone else")
def test_a_read_only_folder_is_said_so_as_someone_who_may_not_write(tmp_path: Path) -> None:
    # Not below tmp_path: how many of its parents are closed to others depends on the runner.
    above = Path(tempfile.mkdtemp(prefix="dm", dir="/tmp"))
    folder = Path(shutil.copytree(make(tmp_path).parent, above / "home"))
    for part in (folder, above):
        part.chmod(0o555)
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from tests.unit.ledger.store import open_ledger\n"
        "os.setuid(65534)\n"
        "try: open_ledger(Path(sys.argv[1]))\n"
        "except Exception as error: print(type(error).__name__)\n"
    )
    before = sorted(folder.iterdir())
    (folder / "memory.db").chmod(0o444)
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder / "memory.db")],
        capture_output=True,
        text=True,
        check=False,
    )
    after = sorted(folder.iterdir())
    for part in (above, folder):
        part.chmod(0o755)
    shutil.rmtree(above)
    assert done.stdout == f"{ReadOnlyFolder.__name__}\n", done.stderr
    assert after == before


def test_a_log_that_was_left_by_a_crash_is_taken_in(path: Path, tmp_path: Path) -> None:
    crashed = tmp_path / "crashed"
    with open_ledger(path) as ledger:
        say(ledger, "tea is green")
        shutil.copytree(path.parent, crashed, ignore=shutil.ignore_patterns("crashed"))
    assert (crashed / "memory.db-wal").stat().st_size
    with open_ledger(crashed / "memory.db") as ledger:
        assert texts(ledger) == ["tea is green"]
        assert ledger.integrity() == []


def test_a_closed_ledger_says_so(path: Path) -> None:
    ledger = open_ledger(path)
    ledger.close()
    ledger.close()
    with pytest.raises(DormouseError, match="closed"):
        ledger.read(lambda r: r.counts())
    with pytest.raises(DormouseError, match="closed"):
        ledger.write(lambda w: w.counts()).result(1)
    with pytest.raises(DormouseError, match="closed"):
        ledger.checkpoint()


def test_two_makers_at_once_make_one_store(tmp_path: Path) -> None:
    path = make(tmp_path)
    before = path.read_bytes()
    with pytest.raises(StoreExists):
        Ledger.create(path, bytes(32), store_id="other", prepare=prepare, now=Clock())
    assert path.read_bytes() == before


def test_every_error_of_opening_is_one_that_a_person_is_told() -> None:
    assert {error.exit_code for error in (WrongKey, ForeignStore, EmptyStore, MissingStore)} == {7}
    assert issubclass(TruncatedStore, Damaged)
