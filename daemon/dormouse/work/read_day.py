"""The night's reading: turns that no extractor has read yet, what was found, what becomes of it.

Zero calls when nobody said anything new. It retires nothing and lifts no suppression.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from dormouse import slots
from dormouse.errors import BadRequest
from dormouse.facts import Fact, How, Kind, Look, Scope, Source
from dormouse.ledger import CandidateRow, Reader, TurnRow, Writer
from dormouse.sessions import Role
from dormouse.times import parse, stamp
from dormouse.work.extract import Extracted, Extractor, ThinkerExtractor
from dormouse.work.implicit import in_another_session
from dormouse.work.memory import Memory
from dormouse.work.places import Where
from dormouse.work.remember import Speaker, Wish, remember

DAY = timedelta(hours=48)  # older turns are not read again, even if they never were
STEP = 40  # turns between two looks at the clock of the agents
ROLES = (Role.PERSON, Role.ASSISTANT, Role.SUMMARY, Role.TOOL)
Note = dict[str, Any]  # what an undo has to know: ids and numbers, no text
Write = Callable[[Callable[[Writer, Note], None]], Awaitable[None]]
MARK = "read_by:"  # setting: the number of the last turn an extractor has read


@dataclass(slots=True)
class Read:
    """What reading came to, in counts; ``facts`` are the new ones."""

    turns: int = 0
    facts: list[str] = field(default_factory=list)
    candidates: int = 0
    known: int = 0
    left_out: int = 0
    refused: str | None = None


async def read_day(
    memory: Memory, go_on: Callable[[], bool] = lambda: True, write: Write | None = None
) -> Read:
    """Read what is new by a thinker, if one may be asked. *write* keeps what it notes.

    The rules have read each turn once, as it came in (``implicit``): not again, since what the
    owner dropped of it would be back.
    """
    done = Read()
    door = memory.door
    if door is None:
        return done
    thinker = ThinkerExtractor(door.think, go_on)
    if await memory.read(lambda r: unread(r, thinker, memory.now())):
        done.refused = await asyncio.to_thread(door.why_not)
        if done.refused is None:
            await _by(memory, thinker, done, go_on, write or _unnoted(memory))
    return done


def _unnoted(memory: Memory) -> Write:
    return lambda do: memory.write(lambda w: do(w, {}))


async def _by(
    memory: Memory, extractor: Extractor, done: Read, go_on: Callable[[], bool], write: Write
) -> None:
    while go_on():
        turns = await memory.read(lambda r: unread(r, extractor, memory.now()))
        if not turns:
            return
        found = await asyncio.to_thread(extractor, [turn for _, turn in turns])
        if found is None:
            return  # nobody answered: they are read in another night

        def do(
            w: Writer, note: Note, found: Sequence[Extracted] = found, last: int = turns[-1][0]
        ) -> None:
            take(w, found, memory, done, note)
            w.set_unlogged(MARK + extractor.name, str(last))

        await write(do)
        done.turns += len(turns)
        memory.wake_settle()


def unread(r: Reader, extractor: Extractor, now: str) -> list[tuple[int, TurnRow]]:
    """The next turns of a project that *extractor* has not read, oldest first."""
    mark = int(r.setting(MARK + extractor.name) or 0)
    since = stamp(parse(now) - DAY)
    return r.turns_after(mark, since=since, roles=[str(role) for role in ROLES], limit=STEP)


def take(w: Writer, found: Sequence[Extracted], memory: Memory, done: Read, note: Note) -> None:
    """Make facts and candidates of what was found, each at most once."""
    for one in found:
        if one.confidence < memory.settings.capture_candidate:
            done.left_out += 1
        else:
            _take(w, one, memory, done, note)


def _take(w: Writer, one: Extracted, memory: Memory, done: Read, note: Note) -> None:
    turn = one.turn
    where = Where(turn.project_id, None, turn.branch)
    if turn.project_id is None or _forgotten(w, one, where.look()):
        done.left_out += 1
        return
    known = _known(w, one, w.hash_of(one.text), where.look())
    if known is not None:
        done.known += 1
        if turn.role is Role.PERSON:  # an agent that repeats a fact is only our echo
            _confirm(w, known, turn, note)
        return
    if turn.role is Role.PERSON and one.confidence >= memory.settings.capture_fact:
        _remember(w, one, where, memory.now(), done, note)
    elif _wait(w, one, note):
        done.candidates += 1
    else:
        done.known += 1


def _forgotten(r: Reader, one: Extracted, look: Look) -> bool:
    """Whether the owner had this forgotten or dropped, in these words or in the turn's own."""
    return any(
        r.suppressed(text_hash=r.hash_of(said), slot=slots.read(said).slot, look=look)
        for said in (one.text, one.quote)
    )


