"""The daemon itself: health, doctor, agents, stop."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request

from dormouse.api import requests
from dormouse.api.routes.common import OWNERS, Svc, body_of, look_of
from dormouse.errors import DormouseError, NotFound, Refused
from dormouse.ledger import Reader, Writer
from dormouse.work import catchup, doctor, status
from dormouse.work.prepare import mask
from dormouse_wire.hosts import HOSTS

router = APIRouter(prefix="/v1")


@router.get("/health")
async def health(service: Svc) -> dict[str, Any]:
    memory = service.memory
    service.state.consolidating = service.night.running is not None
    if memory is None:
        return status.blank(service.home, service.state)
    try:
        return await memory.read(lambda reader: status.status(reader, memory, service.state))
    except DormouseError as error:  # what can't be counted is not well, and still has a status
        return status.blank(service.home, service.state, error)


@router.get("/place")
async def place(service: Svc, project: str) -> dict[str, Any]:
    """Whether Dormouse is off in a folder: why a list from there, a bare one, is empty."""
    _, off = await look_of(service.need(), project)
    return {"off": off}


@router.get("/doctor")
async def look(service: Svc) -> list[dict[str, object]]:
    memory = service.need()
    return await memory.aside(lambda: doctor.doctor(memory, service.slots))


@router.get("/agents")
async def agents(service: Svc) -> list[dict[str, Any]]:
    """The agents side by side: when each rang last, and its track record."""

    def do(r: Reader) -> list[dict[str, Any]]:
        rows = {row.id: row for row in r.agents()}
        found = []
        for record in r.records():
            row = rows.get(record.agent)
            about = {
                "connected": bool(row and row.connected),
                "last_event": row.last_event if row else None,
                "last_event_at": row.last_event_at if row else None,
            }
            found.append({**asdict(record), **about})
        return found

    return await service.need().read(do)


@router.post("/agents/{agent}")
async def agent(service: Svc, agent: str, request: Request) -> dict[str, Any]:
    memory = service.need()
    if request.headers.get("dormouse-agent") is not None:
        raise Refused(what="an agent can't connect itself")
    if agent not in HOSTS:
        hint = "The agents stand in docs/operations.md."
        raise NotFound(what="agent", id=mask(agent)[:40], hint=hint)
    fields = await body_of(request)
    connected = requests.flag(fields, "connected")
    root = requests.text_field(fields, "root", longest=4_096)
    settings = requests.text_field(fields, "settings", longest=4_096)
    before = await memory.read(lambda reader: reader.agent(agent))

    # What exists is marked as read before the agent counts as connected: nothing reads it first.
    if connected and (before is None or before.connected_at is None):
        found = Path(root) if root else catchup.root_of(memory, agent)
        await memory.aside(lambda: catchup.mark_existing(memory, agent, found))

    def do(w: Writer) -> None:
        w.set_agent(agent, connected=connected, root=root, settings_path=settings)

    await memory.write(do)
    return {"agent": agent, "connected": connected}


@router.post("/stop", dependencies=[OWNERS])
async def stop(service: Svc) -> dict[str, Any]:
    service.stop()
    return {"state": "stopping"}
