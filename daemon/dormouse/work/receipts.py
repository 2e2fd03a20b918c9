"""Noting that a fact which was shown was then used. It shows nothing and changes no fact."""

from dormouse.ledger import Writer
from dormouse.recall.used import used
from dormouse.sessions import Role

LOOKED_AT = 6  # turns before an answer among which its prompt is looked for


def note_used(w: Writer, agent: str, session_id: str, said: str) -> list[str]:
    """Mark the facts shown to this session whose value *said* makes use of; their ids."""
    waiting = w.unused(agent, session_id)
    if not waiting:
        return []
    turns = w.turns(session_id=session_id, limit=LOOKED_AT)
    prompts = [turn for turn in turns if turn.role is Role.PERSON]
    asked = max(prompts, key=lambda turn: (turn.at, turn.id)).text if prompts else ""
    facts = w.facts_by_id(waiting)
    found = [id for id, fact in facts.items() if used(fact, said, asked)]
    if found:
        w.mark_used(agent, session_id, found)
    return found
