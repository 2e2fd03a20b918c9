"""What a statement says, read from its text alone. Values only: nothing here reads or decides."""

from dataclasses import dataclass, field
from enum import StrEnum

from dormouse.facts import Slot


class Modality(StrEnum):
    """How a statement is meant. Only ASSERTED claims that something holds now."""

    ASSERTED = "asserted"
    PLAN = "plan"
    QUESTION = "question"
    HEARSAY = "hearsay"
    QUOTE = "quote"
    PAST = "past"
    TEMPORARY = "temporary"
    CONDITIONAL = "conditional"


class Single(StrEnum):
    """How sure it is that only one value can hold, and so what a change must say for itself."""

    FIRM = "firm"  # one value, always: a port, a version, the address of one server
    HABIT = "habit"  # one value as people speak, but a second one is possible: days, languages
    CUED = "cued"  # a second one is likely: only a word of change counts
    LOOSE = "loose"  # several are common (databases, chat tools): only a named change counts
    NEVER = "never"  # no single value to speak of


@dataclass(frozen=True, slots=True)
class Statement:
    """One text, read.

    ``slot`` is normalised alike in every language. ``old`` is a value that the text itself calls no
    longer true ("not 8080", "from npm"). ``moved`` means the change is named by a verb, ``change``
    also covers a mere "now". ``whole`` means that the text is one statement, read to its last word.
    ``words`` are its content words in order (without verbs of being); ``free_order`` says that the
    order may differ for the same meaning. ``denies`` are the words of the statement that the text
    itself denies ("not in the cache, but in the socket").
    """

    slot: Slot = field(default=Slot(), repr=False)
    qualifiers: frozenset[tuple[str, str]] = frozenset()
    modality: Modality = Modality.ASSERTED
    change: bool = False
    ends: bool = False
    multi_valued: bool = False
    language: str = "en"
    kind: str | None = None
    old: str | None = field(default=None, repr=False)
    moved: bool = False
    negated: bool = False
    whole: bool = False
    single: Single = Single.NEVER
    words: tuple[str, ...] = field(default=(), repr=False)
    free_order: bool = False
    denies: tuple[str, ...] = field(default=(), repr=False)
