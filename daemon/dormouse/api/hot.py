"""The routes an agent waits for, without a framework: hooks, capture, recall."""

import asyncio
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from dormouse.api import requests, views
from dormouse.api.service import Service
from dormouse.api.wire import Scope, fingerprint, header, idempotency_key, log_failure, read_json
from dormouse.errors import (
    BadRequest,
    Damaged,
    DormouseError,
    KeyReused,
    NotFound,
    WriteRefused,
)
from dormouse.facts import Layer
from dormouse.hosts import READERS
from dormouse.ledger import Reader, Writer
from dormouse.recall.compaction import Record, compact
from dormouse.sessions import Event, Moment
from dormouse.settings import read as read_settings
from dormouse.work.answer import answer
from dormouse.work.meaning import SEARCH_S
from dormouse.work.memory import Memory
from dormouse.work.places import NOWHERE, Folders, Where
from dormouse.work.prepare import mask
from dormouse.work.recalls import Found, find
from dormouse.work.remember import Kept, Speaker, Wish, remember
from dormouse.work.thinkers import is_thinker
from dormouse.work.unkept import unkept
from dormouse_wire.hosts import CLAUDE_CODE, HOSTS

TWICE_S = 5.0  # two hooks may bring the same event; the second within this time is dropped
Answered = tuple[int, bytes, bytes]
PLAIN, JSON = b"text/plain; charset=utf-8", b"application/json"


class Twice:
    """Knows the events of the last seconds by their fingerprints."""

    def __init__(self) -> None:
        self._seen: OrderedDict[bytes, tuple[float, str | None]] = OrderedDict()

    def __call__(self, agent: str, event: Event, name: str, body: bytes) -> bool:
        """Whether this very event came just now; remembers it if not.

        Another prompt in between makes it a new one: "on", "off", "on" are three orders.
        """
        now = time.monotonic()
        while self._seen and next(iter(self._seen.values()))[0] < now - TWICE_S:
            self._seen.popitem(last=False)
        mark = hashlib.blake2b(b"\0".join((agent.encode(), name.encode(), body))).digest()
        if mark in self._seen:
            return True
        prompted = f"{agent} {event.session_id}" if event.moment is Moment.PROMPT else None
        if prompted is not None:
            for each in [old for old, (_, of) in self._seen.items() if of == prompted]:
                del self._seen[each]
        self._seen[mark] = now, prompted
        return False


async def hook(service: Service, twice: Twice, path: str, body: bytes) -> Answered:
    """``POST /hooks/{agent}/{event}``: the text to print. Nothing is better than an error here."""
    _, _, agent, name, *more = (*path.split("/"), "", "")
    agent, name = unquote(agent), mask(unquote(name))
    if agent not in HOSTS or not name or any(more):
        hint = "The agents stand in docs/operations.md."
        raise NotFound(what="agent", id=mask(agent)[:40], hint=hint)
    memory, failure = service.memory, service.failure
    if memory is None and not isinstance(failure, (Damaged, WriteRefused)):
        return 200, b"", PLAIN  # locked: hooks stay silent
    reader = READERS[agent]
    try:
        event = reader.read_event(name, body)
    except BadRequest:
        _count(memory, "events_unreadable")
        raise
    # A session's start may come twice: the same state gives the same text.
    start = event.moment is Moment.SESSION_START
    if is_thinker(event) or (not start and twice(agent, event, name, body)):
        _count(memory, "events_dropped")
        return 200, b"", PLAIN
    if memory is not None:
        text = await _answer(memory, event)
    else:
        text = await _unkept(event, failure or DormouseError(), lambda: _folders_of(service))
    return 200, text.encode("utf-8", "replace"), PLAIN


def _count(memory: Memory | None, what: str) -> None:
    if memory is not None:
        memory.count(what)


async def _answer(memory: Memory, event: Event) -> str:
    try:
        given = await answer(memory, event)
        return READERS[event.agent].render(event, given)
    except Exception as error:  # an agent must go on, whatever happens here
        log_failure(f"event {event.moment}", error)
        memory.count("events_failed")
        return await _unkept(event, error, lambda: memory.places.folders)


async def _unkept(event: Event, error: Exception, folders: Callable[[], Folders]) -> str:
    """What a command that could not be obeyed is answered with; empty for every other event."""
    try:
        told = await asyncio.to_thread(lambda: unkept(event, error, folders()))
        return READERS[event.agent].render(event, told)
    except Exception as failed:  # here, too
        log_failure(f"the answer to event {event.moment}", failed)
        return ""


def _folders_of(service: Service) -> Folders:
    settings = read_settings(service.home.settings)
    opt_in = settings.capture_mode == "opt-in"
    return Folders(Path.home(), settings.capture_off_patterns, opt_in)


