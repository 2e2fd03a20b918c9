"""Catching up: what hooks did not bring is read on from the agents' own transcripts.

It reads files under the agents' transcript folders only, in bounded steps, and shows nothing.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dormouse.facts import Kind
from dormouse.hosts import READERS, safe
from dormouse.ledger import Writer
from dormouse.sessions import Event, Role, Turn
from dormouse.work import focus, task, undelivered
from dormouse.work.intake import said_at, speech, take_prompt
from dormouse.work.memory import Memory
from dormouse.work.receipts import note_used
from dormouse.work.remember import demote_fact
from dormouse.work.thinkers import is_ours
from dormouse_wire.hosts import HOSTS

log = logging.getLogger("dormouse")
WAIT_S = 0.8  # a session's start waits this long for the catch-up after a daemon's start
STEP = 200  # turns in one transaction
JOURNALLED = {Role.PERSON, Role.ASSISTANT, Role.SUMMARY}


async def wait(memory: Memory) -> None:
    """Let the catch-up that follows a start end first, but never make an agent wait for it."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(memory.caught_up.wait(), WAIT_S)


def root_of(memory: Memory, agent: str) -> Path | None:
    """Where *agent* keeps its transcripts: as recorded by connect, else its usual folder."""
    host = HOSTS[agent]
    if host.transcripts is None:
        return None
    row = memory.ledger.read(lambda r: r.agent(agent))
    if row is not None and row.root:
        return Path(row.root)
    return Path.home() / host.folder / host.transcripts


def mark_existing(memory: Memory, agent: str, root: Path | None, *, but: str | None = None) -> None:
    """Take every transcript that exists as read: history comes in only by import."""
    if root is None:
        return
    found = []
    for path in safe.list_transcripts(root, HOSTS[agent].transcript_suffix):
        if str(path) == but:
            continue
        with contextlib.suppress(OSError):
            state = path.stat()
            found.append((str(path), state.st_size, state.st_ino))

    def do(w: Writer) -> None:
        for path, size, inode in found:
            if w.transcript(path) is None:
                w.set_transcript(path, agent, None, size, inode, size)

    memory.ledger.write(do).result()


def first_seen(memory: Memory, event: Event) -> None:
    """An agent that rings without ever having been connected: its older transcripts stay unread."""
    undelivered.take(memory)  # this event may explain the one that started the daemon
    if memory.ledger.read(lambda r: r.agent(event.agent)) is not None:
        return
    fresh = event.source in ("startup", "clear")
    root = root_of(memory, event.agent)
    mark_existing(memory, event.agent, root, but=event.transcript_path if fresh else None)
    memory.ledger.write(lambda w: w.set_agent(event.agent, last_event=event.name)).result()


def skip(memory: Memory, event: Event) -> None:
    """Where Dormouse is off nothing is read, but the place moves on: it is never read later."""
    opened = _open(memory, event.agent, event.transcript_path, event.session_id)
    if opened is None or event.transcript_path is None:
        return
    path = str(opened.path)
    memory.ledger.write(
        lambda w: w.set_transcript(
            path, event.agent, event.session_id, opened.size, opened.inode, opened.size
        )
    ).result()


def _open(
    memory: Memory, agent: str, path: str | None, session_id: str | None
) -> safe.SafeFile | None:
    root = root_of(memory, agent)
    if path is None or root is None:
        return None
    opened = safe.open_transcript(path, root=root, session_id=session_id, uid=os.getuid())
    if opened is None:
        memory.count("transcript_refused")
    return opened


def own_transcript(memory: Memory, event: Event) -> None:
    """Read what one session's transcript holds beyond its offset."""
    _read(memory, event.agent, event.transcript_path, event.session_id)


