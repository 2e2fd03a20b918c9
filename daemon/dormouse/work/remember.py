"""From a statement to a fact (kind, scope, trust, slot), or to a proposal for the owner."""

from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any

from dormouse import slots
from dormouse.capture import is_rule, is_rule_of_steps, kind_of
from dormouse.capture.language import detect
from dormouse.capture.normalise import is_blank
from dormouse.errors import BadRequest
from dormouse.facts import (
    NO_DETAIL,
    Because,
    Detail,
    Fact,
    How,
    Kind,
    Layer,
    NewFact,
    Scope,
    Source,
    Trust,
)
from dormouse.ledger import Writer, new_id
from dormouse.times import parse
from dormouse.work.places import Where
from dormouse.work.prepare import prepare

MAX_TEXT = 4_000  # characters; ledger.facts has the same bound
MAX_DETAIL = 1_000  # characters of one step, tool, outcome or context
MOST_STEPS = 50
CONFIDENCE = 0.99
AHEAD = timedelta(minutes=5)  # by which another clock may be ahead of ours


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who says something, and where. ``agent`` None is the owner's own program."""

    agent: str | None = None
    session_id: str | None = None
    turn_id: str | None = None
    trust: Trust = Trust.USER
    how: How = How.HUMAN
    attended: bool = True

    @property
    def is_person(self) -> bool:
        return self.trust is Trust.USER


OWNER = Speaker()


@dataclass(frozen=True, slots=True)
class Wish:
    """A statement to keep, with what was said about how. Unset parts follow from the text."""

    text: str = field(repr=False)
    kind: Kind | None = None
    layer: Layer | None = None
    scope: Scope | None = None
    everywhere: bool = False
    pin: bool = False
    at: str | None = None
    confidence: float | None = None
    weight: float = 0.0
    detail: Detail = NO_DETAIL
    for_session: str | None = None  # whose fact it is, where another one says it


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a wish: a fact (new or known), or a proposal for the owner."""

    state: str  # new | known | proposed
    redacted: tuple[str, ...]
    fact: Fact | None = None
    proposal_id: str | None = None
    proposed: tuple[str, ...] = ()


def remember(
    w: Writer,
    wish: Wish,
    who: Speaker,
    where: Where,
    now: str,
    *,
    replaces: Fact | None = None,
) -> Kept:
    """Capture *wish* in this transaction, or propose it; it corrects *replaces*, if given.

    Raises BadRequest for an impossible one.
    """
    text = wish.text.strip()
    prepared = prepare(text)
    if is_blank(prepared.text):
        raise BadRequest(what="there is no text to remember")
    if len(prepared.text) > MAX_TEXT:
        raise BadRequest(
            what=f"a fact has at most {MAX_TEXT} characters, this has {len(prepared.text)}"
        )
    detail, hidden = _fit_detail(wish.detail)
    types = tuple(dict.fromkeys((*prepared.types, *hidden)))
    new = replace(_new_fact(wish, prepared.text, who, where, now), detail=detail)
    needs = needs_owner(new, wish, who)
    proposal_id = None
    if needs and (not who.is_person or "rule" in needs):
        what, payload = "rule" if "rule" in needs else needs[0], _payload(new, where)
        if replaces is not None:  # the yes has to retire the old wording too
            what, payload = "correct", {"fact": replaces.id, "text": new.text}
        row = w.propose(what, payload, by=who.agent or "owner")
        return Kept("proposed", types, None, row.id, needs)
    if needs:  # an unattended prompt of the person: the fact is kept, its pin waits
        proposal_id = w.propose("pin", _payload(new, where), by=who.agent or "owner").id
        new = replace(new, pinned=False)
    _mind_suppressions(w, new, prepared.hash, who, where)
    captured = w.capture(new) if replaces is None else w.correct(replaces.id, new)
    return Kept(captured.state, types, captured.fact, proposal_id, needs)


def _fit_detail(said: Detail) -> tuple[Detail, tuple[str, ...]]:
    """*said* without its secrets, and their types. Raises BadRequest for what is too long."""
    hidden: list[str] = []

    def fit(text: str | None, name: str) -> str:
        prepared = prepare((text or "").strip())
        hidden.extend(prepared.types)
        if len(prepared.text) > MAX_DETAIL:
            raise BadRequest(what=f"{name} has more than {MAX_DETAIL} characters")
        return prepared.text

    def fit_all(texts: tuple[str, ...], name: str) -> tuple[str, ...]:
        if len(texts) > MOST_STEPS:
            raise BadRequest(what=f"{name} are more than {MOST_STEPS}")
        return tuple(filter(None, (fit(text, f"one of the {name}") for text in texts)))

    steps, tools = fit_all(said.steps, "steps"), fit_all(said.tools, "tools")
    outcome, context = fit(said.outcome, "outcome"), fit(said.context, "context")
    return Detail(steps, tools, outcome or None, context or None, said.origin), tuple(hidden)


def _mind_suppressions(w: Writer, new: NewFact, hash_: str, who: Speaker, where: Where) -> None:
    """What was forgotten is learnt again only from a person's own words. Raises BadRequest."""
    if who.is_person:
        w.lift_suppression(text_hash=hash_, slot=new.slot, project_id=new.project_id)
    elif w.suppressed(text_hash=hash_, slot=new.slot, look=where.look(who.session_id)):
        raise BadRequest(what="the owner had this forgotten; only the owner can state it again")


