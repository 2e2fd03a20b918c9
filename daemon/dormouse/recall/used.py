"""Whether a fact that was shown was also used: its value stands in what the agent then did or said.

Repeating our own line is no use of it. Reads no ledger and judges no answer.
"""

from dormouse.facts import Fact
from dormouse.recall.segments import JOINER
from dormouse.recall.words import spoken

TELLING = 3  # letters of a word that says something by itself
ENOUGH = 2  # telling words of a fact, beside those of the prompt, that an answer has to share


def used(fact: Fact, said: str, asked: str = "") -> bool:
    """Whether *said* (an answer, an action) uses *fact*, which was shown for the prompt *asked*.

    Its value, or an identifier of it, must stand there and not in the prompt already; and the text
    of the fact must not stand there word for word, as a repetition of what we showed.
    """
    flat = _flat(said)
    if _flat(fact.text).rstrip(".!") in flat:
        return False
    new = spoken(said).stems - spoken(asked).stems
    if fact.slot.value:
        value = [each for each in spoken(fact.slot.value).content if not each.isdisjoint(new)]
        if value and len(value) == len(spoken(fact.slot.value).content):
            return True
    shared = [each for each in spoken(fact.text).content if not each.isdisjoint(new)]
    if any(_is_identifier(stem) for each in shared for stem in each):
        return True
    return len([each for each in shared if len(max(each, key=len)) >= TELLING]) > ENOUGH


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_identifier(stem: str) -> bool:
    return JOINER in stem or (not stem.isdigit() and any(char.isdigit() for char in stem))
