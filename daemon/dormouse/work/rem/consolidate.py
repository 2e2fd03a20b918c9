"""Candidates seen twice become facts, duplicates one fact, weighty episodes lasting facts.

Plans are made first and looked at again as they are carried out. What was accepted is settled as
a captured fact is; beside that only duplicates are retired.
"""

from dormouse import slots
from dormouse.errors import BadRequest
from dormouse.facts import Fact, How, Layer, Look, Trust
from dormouse.ledger import CandidateRow, Reader, Writer
from dormouse.sessions import Role
from dormouse.work.memory import Memory
from dormouse.work.places import NOWHERE, Where
from dormouse.work.read_day import noted
from dormouse.work.rem.folds import Fold, folds
from dormouse.work.rem.night import Note, Sleeping, StoppedError, add, count
from dormouse.work.remember import Speaker, Wish, remember
from dormouse.work.settle import Plan, Settled, plan_for, write_down

SIGHTINGS = 2
STOPPED = "what it had noted would have retired too much at once"
WEIGHTY = 0.7  # an episode of that weight is worth knowing for good
KEPT = "episode:"  # setting: the owner took back that this episode was made lasting
EVERYTHING = Look(everything=True)
FINAL = ("owner", "undo")


async def consolidate(sleeping: Sleeping) -> None:
    """Accept, settle what was accepted, raise, fold: each thing in a transaction of its own."""
    memory = sleeping.memory
    for row in await memory.read(lambda r: r.candidates()):
        if row.sightings >= SIGHTINGS:
            await sleeping.breathe()
            await sleeping.write(lambda w, note, c=row: _accept(w, note, c, memory.now()))  # type: ignore[misc]
    for fact_id in await memory.read(lambda r: r.pending_settle()):
        await sleeping.breathe()
        plan = await plan_for(memory, fact_id)
        if plan is None:
            continue
        settled = await sleeping.write(lambda w, note, p=plan: _settle(w, note, sleeping, p))  # type: ignore[misc]
        if settled.state == "stopped":
            raise StoppedError(STOPPED)
    for fact in await memory.read(weighty):
        await sleeping.breathe()
        await sleeping.write(lambda w, note, id=fact.id: _raise(w, note, id))  # type: ignore[misc]
    found = await memory.read(plan_folds)
    at_most = await memory.read(lambda r: _at_most(r, memory))
    for fold in found[:at_most]:
        await sleeping.breathe()
        await sleeping.write(lambda w, note, f=fold: _fold(w, note, f, sleeping.run_id))  # type: ignore[misc]


def _at_most(r: Reader, memory: Memory) -> int:
    """How many duplicates one night may fold: a fault must not empty the memory."""
    current = r.counts()["facts_current"]
    return max(memory.settings.fuse_facts, int(memory.settings.fuse_share * current))


def plan_folds(r: Reader) -> list[Fold]:
    """The duplicates among all current facts, but for what the owner had back before."""

    def final(one: str, other: str) -> bool:
        return any(
            row.ruling.judge in FINAL and row.older_id in (one, other)
            for row in r.judgments(fact_id=one)
        )

    return folds(r.facts(EVERYTHING), final)


def weighty(r: Reader) -> list[Fact]:
    """Episodes that become lasting facts; each does so once."""
    return [
        fact
        for fact in r.facts(EVERYTHING, layer=Layer.EPISODIC)
        if fact.weight >= WEIGHTY and r.setting(KEPT + fact.id) is None
    ]


def _accept(w: Writer, note: Note, row: CandidateRow, now: str) -> None:
    """Make a candidate a fact, unless it is gone or was forgotten: then it waits for the owner."""
    known = {candidate.id for candidate in w.candidates()}
    if row.id not in known:
        return
    where = Where(row.project_id, row.project_name, row.branch) if row.project_id else NOWHERE
    who, at = _who_said(w, row, now)
    wish = Wish(row.text, row.kind, None, row.scope, at=at, confidence=row.confidence)
    if _forgotten(w, row, where):
        return
    try:
        kept = remember(w, wish, who, where, now)
    except BadRequest:  # the place it was said in is gone
        return
    w.drop_candidate(row.id)
    count(note, "candidates")
    if kept.fact is not None and kept.state == "new":
        add(note, "made", {"fact": kept.fact.id, "candidate": noted(row)})


def _forgotten(w: Writer, row: CandidateRow, where: Where) -> bool:
    return w.suppressed(
        text_hash=w.hash_of(row.text), slot=slots.read(row.text).slot, look=where.look()
    )


def _who_said(w: Writer, row: CandidateRow, now: str) -> tuple[Speaker, str]:
    """Whose word it is, and when it was last said. What can't be told was not the person."""
    turns = w.turns_by_id([id for id in (row.first_turn, row.last_turn) if id])
    if not turns:
        return Speaker("rem", None, None, Trust.ASSISTANT, How.REM), row.at
    last = max(turns, key=lambda turn: turn.at)
    person = all(turn.role is Role.PERSON for turn in turns)
    trust, how = (Trust.USER, How.IMPLICIT) if person else (Trust.ASSISTANT, How.ASSISTANT)
    speaker = Speaker(last.agent, last.session_id, last.id, trust, how, attended=False)
    return speaker, min(last.at, now)


def _settle(w: Writer, note: Note, sleeping: Sleeping, plan: Plan) -> Settled:
    count(note, "looked_at")
    return write_down(w, sleeping.memory, plan, sleeping.run_id)


def _raise(w: Writer, note: Note, fact_id: str) -> None:
    if w.fact(fact_id).layer is Layer.EPISODIC:
        w.set_layer(fact_id, Layer.SEMANTIC)
        add(note, "raised", fact_id)


def _fold(w: Writer, note: Note, fold: Fold, run_id: str) -> None:
    found = w.facts_by_id([fold.duplicate, fold.into])
    if len(found) == 2 and all(fact.current for fact in found.values()):
        w.fold(fold.duplicate, fold.into, run_id=run_id)
        add(note, "folded", {"fact": fold.duplicate, "into": fold.into})
