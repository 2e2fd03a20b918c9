"""Runs: sleep now, reports, take back, carry out a stopped plan."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request

from dormouse.api import requests, views
from dormouse.api.routes.common import OWNERS, Svc, body_of, owner_only
from dormouse.errors import BadRequest
from dormouse.ledger import Reader, Writer
from dormouse.work import rem

router = APIRouter(prefix="/v1/rem")


@router.post("/runs")
async def run(service: Svc, request: Request) -> dict[str, Any]:
    memory = service.need()
    wait = requests.flag(await body_of(request), "wait")
    night = service.night
    sleeping = rem.begin(memory, night)
    if wait:
        run_id = await asyncio.shield(sleeping)
    else:
        while (running := night.running) is None and not sleeping.done():
            await asyncio.sleep(0.005)
        run_id = sleeping.result() if running is None else running
    return views.run_view(await memory.read(lambda reader: reader.run(run_id)))


@router.get("/runs")
async def runs(service: Svc) -> list[dict[str, Any]]:
    return [views.run_view(row) for row in await service.need().read(lambda reader: reader.runs())]


@router.get("/runs/{run_id}", dependencies=[OWNERS])
async def show(service: Svc, run_id: str) -> dict[str, Any]:
    def do(reader: Reader) -> dict[str, Any]:
        row = reader.run(reader.resolve(run_id, "runs"))
        judged = [views.judgment_view(x) for x in reader.judgments(run_id=row.id)]
        steps = [views.step_view(step) for step in reader.run_steps(row.id)]
        return views.run_view(row) | {"judgments": judged, "steps": steps}

    return await service.need().read(do)


@router.post("/runs/{run_id}/{verb}")
async def change(service: Svc, run_id: str, verb: str, request: Request) -> dict[str, Any]:
    memory = service.need()
    await owner_only(service, request, await body_of(request))

    def do(w: Writer) -> dict[str, Any]:
        found = w.resolve(run_id, "runs")
        if verb == "undo":
            return views.run_view(rem.undo(w, found))
        if verb == "approve":
            return views.run_view(rem.approve(w, found))
        raise BadRequest(what="a run can be undone or approved")

    return await memory.write(do)


@router.post("/undo")
async def undo(service: Svc, request: Request) -> list[dict[str, Any]]:
    fields = await body_of(request)
    await owner_only(service, request, fields)
    since = requests.time_field(fields, "since")
    if since is None:
        raise BadRequest(what="since is missing")
    rows = await service.need().write(lambda w: rem.undo_since(w, since))
    return [views.run_view(row) for row in rows]
