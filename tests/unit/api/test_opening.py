"""A closed memory is tried again when its files changed, and only then."""

import asyncio
from pathlib import Path

import pytest

from dormouse.api.opening import open_again, open_from_disk
from dormouse.api.service import Service
from dormouse.errors import Conflict, Damaged, ReadOnlyFolder
from dormouse.keys import KeySlots
from dormouse.work.memory import Memory
from dormouse_wire.paths import Home


class Closed:
    """A home whose ledger never opens; counts how often it was tried."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        self.home.root.mkdir(mode=0o700)
        self.home.ledger.write_bytes(b"x")
        self.slots = KeySlots.create(
            self.home.keyslots,
            store_id="teststoreteststo",
            data_key=bytes(32),
            key_folder=folder / "keys",
        )
        self.tried = 0
        self.error: Damaged | ReadOnlyFolder = Damaged(path=self.home.ledger, why="it is torn")
        self.service = Service(self.home, self.open)
        open_from_disk(self.service)

    def open(self, key: bytes) -> Memory:
        self.tried += 1
        raise self.error

    def ask(self, times: int = 3) -> int:
        """Requests that would be refused; how often the memory was tried to be opened."""
        before = self.tried
        for _ in range(times):
            asyncio.run(open_again(self.service))
        return self.tried - before


@pytest.fixture
def closed(tmp_path: Path) -> Closed:
    return Closed(tmp_path)


def test_files_that_are_as_they_were_are_not_tried_again(closed: Closed) -> None:
    assert closed.tried == 1
    assert closed.ask() == 0
    assert closed.service.state.trouble == str(closed.error)


def test_a_changed_file_is_tried_once(closed: Closed) -> None:
    key_file = closed.slots.key_file
    assert key_file is not None
    for path in (closed.home.ledger, closed.home.keyslots, key_file):
        content = path.read_bytes()
        path.write_bytes(content + b"\n" if path != closed.home.ledger else b"other")
        assert closed.ask() == 1, path
    key_file.chmod(0o644)
    assert closed.ask() == 0, "the key is not used"
    assert closed.service.state.locked
    assert "chmod 600" in str(closed.service.state.trouble)
    key_file.chmod(0o600)
    assert closed.ask() == 1
    assert not closed.service.state.locked


def test_a_folder_that_may_be_written_again_is_tried_again(closed: Closed) -> None:
    closed.error = ReadOnlyFolder(path=closed.home.ledger, why="its folder is read-only")
    closed.home.ledger.write_bytes(b"another")
    assert closed.ask() == 1
    closed.home.root.chmod(0o500)
    assert closed.ask() == 1
    closed.home.root.chmod(0o700)
    assert closed.ask() == 1


def test_a_file_that_is_being_exchanged_is_left_alone(closed: Closed) -> None:
    closed.service.failure = Conflict(what="the memory's file is being exchanged")
    closed.home.ledger.write_bytes(b"another")
    assert closed.ask() == 0
