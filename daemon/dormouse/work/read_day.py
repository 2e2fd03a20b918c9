"""The night's reading: turns that no extractor has read yet, what was found, what becomes of it.

Zero calls when nobody said anything new. It retires nothing and lifts no suppression.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from dormouse import slots
from dormouse.errors import BadRequest
from dormouse.facts import Fact, How, Kind, Look, Scope, Source
from dormouse.ledger import Reader, TurnRow, Writer
from dormouse.sessions import Role
from dormouse.times import parse, stamp
from dormouse.work.extract import Extracted, Extractor, ThinkerExtractor
from dormouse.work.memory import Memory
from dormouse.work.places import Where
from dormouse.work.remember import Speaker, Wish, remember

DAY = timedelta(hours=48)  # older turns are not read again, even if they never were
STEP = 40  # turns between two looks at the clock of the agents
ROLES = (Role.PERSON, Role.ASSISTANT, Role.SUMMARY, Role.TOOL)
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


async def read_day(memory: Memory, go_on: Callable[[], bool] = lambda: True) -> Read:
    """Read what is new by a thinker, if one may be asked.

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
            await _by(memory, thinker, done, go_on)
    return done


async def _by(memory: Memory, extractor: Extractor, done: Read, go_on: Callable[[], bool]) -> None:
    while go_on():
        turns = await memory.read(lambda r: unread(r, extractor, memory.now()))
        if not turns:
            return
        found = await asyncio.to_thread(extractor, [turn for _, turn in turns])
        if found is None:
            return  # nobody answered: they are read in another night

        def do(w: Writer, found: Sequence[Extracted] = found, last: int = turns[-1][0]) -> None:
            take(w, found, memory, done)
            w.set_unlogged(MARK + extractor.name, str(last))

        await memory.write(do)
        done.turns += len(turns)
        memory.wake_settle()


def unread(r: Reader, extractor: Extractor, now: str) -> list[tuple[int, TurnRow]]:
    """The next turns of a project that *extractor* has not read, oldest first."""
    mark = int(r.setting(MARK + extractor.name) or 0)
    since = stamp(parse(now) - DAY)
    return r.turns_after(mark, since=since, roles=[str(role) for role in ROLES], limit=STEP)


def take(w: Writer, found: Sequence[Extracted], memory: Memory, done: Read) -> None:
    """Make facts and candidates of what was found, each at most once."""
    for one in found:
        if one.confidence < memory.settings.capture_candidate:
            done.left_out += 1
        else:
            _take(w, one, memory.now(), memory.settings.capture_fact, done)


def _take(w: Writer, one: Extracted, now: str, sure: float, done: Read) -> None:
    turn = one.turn
    where = Where(turn.project_id, None, turn.branch)
    slot = slots.read(one.text).slot
    hash_ = w.hash_of(one.text)
    if turn.project_id is None or w.suppressed(text_hash=hash_, slot=slot, look=where.look()):
        done.left_out += 1
        return
    known = _known(w, one, hash_, where.look())
    if known is not None:
        done.known += 1
        if turn.role is Role.PERSON:  # an agent that repeats a fact is only our echo
            source = Source(turn.agent, turn.session_id, turn.id, How.REM, turn.at)
            w.add_source(known.id, source)
        return
    if turn.role is Role.PERSON and one.confidence >= sure:
        _remember(w, one, where, now, done)
        return
    scope = Scope.USER if one.kind is Kind.USER else Scope.PROJECT
    w.add_candidate(
        one.text,
        kind=one.kind,
        scope=scope,
        project_id=turn.project_id if scope is Scope.PROJECT else None,
        branch=turn.branch,
        turn_id=turn.id,
        confidence=one.confidence,
    )
    done.candidates += 1


def _remember(w: Writer, one: Extracted, where: Where, now: str, done: Read) -> None:
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
    for row in w.candidates():
        if w.hash_of(row.text) == w.hash_of(one.text) and row.project_id == where.project_id:
            w.drop_candidate(row.id)  # the thinker agrees: it is a fact now
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
