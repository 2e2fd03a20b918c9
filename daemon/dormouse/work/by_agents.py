"""What an agent may do to facts that are there: look, forget, correct. Only what it can see.

Each retirement is counted by session, journalled, and told to the person at the next start.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from dormouse.errors import BadRequest, Conflict, NotFound, Refused
from dormouse.facts import Fact, Look, Scope
from dormouse.ledger import Reader, Writer
from dormouse.ledger.ids import SHORTEST, could_be_id
from dormouse.sessions import Role, Turn
from dormouse.times import parse, stamp
from dormouse.work import owner
from dormouse.work.places import Where
from dormouse.work.remember import Speaker

NOTICE = "notice"  # told to the person at the next session's start
LONGEST_WHY = 200  # characters of a reason
DAY = "forgets"  # setting: when agents retired facts, for the sum of a day
DAY_SESSIONS = 3  # so many sessions' limits agents may retire in a day
TOLD = 10  # lines of a notice
_MORE = re.compile(r"and (\d+) more, .*")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What became of a wish to forget; ``left`` is how many this session may still retire.

    ``along`` are facts that say the same as one of those that were named.
    """

    retired: tuple[Fact, ...]
    along: tuple[Fact, ...]
    already: tuple[str, ...]
    left: int


def sees(look: Look, fact: Fact) -> bool:
    """Whether *fact* may be seen from where *look* stands."""
    if look.everything or fact.scope in (Scope.USER, Scope.ORGANISATION):
        return True
    if fact.scope is Scope.SESSION:
        return look.session_id is not None and fact.session_id == look.session_id
    here = look.project_id is not None and fact.project_id == look.project_id
    return here and (fact.scope is Scope.PROJECT or fact.branch == look.branch)


def find(r: Reader, id: str, look: Look) -> Fact:
    """The fact that *id* names, if it can be seen. Raises NotFound and what resolving raises."""
    fact = r.fact(r.resolve(id))
    if not sees(look, fact):
        raise NotFound(what="fact", id=id)
    return fact


def forget(
    w: Writer, ids: Sequence[str], who: Speaker, where: Where, limit: int, why: str
) -> Forgotten | Refused:
    """Retire all of *ids*, or none. A refusal is returned, so that what the person is told stays.

    Raises BadRequest for what is no id, NotFound.
    """
    if not ids:
        raise BadRequest(what="ids are missing")
    for id in ids:
        if len(id) < SHORTEST or not could_be_id(id):
            raise BadRequest(what="ids are whole ids or their first characters, no wildcards")
    look = where.look(who.session_id)
    facts = {fact.id: fact for fact in (find(w, id, look) for id in ids)}
    fresh = [fact for fact in facts.values() if fact.current]
    along = _same(w, fresh, look)
    number, done = len(fresh) + len(along), counted(w, who, limit)
    if done + number > limit:
        tell(w, f"{who.agent} was refused to retire {number} facts at once")
        return over_limit(done, limit)
    retired = tuple(retire(w, fact, who, where, why) for fact in fresh)
    gone = tuple(retire(w, fact, who, where, why) for fact in along)
    already = tuple(id for id, fact in facts.items() if not fact.current)
    return Forgotten(retired, gone, already, limit - done - number)


def _same(r: Reader, facts: Sequence[Fact], look: Look) -> list[Fact]:
    """What else *look* sees of equal text, for a branch or for everywhere.

    Forgetting one of them alone would change nothing that an agent is shown.
    """
    named = {fact.id for fact in facts}
    found: dict[str, Fact] = {}
    for fact in facts:
        for other in r.by_hash(r.hash_of(fact.text), look):
            if other.current and other.id not in named:
                found[other.id] = other
    return list(found.values())


