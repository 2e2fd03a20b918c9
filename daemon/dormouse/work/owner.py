"""What the owner does with facts and with what waits: retire, restore, correct, answer, accept."""

from dormouse import slots
from dormouse.errors import Conflict, NotFound
from dormouse.facts import Because, Fact, How, Scope, Trust
from dormouse.judgments import Verdict
from dormouse.ledger import Writer
from dormouse.work.places import NOWHERE, Where
from dormouse.work.remember import OWNER, Kept, Speaker, Wish, from_payload, remember


def retire(w: Writer, fact_id: str, who: Speaker, why: str) -> Fact:
    """Retire one fact, in a run of its own; by the owner's hand it is not learnt again."""
    fact = w.fact(fact_id)
    run = w.open_run("owner")
    because = Because.OWNER if who.is_person else Because.FORGOTTEN
    retired = w.retire(fact_id, because=because, by=who.agent or "owner", run_id=run)
    w.close_run(run, state="done", report={"retired": [fact_id], "why_given": bool(why)})
    if who.is_person:
        w.suppress(
            text_hash=w.hash_of(fact.text), slot=fact.slot, project_id=fact.project_id, by="owner"
        )
    return retired


def restore(w: Writer, fact_id: str, who: Speaker) -> Fact:
    """Bring a retired fact back; what was suppressed with it may be learnt again."""
    fact = w.restore(fact_id, by=who.agent or "owner")
    w.lift_suppression(text_hash=w.hash_of(fact.text), slot=fact.slot, project_id=fact.project_id)
    return fact


def correct(w: Writer, fact_id: str, text: str, who: Speaker, now: str) -> Fact:
    """Put *text* in the place of a fact; the old wording stays, retired. Returns the new fact."""
    old = w.fact(fact_id)
    if not old.current:
        raise Conflict(what=f"fact {fact_id} is retired already", hint="Restore it first.")
    if is_stronger(old, who):
        raise Conflict(what="the owner said this; an agent can only propose a correction")
    kept = reword(w, old, text, who, now)
    if kept.fact is None:
        raise Conflict(what="the correction waits for the owner")
    return kept.fact


def reword(w: Writer, old: Fact, text: str, who: Speaker, now: str) -> Kept:
    """Put *text* in the place of *old*, or let it wait where it is the owner's to say."""
    where = Where(old.project_id, old.project_name, old.branch)
    session = old.session_id if old.scope is Scope.SESSION else None  # for whom, not who said it
    wish = Wish(text, old.kind, old.layer, old.scope, pin=old.pinned, for_session=session)
    speaker = Speaker(who.agent, who.session_id, None, who.trust, who.how)
    return remember(w, wish, speaker, where, now, replaces=old)


def is_stronger(fact: Fact, who: Speaker) -> bool:
    """Whether *fact* comes from somebody whom *who* can't correct."""
    return not who.is_person and fact.trust.rank > who.trust.rank


def pin(w: Writer, fact_id: str, pinned: bool, who: Speaker) -> Fact:
    """Pin or unpin; an agent's wish to pin is a proposal."""
    fact = w.fact(fact_id)
    if not who.is_person:
        row = w.propose("pin", {"fact": fact_id, "text": fact.text}, by=who.agent or "agent")
        raise Conflict(what=f"pinning waits for the owner's yes, proposal {row.id}")
    return w.set_pinned(fact_id, pinned)


def accept_proposal(w: Writer, proposal_id: str, now: str) -> Fact | None:
    """Do what a proposal asks for, as the owner's own act."""
    row = next((p for p in w.proposals() if p.id == proposal_id), None)
    if row is None:
        raise NotFound(what="open proposal", id=proposal_id, hint="See `dormouse proposals`.")
    payload = row.payload
    fact: Fact | None = None
    if "restore" in payload:
        fact = w.restore(payload["restore"], by="owner")
    elif "fact" in payload and row.what == "pin":
        fact = w.set_pinned(payload["fact"], True)
    elif "fact" in payload and row.what == "correct":
        fact = correct(w, payload["fact"], payload["text"], OWNER, now)
    elif "join" in payload:
        w.join_projects(payload["join"][0], payload["join"][1])
    else:
        fact = w.capture(from_payload(payload)).fact
    w.close_proposal(proposal_id, "accepted")
    return fact


def accept_candidate(w: Writer, candidate_id: str, now: str) -> Fact:
    """Make a candidate a fact, on the owner's word."""
    row = next((c for c in w.candidates(None) if c.id == candidate_id), None)
    if row is None:
        raise NotFound(what="candidate", id=candidate_id, hint="See `dormouse candidates`.")
    where = Where(row.project_id) if row.project_id else NOWHERE
    who = Speaker(None, None, None, Trust.USER, How.HUMAN)
    kept = remember(w, Wish(row.text, row.kind, None, row.scope), who, where, now)
    w.drop_candidate(candidate_id)
    if kept.fact is None:
        raise Conflict(what="the candidate can't become a fact")
    return kept.fact


def drop_candidate(w: Writer, candidate_id: str) -> None:
    """Let a candidate go for good: what the owner dropped is not found again. Raises NotFound."""
    row = w.candidate(candidate_id)
    w.drop_candidate(candidate_id)
    w.suppress(
        text_hash=w.hash_of(row.text),
        slot=slots.read(row.text).slot,
        project_id=row.project_id,
        by="owner",
    )


def answer_question(w: Writer, question_id: str, verdict: Verdict) -> Fact:
    """The owner's word on an open pair. It is final. Returns the older fact as it is now."""
    return w.answer_question(question_id, verdict)
