"""While the memory is closed: a new data key, or a backup in its place. Then it opens again."""

from pathlib import Path
from typing import Any

from dormouse import times
from dormouse.api.service import Service
from dormouse.errors import Conflict, ForeignStore
from dormouse.keys import KeySlots, rotating
from dormouse.keys import new_data_key as fresh
from dormouse.ledger import exchange
from dormouse.ledger.exchange import Looked


async def new_data_key(
    service: Service, slots: KeySlots, secret: str | None
) -> tuple[str | None, list[str]]:
    """Write the memory anew under a new key; the recovery code, and the copies under the old one.

    The slots of both keys are on disk before the new file takes the old one's place.
    """
    store, old = service.home.ledger, service.data_key
    told: dict[str, Any] = {}

    def do() -> bytes:
        new = fresh()
        try:
            draft = exchange.draft_of(store, old, store, new)
            salt = exchange.salt_of(draft)
            told["code"] = rotating.plan(slots, old, new, salt, secret)
            exchange.put_in_place(draft, store)
        finally:
            exchange.clear_drafts(store.parent)
            done = rotating.settle(slots, exchange.salt_of(store))
        told["copies"] = exchange.copies_of(store, new if done else old)
        return new if done else old

    await service.while_closed(do)
    return told["code"], told["copies"]


def look(service: Service, slots: KeySlots, path: Path) -> Looked:
    """What a backup of this very memory holds. Raises Damaged for anything else."""
    keys = [service.data_key, *rotating.former(slots, service.data_key)]
    looked = exchange.look(path, keys)
    if looked.store_id != slots.store_id:
        raise ForeignStore(path=path, why="it is a backup of another memory")
    return looked


def _free(path: Path) -> Path:
    """*path*, or the next of its name that is not there: two in one second are two."""
    others = (path.with_stem(f"{path.stem}-{number}") for number in range(2, 1_000))
    return next(
        (each for each in (path, *others) if not any(each.parent.glob(f"{each.name}*"))), path
    )


async def restore(service: Service, path: Path, looked: Looked) -> dict[str, Any]:
    """Put the backup in the memory's place; what was there is kept as a backup of its own.

    The memory may be one that does not open: of what is damaged the bytes are kept as they are.
    """
    store, key = service.home.ledger, service.data_key
    if path.resolve() == store.resolve():
        raise Conflict(what="this is the memory itself")
    now = times.stamp(service.clock())
    stamp = now[:19].replace(":", "").replace("-", "")
    before = _free(service.home.backups / f"before-restore-{stamp}.db")
    told: dict[str, Any] = {}

    def do() -> bytes:
        try:
            draft = exchange.draft_of(path, looked.key, store, key)
            copied, there = True, store.exists()
            if there:
                service.home.backups.mkdir(mode=0o700, exist_ok=True)
                copied = exchange.keep_aside(store, key, before, draft, now)
            carried = exchange.carry_over(store, draft, key, now)
            exchange.put_in_place(draft, store, log_is_kept=there and not copied)
            told.update(before=str(before) if there else None, before_readable=copied)
            told.update(erased_again=carried.erased, erasures_read=carried.whole)
        except OSError as error:
            raise Conflict(what=f"the exchange of the file failed: {error.strerror}") from error
        finally:
            exchange.clear_drafts(store.parent)
        return key

    await service.while_closed(do)
    said = "a backup was put in the memory's place"
    await service.need().write(lambda w: w.set_setting("notice", said))
    return told
