"""Opening the memory with what lies on the disk: at a start, and again once that was mended.

What could not be opened is tried again only when one of its files has changed since, so a refused
request costs three looks at a file's data and no more.
"""

import asyncio
import contextlib
import logging
from pathlib import Path

from dormouse.api.service import Service
from dormouse.errors import Damaged, DormouseError, Locked, WriteRefused
from dormouse.keys import KeySlots, rotating
from dormouse.ledger import exchange

log = logging.getLogger("dormouse")
MENDABLE = (Locked, Damaged, WriteRefused)  # and not a file that is being exchanged
Mark = tuple[int, ...]


def open_from_disk(service: Service) -> None:
    """Open the memory by its key file; else the service knows why it is locked or failed."""
    home = service.home
    service.seen = _look(service)
    try:
        service.slots = KeySlots.load(home.keyslots)
        service.seen = _look(service)  # only the slots name the key file
        exchange.clear_drafts(home.root)
        rotating.settle(service.slots, exchange.salt_of(home.ledger))
        service.state.key = service.slots.described()
        key = service.slots.open_with_keyfile()
        service.data_key = key  # it fits the slots, whatever became of the file
        memory = service.open_with(key)
        if memory.ledger.store_id != service.slots.store_id:
            memory.close()
            raise Damaged(path=home.ledger, why="keyslots.json belongs to another one")
        service.opened(memory, key)
    except DormouseError as error:
        service.failed(error)
        if not isinstance(error, Locked):
            log.error("the memory can't be opened: %s", error.code)


async def open_again(service: Service) -> None:
    """Try once more if a file that kept the memory closed is another one than before."""
    if not _mendable(service):
        return  # not even a wait: what is being exchanged holds the lock
    async with service.opening:
        if _mendable(service) and _look(service) != service.seen:
            await asyncio.to_thread(open_from_disk, service)
            service.begin()


def _mendable(service: Service) -> bool:
    return service.memory is None and isinstance(service.failure, MENDABLE)


def _look(service: Service) -> tuple[Mark, ...]:
    """What tells the files that open the memory from what they were; of the folder, who may."""
    files = [service.home.keyslots, service.home.ledger]
    with contextlib.suppress(Damaged):
        if service.slots is not None and service.slots.key_file is not None:
            files.append(service.slots.key_file)
    return (*(_mark(path) for path in files), _mark(service.home.root)[-1:])


def _mark(path: Path) -> Mark:
    try:
        found = path.lstat()
    except OSError:
        return ()
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode)