def retire(w: Writer, fact: Fact, who: Speaker, where: Where, why: str) -> Fact:
    """Retire one fact on an agent's word: counted, journalled, told."""
    _count(w, who)
    retired = owner.retire(w, fact.id, who, why)
    short = fact.id[:6]
    reason = " ".join(why.split())[:LONGEST_WHY]
    _journal(w, who, where, f"retired {fact.id}" + (f": {reason}" if reason else ""))
    tell(w, f"{who.agent} retired {short} (`dormouse restore {short}` brings it back)")
    return retired


def correct(
    w: Writer, fact: Fact, text: str, who: Speaker, where: Where, limit: int, now: str
) -> Fact | str | Refused:
    """Correct a fact, which counts as a retirement. What the owner said, pinned or has to say
    (a rule, what holds everywhere) is only proposed.

    Returns the new fact, the proposal's id, or the refusal. Raises Conflict.
    """
    if not fact.current:
        raise Conflict(what=f"fact {fact.id} is retired already")
    if w.hash_of(text) == w.hash_of(fact.text):
        raise Conflict("Nothing was changed.", what=f"fact {fact.id} says that already")
    if owner.is_stronger(fact, who):
        return w.propose("correct", {"fact": fact.id, "text": text}, by=who.agent or "agent").id
    done = counted(w, who, limit)
    if done >= limit:
        return over_limit(done, limit)
    kept = owner.reword(w, fact, text, who, now)
    corrected = kept.fact
    if corrected is None:  # returned, not raised: a proposal that is rolled back waits nowhere
        return str(kept.proposal_id)
    _count(w, who)
    short = fact.id[:6]
    _journal(w, who, where, f"corrected {fact.id}: {corrected.id}")
    tell(w, f"{who.agent} corrected {short} (`dormouse history {short}`)")
    return corrected


def over_limit(done: int, limit: int) -> Refused:
    return Refused(
        "Ask your person to retire more with `dormouse retire`.",
        what=f"an agent may retire {limit} facts in a session, and {done} are; all agents together"
        f" {DAY_SESSIONS * limit} a day",
    )


def counted(r: Reader, who: Speaker, limit: int) -> int:
    """How many facts this session has retired; *limit* at least where a day's sum is reached.

    An agent says itself which session and which agent it is, so all of them together may retire
    only DAY_SESSIONS times the limit within 24 hours.
    """
    mine = int(r.setting(_key(who)) or 0)
    left = DAY_SESSIONS * limit - len(_of_day(r))
    return max(mine, limit - max(left, 0))


def _of_day(r: Reader) -> list[str]:
    """When agents retired a fact within the last 24 hours."""
    since = stamp(parse(r.now()) - timedelta(hours=24))
    return [at for at in json.loads(r.setting(DAY) or "[]") if at > since]


def _count(w: Writer, who: Speaker) -> None:
    w.set_unlogged(_key(who), str(int(w.setting(_key(who)) or 0) + 1))
    w.set_unlogged(DAY, json.dumps([*_of_day(w), w.now()]))


def _key(who: Speaker) -> str:
    return f"forgets:{who.agent}:{who.session_id}"


def tell(w: Writer, line: str) -> None:
    """Have the person told at the next session's start: at most TOLD lines, then how many more."""
    lines = [each for each in (w.setting(NOTICE) or "").split("; ") if each]
    more = 0
    if lines and (counted_more := _MORE.fullmatch(lines[-1])):
        more = int(counted_more[1])
        lines.pop()
    if line in lines:
        return
    if len(lines) < TOLD:
        lines.append(line)
    else:
        more += 1
    if more:
        lines.append(f"and {more} more, see `dormouse retired` and `dormouse journal`")
    w.set_unlogged(NOTICE, "; ".join(lines))


def _journal(w: Writer, who: Speaker, where: Where, line: str) -> None:
    """Ids and the reason given: the text of what was forgotten is not written down again."""
    said = Turn(Role.TOOL, line, who.session_id or "")
    w.journal(
        who.agent or "agent",
        said,
        project_id=where.project_id,
        branch=where.branch,
        at=w.now(),
        state="done",
    )
