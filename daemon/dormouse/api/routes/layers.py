"""How full the layers are, and what the running tasks are about."""

from typing import Any

from fastapi import APIRouter

from dormouse.api.routes.common import Svc, look_of
from dormouse.layers import PLACES, WINDOW
from dormouse.ledger import Reader
from dormouse.work import focus, status
from dormouse.work.prepare import mask

router = APIRouter(prefix="/v1")
LASTING = ("episodic", "semantic", "procedural", "core")


@router.get("/layers")
async def layers(service: Svc, project: str | None = None) -> dict[str, Any]:
    """Per layer what it holds, how much it may hold (None: no bound), and what is due."""
    memory = service.need()
    look, off = await look_of(memory, project)

    def do(r: Reader) -> dict[str, Any]:
        counts, by_layer = r.counts(), {} if off else r.count_by_layer(look)
        places = [] if off else focus.of_project(r, look.project_id, memory.now())
        rows: list[dict[str, Any]] = [
            {"layer": "working", "used": min(PLACES, len(places)), "limit": PLACES, "due": 0},
            {"layer": "session", "used": focus.turns_held(r, look), "limit": WINDOW, "due": 0},
        ]
        rows += [
            {"layer": layer, "used": by_layer.get(layer, 0), "limit": None, "due": 0}
            for layer in LASTING
        ]
        rows[3]["due"] = counts["pending"]  # semantic: what is not settled yet
        state = status.status(r, memory, service.state)["state"]
        return {"state": state, "layers": rows, "questions": counts["questions"]}

    return await memory.read(do)


@router.get("/working")
async def working(service: Svc, project: str | None = None) -> dict[str, Any]:
    """The working memory of the project's last session, for whichever agent asks next."""
    memory = service.need()
    look, off = await look_of(memory, project)
    if off:
        return {"focus": []}
    places = await memory.read(lambda r: focus.of_project(r, look.project_id, memory.now()))
    return {
        "focus": [
            {"kind": p.kind, "text": mask(p.text), "at": p.at, "agent": agent, "session": session}
            for agent, session, p in places
        ]
    }
