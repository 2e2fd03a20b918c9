"""The privacy level: looking at it and lowering it are free, raising it is the owner's."""

from typing import Any

from fastapi import APIRouter, Request

from dormouse.api import requests
from dormouse.api.routes.common import Svc, body_of, owner_only
from dormouse.errors import BadRequest
from dormouse.ledger import Writer
from dormouse.thinking import Level
from dormouse.work import privacy

router = APIRouter(prefix="/v1")
LONGEST_SECRET = 4_096


@router.get("/privacy")
async def show(service: Svc, level: str | None = None) -> dict[str, Any]:
    """The level and what each part sends to whom; with ``level``, what it would be then."""
    memory = service.need()
    at = requests.choice({"level": level}, "level", Level)
    return await memory.read(lambda r: privacy.view(r, memory.settings, at))


@router.post("/privacy")
async def change(service: Svc, request: Request) -> dict[str, Any]:
    memory = service.need()
    fields = await body_of(request)
    wanted = requests.choice(fields, "level", Level)
    secret = requests.text_field(fields, "secret", longest=LONGEST_SECRET)
    if wanted is None and secret is None:
        raise BadRequest(what="level is missing")
    settings = memory.settings
    more = wanted is not None and await memory.read(lambda r: privacy.raises(r, wanted, settings))
    if more or secret is not None:
        await owner_only(service, request, fields)

    def do(w: Writer) -> dict[str, Any]:
        if wanted is not None:
            privacy.set_level(w, wanted, settings)
        if secret is not None:
            privacy.set_secret(w, secret)
        return privacy.view(w, settings)

    if wanted is not None and not more and memory.door is not None:
        memory.door.stop()  # whatever is being asked right now may be too much already
    return await memory.write(do)
