"""What a text is about, read by plain rules: subject, attribute, value, scope, and how it is meant.

It never guesses: what it can't read to the last word has no value, and no judge decides on it.
"""

from dormouse.slots.clause import VERB_MARKS
from dormouse.slots.frames import HEADS, PROJECT
from dormouse.slots.reading import read
from dormouse.slots.statement import Modality, Single, Statement

__all__ = ["HEADS", "PROJECT", "VERB_MARKS", "Modality", "Single", "Statement", "read"]