def needs_owner(new: NewFact, wish: Wish, who: Speaker) -> tuple[str, ...]:
    """What of *new* waits for the owner's yes: an agent's rules, pins and user-wide facts do."""
    if who.is_person and who.attended:
        return ()
    needs = []
    if not who.is_person and _detail_is_rule(new.detail):
        needs.append("rule")
    if new.kind is Kind.FEEDBACK or (not who.is_person and new.kind is Kind.USER):
        needs.append("rule" if new.kind is Kind.FEEDBACK else "user_scope")
    if not who.is_person and new.scope in (Scope.USER, Scope.ORGANISATION):
        needs.append("user_scope")
    if new.pinned or wish.pin or new.layer is Layer.CORE:
        needs.append("pin")
    return tuple(dict.fromkeys(needs))


def _detail_is_rule(said: Detail) -> bool:
    """What stands beside a statement is shown with it, so a rule can hide there."""
    beside = (said.outcome or "", said.context or "")
    return any(map(is_rule, beside)) or any(map(is_rule_of_steps, (*said.steps, *said.tools)))


def _kind(wish: Wish, text: str, who: Speaker) -> Kind:
    """The kind that was given, else the text's. An agent's word for it makes no rule harmless."""
    if not who.is_person and is_rule(text):
        return Kind.FEEDBACK
    return wish.kind or kind_of(text)


def _new_fact(wish: Wish, text: str, who: Speaker, where: Where, now: str) -> NewFact:
    kind = _kind(wish, text, who)
    scope = wish.scope or default_scope(kind, where, everywhere=wish.everywhere)
    at = _said_at(wish, now)
    statement = slots.read(text)
    pinned = wish.pin or wish.layer is Layer.CORE
    if scope in (Scope.PROJECT, Scope.BRANCH) and where.project_id is None:
        raise BadRequest(what=f"there is no project here, so nothing can have scope {scope}")
    if scope is Scope.BRANCH and where.branch is None:
        raise BadRequest(what="no branch is checked out here, so nothing can have scope branch")
    session_id = wish.for_session or who.session_id
    if scope is Scope.SESSION and session_id is None:
        raise BadRequest("Give its session_id.", what="scope session needs a session")
    owned = scope in (Scope.PROJECT, Scope.BRANCH, Scope.SESSION)
    return NewFact(
        id=new_id(),
        text=text,
        source=Source(who.agent, who.session_id, who.turn_id, who.how, at),
        kind=kind,
        layer=wish.layer or _layer(wish),
        scope=scope,
        project_id=where.project_id if owned else None,
        branch=where.branch,
        session_id=session_id,
        slot=statement.slot,
        language=detect(text),
        trust=who.trust,
        confidence=CONFIDENCE if wish.confidence is None else wish.confidence,
        importance=0.9 if pinned else 0.7 if kind is Kind.FEEDBACK else 0.5,
        weight=wish.weight,
        pinned=pinned,
        stated_at=at,
        valid_from=at,
    )


