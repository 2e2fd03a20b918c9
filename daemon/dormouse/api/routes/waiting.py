"""What waits for the owner: candidates, proposals, questions; and the bare judge."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request

from dormouse.api import requests, views
from dormouse.api.routes.common import OWNERS, Svc, body_of, look_of, owner_only
from dormouse.errors import BadRequest, Refused
from dormouse.judgments import Verdict
from dormouse.ledger import Reader, Writer
from dormouse.work import owner
from dormouse.work.judge import judge_mine, judge_pairs, wants_thinker

router = APIRouter(prefix="/v1")


@router.get("/candidates", dependencies=[OWNERS])
async def candidates(service: Svc, project: str | None = None) -> list[dict[str, Any]]:
    memory = service.need()
    look, _ = await look_of(memory, project, everything=True)

    def do(reader: Reader) -> list[dict[str, Any]]:
        names = {known.id: known.name for known in reader.known_projects()}
        return [views.candidate_view(row, names) for row in reader.candidates(look)]

    return await memory.read(do)


@router.post("/candidates/{candidate_id}/{verb}")
async def candidate(service: Svc, candidate_id: str, verb: str, request: Request) -> dict[str, Any]:
    memory = service.need()
    await owner_only(service, request, await body_of(request))

    def do(w: Writer) -> dict[str, Any]:
        found = w.resolve(candidate_id, "candidates")
        if verb == "accept":
            return views.fact_view(owner.accept_candidate(w, found, memory.now()))
        if verb == "drop":
            owner.drop_candidate(w, found)
            return {"id": found, "state": "dropped"}
        raise BadRequest(what="a candidate can be accepted or dropped")

    answer = await memory.write(do)
    memory.to_settle.set()
    return answer


@router.get("/proposals", dependencies=[OWNERS])
async def proposals(service: Svc) -> list[dict[str, Any]]:
    found = await service.need().read(lambda reader: reader.proposals())
    return [views.proposal_view(row) for row in found]


@router.post("/proposals/{proposal_id}/{verb}")
async def proposal(service: Svc, proposal_id: str, verb: str, request: Request) -> dict[str, Any]:
    memory = service.need()
    await owner_only(service, request, await body_of(request))

    def do(w: Writer) -> dict[str, Any]:
        found = w.resolve(proposal_id, "proposals")
        if verb == "accept":
            fact = owner.accept_proposal(w, found, memory.now())
            return views.fact_view(fact) if fact else {"id": found, "state": "accepted"}
        if verb == "reject":
            w.close_proposal(found, "rejected")
            return {"id": found, "state": "rejected"}
        raise BadRequest(what="a proposal can be accepted or rejected")

    answer = await memory.write(do)
    memory.to_settle.set()
    memory.places.forget()
    return answer


@router.get("/questions", dependencies=[OWNERS])
async def questions(service: Svc, project: str | None = None) -> list[dict[str, Any]]:
    memory = service.need()
    look, _ = await look_of(memory, project, everything=True)
    found = await memory.read(lambda reader: reader.questions(look))
    return [views.question_view(row) for row in found]


@router.post("/questions/{question_id}/answer")
async def answer(service: Svc, question_id: str, request: Request) -> dict[str, Any]:
    fields = await body_of(request)
    await owner_only(service, request, fields)
    verdict = requests.choice(fields, "verdict", Verdict)
    if verdict not in (Verdict.SUPERSEDE, Verdict.KEEP):
        raise BadRequest(what="the answer is supersede or keep")

    def do(w: Writer) -> dict[str, Any]:
        fact = owner.answer_question(w, w.resolve(question_id, "questions"), verdict)
        return views.fact_view(fact)

    return await service.need().write(do)


@router.get("/judge/mine", dependencies=[OWNERS])
async def judge_mine_(service: Svc) -> dict[str, Any]:
    memory = service.need()
    answered = await memory.read(lambda r: r.answered())
    return await memory.aside(lambda: judge_mine(memory.ladder, answered))


@router.post("/judge")
async def judge(service: Svc, request: Request) -> list[dict[str, Any]]:
    memory = service.need()
    fields = await body_of(request)
    if not wants_thinker(fields):
        return await memory.aside(lambda: judge_pairs(memory.ladder, fields))
    if request.headers.get("dormouse-agent") is not None:
        raise Refused(what="an agent can't ask a thinker here")
    return await asyncio.to_thread(judge_pairs, memory.ladder, fields, memory.door)
