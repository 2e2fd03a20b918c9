"""What the routes share: who asks, and which view a folder gives."""

import asyncio
from typing import Annotated, Any

from fastapi import Depends, Request

from dormouse.api import requests
from dormouse.api.service import Service
from dormouse.api.wire import read_json
from dormouse.errors import BadRequest, Refused
from dormouse.facts import Look
from dormouse.work.memory import Memory
from dormouse.work.remember import Speaker


def service_of(request: Request) -> Service:
    """The service that the application was made for."""
    service: Service = request.app.state.service
    return service


Svc = Annotated[Service, Depends(service_of)]


async def body_of(request: Request) -> dict[str, Any]:
    """The request's JSON object."""
    return read_json(await request.body())


def speaker_of(request: Request, session_id: str | None = None) -> Speaker:
    """Who asks (see ``requests.speaker``)."""
    return requests.speaker(request.headers.get("dormouse-agent"), session_id)


async def owner_only(service: Service, request: Request, fields: dict[str, Any]) -> None:
    """Refuse an agent; check the passphrase where one came along. Raises Refused."""
    if request.headers.get("dormouse-agent") is not None:
        raise Refused(what="an agent can't do this")
    passphrase = fields.pop("passphrase", None)
    if passphrase is None or service.slots is None:
        return
    if not isinstance(passphrase, str):
        raise BadRequest(what="passphrase must be a text")
    slots = service.slots
    if "passphrase" not in slots.kinds:
        raise Refused(
            f"Run it in a terminal of your own, without one. It opens with: {slots.named()}.",
            what="this memory has no passphrase that could stand for its owner",
        )
    if not await asyncio.to_thread(lambda: slots.check("passphrase", passphrase)):
        raise Refused(what="the passphrase does not open any slot")


def refuse_agents(request: Request) -> None:
    """For what shows every project at once: an agent sees its own project's, never others'."""
    if request.headers.get("dormouse-agent") is not None:
        raise Refused(what="an agent can't see this")


OWNERS = Depends(refuse_agents)  # of a route that is the owner's alone


async def look_of(
    memory: Memory, project: str | None, *, everything: bool = False
) -> tuple[Look, bool]:
    """The view from a folder, and whether Dormouse is off there."""
    if project is None:
        return Look(everything=everything), False
    folder = requests.folder_field({"project": project})
    where = await memory.aside(lambda: memory.places.where(folder))
    return where.look(), where.off