def _said_at(wish: Wish, now: str) -> str:
    """Never ahead: it would count as newer than whatever is said until then. Raises BadRequest."""
    if wish.at is None:
        return now
    if parse(wish.at) > parse(now) + AHEAD:
        raise BadRequest(
            "Say what will be as a plan, undated. A time without an offset is UTC.",
            what=f"{wish.at} lies in the future",
        )
    return min(wish.at, now)


def default_scope(kind: Kind, where: Where, *, everywhere: bool = False) -> Scope:
    """Facts about the person hold everywhere, all others in their project, if there is one."""
    if everywhere or kind is Kind.USER or where.project_id is None:
        return Scope.USER
    return Scope.PROJECT


def _layer(wish: Wish) -> Layer:
    if wish.pin:
        return Layer.CORE
    if wish.detail.steps:
        return Layer.PROCEDURAL
    return Layer.EPISODIC if wish.weight > 0.5 else Layer.SEMANTIC


def _payload(new: NewFact, where: Where) -> dict[str, Any]:
    """A proposed fact as the proposals table holds it; ``from_payload`` is the inverse."""
    return {
        "text": new.text,
        "kind": str(new.kind),
        "layer": str(new.layer),
        "scope": str(new.scope),
        "project_id": where.project_id,
        "branch": where.branch,
        "session_id": new.session_id,
        "agent": new.source.agent,
        "trust": str(new.trust),
        "how": str(new.source.how),
        "confidence": new.confidence,
        "pinned": new.pinned,
        "at": new.stated_at,
        "detail": asdict(new.detail) if new.detail != NO_DETAIL else None,
    }


def demote_fact(w: Writer, fact: Fact, by: str) -> None:
    """Turn a rule or a pin that nobody sat in front of into a proposal; what is true stays."""
    if fact.pinned:
        w.set_pinned(fact.id, False)
        w.propose("pin", {"fact": fact.id, "text": fact.text}, by=by)
    if fact.kind is Kind.FEEDBACK:
        run = w.open_run("owner")
        w.retire(fact.id, because=Because.EXPIRED, by="unattended", run_id=run)
        w.close_run(run, state="done", report={"retired": [fact.id]})
        w.propose("rule", {"restore": fact.id, "text": fact.text}, by=by)


def from_payload(payload: dict[str, Any]) -> NewFact:
    """The fact that a proposal stands for, once the owner has said yes: it is then the owner's."""
    at = payload["at"]
    text = payload["text"]
    return NewFact(
        id=new_id(),
        text=text,
        source=Source(payload.get("agent"), payload.get("session_id"), None, How.HUMAN, at),
        kind=Kind(payload["kind"]),
        layer=Layer(payload["layer"]),
        scope=Scope(payload["scope"]),
        project_id=payload.get("project_id") if payload["scope"] != "user" else None,
        branch=payload.get("branch"),
        session_id=payload.get("session_id"),
        slot=slots.read(text).slot,
        language=detect(text),
        trust=Trust.USER,
        confidence=payload["confidence"],
        importance=0.7,
        pinned=bool(payload["pinned"]),
        stated_at=at,
        valid_from=at,
        detail=detail_of(payload.get("detail") or {}),
    )


def detail_of(said: dict[str, Any]) -> Detail:
    """What a payload keeps of it; the inverse of ``asdict``."""
    lists = {name: tuple(said.get(name) or ()) for name in ("steps", "tools")}
    return Detail(**(said | lists))