def _confirm(w: Writer, known: Fact, turn: TurnRow, note: Note) -> None:
    source = Source(turn.agent, turn.session_id, turn.id, How.REM, turn.at)
    if len(w.add_source(known.id, source).sources) > len(known.sources):
        before = {"fact": known.id, "turn": turn.id, "confidence": known.confidence}
        note.setdefault("confirmed", []).append(before)


def _wait(w: Writer, one: Extracted, note: Note) -> bool:
    """Keep a candidate or see it once more; said again in one session it is no second sighting."""
    turn = one.turn
    scope = Scope.USER if one.kind is Kind.USER else Scope.PROJECT
    project_id = turn.project_id if scope is Scope.PROJECT else None
    before = [row for row in _same(w, one, project_id) if row.scope is scope]
    if before and not in_another_session(w, before[0], turn):
        return False
    row = w.add_candidate(
        one.text,
        kind=one.kind,
        scope=scope,
        project_id=project_id,
        branch=turn.branch,
        turn_id=turn.id,
        confidence=one.confidence,
    )
    found = {"candidate": row.id} | ({"before": noted(before[0])} if before else {})
    note.setdefault("found", []).append(found)
    return True


def _same(r: Reader, one: Extracted, project_id: str | None) -> list[CandidateRow]:
    """The candidates of that place that say it in the same words."""
    hash_ = r.hash_of(one.text)
    return [
        row
        for row in r.candidates()
        if row.project_id == project_id and r.hash_of(row.text) == hash_
    ]


def noted(row: CandidateRow) -> dict[str, object]:
    """A candidate but for its text, from which it can be brought back."""
    return {
        "id": row.id,
        "first_turn": row.first_turn,
        "last_turn": row.last_turn,
        "sightings": row.sightings,
        "confidence": row.confidence,
        "at": row.at,
    }


def _remember(w: Writer, one: Extracted, where: Where, now: str, done: Read, note: Note) -> None:
    turn = one.turn
    who = Speaker(
        turn.agent, turn.session_id, turn.id, one.trust, How.REM, attended=_attended(w, turn)
    )
    wish = Wish(one.text, one.kind, at=min(turn.at, now), confidence=one.confidence)
    try:
        kept = remember(w, wish, who, where, now)
    except BadRequest:
        done.left_out += 1
        return
    for row in _same(w, one, where.project_id):
        w.drop_candidate(row.id)  # the thinker agrees: it is a fact now
        if kept.fact is not None:
            agreed = {"fact": kept.fact.id, "candidate": noted(row)}
            note.setdefault("agreed", []).append(agreed)
    if kept.fact is not None and kept.state == "new":
        done.facts.append(kept.fact.id)


def _attended(w: Reader, turn: TurnRow) -> bool:
    session = w.session(turn.agent, turn.session_id)
    return session is None or session.attended is not False


def _known(w: Reader, one: Extracted, text_hash: str, look: Look) -> Fact | None:
    """A fact that says the same already: in the same words, or of the same slot."""
    for fact in w.by_hash(text_hash, look):
        if fact.current:
            return fact
    slot = slots.read(one.text).slot
    if slot.subject is None or slot.attribute is None or slot.value is None:
        return None
    same = w.by_slot(slot.subject, slot.attribute, look)
    return next((fact for fact in same if fact.slot.value == slot.value), None)
