"""Events that no daemon took: found in transcripts, or told as lost, and not for ever."""

import os
import time
from datetime import timedelta

from dormouse.sessions import Event, Moment, Role, Turn
from dormouse.times import stamp
from dormouse.work import catchup, machine, undelivered
from dormouse.work.answer import notice
from dormouse_wire.hosts import HOSTS
from tests.night import Bed

SESSION = "11111111-2222-3333-4444-555555555555"


def ring(bed: Bed, letters: bytes, *, ago_s: float = 0) -> None:
    """Hooks that reached nobody."""
    bed.home.undelivered.write_bytes(letters)
    then = time.time() - ago_s
    os.utime(bed.home.undelivered, (then, then))
    undelivered.take(bed.memory)


def counted(bed: Bed, agent: str = "claude-code") -> int:
    row = bed.memory.ledger.read(lambda r: r.agent(agent))
    return row.undelivered if row is not None else 0


def turn(role: Role, text: str, bed: Bed, *, after_s: float = -60, session: str = SESSION) -> Turn:
    at = stamp(bed.clock.now + timedelta(seconds=after_s))
    return Turn(role, text, session, at=at, line_id=f"{role}-{text}-{session}")


def read(bed: Bed, *turns: Turn) -> None:
    """What a catch-up does with the lines that it read."""
    bed.memory.ledger.write(catchup._take(bed.memory, "claude-code", list(turns))).result(10)


def told_at_start(bed: Bed) -> str:
    """What a session's start would say; it is told with that."""
    now = bed.memory.now()

    def do(w: object) -> str | None:
        said = notice(w, now)  # type: ignore[arg-type]
        undelivered.told(w, now)  # type: ignore[arg-type]
        return said

    return bed.memory.ledger.write(do).result(10) or ""


def test_an_event_that_stands_in_no_transcript_stays_counted(bed: Bed) -> None:
    ring(bed, b"c")
    assert not bed.home.undelivered.exists()
    assert catchup.everything(bed.memory)
    assert counted(bed) == 1
    rows = bed.memory.ledger.read(lambda r: r.agents())
    assert "say it again" in (undelivered.warning(rows, 0) or "")
    check = machine.undelivered(rows, 0)
    assert not check.ok
    assert "say it again" in (check.fix or "")
    assert "delivered" not in check.detail


def test_a_whole_session_that_is_found_leaves_nothing_lost(bed: Bed) -> None:
    ring(bed, b"cccccc")  # its start, two prompts with their answers, its end
    read(
        bed,
        turn(Role.PERSON, "which port?", bed),
        turn(Role.ASSISTANT, "let me look", bed),
        turn(Role.ASSISTANT, "it is 8080", bed),
        turn(Role.PERSON, "and the host?", bed),
        turn(Role.ASSISTANT, "10.0.0.5", bed),
    )
    assert counted(bed) == 0


def test_what_is_found_takes_off_no_more_than_itself_and_no_other_agents(bed: Bed) -> None:
    ring(bed, b"ccccccx")
    read(bed, turn(Role.PERSON, "which port?", bed), turn(Role.ASSISTANT, "8080", bed))
    assert (counted(bed), counted(bed, "codex")) == (2, 1)
    read(bed, turn(Role.PERSON, "which port?", bed), turn(Role.ASSISTANT, "8080", bed))
    assert counted(bed) == 2, "lines that are known already make up for nothing"


def test_what_is_said_later_makes_up_for_nothing_that_was_lost_before(bed: Bed) -> None:
    ring(bed, b"cc", ago_s=600)
    read(bed, turn(Role.PERSON, "which port?", bed), turn(Role.ASSISTANT, "8080", bed))
    assert counted(bed) == 2


def test_a_session_first_heard_of_in_its_middle_explains_its_start(bed: Bed) -> None:
    def hear(agent: str, moment: Moment, session: str) -> None:
        event = Event(agent, "any", moment, session)

        def do(w: object) -> None:
            undelivered.heard(w, event)  # type: ignore[arg-type]
            w.touch_session(agent, session)  # type: ignore[attr-defined]

        bed.memory.ledger.write(do).result(10)

    ring(bed, b"ccch")
    hear("claude-code", Moment.SESSION_START, "started-now")
    assert counted(bed) == 3
    hear("claude-code", Moment.PROMPT, "started-before")
    assert counted(bed) == 2
    hear("claude-code", Moment.TURN_END, "started-before")
    assert counted(bed) == 2
    hear("hermes", Moment.PROMPT, "no-start-rings-there")
    assert counted(bed, "hermes") == 1


def test_the_person_is_told_once_and_not_before_a_transcript_could_explain_it(bed: Bed) -> None:
    ring(bed, b"c")
    assert told_at_start(bed) == ""
    bed.clock.go_on(minutes=11)
    assert "1 event(s) were lost" in told_at_start(bed)
    assert told_at_start(bed) == ""
    ring(bed, b"c")
    bed.clock.go_on(minutes=11)
    assert "2 event(s) were lost" in told_at_start(bed)


def test_three_days_after_the_last_one_it_is_told_no_longer(bed: Bed) -> None:
    ring(bed, b"ccx")
    bed.clock.go_on(days=2)
    undelivered.take(bed.memory)
    assert counted(bed) == 2
    ring(bed, b"c")
    bed.clock.go_on(days=2)
    undelivered.take(bed.memory)
    assert counted(bed) == 3, "the last one counts"
    bed.clock.go_on(days=2)
    undelivered.take(bed.memory)
    assert (counted(bed), counted(bed, "codex")) == (0, 0)
    check = machine.undelivered(bed.memory.ledger.read(lambda r: r.agents()), 0)
    assert check.ok
    assert "in the last three days" in check.detail


def test_what_an_older_version_counted_is_told_for_three_days_too(bed: Bed) -> None:
    bed.memory.ledger.write(lambda w: w.set_agent("codex", undelivered=4)).result(10)
    undelivered.take(bed.memory)
    assert counted(bed, "codex") == 4
    bed.clock.go_on(days=4)
    undelivered.take(bed.memory)
    assert counted(bed, "codex") == 0


def test_the_events_that_tell_a_start_are_those_of_the_table() -> None:
    named = {event.name for host in HOSTS.values() for event in host.events}
    assert set(undelivered.STARTS) <= named
