"""Handoffs: give, list, show, take, finish, return. Always of one project: the caller's folder."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from dormouse.api import requests, views
from dormouse.api.routes.common import Svc, body_of, speaker_of
from dormouse.errors import BadRequest
from dormouse.handoffs import Handoff
from dormouse.ledger import Reader, Writer
from dormouse.work import handoff
from dormouse.work.memory import Memory
from dormouse.work.places import NOWHERE, Where
from dormouse_wire.hosts import HOSTS

router = APIRouter(prefix="/v1/handoffs")
GIVEN = {
    "goal", "to", "done", "open", "decisions", "files", "from", "project", "session_id",
}  # fmt: skip
STEP = {"as", "token", "project", "session_id"}
WHOLE = 100_000  # units of a handoff that is shown whole


async def _where(memory: Memory, folder: str | None) -> Where:
    if folder is None:
        return NOWHERE
    named = requests.folder_field({"project": folder}) or ""
    return await memory.aside(lambda: memory.places.where(named))


def _unit(agent: str | None) -> str:
    host = HOSTS.get(agent or "")
    return host.context_unit if host else "utf16"


async def _view(memory: Memory, item: Handoff) -> dict[str, Any]:
    """One handoff whole, with its history and the text that its taker is shown."""
    gone = await memory.aside(lambda: handoff.missing([item]))

    def do(r: Reader) -> dict[str, Any]:
        shown = handoff.shown(r, item, gone, _unit(item.taken_by), WHOLE)
        return views.handoff_view(item, r.handoff_events(item.id), gone, "\n".join(shown.lines))

    return await memory.read(do)


@router.post("")
async def give(service: Svc, request: Request) -> JSONResponse:
    memory = service.need()
    fields = await body_of(request)
    requests.known_fields(fields, GIVEN)
    who = speaker_of(request, requests.session_field(fields))
    folder = requests.folder_field(fields)
    where = await _where(memory, folder)
    requests.refuse_off(who, where)
    if where.off:
        raise BadRequest(what="Dormouse is off in this folder")
    giver = who.agent or requests.id_field(fields, "from", longest=40)
    given = handoff.Given(
        goal=requests.said_field(fields, "goal", longest=4_000) or "",
        to=requests.id_field(fields, "to", longest=40),
        done=requests.said_fields(fields, "done", most=100),
        open=requests.said_fields(fields, "open", most=100),
        decisions=requests.said_fields(fields, "decisions", most=100),
        files=requests.said_fields(fields, "files", most=100),
        by_agent=not who.is_person,
    )
    await memory.aside(lambda: handoff.read_on(memory, where, giver))
    _, commit = await memory.aside(lambda: memory.places.head(folder))
    now = memory.now()

    def do(w: Writer) -> Handoff:
        return handoff.give(
            w, given, where, agent=giver, session_id=who.session_id, commit=commit, now=now
        )

    item = await memory.write(do)
    return JSONResponse(await _view(memory, item), 201)


@router.get("")
async def list_(service: Svc, project: str | None = None) -> list[dict[str, Any]]:
    memory = service.need()
    where, now = await _where(memory, project), memory.now()
    if where.project_id is None or where.off:
        return []

    def do(w: Writer) -> list[dict[str, Any]]:
        handoff.tend(w, where.project_id, now)
        return [views.handoff_row(item) for item in w.handoffs(where.project_id)]

    return await memory.write(do)


@router.get("/{handoff_id}")
async def show(
    service: Svc, handoff_id: str, request: Request, project: str | None = None
) -> dict[str, Any]:
    memory = service.need()
    where, now = await _where(memory, project), memory.now()
    requests.refuse_off(speaker_of(request), where)

    def do(w: Writer) -> Handoff:
        items = handoff.tend(w, where.project_id, now) if where.project_id else []
        if handoff_id == handoff.NEXT and items:
            return items[0]
        return handoff.find(w, handoff_id, where)

    return await _view(memory, await memory.write(do))


@router.post("/{handoff_id}/{verb}")
async def step(service: Svc, handoff_id: str, verb: str, request: Request) -> dict[str, Any]:
    memory = service.need()
    fields = await body_of(request)
    requests.known_fields(fields, STEP)
    who = speaker_of(request, requests.session_field(fields))
    where = await _where(memory, requests.folder_field(fields))
    requests.refuse_off(who, where)
    agent = who.agent or requests.id_field(fields, "as", longest=40)
    number = requests.number_field(fields, "token", 0, 2**53)
    token, now, lease = (
        None if number is None else int(number),
        memory.now(),
        handoff.lease_of(memory),
    )

    def do(w: Writer) -> Handoff:
        if verb == "take":
            return handoff.take(
                w, handoff_id, where, agent=agent, session_id=who.session_id, now=now, lease=lease
            )
        if verb == "finish":
            return handoff.finish(w, handoff_id, where, agent=agent, token=token, now=now)
        if verb == "return":
            return handoff.give_back(w, handoff_id, where, agent=agent, token=token, now=now)
        raise BadRequest(what="a handoff can be taken, finished or returned")

    return await _view(memory, await memory.write(do))
