"""Folders and files of the home are private, whole, and never someone else's."""

import os
import stat
from pathlib import Path

import pytest

from dormouse.errors import Refused
from dormouse.hygiene import (
    atomic_write,
    make_private_folder,
    make_private_folders,
    on_network_filesystem,
)
from dormouse_wire.paths import Home


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


class TestFolders:
    def test_the_homes_folders_are_made_0700_whatever_the_umask(self, tmp_path: Path) -> None:
        home = Home(tmp_path / "deep" / "home")
        old = os.umask(0)
        try:
            make_private_folders(home)
        finally:
            os.umask(old)
        assert {mode(f) for f in (home.root, home.log, home.bin)} == {0o700}

    def test_a_lax_folder_of_ours_is_made_private(self, tmp_path: Path) -> None:
        home = Home(tmp_path)
        home.log.mkdir()
        for folder in (tmp_path, home.log):
            folder.chmod(0o755)
        make_private_folders(home)
        assert mode(tmp_path) == mode(home.log) == 0o700

    def test_it_may_be_done_again(self, tmp_path: Path) -> None:
        make_private_folders(Home(tmp_path / "home"))
        make_private_folders(Home(tmp_path / "home"))

    @pytest.mark.parametrize("name", ["", "log", "bin"])
    def test_a_link_in_place_of_a_folder_is_refused(self, tmp_path: Path, name: str) -> None:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir(mode=0o755)
        home = Home(tmp_path / "home")
        if name:
            home.root.mkdir()
        (home.root / name).symlink_to(elsewhere)
        with pytest.raises(Refused, match="link"):
            make_private_folders(home)
        assert mode(elsewhere) == 0o755

    def test_a_file_in_place_of_a_folder_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "home").write_text("")
        with pytest.raises(Refused):
            make_private_folders(Home(tmp_path / "home"))

    def test_a_folder_of_another_user_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tmp_path.chmod(0o755)
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        with pytest.raises(Refused, match="another user"):
            make_private_folder(tmp_path)
        assert mode(tmp_path) == 0o755


class TestAtomicWrite:
    def test_it_replaces_the_whole_file_and_leaves_nothing_beside_it(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        path.write_text("a longer old text")
        path.chmod(0o644)
        atomic_write(path, b"new")
        assert path.read_bytes() == b"new"
        assert mode(path) == 0o600
        assert list(tmp_path.iterdir()) == [path]

    def test_the_mode_can_be_chosen_whatever_the_umask(self, tmp_path: Path) -> None:
        old = os.umask(0o077)
        try:
            atomic_write(tmp_path / "x", b"", 0o700)
        finally:
            os.umask(old)
        assert mode(tmp_path / "x") == 0o700

    def test_a_link_is_replaced_not_written_through(self, tmp_path: Path) -> None:
        target = tmp_path / "target"
        target.write_text("untouched")
        (tmp_path / "x").symlink_to(target)
        atomic_write(tmp_path / "x", b"new")
        assert target.read_text() == "untouched"
        assert not (tmp_path / "x").is_symlink()

    def test_file_and_folder_are_on_the_disk_when_it_returns(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        synced = []
        real = os.fsync

        def fsync(file: int) -> None:
            synced.append(stat.S_IFMT(os.fstat(file).st_mode))
            real(file)

        monkeypatch.setattr(os, "fsync", fsync)
        atomic_write(tmp_path / "x", b"new")
        assert synced == [stat.S_IFREG, stat.S_IFDIR]

    def test_when_the_disk_is_full_the_old_file_stays_and_nothing_else(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "x").write_text("old")

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            atomic_write(tmp_path / "x", b"new")
        assert (tmp_path / "x").read_text() == "old"
        assert list(tmp_path.iterdir()) == [tmp_path / "x"]


class TestNetworkFileSystem:
    MOUNTS = (
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "23 22 0:5 / /net rw - nfs4 server:/x rw\n"
        "24 23 0:6 / /net/local rw - tmpfs tmpfs rw\n"
        "25 22 0:7 / /with\\040space rw master:2 - fuse.sshfs a@b:/ rw\n"
        "26 22 0:8 / /twice rw - cifs //a/b rw\n"
        "27 22 0:9 / /twice rw - ext4 /dev/sdb rw\n"
        "broken line\n\n"
    )

    @pytest.mark.parametrize(
        ("path", "kind"),
        [
            ("/net", "nfs4"),
            ("/net/home/.dormouse", "nfs4"),
            ("/network", None),
            ("/net/local/x", None),
            ("/with space/x", "fuse.sshfs"),
            ("/twice/x", None),  # what was mounted last lies on top
            ("/", None),
            ("/home/person", None),
        ],
    )
    def test_it_is_known_by_the_mount_that_holds_the_path(
        self, tmp_path: Path, path: str, kind: str | None
    ) -> None:
        mountinfo = tmp_path / "mountinfo"
        mountinfo.write_text(self.MOUNTS)
        assert on_network_filesystem(Path(path), mountinfo) == kind

    def test_where_nobody_says_it_is_none(self, tmp_path: Path) -> None:
        assert on_network_filesystem(tmp_path, tmp_path / "missing") is None

    def test_this_machines_own_table_can_be_read(self, tmp_path: Path) -> None:
        on_network_filesystem(tmp_path)
