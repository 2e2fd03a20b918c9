"""What a person said in passing becomes a fact, a candidate, or nothing. Off the request.

It obeys nothing, lifts no suppression, makes no rule and pins nothing.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from dormouse import slots
from dormouse.capture import implicit
from dormouse.capture.commands import Forget, read_prompt
from dormouse.capture.implicit import Found
from dormouse.capture.normalise import fold
from dormouse.errors import BadRequest
from dormouse.facts import Fact, How, Kind, Look, Scope, Slot, Source, Trust
from dormouse.ledger import CandidateRow, Reader, TurnRow, Writer
from dormouse.sessions import Role
from dormouse.settings import Settings
from dormouse.work.memory import Memory
from dormouse.work.places import Where
from dormouse.work.remember import Speaker, Wish, default_scope, remember

log = logging.getLogger("dormouse")
AT_ONCE = 20  # turns in one transaction: what was read is only looked up and written there
PENDING = 500
TWICE = 0.5  # a second sighting halves what was doubtful, as a second source does


@dataclass(slots=True)
class Taken:
    """What the statements of one turn came to, in counts; ``facts`` are new or were confirmed."""

    facts: list[str] = field(default_factory=list)
    candidates: int = 0
    known: int = 0
    dropped: int = 0


def in_passing(text: str) -> list[Found]:
    """What *text* says in passing: what it commands outright was obeyed already."""
    found = implicit.read(text)
    if not found:
        return []
    commanded = [fold(c.target if isinstance(c, Forget) else c.text) for c in read_prompt(text)]

    def obeyed(one: Found) -> bool:
        said = fold(one.text)
        return any(said in told or told in said for told in commanded)

    return [one for one in found if not obeyed(one)]


def take_implicit(
    w: Writer, turn: TurnRow, found: Sequence[Found], settings: Settings, now: str
) -> Taken:
    """Make facts and candidates of what was *found* in a person's turn, in this transaction."""
    done = Taken()
    if turn.project_id is None or turn.role is not Role.PERSON:
        return done
    where = Where(turn.project_id, None, turn.branch)
    session = w.session(turn.agent, turn.session_id)
    attended = session is None or session.attended is not False
    for one in found:
        if one.confidence < settings.capture_candidate:
            done.dropped += 1
            continue
        # Nobody sat before an unattended prompt: what a script says may only wait.
        sure = attended and one.confidence >= settings.capture_fact
        _take(w, turn, one, where, now, done, sure=sure)
    w.note_uses(turn.agent, turn.session_id, done.facts, "said")
    return done


def _take(
    w: Writer, turn: TurnRow, one: Found, where: Where, now: str, done: Taken, *, sure: bool
) -> None:
    look = where.look(turn.session_id)
    slot, text_hash = slots.read(one.text).slot, w.hash_of(one.text)
    if w.suppressed(text_hash=text_hash, slot=slot, look=look):
        done.dropped += 1
        return
    known = _known(w, text_hash, slot, look)
    if known is not None:
        done.known += 1
        _confirm(w, turn, known, text_hash)
        return
    if sure:
        _remember(w, turn, one.text, one.kind, one.confidence, where, now, done)
        return
    seen = _seen(w, text_hash, slot, look)
    if seen is not None and in_another_session(w, seen, turn):
        surer = 1 - (1 - max(seen.confidence, one.confidence)) * (1 - TWICE)
        if _remember(w, turn, one.text, one.kind, surer, where, now, done):
            w.drop_candidate(seen.id)
        return
    scope = default_scope(one.kind, where)
    w.add_candidate(
        seen.text if seen is not None else one.text,
        kind=one.kind,
        scope=scope,
        project_id=turn.project_id if scope is Scope.PROJECT else None,
        branch=turn.branch,
        turn_id=turn.id,
        confidence=one.confidence,
    )
    done.candidates += 1


def _known(r: Reader, text_hash: str, slot: Slot, look: Look) -> Fact | None:
    """A current fact that says the same: in the same words, or of the same slot."""
    for fact in r.by_hash(text_hash, look):
        if fact.current:
            return fact
    if slot.subject is None or slot.attribute is None or slot.value is None:
        return None
    same = r.by_slot(slot.subject, slot.attribute, look)
    return next((fact for fact in same if fact.slot == slot), None)


def _confirm(w: Writer, turn: TurnRow, fact: Fact, text_hash: str) -> None:
    """Stated again is a source more; but words that the session was shown before are an echo."""
    use = w.uses(turn.agent, turn.session_id).get(fact.id)
    # What was shown beside this very prompt came after it was said.
    if use is not None and use.at < turn.at and w.hash_of(fact.text) == text_hash:
        return
    w.add_source(fact.id, Source(turn.agent, turn.session_id, turn.id, How.IMPLICIT, turn.at))


def _seen(r: Reader, text_hash: str, slot: Slot, look: Look) -> CandidateRow | None:
    """The candidate that said the same before, in the same words or of the same slot."""
    value = slot.value
    for row in r.candidates(look):
        if r.hash_of(row.text) == text_hash:
            return row
        # Reading a slot costs more than looking for its value.
        near = slot.subject and slot.attribute and value and value in fold(row.text)
        if near and slots.read(row.text).slot == slot:
            return row
    return None


def in_another_session(r: Reader, seen: CandidateRow, turn: TurnRow) -> bool:
    """Whether the first sighting was in another session; one that is no longer held was."""
    first = r.turns_by_id([seen.first_turn]) if seen.first_turn else []
    return not any((t.agent, t.session_id) == (turn.agent, turn.session_id) for t in first)


def _remember(
    w: Writer,
    turn: TurnRow,
    text: str,
    kind: Kind,
    confidence: float,
    where: Where,
    now: str,
    done: Taken,
) -> bool:
    who = Speaker(turn.agent, turn.session_id, turn.id, Trust.USER, How.IMPLICIT)
    try:
        kept = remember(
            w, Wish(text, kind, at=min(turn.at, now), confidence=confidence), who, where, now
        )
    except BadRequest:
        done.dropped += 1
        return False
    if kept.fact is not None:
        done.facts.append(kept.fact.id)
    return kept.fact is not None


async def take_pending(memory: Memory) -> int:
    """Read every turn that waits for the rules, oldest first; how many there were."""
    total = 0
    while turns := await memory.read(lambda r: r.turns(state="pending", limit=PENDING)):
        for first in range(0, len(turns), AT_ONCE):
            await _take_turns(memory, turns[first : first + AT_ONCE])
        total += len(turns)
    return total


async def _take_turns(memory: Memory, turns: Sequence[TurnRow]) -> None:
    """Read aside, then write at once: the writer has others to serve."""
    read = await memory.aside(lambda: [_read(turn) for turn in turns])

    def do(w: Writer) -> int:
        dropped = 0
        for turn, found in zip(turns, read, strict=True):
            if found is None:
                w.set_turn_state(turn.id, "parked", "the rules could not read it")
                continue
            dropped += take_implicit(w, turn, found, memory.settings, memory.now()).dropped
            w.set_turn_state(turn.id, "done")
        return dropped

    for _ in range(await memory.write(do)):
        memory.count("said_in_passing_dropped")


def _read(turn: TurnRow) -> list[Found] | None:
    """What a turn says in passing; None where a rule failed on it, so that it waits for a look."""
    try:
        return in_passing(turn.text) if turn.role is Role.PERSON else []
    except Exception as error:  # one odd turn must not stop the reading of the others
        log.error("turn %s could not be read: %s", turn.id, type(error).__name__)
        return None
