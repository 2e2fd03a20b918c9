"""A backup in the place of a memory that is damaged, also of one that no longer opens."""

import asyncio
from pathlib import Path

import pytest

from dormouse.api import exchanging
from dormouse.api.opening import open_again, open_from_disk
from dormouse.api.service import Service
from dormouse.errors import Conflict, Damaged, DamagedBackup, Locked
from dormouse.facts import Look
from dormouse.keys import KeySlots
from dormouse.main import open_memory, set_up
from dormouse.times import system_clock
from dormouse_wire.paths import Home
from tests.unit.ledger import store

PAGE = 4096


class Mended:
    """A home with a backup, whose memory a test damages and a service opens."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        self.home.root.mkdir(mode=0o700)
        set_up(self.home, {"slots": ["keyfile"], "key_folder": str(folder / "keys")})
        self.slots = KeySlots.load(self.home.keyslots)
        self.key = self.slots.open_with_keyfile()
        self.backup = folder / "backup.db"
        memory = open_memory(self.home, self.key, system_clock)
        for number in range(100):
            store.say(memory.ledger, f"fact {number} is {number}")
        memory.ledger.backup(self.backup)
        memory.close()
        self.whole = self.home.ledger.read_bytes()

    def damage(self, at: int) -> bytes:
        content = bytearray(self.whole)
        content[at : at + 16] = bytes(byte ^ 0xFF for byte in content[at : at + 16])
        self.home.ledger.write_bytes(content)
        return bytes(content)

    def service(self) -> Service:
        service = Service(self.home, lambda key: open_memory(self.home, key, system_clock))
        open_from_disk(service)
        return service

    async def restore(self, service: Service) -> tuple[dict[str, object], int]:
        """What is told, and how many facts there are then."""
        try:
            looked = exchanging.look(service, self.slots, self.backup)
            told = await exchanging.restore(service, self.backup, looked)
            facts = await service.need().read(lambda r: r.facts(Look(everything=True)))
            return told, len(facts)
        finally:
            await service.close()


@pytest.fixture
def mended(tmp_path: Path) -> Mended:
    return Mended(tmp_path)


def test_a_memory_damaged_anywhere_is_replaced_by_the_same_request(mended: Mended) -> None:
    size = len(mended.whole)
    for part in (0, 1, 10, 25, 50, 75, 99):
        damaged = mended.damage(size * part // 100 // PAGE * PAGE + 100)
        told, facts = asyncio.run(mended.restore(mended.service()))
        assert facts == 100, part
        kept = Path(str(told["before"]))
        assert told["before_readable"] or kept.read_bytes() == damaged, part
        assert kept.stat().st_mode & 0o077 == 0


def test_a_memory_that_does_not_open_says_what_may_be_wrong_and_the_way_out(
    mended: Mended,
) -> None:
    for content in (b"", mended.whole[: len(mended.whole) // 2], mended.damage(100)):
        mended.home.ledger.write_bytes(content)
        service = mended.service()
        assert isinstance(service.failure, Damaged)
        assert "dormouse restore-backup FILE" in service.failure.hint
        told, facts = asyncio.run(mended.restore(service))
        assert facts == 100
        assert Path(str(told["before"])).read_bytes() == content
    assert "or its first page is damaged" in str(service_of_damaged_first_page(mended).failure)


def service_of_damaged_first_page(mended: Mended) -> Service:
    mended.damage(100)
    return mended.service()


def test_a_missing_memory_is_replaced_too(mended: Mended) -> None:
    mended.home.ledger.unlink()
    told, facts = asyncio.run(mended.restore(mended.service()))
    assert (told["before"], told["erasures_read"], facts) == (None, False, 100)


def test_a_restore_that_fails_leaves_the_damaged_file_and_its_error(mended: Mended) -> None:
    damaged = mended.damage(100)
    service = mended.service()

    async def fail() -> None:
        looked = exchanging.look(service, mended.slots, mended.backup)
        mended.backup.write_bytes(b"\0" * 100)
        with pytest.raises(DamagedBackup):
            await exchanging.restore(service, mended.backup, looked)

    asyncio.run(fail())
    assert mended.home.ledger.read_bytes() == damaged
    assert isinstance(service.failure, Damaged)


def test_a_locked_memory_is_not_replaced(mended: Mended) -> None:
    key_file = mended.slots.key_file
    assert key_file is not None
    key_file.unlink()
    service = mended.service()
    with pytest.raises(Locked):
        service.need_key()
    service.failure = Conflict(what="the memory's file is being exchanged")
    service.data_key = mended.key
    with pytest.raises(Conflict):
        service.need_key()
    asyncio.run(open_again(service))
    assert service.memory is None
