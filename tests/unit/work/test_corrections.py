"""A correction that says what is there already corrects nothing, whoever asks for it."""

import pytest

from dormouse.errors import Conflict
from dormouse.facts import How, Trust
from dormouse.sessions import Role, Turn
from dormouse.work import by_agents
from dormouse.work.intake import take_prompt
from dormouse.work.obey import Obeyed
from dormouse.work.places import NOWHERE
from dormouse.work.remember import Speaker
from tests.night import EVERYTHING, Bed

PORT = "the api listens on port 8080"


def prompt(bed: Bed, text: str) -> Obeyed:
    turn = Turn(Role.PERSON, text, "s1")
    return bed.memory.ledger.write(
        lambda w: take_prompt(w, "claude-code", turn, NOWHERE, bed.memory.now(), person=True)
    ).result()


def test_an_agents_correction_by_the_same_words_is_not_even_proposed(bed: Bed) -> None:
    fact = bed.say(PORT)
    agent = Speaker("codex", "s1", None, Trust.ASSISTANT, How.ASSISTANT, attended=False)
    with pytest.raises(Conflict, match="says that already"):
        bed.memory.ledger.write(
            lambda w: by_agents.correct(
                w, fact, "The API listens on port 8080.", agent, NOWHERE, 10, bed.memory.now()
            )
        ).result()
    assert bed.memory.ledger.read(lambda r: r.proposals()) == []


def test_a_prompt_that_corrects_a_value_by_itself_is_answered_and_kept(bed: Bed) -> None:
    fact = bed.say(PORT)
    (line,) = prompt(bed, "no, not 8080, it's 8080").lines
    assert line.startswith("known already ")
    assert PORT in line
    assert list(bed.every()) == [fact.id]
    assert len(bed.memory.ledger.read(lambda r: r.turns(session_id="s1"))) == 1
    assert len(bed.memory.ledger.read(lambda r: r.facts(EVERYTHING))) == 1