def everything(
    memory: Memory,
    agents: list[str] | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> bool:
    """Read all known agents' transcripts to their ends; False if something was left for later."""
    complete = True
    for agent in agents or list(READERS):
        row = memory.ledger.read(lambda r, a=agent: r.agent(a))  # type: ignore[misc]
        root = root_of(memory, agent)
        if row is None or root is None:
            continue
        for path in safe.list_transcripts(root, HOSTS[agent].transcript_suffix):
            if not go_on():
                return False
            complete = _read(memory, agent, str(path), None) and complete
    return complete


def _read(memory: Memory, agent: str, path: str | None, session_id: str | None) -> bool:
    """Read one transcript on from its offset. True once its end is reached."""
    opened = _open(memory, agent, path, session_id)
    if opened is None:
        return True
    with contextlib.closing(opened):
        name = str(opened.path)
        row = memory.ledger.read(lambda r: r.transcript(name))
        start = row.offset if row is not None else 0
        if row is not None and (row.inode != opened.inode or row.size > opened.size):
            start = 0  # another file under the old name: line ids tell what is known
        if start >= opened.size:
            return True
        lines, end = opened.read_lines(start)
        reader = READERS[agent].transcript(opened.head())
        turns = [turn for line in lines if (turn := reader.read(line)) is not None]
        if reader.unknown:
            memory.count("lines_unknown")
        if turns:
            undelivered.take(memory)  # what is not counted yet can't be made up for
        for first in range(0, len(turns), STEP):
            step = _take(memory, agent, turns[first : first + STEP])
            if memory.ledger.write(step).result():
                memory.wake_settle()
        for limit in reader.limits[-1:]:
            memory.ledger.write(lambda w, x=limit: task.limited(w, memory, x)).result()  # type: ignore[misc]
        memory.ledger.write(
            lambda w: w.set_transcript(
                name, agent, session_id, end, opened.inode, opened.size, row.skipped if row else 0
            )
        ).result()
        return end >= opened.size or end == start


def _take(memory: Memory, agent: str, turns: list[Turn]) -> Callable[[Writer], bool]:
    """Journal *turns* and obey the person's; a prompt that a hook brought is only matched."""
    folders = [_folder(memory, agent, turn) for turn in turns]
    turns, folders = _not_ours(turns, folders)
    wheres = [memory.places.where(folder) for folder in folders]
    now = memory.now()

    def do(w: Writer) -> bool:
        captured = False
        from_sessions: dict[str, str] = {}
        tally = undelivered.Tally(w, agent)
        for turn, where in zip(turns, wheres, strict=True):
            at = said_at(turn, now)
            if not where.off and turn.role is Role.TOOL:
                focus.touch(w, agent, turn.session_id, turn.text, at, where.project_id)
            if turn.role not in JOURNALLED:
                continue
            if where.off:  # not kept, but not lost either
                tally.line(turn, at)
                continue
            _note_line(w, agent, turn, from_sessions)
            text = speech(turn.text)
            if not text:
                continue
            said = replace(turn, text=text)
            obeyed = take_prompt(w, agent, said, where, now, person=turn.role is Role.PERSON)
            if turn.role is Role.ASSISTANT:
                note_used(w, agent, turn.session_id, text)
            if obeyed.new:
                tally.line(turn, at)
            focus.hear(w, agent, turn.session_id, turn.role, text, at, where.project_id)
            captured = captured or bool(obeyed.captured) or obeyed.waits
            if turn.attended is False and turn.line_id is not None:
                _demote(w, agent, turn.line_id)
        for old, new in from_sessions.items():
            w.inherit_uses(agent, old, new)
        tally.settle()
        return captured

    return do


def _not_ours(turns: list[Turn], folders: list[str | None]) -> tuple[list[Turn], list[str | None]]:
    """Without the turns of our own thinkers: an answer is theirs if its session's prompt is."""
    ours = {
        turn.session_id
        for turn, folder in zip(turns, folders, strict=True)
        if is_ours(turn.session_id, folder, turn)
    }
    rest = [n for n, turn in enumerate(turns) if turn.session_id not in ours]
    return [turns[n] for n in rest], [folders[n] for n in rest]


def _folder(memory: Memory, agent: str, turn: Turn) -> str | None:
    """The line's own folder, else that of its session."""
    if turn.cwd is not None:
        return turn.cwd
    session = memory.ledger.read(lambda r: r.session(agent, turn.session_id))
    return session.cwd if session is not None else None


def _note_line(w: Writer, agent: str, turn: Turn, from_sessions: dict[str, str]) -> None:
    """A line known under another session was copied by a fork: it inherits what was shown."""
    if turn.line_id is None:
        return
    known = w.turn_by_line(agent, turn.line_id)
    if known is not None and known.session_id != turn.session_id:
        from_sessions[known.session_id] = turn.session_id
    if turn.attended is False:
        w.touch_session(agent, turn.session_id, attended=False)


def _demote(w: Writer, agent: str, line_id: str) -> None:
    """What an unattended prompt made as rule or pin becomes a proposal."""
    turn = w.turn_by_line(agent, line_id)
    if turn is None:
        return
    for fact in w.facts_from_turns([turn.id]):
        if not fact.current or not (fact.pinned or fact.kind is Kind.FEEDBACK):
            continue
        demote_fact(w, fact, agent)
