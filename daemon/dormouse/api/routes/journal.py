"""The journal, and the known projects."""

from typing import Any

from fastapi import APIRouter, Request

from dormouse.api import requests, views
from dormouse.api.routes.common import OWNERS, Svc, body_of, owner_only
from dormouse.errors import BadRequest, NotFound
from dormouse.facts import Look
from dormouse.ledger import Reader, Writer
from dormouse.work.prepare import mask

router = APIRouter(prefix="/v1")


@router.get("/journal", dependencies=[OWNERS])
async def journal(service: Svc, session: str | None = None) -> list[dict[str, Any]]:
    rows = await service.need().read(lambda reader: reader.turns(session_id=session))
    return [views.turn_view(row) for row in rows]


@router.post("/journal/drop")
async def drop(service: Svc, request: Request) -> dict[str, Any]:
    fields = await body_of(request)
    await owner_only(service, request, fields)
    session = requests.text_field(fields, "session", needed=True) or ""
    dropped = await service.need().write(lambda w: w.drop_turns(session))
    if not dropped:
        raise NotFound(what="session with turns", id=mask(session)[:60], hint="`dormouse journal`")
    return {"session": session, "dropped": dropped}


@router.get("/projects", dependencies=[OWNERS])
async def projects(service: Svc) -> list[dict[str, Any]]:
    def do(reader: Reader) -> list[dict[str, Any]]:
        known = {project.id: project for project in reader.known_projects()}
        joins: dict[str, list[str]] = {}
        for row in reader.proposals():
            if row.what == "join":
                joins.setdefault(row.payload["join"][1], []).append(row.payload["join"][0])
        return [
            {
                "id": project.id,
                "name": project.name,
                "kind": project.kind,
                "paths": [mask(path) for path in project.paths],
                "facts": sum(reader.count(Look(project.id))) - sum(reader.count(Look())),
                "proposals_to_join": joins.get(project.id, []),
            }
            for project in known.values()
        ]

    return await service.need().read(do)


@router.post("/projects/join")
async def join(service: Svc, request: Request) -> dict[str, Any]:
    memory = service.need()
    fields = await body_of(request)
    await owner_only(service, request, fields)
    a = requests.text_field(fields, "a", needed=True) or ""
    b = requests.text_field(fields, "b", needed=True) or ""

    def do(w: Writer) -> dict[str, Any]:
        first, second = w.resolve(a, "projects"), w.resolve(b, "projects")
        if first == second:
            raise BadRequest(what="both ids name the same project")
        w.join_projects(first, second)
        joined = next(p for p in w.known_projects() if p.id == first)
        return {
            "id": joined.id,
            "name": joined.name,
            "paths": [mask(path) for path in joined.paths],
        }

    answer = await memory.write(do)
    memory.places.forget()
    return answer