async def capture(service: Service, scope: Scope, body: bytes) -> Answered:
    """``POST /v1/facts``."""
    memory = service.need()
    fields = read_json(body)
    wish = requests.wish(fields)
    who = requests.speaker(
        header(scope, b"dormouse-agent"),
        requests.session_field(fields),
        requests.text_field(fields, "source", longest=200),
    )
    settle = requests.flag(fields, "settle", True)
    folder = requests.folder_field(fields)
    where = await memory.aside(lambda: memory.places.where(folder)) if folder else NOWHERE
    requests.refuse_off(who, where)
    key = idempotency_key(scope)
    mark = fingerprint(scope, body) if key else ""
    now = memory.now()

    def do(w: Writer) -> dict[str, Any]:
        if key and (known := _kept(w, key, mark)) is not None:
            return known
        kept = remember(w, wish, who, where, now)
        if who.agent is None and who.session_id and kept.state == "new" and kept.fact:
            w.follow(kept.fact, who.session_id)  # a turn of a conversation that somebody stores
        if kept.fact is not None and not settle:
            w.mark_settled([kept.fact.id])
        if key:
            w.keep_answer(key, mark, json.dumps(_short_form(kept)))
        return _capture_view(kept, wish, who, where)

    view = await memory.write(do)
    if settle and view["state"] == "new":
        memory.to_settle.set()
    status = 201 if view["state"] == "new" else 200
    return status, json.dumps(view).encode(), JSON


def _kept(w: Writer, key: str, mark: str) -> dict[str, Any] | None:
    kept = w.kept_answer(key)
    if kept is None:
        return None
    if kept[0] != mark:
        raise KeyReused()
    short = json.loads(kept[1])
    told: dict[str, Any] = {"state": short["state"], "redacted": short["redacted"]}
    if short["fact"] is None:
        return {"id": short["proposal"], **told}
    return views.fact_view(w.fact(short["fact"])) | told


def _short_form(kept: Kept) -> dict[str, Any]:
    """What an idempotency key keeps: ids only, so that an erased text is nowhere else."""
    return {
        "fact": kept.fact.id if kept.fact else None,
        "state": kept.state,
        "redacted": list(kept.redacted),
        "proposal": kept.proposal_id,
    }


def _capture_view(kept: Kept, wish: Wish, who: Speaker, where: Where) -> dict[str, Any]:
    extra: dict[str, Any] = {"state": kept.state, "redacted": list(kept.redacted)}
    if kept.proposed:
        extra |= {"proposal": kept.proposal_id, "proposed": list(kept.proposed)}
    if kept.fact is None:
        return {"id": kept.proposal_id, **extra}
    return views.fact_view(kept.fact) | extra


async def recall(service: Service, scope: Scope, body: bytes) -> Answered:
    """``POST /v1/recall``."""
    memory = service.need()
    fields = read_json(body)
    requests.known_fields(fields, requests.RECALL_FIELDS)
    query = requests.text_field(fields, "query", needed=True) or ""
    limit = requests.number_field(fields, "limit", 1, 1_000)
    folder = requests.folder_field(fields)
    session = requests.session_field(fields)
    layer = requests.choice(fields, "layer", Layer)
    where = await memory.aside(lambda: memory.places.where(folder)) if folder else NOWHERE
    if where.off:
        return 200, json.dumps({"hits": [], "left_out": 0, "reason": "private"}).encode(), JSON
    at_most = int(limit) if limit else memory.settings.recall_max_facts

    asked = await memory.ask(query, SEARCH_S, explicit=True)

    def do(r: Reader) -> dict[str, Any]:
        found = find(
            r, memory, query, where.look(session),
            asked=asked,
            as_of=requests.time_field(fields, "as_of"),
            history=requests.flag(fields, "history"),
            floor=requests.number_field(fields, "floor", 0, 1),
            explicit=True,
        )  # fmt: skip
        view = _recall_view(r, found, at_most, layer)
        if requests.flag(fields, "why"):
            view["compaction"] = _compaction(view["hits"])
        return view

    return 200, json.dumps(await memory.read(do)).encode(), JSON


def _compaction(hits: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What each step would do to these hits to fit them into a prompt."""
    records = [Record(str(hit["kind"]), str(hit["text"])) for hit in hits]
    report = compact(records, CLAUDE_CODE.prompt_limit, CLAUDE_CODE.context_unit).report
    return [asdict(level) for level in report]


def _recall_view(r: Reader, found: Found, at_most: int, layer: Layer | None) -> dict[str, Any]:
    ranked = [hit for hit in found.ranked if layer is None or hit.fact.layer is layer]
    shown = ranked[:at_most]
    hits = [
        views.fact_view(fact) | {"score": round(hit.score, 4), "why": dict(hit.why)}
        for hit, fact in zip(shown, r.whole([hit.fact for hit in shown]), strict=True)
    ]
    reason = found.reason if hits or found.reason else "no_match"
    return {"hits": hits, "left_out": len(ranked) - len(hits), "reason": None if hits else reason}


__all__ = ["DormouseError", "Twice", "capture", "hook", "recall"]
