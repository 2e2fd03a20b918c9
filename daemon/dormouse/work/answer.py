"""Answering an agent's event: journal it, obey it, take back what is no longer true, recall.

What can be read before is, then one transaction, then text. Whatever goes wrong, the caller answers
with nothing.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from dormouse.capture.commands import read_prompt
from dormouse.facts import Because, Fact, Kind, Look
from dormouse.ledger import Reader, SessionRow, Writer
from dormouse.recall import render
from dormouse.recall.rank import Ranked
from dormouse.sessions import Answer, Event, Moment, Role, Turn
from dormouse.work import catchup, handoff, task, undelivered
from dormouse.work.extract import grounded
from dormouse.work.intake import said_at, speech, take_prompt
from dormouse.work.memory import Memory
from dormouse.work.obey import Obeyed
from dormouse.work.places import Where
from dormouse.work.prepare import mask
from dormouse.work.prompt import Sought, received, said_by_person, seek, unshown
from dormouse.work.receipts import note_used
from dormouse_wire.hosts import HOSTS

NOTHING = Answer()
NOTICE = "notice"  # what the owner or an agent did that the person is told at the next start
AT_START = 500  # facts of each sort that are read for a session's start
WARM_AFTER_S = 2.0  # after a session's start the model is loaded, for its second prompt
LAST_WORDS = 200  # characters quoted of where the last session stopped
IN_ALL = 400  # and of what it came to


async def answer(memory: Memory, event: Event) -> Answer:
    """Take *event* in and return what its agent and its person are told."""
    memory.heard.set()
    if event.agent not in memory.seen_agents:
        await memory.aside(lambda: catchup.first_seen(memory, event))
        memory.seen_agents.add(event.agent)
    where = await memory.aside(lambda: received(memory, event))
    if where.off:
        await memory.aside(lambda: catchup.skip(memory, event))
        return NOTHING
    memory.ring(event)
    if event.moment is Moment.SESSION_START:
        if memory.meaning is not None:
            # Not at once: the session's first prompt may come now, and must not wait for it.
            asyncio.get_running_loop().call_later(WARM_AFTER_S, memory.meaning.warm)
        return await _session_start(memory, event, where)
    if event.moment is Moment.PROMPT and event.turn is not None:
        return await _prompt(memory, event, event.turn, where)
    await _note(memory, event, where)
    return NOTHING


async def _note(memory: Memory, event: Event, where: Where) -> None:
    """Journal an event that is not answered; nothing is obeyed and nothing shown."""
    turn = event.turn
    text = speech(turn.text) if turn is not None else ""
    if turn is not None and turn.role is Role.TOOL and not memory.settings.capture_tool_output:
        turn = None

    def do(w: Writer) -> None:
        _touch(w, event, where, ended=event.moment is Moment.SESSION_END)
        task.heard(w, memory, event, where, text)
        if turn is not None and text:
            said = replace(turn, text=text)
            w.journal(
                event.agent,
                said,
                project_id=where.project_id,
                branch=where.branch,
                at=said_at(turn, memory.now()),
                state="done",
            )
            if turn.role is Role.ASSISTANT:
                note_used(w, event.agent, event.session_id, text)

    await memory.write(do)


def _touch(w: Writer, event: Event, where: Where, *, ended: bool = False) -> None:
    undelivered.heard(w, event)
    w.touch_session(
        event.agent,
        event.session_id,
        project_id=where.project_id,
        branch=where.branch,
        cwd=event.cwd,
        transcript_path=event.transcript_path,
        ended=ended,
        prompted=event.moment is Moment.PROMPT,
    )
    w.set_agent(event.agent, last_event=event.name)
    if HOSTS[event.agent].rings(event.name):
        w.note_event(event.agent, event.name)


async def _prompt(memory: Memory, event: Event, turn: Turn, where: Where) -> Answer:
    text = speech(turn.text)
    person = said_by_person(event)
    sought = await seek(memory, text, where.look(event.session_id))

    def do(w: Writer) -> tuple[Obeyed, render.Block]:
        ranked = sought.ranked(w)  # before anything is obeyed: what is said now is not recalled
        obeyed = Obeyed()
        _touch(w, event, where)
        if text:
            said = replace(turn, text=text)
            obeyed = take_prompt(w, event.agent, said, where, memory.now(), person=person)
        task.heard(w, memory, event, where, text)
        obeyed.lines += handoff.news(w, event, where)
        return obeyed, _block(w, event, sought, ranked, obeyed)

    obeyed, block = await memory.write(do)
    if obeyed.captured or obeyed.waits:
        memory.to_settle.set()
    message = mask("Dormouse: " + "; ".join(obeyed.lines)) if obeyed.lines else None
    return Answer(block.text or None, message)


def _block(
    w: Writer, event: Event, sought: Sought, ranked: Sequence[Ranked], obeyed: Obeyed
) -> render.Block:
    """What is shown for a prompt, with its receipt, in the prompt's own transaction.

    Looks again at what was found before: it may just have been forgotten, or shown.
    """
    back = [t for t in taken_back(w, event) if t.fact.id not in obeyed.named]
    anew = _said_anew(w, back, obeyed)
    back = [t for t in back if t.fact.id not in anew]
    fresh = unshown(w, event, sought, ranked, obeyed.named)
    named = [hit.fact.id for hit in fresh] + _named_in(back)
    host = HOSTS[event.agent]
    block = render.prompt_block(
        acknowledgements=obeyed.lines,
        taken_back=back,
        ranked=fresh,
        shorts=w.short(named),
        unjudged=w.open_pairs(named),
        limit=host.prompt_limit,
        unit=host.context_unit,
        mask=mask,
    )
    _receipt(w, event, block, back, obeyed)
    if anew:
        w.mark_told(event.agent, event.session_id, anew, current=False)
    return block


def _said_anew(r: Reader, back: Sequence[render.TakenBack], obeyed: Obeyed) -> list[str]:
    """What was retired and has just been said again: "no longer true" would contradict "noted"."""
    noted = {fact.text for fact in r.facts_by_id(obeyed.named).values() if fact.current}
    return [t.fact.id for t in back if not t.restored and t.fact.text in noted]


def _named_in(back: Sequence[render.TakenBack]) -> list[str]:
    named = [t.fact.id for t in back]
    return named + [t.successor.id for t in back if t.successor is not None]


def taken_back(r: Reader, event: Event) -> list[render.TakenBack]:
    """What this session believes and is no longer so; a restore is told the same way."""
    changed = r.facts_by_id(r.changed_for(event.agent, event.session_id))
    found = []
    for fact in sorted(changed.values(), key=lambda fact: fact.id):
        successor = _current_successor(r, fact)
        if successor is not None and fact.retired_because is Because.DUPLICATE:
            continue  # what it says still holds, in the words of its successor
        if successor is not None and _said_by(successor, event):
            continue
        found.append(render.TakenBack(fact, successor, restored=fact.current))
    return found


def _current_successor(r: Reader, fact: Fact) -> Fact | None:
    """The fact that holds now in place of *fact*: the end of its chain of successors."""
    seen = {fact.id}
    while fact.superseded_by is not None and fact.superseded_by not in seen:
        seen.add(fact.superseded_by)
        fact = r.fact(fact.superseded_by)
    return fact if len(seen) > 1 and fact.current else None


def _said_by(fact: Fact, event: Event) -> bool:
    return any(s.session_id == event.session_id and s.agent == event.agent for s in fact.sources)


def _receipt(
    w: Writer,
    event: Event,
    block: render.Block,
    told: Sequence[render.TakenBack],
    obeyed: Obeyed,
) -> None:
    """Write down what was shown, so that it can be taken back later."""
    back = {t.fact.id: t for t in told if t.fact.id in block.told}
    gone = [id for id, t in back.items() if not t.restored]
    again = [id for id, t in back.items() if t.restored]
    successors = [t.successor.id for t in back.values() if t.successor is not None]
    agent, session = event.agent, event.session_id
    if block.shown or successors:
        w.note_uses(agent, session, [*block.shown, *successors], "recalled")
    if obeyed.named:
        w.note_uses(agent, session, obeyed.named, "acknowledged")
    retired = [id for id in obeyed.named if not w.fact(id).current]  # said in the line itself
    if gone or retired:
        w.mark_told(agent, session, [*gone, *retired], current=False)
    if again:
        w.mark_told(agent, session, again, current=True)


async def _session_start(memory: Memory, event: Event, where: Where) -> Answer:
    await catchup.wait(memory)
    if event.source in ("fork", "resume") and event.transcript_path:
        await memory.aside(lambda: catchup.own_transcript(memory, event))

    gone = await memory.aside(lambda: _missing_files(memory, where))

    def do(w: Writer) -> tuple[render.Block, str | None]:
        if event.source in ("startup", "compact", "clear"):  # a context that holds nothing yet
            w.forget_shown(event.agent, event.session_id)
        _touch(w, event, where)
        now, lease = memory.now(), handoff.lease_of(memory)
        handed = handoff.at_start(w, event, where, gone, now, lease)
        handoff.alive_at(w, event, where, now, lease)
        says = task.notices(w, event, where, now)
        block, message = _profile(w, event, where, handed.lines, says), notice(w, now)
        undelivered.told(w, now)
        if w.setting(NOTICE):
            w.set_unlogged(NOTICE, "")
        return block, message

    block, message = await memory.write(do)
    return Answer(block.text or None, message)


def _missing_files(memory: Memory, where: Where) -> frozenset[str]:
    if where.project_id is None:
        return frozenset()
    return handoff.missing(memory.ledger.read(lambda r: r.open_handoffs(where.project_id)))


def _profile(
    w: Writer, event: Event, where: Where, taken: Sequence[str], says: Sequence[str]
) -> render.Block:
    """The block of a session's start; on resume only what is new to the session."""
    back = taken_back(w, event)
    facts, left_out = for_start(w, where.look(event.session_id))
    shown = w.shown_to(event.agent, event.session_id, [fact.id for fact in facts])
    facts = [fact for fact in facts if fact.id not in shown]
    named = [f.id for f in facts] + _named_in(back)
    host = HOSTS[event.agent]
    block = render.session_block(
        facts=facts,
        shorts=w.short(named),
        unjudged=w.open_pairs(named),
        taken_back=back,
        last_stop=None if event.source == "resume" else last_stop(w, event, where),
        notices=says,
        handoff=taken,
        limit=host.context_limit,
        unit=host.context_unit,
        mask=mask,
        left_out=left_out,
    )
    _receipt(w, event, block, back, Obeyed())
    return block


