"""A handoff: one task on its way from one agent to another, and which step may follow which.

Pure: each step takes a handoff and the time and returns the handoff after it with what happened.
The ledger decides between two takers by writing a step only over the state it was made from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any

from dormouse.errors import HandoffTaken, Refused
from dormouse.times import parse, stamp

UNTAKEN = timedelta(days=7)  # so long a handoff waits for a taker


class State(StrEnum):
    """What a person sees. Returned and lapsed are steps: the handoff is then offered again."""

    OFFERED = "offered"
    TAKEN = "taken"
    FINISHED = "finished"
    EXPIRED = "expired"


class What(StrEnum):
    """What happened to a handoff, as its history names it."""

    GIVEN = "given"
    TAKEN = "taken"
    FINISHED = "finished"
    RETURNED = "returned"
    LAPSED = "lapsed"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Content:
    """What is handed on. Texts only: no result of any tool is among them."""

    goal: str = field(default="", repr=False)
    done: tuple[str, ...] = field(default=(), repr=False)
    open: tuple[str, ...] = field(default=(), repr=False)
    decisions: tuple[str, ...] = field(default=(), repr=False)
    files: tuple[str, ...] = field(default=(), repr=False)
    branch: str | None = None
    commit: str | None = None
    focus: tuple[str, ...] = field(default=(), repr=False)
    turns: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # (role, text), oldest first
    reason: str | None = None  # why it was offered, where no one asked for it

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it; ``from_dict`` is the inverse."""
        return {
            "goal": self.goal,
            "done": list(self.done),
            "open": list(self.open),
            "decisions": list(self.decisions),
            "files": list(self.files),
            "branch": self.branch,
            "commit": self.commit,
            "focus": list(self.focus),
            "turns": [list(turn) for turn in self.turns],
            "reason": self.reason,
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Content":
        return cls(
            goal=given["goal"],
            done=tuple(given["done"]),
            open=tuple(given["open"]),
            decisions=tuple(given["decisions"]),
            files=tuple(given["files"]),
            branch=given["branch"],
            commit=given["commit"],
            focus=tuple(given["focus"]),
            turns=tuple((role, text) for role, text in given["turns"]),
            reason=given["reason"],
        )


@dataclass(frozen=True, slots=True)
class Handoff:
    """One handoff as it stands. ``token`` rises with each take: an older one has lost its say."""

    id: str
    project_id: str
    branch: str | None
    from_agent: str | None
    from_session: str | None
    to_agent: str | None
    state: State
    token: int
    attempt: int
    taken_by: str | None
    taken_session: str | None
    until: str | None
    at: str
    offered_at: str
    closed_at: str | None = None
    told: int = 0
    checksum: str = ""
    content: Content = Content()


@dataclass(frozen=True, slots=True)
class Step:
    """What happened, by whom, and the handoff after it."""

    what: What
    agent: str | None
    session_id: str | None
    after: Handoff


@dataclass(frozen=True, slots=True)
class HandoffEvent:
    """One line of a handoff's history; ``nr`` rises."""

    nr: int
    handoff_id: str
    what: What
    agent: str | None
    session_id: str | None
    token: int
    at: str


def due(handoff: Handoff, now: str) -> Step | None:
    """What time alone has done: a lease ran out, or nobody came for a week."""
    if handoff.state is State.TAKEN and handoff.until is not None and handoff.until <= now:
        return Step(What.LAPSED, handoff.taken_by, handoff.taken_session, _again(handoff, now))
    waited = stamp(parse(handoff.offered_at) + UNTAKEN)
    if handoff.state is State.OFFERED and waited <= now:
        return Step(What.EXPIRED, None, None, _closed(handoff, State.EXPIRED, now))
    return None


def take(
    handoff: Handoff, agent: str, session_id: str | None, now: str, lease: timedelta
) -> Step | None:
    """*agent* takes it; None if it holds it already. Raises HandoffTaken, Refused."""
    if handoff.state is State.TAKEN:
        if handoff.taken_by == agent:
            return None
        raise HandoffTaken(id=handoff.id, taken_by=handoff.taken_by, until=handoff.until)
    if handoff.state is not State.OFFERED:
        raise Refused(f"See `dormouse handoff show {handoff.id}`.", what=_over(handoff))
    if handoff.to_agent not in (None, agent):
        raise Refused(
            "Let that agent take it, or give it anew.",
            what=f"handoff {handoff.id} is for {handoff.to_agent}",
        )
    after = replace(
        handoff,
        state=State.TAKEN,
        token=handoff.token + 1,
        taken_by=agent,
        taken_session=session_id,
        until=stamp(parse(now) + lease),
    )
    return Step(What.TAKEN, agent, session_id, after)


def renew(handoff: Handoff, session_id: str | None, now: str, lease: timedelta) -> Handoff:
    """The holder gave a sign of life."""
    return replace(
        handoff,
        until=stamp(parse(now) + lease),
        taken_session=session_id or handoff.taken_session,
    )


def finish(handoff: Handoff, agent: str | None, token: int | None, now: str) -> Step:
    """The holder is done. Raises Refused for a stale token or somebody else."""
    _must_hold(handoff, agent, token)
    return Step(
        What.FINISHED,
        handoff.taken_by,
        handoff.taken_session,
        _closed(handoff, State.FINISHED, now),
    )


def give_back(handoff: Handoff, agent: str | None, token: int | None, now: str) -> Step:
    """The holder gives it back: it is offered again. Raises Refused."""
    _must_hold(handoff, agent, token)
    return Step(What.RETURNED, handoff.taken_by, handoff.taken_session, _again(handoff, now))


def _must_hold(handoff: Handoff, agent: str | None, token: int | None) -> None:
    if handoff.state is not State.TAKEN:
        raise Refused(f"See `dormouse handoff show {handoff.id}`.", what=_over(handoff))
    if agent is not None and agent != handoff.taken_by:
        raise HandoffTaken(id=handoff.id, taken_by=handoff.taken_by, until=handoff.until)
    if token is not None and not 0 < token <= handoff.token:
        raise Refused(
            f"See `dormouse handoff show {handoff.id}`.",
            what=f"token {token} of handoff {handoff.id} was never given",
        )
    if token is not None and token != handoff.token:
        raise Refused(
            "Somebody has taken it since; take it again first.",
            what=f"token {token} of handoff {handoff.id} is stale",
        )


def _over(handoff: Handoff) -> str:
    return f"handoff {handoff.id} is {handoff.state}"


def _again(handoff: Handoff, now: str) -> Handoff:
    return replace(
        handoff,
        state=State.OFFERED,
        attempt=handoff.attempt + 1,
        taken_by=None,
        taken_session=None,
        until=None,
        offered_at=now,
    )


def _closed(handoff: Handoff, state: State, now: str) -> Handoff:
    return replace(handoff, state=state, until=None, closed_at=now)


def cut_off(events: Sequence[HandoffEvent]) -> str | None:
    """Who had it last when it lapsed, if the attempt before this one was cut off."""
    for event in reversed(events):
        if event.what is What.LAPSED:
            return event.agent
        if event.what is What.RETURNED:
            return None
    return None
