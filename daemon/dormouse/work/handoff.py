"""Passing a task on: what is handed over, who gets it, and who is told. Only within one project.

Every step is made from the handoff as the ledger holds it and written only over that very state.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from dormouse import handoffs
from dormouse.errors import BadRequest, IdTooShort, NotFound, NotUnique, Refused
from dormouse.handoffs import Content, Handoff, State, Step, What
from dormouse.judging.thinker import speaks_to_the_judge
from dormouse.layers import WINDOW, alive, listen, sentences
from dormouse.ledger import Reader, SessionRow, TurnRow, Writer
from dormouse.ledger.ids import SHORTEST, as_named
from dormouse.recall import handed
from dormouse.sessions import Event, Moment, Role
from dormouse.work import catchup
from dormouse.work.focus import goal_of
from dormouse.work.memory import Memory
from dormouse.work.places import Where
from dormouse.work.prepare import mask
from dormouse_wire.hosts import HOSTS

MOST = 12  # of each sort that is handed on
FILES = 30
TURNS = 6
SAID = 400  # characters of one of the last turns
NEXT = "next"  # instead of an id: the oldest that waits for whoever asks


@dataclass(frozen=True, slots=True)
class Given:
    """What the giver says itself; what it leaves out is found in its session."""

    goal: str = field(default="", repr=False)
    to: str | None = None
    done: tuple[str, ...] = field(default=(), repr=False)
    open: tuple[str, ...] = field(default=(), repr=False)
    decisions: tuple[str, ...] = field(default=(), repr=False)
    files: tuple[str, ...] = field(default=(), repr=False)
    reason: str | None = None
    by_agent: bool = False


def lease_of(memory: Memory) -> timedelta:
    return timedelta(minutes=memory.settings.handoff_lease_minutes)


def give(
    w: Writer,
    given: Given,
    where: Where,
    *,
    agent: str | None,
    session_id: str | None,
    commit: str | None,
    now: str,
) -> Handoff:
    """Offer the task of a session (the project's last one, where none is named). BadRequest."""
    if where.project_id is None:
        raise BadRequest(what="there is no project here, so there is nobody to hand on to")
    if given.to is not None and given.to not in HOSTS:
        raise BadRequest(what=f"agents are {', '.join(HOSTS)}")
    session = _session(w, where.project_id, agent, session_id, given.to)
    if session is not None:
        agent = session.agent
    content = _content(w, given, where, session, commit, now)
    if not content.goal:
        raise BadRequest(what="there is no goal", hint="Name it: `dormouse handoff give --goal`.")
    return w.give(
        content,
        project_id=where.project_id,
        branch=where.branch or (session.branch if session else None),
        from_agent=agent,
        from_session=session.id if session else session_id,
        to_agent=given.to,
    )


def _session(
    r: Reader, project_id: str, agent: str | None, session_id: str | None, to: str | None
) -> SessionRow | None:
    """The session whose task is given: the named one, else the agent's last, else anybody's."""
    if agent is not None and session_id is not None:
        found = r.session(agent, session_id)
        if found is not None and found.project_id == project_id:
            return found
    sessions = r.sessions_of(project_id)
    mine = [s for s in sessions if s.agent == agent] if agent else []
    others = [s for s in sessions if s.agent != to]
    return next(iter(mine or ([] if agent else others)), None)


def _content(
    r: Reader,
    given: Given,
    where: Where,
    session: SessionRow | None,
    commit: str | None,
    now: str,
) -> Content:
    """What is handed on. No turn of another project is among it, and no word of a tool's.

    What agents said is left out where it gives a model orders: they may have read them somewhere.
    """
    turns: list[TurnRow] = []
    focus: list[str] = []
    mine = _plain if given.by_agent else tuple
    goal, files = next(iter(mine([given.goal])), ""), list(given.files)
    if session is not None:
        held = r.turns(session_id=session.id, limit=WINDOW)
        turns = [t for t in held if t.agent == session.agent and t.project_id == where.project_id]
        places = alive(r.focus(session.agent, session.id, where.project_id), now)
        own = [p for p in places if not p.quoted and not speaks_to_the_judge(p.text)]
        focus = [f"{p.kind}: {p.text}" for p in own if p.kind != "file"]  # they have their place
        goal = goal or next((p.text for p in own if p.kind == "goal"), "")
        files += [row.name for row in r.touched(session.agent, session.id, "file")]
    person = [t.text for t in turns if t.role is Role.PERSON]
    goal = goal or next((g for g in map(goal_of, person) if g), "")
    heard = listen("\n".join(t.text for t in turns if t.role is Role.ASSISTANT))
    decided = listen("\n".join(person)).decisions
    return Content(
        goal=goal,
        done=_most([*mine(given.done), *_plain(heard.done)]),
        open=_most([*mine(given.open), *_plain(heard.open)]),
        decisions=_most([*mine(given.decisions), *decided, *_plain(heard.decisions)]),
        files=_inside(files, _roots(r, where, session)),
        branch=where.branch,
        commit=commit,
        focus=tuple(focus),
        turns=tuple(_said(t) for t in turns if _may_be_quoted(t))[-TURNS:],
        reason=given.reason,
    )


def _plain(texts: Iterable[str]) -> tuple[str, ...]:
    """*texts* but for orders to a model: an agent may repeat what a tool printed."""
    return tuple(text for text in texts if not speaks_to_the_judge(text))


def _may_be_quoted(turn: TurnRow) -> bool:
    if turn.role is Role.PERSON:
        return True
    return turn.role is Role.ASSISTANT and not speaks_to_the_judge(turn.text)


def _most(texts: Iterable[str]) -> tuple[str, ...]:
    flat = (" ".join(text.split()) for text in texts)
    return tuple(dict.fromkeys(text for text in flat if text))[:MOST]


def _said(turn: TurnRow) -> tuple[str, str]:
    flat = " ".join(turn.text.split())
    return str(turn.role), flat if len(flat) <= SAID else f"{flat[:SAID].rstrip()}…"


def _roots(r: Reader, where: Where, session: SessionRow | None) -> list[str]:
    roots = [p for known in r.known_projects() if known.id == where.project_id for p in known.paths]
    return [*roots, session.cwd] if session is not None and session.cwd else roots


def _inside(files: Iterable[str], roots: Sequence[str]) -> tuple[str, ...]:
    """Absolute paths inside the project; of relative ones the first root is the beginning."""
    found = []
    for file in files:
        path = os.path.normpath(
            file if file.startswith("/") else f"{roots[0]}/{file}" if roots else file
        )
        if any(path.startswith(f"{root.rstrip('/')}/") for root in roots):
            found.append(path)
    return tuple(dict.fromkeys(found))[-FILES:]


def read_on(memory: Memory, where: Where, agent: str | None) -> None:
    """Read the project's last sessions on from their transcripts, so that the newest is known."""
    if where.project_id is None:
        return
    project_id = where.project_id
    sessions = memory.ledger.read(lambda r: r.sessions_of(project_id, limit=3))
    for row in sessions:
        if row.transcript_path and agent in (None, row.agent):
            catchup.own_transcript(
                memory,
                Event(row.agent, "", Moment.OTHER, row.id, transcript_path=row.transcript_path),
            )


def missing(items: Iterable[Handoff]) -> frozenset[str]:
    """Which files of these handoffs are not there. Looks at the disk: not in a transaction."""
    paths = {path for item in items for path in item.content.files}
    return frozenset(path for path in paths if not Path(path).exists())


def tend(w: Writer, project_id: str | None, now: str) -> list[Handoff]:
    """Let time do its part, then: what is open in a project (in all, if None), oldest first."""
    for item in w.open_handoffs(project_id):
        if step := handoffs.due(item, now):
            w.step(item, step)
    return w.open_handoffs(project_id)


def find(r: Reader, id: str, where: Where) -> Handoff:
    """The handoff of this project that *id* names. Raises NotFound, NotUnique, IdTooShort."""
    if len(id) < SHORTEST:
        raise IdTooShort(id=id)
    named = [r.handoff(whole) for whole in r.resolve_handoff(id)]
    here = [item for item in named if item.project_id == where.project_id]
    if len(here) > 1:
        raise NotUnique(id=id, among=", ".join(item.id for item in here))
    if not here:
        raise NotFound(
            what="handoff of this project", id=as_named(id), hint="See `dormouse handoff list`."
        )
    return here[0]


def waits_for(items: Iterable[Handoff], agent: str) -> list[Handoff]:
    """Those that *agent* may take: given to it first, then to whoever comes first."""
    free = [item for item in items if item.state is State.OFFERED]
    mine = [item for item in free if item.to_agent == agent]
    anybodys = [item for item in free if item.to_agent is None and item.from_agent != agent]
    return mine + anybodys


def take(
    w: Writer,
    id: str,
    where: Where,
    *,
    agent: str | None,
    session_id: str | None,
    now: str,
    lease: timedelta,
) -> Handoff:
    """Take one, or raise: NotFound, HandoffTaken, Refused."""
    tend(w, where.project_id, now)
    if id == NEXT:
        if agent is None:
            raise BadRequest(what="name the handoff")
        items = w.open_handoffs(where.project_id) if where.project_id else []
        held = [i for i in items if i.state is State.TAKEN and i.taken_by == agent]
        item = next(iter(held or waits_for(items, agent)), None)
        if item is None:
            raise NotFound(what="handoff waiting for you", id=NEXT, hint="Nothing waits here.")
    else:
        item = find(w, id, where)
    who = agent or item.to_agent
    if who is None:
        raise BadRequest(what="say who takes it: --as AGENT")
    step = handoffs.take(item, who, session_id, now, lease)
    return _written(w, item, step)


def finish(
    w: Writer, id: str, where: Where, *, agent: str | None, token: int | None, now: str
) -> Handoff:
    """The holder is done. Raises Refused, NotFound."""
    tend(w, where.project_id, now)
    item = find(w, id, where)
    return _written(w, item, handoffs.finish(item, agent, token, now))


def give_back(
    w: Writer, id: str, where: Where, *, agent: str | None, token: int | None, now: str
) -> Handoff:
    """The holder gives it back. Raises Refused, NotFound."""
    tend(w, where.project_id, now)
    item = find(w, id, where)
    return _written(w, item, handoffs.give_back(item, agent, token, now))


def _written(w: Writer, before: Handoff, step: Step | None) -> Handoff:
    if step is not None and not w.step(before, step):
        raise Refused("Look at it again.", what=f"somebody else was first at {before.id}")
    return w.handoff(before.id)


# At an agent's events


def at_start(
    w: Writer, event: Event, where: Where, gone: Collection[str], now: str, lease: timedelta
) -> handed.Handed:
    """Take what waits for this agent and say what it is; what it holds is said again if it may
    have been forgotten. An agent that says nothing of itself takes nothing."""
    if where.project_id is None or event.subagent:
        return handed.Handed()
    items = tend(w, where.project_id, now)
    held = [i for i in items if i.state is State.TAKEN and i.taken_by == event.agent]
    same = [i for i in held if i.taken_session in (None, event.session_id) or _by_mcp(i)]
    item = next(iter(same), None)
    if item is not None and event.source == "resume":
        return handed.Handed()
    if item is None:
        item = next(iter(waits_for(items, event.agent)), None)
        if item is None or event.session_id == item.from_session:
            return handed.Handed()
        step = handoffs.take(item, event.agent, event.session_id, now, lease)
        item = _written(w, item, step)
    return shown(w, item, gone, HOSTS[event.agent].context_unit)


def _by_mcp(item: Handoff) -> bool:
    return (item.taken_session or "").startswith("mcp-")


def shown(
    r: Reader, item: Handoff, gone: Collection[str], unit: str, limit: int = handed.LIMIT
) -> handed.Handed:
    """A handoff as its taker is shown it."""
    by = handoffs.cut_off(r.handoff_events(item.id))
    return handed.lines(
        item,
        giver=title(item.from_agent),
        missing=gone,
        cut_off_by=title(by) if by else None,
        unit=unit,
        mask=mask,
        limit=limit,
    )


def title(agent: str | None) -> str:
    host = HOSTS.get(agent or "")
    return host.title if host else agent or "your person"


def alive_at(w: Writer, event: Event, where: Where, now: str, lease: timedelta) -> None:
    """An event of the taker's is a sign of life: its lease begins anew."""
    if where.project_id is None:
        return
    for item in w.open_handoffs(where.project_id):
        if item.state is not State.TAKEN or item.taken_by != event.agent:
            continue
        mine = item.taken_session in (None, event.session_id) or _by_mcp(item)
        if mine and item.until is not None and item.until > now:
            w.renew(item, handoffs.renew(item, item.taken_session and event.session_id, now, lease))


SAYS: Mapping[What, str] = {
    What.TAKEN: "was taken by {who}",
    What.FINISHED: "was finished by {who}",
    What.RETURNED: "was given back by {who} and is offered again",
    What.LAPSED: "is offered again: {who} was cut off",
    What.EXPIRED: "expired: nobody took it",
}


def news(w: Writer, event: Event, where: Where) -> list[str]:
    """What became of the handoffs that this session gave: told once."""
    if where.project_id is None:
        return []
    lines = []
    for item in w.given_by(event.agent, where.project_id):
        if item.from_session not in (None, event.session_id):
            continue
        events = w.handoff_events(item.id, after=item.told)
        goal = next(iter(sentences(item.content.goal)), "")[:80]
        for each in events:
            if each.what in SAYS:
                said = SAYS[each.what].format(who=title(each.agent))
                lines.append(f"handoff {item.id[:6]} ({goal}) {said}")
        w.told_giver(item.id, events[-1].nr)
    return lines