def for_start(r: Reader, look: Look) -> tuple[list[Fact], int]:
    """The facts that a session's start may show, and how many it need not even read.

    A block holds some hundred at most; reading 25,000 for it would hold up the writer for 0.7 s.
    """
    found = [
        *r.facts(look, pinned=True, limit=AT_START),
        *r.facts(look, kind=Kind.USER, limit=AT_START),
        *r.facts(look, kind=Kind.FEEDBACK, limit=AT_START),
        *r.facts(look, limit=AT_START),
    ]
    facts = list({fact.id: fact for fact in found}.values())
    return facts, max(r.count(look)[0] - len(facts), 0)


def last_stop(r: Reader, event: Event, where: Where) -> str | None:
    """The last words of this project's session before, unless they hold something retired."""
    if where.project_id is None:
        return None
    session = r.last_session(where.project_id, before_session=event.session_id)
    if session is None:
        return None
    turns = [t for t in r.turns(session_id=session.id, limit=6) if t.role == Role.PERSON]
    if not turns:
        return None
    last = max(turns, key=lambda t: (t.at, t.id))
    retired = r.facts_from_turns([t.id for t in turns], retired=True)
    if retired or read_prompt(last.text):
        return None  # never quote the source of a retired fact, and a command is a fact already
    quoted = _quoted(last.text, LAST_WORDS)
    said = f"{HOSTS[session.agent].title}, {session.last_at[:10]}: {quoted}"
    summary = _summary(r, session)
    return f"{said} (in all: {_quoted(summary, IN_ALL)})" if summary else said


