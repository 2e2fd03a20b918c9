"""Facts: list, show, retire, restore, correct, pin."""

from typing import Any, Literal

from fastapi import APIRouter, Request

from dormouse.api import requests, views
from dormouse.api.routes.common import OWNERS, Svc, body_of, look_of, speaker_of
from dormouse.errors import BadRequest, Conflict, DormouseError, Refused
from dormouse.facts import Fact, Layer
from dormouse.judgments import Verdict
from dormouse.ledger import JudgmentRow, Reader, Writer
from dormouse.work import by_agents, owner
from dormouse.work.memory import Memory
from dormouse.work.places import NOWHERE, Where
from dormouse.work.prepare import mask
from dormouse.work.remember import Speaker

Which = Literal["current", "retired", "all"]


router = APIRouter(prefix="/v1")


@router.get("/facts")
async def facts(
    service: Svc, which: Which = "current", project: str | None = None, layer: str | None = None
) -> list[dict[str, Any]]:
    memory = service.need()
    look, off = await look_of(memory, project)
    if off:
        return []
    of = requests.choice({"layer": layer}, "layer", Layer)
    found = await memory.read(lambda reader: reader.facts(look, which=which, layer=of))
    return [views.fact_view(fact) for fact in found]


@router.get("/retired", dependencies=[OWNERS])
async def retired(service: Svc, project: str | None = None) -> list[dict[str, Any]]:
    memory = service.need()
    look, _ = await look_of(memory, project, everything=True)

    def do(reader: Reader) -> list[dict[str, Any]]:
        found = reader.facts(look, which="retired")
        found.sort(key=lambda fact: (fact.retired_at or "", fact.id), reverse=True)
        return [views.retired_view(fact, _because(reader, fact)) for fact in found]

    return await memory.read(do)


@router.get("/facts/{fact_id}")
async def show(
    service: Svc, fact_id: str, request: Request, project: str | None = None
) -> dict[str, Any]:
    memory, who = service.need(), speaker_of(request)
    where = await _where(memory, project)
    requests.refuse_off(who, where)

    def do(reader: Reader) -> dict[str, Any]:
        if not who.is_person:
            return views.fact_view(by_agents.find(reader, fact_id, where.look()))
        fact = reader.fact(reader.resolve(fact_id))
        rows = reader.judgments(fact_id=fact.id)
        return views.fact_view(fact) | {"judgments": [views.judgment_view(x) for x in rows]}

    return await memory.read(do)


@router.get("/facts/{fact_id}/history")
async def history(
    service: Svc, fact_id: str, request: Request, project: str | None = None
) -> list[dict[str, Any]]:
    memory, who = service.need(), speaker_of(request)
    where = await _where(memory, project)
    requests.refuse_off(who, where)

    def do(reader: Reader) -> list[dict[str, Any]]:
        if who.is_person:
            return [views.link_view(link) for link in reader.chain(reader.resolve(fact_id))]
        fact, look = by_agents.find(reader, fact_id, where.look()), where.look()
        chain = [link for link in reader.chain(fact.id) if by_agents.sees(look, link.fact)]
        return [views.link_view(link) for link in chain]

    return await memory.read(do)


@router.post("/forget")
async def forget(service: Svc, request: Request) -> dict[str, Any]:
    """Retire several facts, or none: what an agent's memory_forget asks for."""
    memory = service.need()
    fields = await body_of(request)
    requests.known_fields(fields, {"ids", "why", "session_id", "project"})
    ids = requests.texts_field(fields, "ids")
    why = requests.said_field(fields, "why", longest=2_000) or ""
    who = speaker_of(request, requests.session_field(fields))
    if who.is_person:
        raise BadRequest(what="the owner retires with /v1/facts/{id}/retire")
    where = await _where(memory, requests.folder_field(fields))
    requests.refuse_off(who, where)
    limit = memory.settings.forget_per_session
    done = await memory.write(lambda w: by_agents.forget(w, ids, who, where, limit, why))
    if isinstance(done, Refused):
        raise done
    return {
        "retired": [{"id": fact.id, "text": mask(fact.text)} for fact in done.retired],
        "went_along": [{"id": fact.id, "text": mask(fact.text)} for fact in done.along],
        "already_retired": list(done.already),
        "left": done.left,
    }


@router.post("/facts/{fact_id}/{verb}")
async def change(service: Svc, fact_id: str, verb: str, request: Request) -> dict[str, Any]:
    memory = service.need()
    fields = await body_of(request)
    session = requests.session_field(fields)
    who, now = speaker_of(request, session), memory.now()
    if verb not in ("retire", "restore", "correct", "pin", "unpin"):
        raise BadRequest(what="a fact can be retired, restored, corrected, pinned, unpinned")
    requests.text_field(fields, "why", needed=verb == "retire")
    why = requests.said_field(fields, "why") or ""
    text = requests.statement_field(fields) if verb == "correct" else ""
    if not who.is_person:
        return await _by_agent(memory, fact_id, verb, who, fields, text=text, why=why)

    def do(w: Writer) -> Fact:
        found = w.resolve(fact_id)
        if verb == "retire":
            return owner.retire(w, found, who, why)
        if verb == "restore":
            return owner.restore(w, found, who)
        if verb == "correct":
            return owner.correct(w, found, text, who, now)
        return owner.pin(w, found, verb == "pin", who)

    fact = await memory.write(do)
    memory.to_settle.set()
    return views.fact_view(fact)


async def _by_agent(
    memory: Memory,
    fact_id: str,
    verb: str,
    who: Speaker,
    fields: dict[str, Any],
    *,
    text: str,
    why: str,
) -> dict[str, Any]:
    """An agent's wish: what it may not do is proposed, or refused as a whole."""
    where = await _where(memory, requests.folder_field(fields))
    requests.refuse_off(who, where)
    limit, now = memory.settings.forget_per_session, memory.now()

    def do(w: Writer) -> Fact | str | DormouseError:
        fact = by_agents.find(w, fact_id, where.look(who.session_id))
        if verb == "correct":
            return by_agents.correct(w, fact, text, who, where, limit, now)
        if verb == "retire":
            if not fact.current:
                return Conflict(what=f"fact {fact.id} is retired already")
            done = by_agents.forget(w, [fact.id], who, where, limit, why)
            return done if isinstance(done, Refused) else w.fact(fact.id)
        if verb == "unpin":  # no proposal says this, and one to pin would say the opposite
            return Refused(what="an agent can't take a pin off")
        if verb == "pin":
            return w.propose("pin", {"fact": fact.id, "text": fact.text}, by=str(who.agent)).id
        return Refused(what="an agent can't bring back what was retired")

    done = await memory.write(do)
    if isinstance(done, DormouseError):
        raise done
    if isinstance(done, str):
        return {"id": fact_id, "state": "proposed", "proposal": done}
    memory.to_settle.set()
    return views.fact_view(done)


async def _where(memory: Memory, folder: str | None) -> Where:
    if folder is None:
        return NOWHERE
    named = requests.folder_field({"project": folder}) or ""
    return await memory.aside(lambda: memory.places.where(named))


def _because(reader: Reader, fact: Fact) -> JudgmentRow | None:
    """The judgment that retired *fact*, if one did."""
    rows = [
        row
        for row in reader.judgments(fact_id=fact.id)
        if row.older_id == fact.id and row.ruling.verdict is Verdict.SUPERSEDE
    ]
    return rows[-1] if rows else None
