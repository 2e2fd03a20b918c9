"""Taking one turn in: journal it, and obey it if a person said it. Shows nothing."""

from dormouse.capture import implicit
from dormouse.capture.commands import read_prompt
from dormouse.capture.forget_all import wants_all_forgotten
from dormouse.capture.private import strip_own, strip_private
from dormouse.facts import How, Trust
from dormouse.ledger import Writer
from dormouse.sessions import Turn
from dormouse.times import parse, stamp
from dormouse.work.obey import Obeyed, obey
from dormouse.work.places import Where
from dormouse.work.remember import Speaker

NOT_ALL = (
    "nothing was forgotten: a prompt can't forget everything. See `dormouse facts`;"
    " `dormouse retire ID…` takes facts out of use, `dormouse erase ID` destroys one,"
    " `dormouse uninstall` names the command that destroys the whole memory"
)


def speech(text: str) -> str:
    """What a turn really says: without private parts and without what we put there ourselves."""
    return strip_private(strip_own(text)).strip()


def take_prompt(
    w: Writer, agent: str, turn: Turn, where: Where, now: str, *, person: bool
) -> Obeyed:
    """Journal one prompt and obey it, once: a turn that is known already is only matched."""
    at = said_at(turn, now)
    # Where there is no project, nothing is learnt in passing.
    waits = person and where.project_id is not None and implicit.promising(turn.text)
    turn_id, new = w.journal(
        agent,
        turn,
        project_id=where.project_id,
        branch=where.branch,
        at=at,
        state="pending" if waits else "done",
    )
    if not new or not person:
        return Obeyed(new=new)
    commands = read_prompt(turn.text)
    everything = wants_all_forgotten(turn.text)
    if not commands:
        return Obeyed([NOT_ALL] if everything else [], waits=waits, new=True)
    who = Speaker(
        agent,
        turn.session_id,
        turn_id,
        Trust.USER,
        How.EXPLICIT,
        attended=_attended(w, agent, turn),
    )
    obeyed = obey(w, commands, who, where, now, at)
    if everything:
        obeyed.say(NOT_ALL)
    obeyed.waits, obeyed.new = waits, True
    w.note_uses(agent, turn.session_id, obeyed.captured, "said")
    return obeyed


def said_at(turn: Turn, now: str) -> str:
    """When *turn* was said, as its host has it; now where it says nothing that can be read."""
    try:
        return min(stamp(parse(turn.at)), now) if turn.at else now
    except (ValueError, OverflowError):
        return now


def _attended(w: Writer, agent: str, turn: Turn) -> bool:
    """A prompt counts as attended unless its host has said otherwise of it or of its session."""
    if turn.attended is not None:
        return turn.attended
    session = w.session(agent, turn.session_id)
    return session is None or session.attended is not False
