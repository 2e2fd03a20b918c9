"""A backup in the place of a memory that is damaged, also of one that no longer opens."""

import asyncio
from pathlib import Path

import pytest

from dormouse.api import exchanging
from dormouse.api.opening import open_again
from dormouse.api.service import Service
from dormouse.errors import Conflict, Damaged, DamagedBackup, Locked
from tests.unit.api.mended import PAGE, Mended


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
