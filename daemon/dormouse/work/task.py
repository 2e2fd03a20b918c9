"""What an event says of the running task, beside what it says to the journal.

Working memory, the session's summary, signs of life for a lease, limits. It shows nothing itself.
"""

from dormouse import quota
from dormouse.errors import BadRequest
from dormouse.layers import SUMMARY
from dormouse.ledger import Reader, Writer
from dormouse.quota import Limit
from dormouse.sessions import Event, Moment, Role
from dormouse.work import focus, handoff
from dormouse.work.memory import Memory
from dormouse.work.places import Where

LONGEST_SUMMARY = 4 * SUMMARY  # characters of a host's own summary


def heard(w: Writer, memory: Memory, event: Event, where: Where, text: str) -> None:
    """Take one event in; *text* is what it said, without what is private."""
    now = memory.now()
    handoff.alive_at(w, event, where, now, handoff.lease_of(memory))
    if event.used and not event.subagent:
        focus.touch(w, event.agent, event.session_id, event.used, now, where.project_id)
    turn = event.turn
    if turn is not None and text and not event.subagent:
        focus.hear(w, event.agent, event.session_id, turn.role, text, now, where.project_id)
        if turn.role is Role.SUMMARY:
            w.set_session_summary(event.agent, event.session_id, text[:LONGEST_SUMMARY])
    _watch(w, memory, event, text)
    if event.moment in (Moment.SESSION_END, Moment.COMPACTION):
        focus.sum_up_session(w, event.agent, event.session_id)


def _watch(w: Writer, memory: Memory, event: Event, text: str) -> None:
    if event.moment is not Moment.TURN_END:
        return
    now = memory.now()
    for said in (event.failure or "").splitlines() or [text]:
        if found := quota.read_text(said, event.agent, event.session_id, now):
            limited(w, memory, found)
            return
    if text:
        answered(w, event.agent, now)


def answered(w: Writer, agent: str, now: str) -> None:
    """An agent that answers is at no limit."""
    if any(limit.agent == agent and limit.reached for limit in w.limits()):
        w.note_limit(Limit(agent, None, False, at=now))


def limited(w: Writer, memory: Memory, limit: Limit) -> None:
    """Note a limit; a session that has come to its end by it is offered to another agent.

    Reads two small files of git where it is offered: rare, and in no request that waits.
    """
    now = memory.now()
    known = next((each for each in w.limits() if each.agent == limit.agent), None)
    if known is not None and known.at > limit.at:
        return  # a line from before
    w.note_limit(limit)
    if not quota.holds(limit, now) or limit.session_id is None:
        return
    session = w.session(limit.agent, limit.session_id)
    if session is None or session.project_id is None:
        return
    given = [h for h in w.open_handoffs(session.project_id) if h.from_session == session.id]
    if given:
        return
    branch, commit = memory.places.head(session.cwd)
    where = Where(session.project_id, None, branch or session.branch)
    reason = f"{handoff.title(limit.agent)} has reached its limit"
    try:
        handoff.give(
            w,
            handoff.Given(reason=reason),
            where,
            agent=limit.agent,
            session_id=session.id,
            commit=commit,
            now=now,
        )
    except BadRequest:
        return  # nothing was begun, so there is nothing to hand on


def warnings(r: Reader, now: str) -> list[str]:
    """What status says of limits and of handoffs that wait."""
    found = [quota.told(limit, handoff.title(limit.agent), now) for limit in r.limits()]
    waiting = [item for item in r.open_handoffs() if item.state == "offered"]
    lines = [line for line in found if line]
    lines += [
        f"a handoff waits for {handoff.title(item.to_agent) if item.to_agent else 'any agent'}:"
        f" look with `dormouse handoff show {item.id[:6]}`"
        for item in waiting
    ]
    return lines


def notices(r: Reader, event: Event, where: Where, now: str) -> list[str]:
    """What another agent's session start says of limits and of what it may take by itself."""
    if where.project_id is None:
        return []
    others = [each for each in r.limits() if each.agent != event.agent]
    found = [quota.told(limit, handoff.title(limit.agent), now) for limit in others]
    mine = [
        f"a handoff of your own session waits: handoff_take with id {item.id[:6]}"
        for item in r.open_handoffs(where.project_id)
        if item.state == "offered" and item.from_agent == event.agent and item.to_agent is None
    ]
    return [*(line for line in found if line), *mine]
