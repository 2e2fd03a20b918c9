"""How a statement is meant, by its cue words. In doubt it is not asserted: that retires nothing."""

import re

from dormouse.slots.lexicon import GRAMMAR, either
from dormouse.slots.statement import Modality

_LIMIT = 1200  # characters looked at: a statement that is read at all is far shorter
_ORDER = (
    Modality.QUESTION,
    Modality.QUOTE,
    Modality.HEARSAY,
    Modality.PLAN,
    Modality.TEMPORARY,
    Modality.CONDITIONAL,
    Modality.PAST,
)


def _compile(language: str, key: str) -> re.Pattern[str]:
    return either(GRAMMAR[language]["modality"][key])


_CUES = {
    language: [(modality, _compile(language, modality.value)) for modality in _ORDER]
    for language in GRAMMAR
}
_THIS_TIME = {language: _compile(language, "this_time") for language in GRAMMAR}
_LONG_QUOTE = re.compile(r'"[^"]*\s[^"]*\s[^"]*\s[^"]*"|「[^」]{8,}」')


def modality(text: str, language: str) -> Modality:
    """Return the first cue found, the surest sign that the text is no claim first."""
    head = text[:_LIMIT]
    if _LONG_QUOTE.search(head):
        return Modality.QUOTE
    for found, cues in _CUES[language]:
        if cues.search(head):
            return found
    return Modality.ASSERTED


def this_time(text: str, language: str) -> bool:
    """Whether the text names today or this week: the day of a change, or of an exception."""
    return _THIS_TIME[language].search(text[:_LIMIT]) is not None


def past_then_now(text: str, language: str) -> bool:
    """Whether the past is only the first half: "it used to be npm, now it is pnpm"."""
    past = dict(_CUES[language])[Modality.PAST]
    halves = re.split(r"[,;.。，]| but | aber ", text)
    return (
        len(halves) == 2
        and past.search(halves[0]) is not None
        and past.search(halves[1]) is None
        and _NOW.search(halves[1]) is not None
    )


_NOW = re.compile(
    r"\bnow\b|\bthese days\b|\bjetzt\b|\binzwischen\b|\bmittlerweile\b|现在|如今|改", re.I
)