def _quoted(text: str, longest: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1].rstrip() + "…"


def _summary(r: Reader, session: SessionRow) -> str | None:
    """What a session came to, by a thinker or the rules, where the person's own words bear it out.

    A host's own, and an agent's answers, may hold what a tool brought in: such a sentence is not
    shown unasked. None where something that the session said or was shown is retired.
    """
    if not session.summary or session.summed_by not in ("thinker", "rules"):
        return None
    held = r.turns(session_id=session.id)
    turns = [turn.id for turn in held]
    shown = r.facts_by_id(r.uses(session.agent, session.id)).values()
    if r.facts_from_turns(turns, retired=True) or any(not fact.current for fact in shown):
        return None
    own = "\n".join(turn.text for turn in held if turn.role is Role.PERSON)
    return "\n".join(line for line in session.summary.split("\n") if grounded(line, own)) or None


def notice(r: Reader, now: str) -> str | None:
    """What the person is told at a session's start: only what needs them."""
    stopped = [run for run in r.runs(limit=20) if run.state == "stopped"]
    lost = undelivered.notice(r, now)
    parts = [lost] if lost else []
    if stopped:
        parts.append(f"settling was stopped, look with `dormouse rem show {stopped[0].id[:6]}`")
    told = r.setting(NOTICE)
    if told:
        parts.append(told)
    return "Dormouse: " + "; ".join(parts) if parts else None
