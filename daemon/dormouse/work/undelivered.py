"""Events that no daemon took: counted, made up for by what is found, and told for a while.

A hook leaves one letter for each, nothing of what it was. What transcripts show, or a session that
is first heard of in its middle, is taken off the count; the rest is told as lost, for three days.
It is an estimate, for a letter says neither which event it was nor of which session.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from dormouse.ledger import AgentRow, Reader, Writer
from dormouse.sessions import Event, Moment, Role, Turn
from dormouse.times import parse, stamp
from dormouse.work.memory import Memory
from dormouse_wire.hosts import HOSTS

log = logging.getLogger("dormouse")
LAST, TOLD = "undelivered_last", "undelivered_told"  # settings: when the last one came; was told
TOLD_FOR = timedelta(days=3)  # after the last one: nobody can mend it, so nobody is told for ever
SETTLES = timedelta(minutes=10)  # so long a transcript or a first prompt may still explain it
SLACK = timedelta(seconds=10)  # a host may write a prompt's line after its hook gave up
STARTS = ("SessionStart", "session.created")
WHAT_TO_DO = "if something was to be remembered then, say it again"
_taking = threading.Lock()  # the tick and a catch-up may both want the file


def take(memory: Memory) -> None:
    """Take the hooks' count into the ledger, empty their file, drop what was told long enough."""
    with _taking:
        _drop_old(memory)
        file = memory.home.undelivered
        taken = file.with_name("undelivered.taken")
        try:
            about = file.stat()
            if about.st_size == 0:
                return
            file.rename(taken)  # a hook that comes now begins a new file
        except FileNotFoundError:
            return
        letters = Counter(taken.read_text("ascii", errors="replace"))
        age = timedelta(seconds=max(0.0, time.time() - about.st_mtime))
        last = stamp(memory.clock() - age)

        def do(w: Writer) -> None:
            for host in HOSTS.values():
                if number := letters[host.letter]:
                    w.set_agent(host.id, undelivered=_count(w, host.id) + number)
            w.set_unlogged(LAST, max(last, w.setting(LAST) or ""))

        memory.ledger.write(do).result()
        taken.unlink(missing_ok=True)


def _drop_old(memory: Memory) -> None:
    """Three days after the last one they are no longer counted."""
    rows, last = memory.ledger.read(lambda r: (r.agents(), r.setting(LAST)))
    number = sum(row.undelivered for row in rows)
    if not number or (last and parse(last) > parse(memory.now()) - TOLD_FOR):
        return

    def do(w: Writer) -> None:
        for row in rows:
            w.set_agent(row.id, undelivered=0)

    if last:
        memory.ledger.write(do).result()
        log.info("%d undelivered event(s) were told for three days", number)
    else:  # counted by a version that kept no time
        memory.ledger.write(lambda w: w.set_unlogged(LAST, memory.now())).result()


def _count(r: Reader | Writer, agent: str) -> int:
    row = r.agent(agent)
    return row.undelivered if row is not None else 0


def found(w: Writer, agent: str, number: int) -> None:
    """So many events of *agent* are explained: they count no longer."""
    left = _count(w, agent)
    if number and left:
        w.set_agent(agent, undelivered=max(0, left - number))


class Tally:
    """How many events the lines stand for that a catch-up found and no hook had brought.

    A prompt, the end of an answer and a summary are one each; a session that such lines are found
    in accounts for its end, and for its start where none was heard. Lines from after the last
    undelivered event stand for none.
    """

    def __init__(self, w: Writer, agent: str) -> None:
        self._w, self._agent = w, agent
        last = w.setting(LAST) if _count(w, agent) else None
        self._until = stamp(parse(last) + SLACK) if last else ""
        self._last: dict[str, Role] = {}
        self._number = 0

    def line(self, turn: Turn, at: str) -> None:
        """One new line. Called before the session is noted."""
        if at > self._until:
            return
        if turn.session_id not in self._last:
            heard = self._w.session(self._agent, turn.session_id) is not None
            self._number += 1 if heard else 2
        if turn.role is not Role.ASSISTANT or self._last.get(turn.session_id) is not turn.role:
            self._number += 1
        self._last[turn.session_id] = turn.role

    def settle(self) -> None:
        """Take off what was found."""
        found(self._w, self._agent, self._number)


def heard(w: Writer, event: Event) -> None:
    """A session that is first heard of in its middle: its start is one that was not delivered."""
    if event.moment is Moment.SESSION_START or not any(map(HOSTS[event.agent].rings, STARTS)):
        return
    if w.session(event.agent, event.session_id) is None and not w.turns(
        session_id=event.session_id, limit=1
    ):
        found(w, event.agent, 1)


def warning(agents: Sequence[AgentRow], waiting: int) -> str | None:
    """What ``status`` says; *waiting*: those that the daemon has not taken yet."""
    number = sum(row.undelivered for row in agents) + waiting
    if not number:
        return None
    return (
        f"{number} event(s) came while no daemon ran, and no transcript has made up for them so"
        f" far: {WHAT_TO_DO}. It is told for three days"
    )


def notice(r: Reader, now: str) -> str | None:
    """What a session's start says, once, when nothing more will explain them."""
    number, last = sum(row.undelivered for row in r.agents()), r.setting(LAST)
    if not number or not last or last == r.setting(TOLD) or parse(last) > parse(now) - SETTLES:
        return None
    return f"{number} event(s) were lost while no daemon ran: {WHAT_TO_DO}"


def told(w: Writer, now: str) -> None:
    """Note that the person was just told, so that they are told once."""
    if notice(w, now) is not None:
        w.set_unlogged(TOLD, w.setting(LAST) or "")
