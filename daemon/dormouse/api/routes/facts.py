"""Facts: list, show, retire, restore, correct, pin."""

from typing import Any, Literal

from fastapi import APIRouter, Request

from dormouse.api import requests, views
from dormouse.api.routes.common import Svc, body_of, look_of, speaker_of
from dormouse.errors import BadRequest, Refused
from dormouse.facts import Fact, Layer
from dormouse.judgments import Verdict
from dormouse.ledger import JudgmentRow, Reader, Writer
from dormouse.work import owner
from dormouse.work.remember import Speaker

Which = Literal["current", "retired", "all"]


def _forgets_key(who: Speaker) -> str:
    return f"forgets:{who.agent}:{who.session_id}"


def _count_forget(w: Writer, who: Speaker, fact: Fact, limit: int) -> None:
    """Agents may retire, but not at will: counted by session, and told to the person."""
    done = int(w.setting(_forgets_key(who)) or 0)
    if done >= limit:
        raise Refused(
            what=f"this session has retired {done} facts already",
            hint="Ask your person to retire more with `dormouse retire`.",
        )
    w.set_setting(_forgets_key(who), str(done + 1))
    told = w.setting("notice")
    line = f"{who.agent} retired {fact.id[:6]} (`dormouse restore {fact.id[:6]}` brings it back)"
    w.set_setting("notice", f"{told}; {line}" if told else line)


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


@router.get("/retired")
async def retired(service: Svc, project: str | None = None) -> list[dict[str, Any]]:
    memory = service.need()
    look, _ = await look_of(memory, project, everything=True)

    def do(reader: Reader) -> list[dict[str, Any]]:
        found = reader.facts(look, which="retired")
        found.sort(key=lambda fact: (fact.retired_at or "", fact.id), reverse=True)
        return [views.retired_view(fact, _because(reader, fact)) for fact in found]

    return await memory.read(do)


@router.get("/facts/{fact_id}")
async def show(service: Svc, fact_id: str) -> dict[str, Any]:
    def do(reader: Reader) -> dict[str, Any]:
        fact = reader.fact(reader.resolve(fact_id))
        rows = reader.judgments(fact_id=fact.id)
        return views.fact_view(fact) | {"judgments": [views.judgment_view(x) for x in rows]}

    return await service.need().read(do)


@router.get("/facts/{fact_id}/history")
async def history(service: Svc, fact_id: str) -> list[dict[str, Any]]:
    def do(reader: Reader) -> list[dict[str, Any]]:
        return [views.link_view(link) for link in reader.chain(reader.resolve(fact_id))]

    return await service.need().read(do)


@router.post("/facts/{fact_id}/{verb}")
async def change(service: Svc, fact_id: str, verb: str, request: Request) -> dict[str, Any]:
    memory = service.need()
    fields = await body_of(request)
    session = requests.text_field(fields, "session_id", longest=200)
    who = speaker_of(request, session)
    now = memory.now()

    def do(w: Writer) -> Fact:
        found = w.resolve(fact_id)
        if verb == "retire":
            why = requests.text_field(fields, "why", needed=True) or ""
            if not who.is_person:
                _count_forget(w, who, w.fact(found), memory.settings.forget_per_session)
            return owner.retire(w, found, who, why)
        if verb == "restore":
            return owner.restore(w, found, who)
        if verb == "correct":
            text = requests.text_field(fields, "text", needed=True) or ""
            return owner.correct(w, found, text, who, now)
        if verb in ("pin", "unpin"):
            return owner.pin(w, found, verb == "pin", who)
        raise BadRequest(what="a fact can be retired, restored, corrected, pinned, unpinned")

    fact = await memory.write(do)
    memory.to_settle.set()
    return views.fact_view(fact)


def _because(reader: Reader, fact: Fact) -> JudgmentRow | None:
    """The judgment that retired *fact*, if one did."""
    rows = [
        row
        for row in reader.judgments(fact_id=fact.id)
        if row.older_id == fact.id and row.ruling.verdict is Verdict.SUPERSEDE
    ]
    return rows[-1] if rows else None
