"""Keys and what only the owner may do to the file: unlock, slots, erase, backup."""

import asyncio
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request

from dormouse.api import exchanging, requests
from dormouse.api.routes.common import Svc, body_of, owner_only
from dormouse.api.service import Service
from dormouse.errors import BadRequest, Conflict
from dormouse.keys import KeySlots, rotating
from dormouse.work.by_agents import tell
from dormouse_wire.paths import key_folder

SLOTS = ("keyfile", "passphrase", "recovery")

router = APIRouter(prefix="/v1")


def slots_of(service: Service) -> KeySlots:
    if service.slots is None:
        service.need()
        raise Conflict(what="there are no key slots")
    return service.slots


@router.post("/unlock")
async def unlock(service: Svc, request: Request) -> dict[str, Any]:
    fields = await body_of(request)
    passphrase = requests.text_field(fields, "passphrase", longest=10_000)
    recovery = requests.text_field(fields, "recovery", longest=10_000)
    if (passphrase is None) == (recovery is None):
        raise BadRequest(what="give either a passphrase or a recovery code")
    kind = "passphrase" if passphrase is not None else "recovery"
    if service.memory is not None and kind not in slots_of(service).kinds:
        named = slots_of(service).named()
        raise Conflict(f"It opens with: {named}.", what=f"it is open, and has no {kind} slot")
    if passphrase is not None:
        key = await asyncio.to_thread(lambda: slots_of(service).open_with_passphrase(passphrase))
    else:
        key = await asyncio.to_thread(lambda: slots_of(service).open_with_recovery(recovery or ""))
    await service.unlock(key)
    return {"state": "ok"}


@router.get("/keys")
async def keys(service: Svc) -> dict[str, Any]:
    kinds = slots_of(service).kinds
    return {"slots": [{"kind": kind} for kind in kinds], "protects": slots_of(service).protects()}


@router.post("/keys")
async def add(service: Svc, request: Request) -> dict[str, Any]:
    memory = service.need()
    fields = await body_of(request)
    await owner_only(service, request, fields)
    kind = requests.text_field(fields, "kind", needed=True) or ""
    if kind not in SLOTS:
        raise BadRequest(what=f"the slot is one of {', '.join(SLOTS)}")
    secret = requests.text_field(fields, "secret", longest=10_000)
    folder = Path(requests.text_field(fields, "key_folder", longest=4_096) or key_folder())
    key = service.data_key
    code = await asyncio.to_thread(
        lambda: slots_of(service).add(kind, key, secret, key_folder=folder)
    )
    await memory.write(lambda w: tell(w, f"a key slot was added: {kind}"))
    service.state.key = slots_of(service).described()
    return {"kind": kind, "code": code}


@router.post("/keys/check")
async def check(service: Svc, request: Request) -> dict[str, Any]:
    fields = await body_of(request)
    kind = requests.text_field(fields, "kind", needed=True) or ""
    secret = requests.text_field(fields, "secret", longest=10_000)
    return {
        "kind": kind,
        "ok": await asyncio.to_thread(lambda: slots_of(service).check(kind, secret)),
    }


@router.post("/keys/remove")
async def remove(service: Svc, request: Request) -> dict[str, Any]:
    memory = service.need()
    fields = await body_of(request)
    await owner_only(service, request, fields)
    kind = requests.text_field(fields, "kind", needed=True) or ""
    slots = slots_of(service)
    file = str(slots.key_file) if kind == "keyfile" and slots.key_file else None
    rotating.remove(slots, kind)
    await memory.write(lambda w: tell(w, f"a key slot was removed: {kind}"))
    service.state.key = slots.described()
    return {"kind": kind, "state": "removed", "slots": list(slots.kinds), "file": file}


@router.post("/keys/rotate")
async def rotate(service: Svc, request: Request) -> dict[str, Any]:
    service.need()
    fields = await body_of(request)
    await owner_only(service, request, fields)
    deep = requests.flag(fields, "deep")
    secret = requests.text_field(fields, "secret", longest=10_000)
    slots, old_file = slots_of(service), slots_of(service).key_file
    old_copies: list[str] = []
    if deep:
        code, old_copies = await exchanging.new_data_key(service, slots, secret)
    else:
        key = service.data_key
        code = await asyncio.to_thread(lambda: rotating.rewrap(slots, key, secret))
    said = "the data key was changed" if deep else "the keys were wrapped anew"
    await service.need().write(lambda w: tell(w, said))
    left = str(old_file) if old_file is not None and old_file != slots.key_file else None
    return {
        "deep": deep,
        "slots": list(slots.kinds),
        "code": code,
        "old_file": left,
        "old_copies": old_copies,
    }


@router.post("/restore-backup")
async def restore_backup(service: Svc, request: Request) -> dict[str, Any]:
    service.need_key()
    fields = await body_of(request)
    await owner_only(service, request, fields)
    path = Path(requests.text_field(fields, "path", needed=True, longest=4_096) or "")
    if not path.is_absolute():
        raise BadRequest(what="path must be absolute")
    slots, dry = slots_of(service), requests.flag(fields, "dry_run")
    looked = await asyncio.to_thread(exchanging.look, service, slots, path)
    told = {
        "path": str(path),
        "facts": {"current": looked.current, "retired": looked.retired},
        "newest": looked.newest,
        "restored": not dry,
    }
    if dry:
        nothing = {"before": None, "before_readable": True, "erased_again": 0}
        return told | nothing | {"erasures_read": True}
    return told | await exchanging.restore(service, path, looked)


@router.post("/erase")
async def erase(service: Svc, request: Request) -> dict[str, Any]:
    memory = service.need()
    fields = await body_of(request)
    await owner_only(service, request, fields)
    wanted = requests.text_field(fields, "id", needed=True) or ""
    dry_run = requests.flag(fields, "dry_run")
    fact_id = await memory.read(lambda reader: reader.resolve(wanted))
    erased = await memory.aside(lambda: memory.ledger.erase([fact_id], dry_run=dry_run))
    memory.frequencies.forget()
    counts = {
        "facts": erased.facts,
        "vectors": erased.vectors,
        "turns": erased.turns,
        "derived": erased.derived,
    }
    return {"id": fact_id, "erased": counts, "still_in": list(erased.still_in)}


@router.post("/backup")
async def backup(service: Svc, request: Request) -> dict[str, Any]:
    memory = service.need()
    fields = await body_of(request)
    await owner_only(service, request, fields)
    path = Path(requests.text_field(fields, "path", needed=True, longest=4_096) or "")
    if not path.is_absolute():
        raise BadRequest(what="path must be absolute")
    if path.exists():
        raise Conflict(what=f"{path} exists already", hint="Name a new file.")
    await memory.aside(lambda: memory.ledger.backup(path))
    return {"path": str(path), "bytes": path.stat().st_size}
