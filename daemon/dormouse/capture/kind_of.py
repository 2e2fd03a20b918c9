"""What a statement is about. Cheap cues only; where nothing speaks for a kind it is the project."""

import re

from dormouse.capture.normalise import fold
from dormouse.facts import Kind

_REFERENCE = re.compile(
    r"https?://|\b(?:dashboard|runbook|wiki|documentation|docs|confluence|doku|dokumentation|handbuch)\b"
    r"|文档|看板|仪表盘|手册",
    re.IGNORECASE,
)
_STANDING = (
    r"\b(?:always|never|from now on|immer|nie|niemals|ab jetzt|ab sofort)\b"
    r"|总是|永远|始终|一律|务必|不要|从现在起|以后"
)
_RULE = re.compile(
    _STANDING
    + r"|^(?:please |bitte )?(?:prefer|use|don['’]t|do not|avoid|stop|answer|reply|write|run|keep"
    r"|ask|bevorzuge|benutze|nutze|verwende|vermeide|antworte|schreibe?|frage?|you\b|du\b)\b"
    r"|别|请",
    re.IGNORECASE,
)
# A step of a procedure is worded as an order by its nature; only one that goes on for good, or
# that forbids, is a rule.
_RULE_OF_STEPS = re.compile(
    _STANDING + r"|^(?:please |bitte )?(?:prefer|don['’]t|do not|avoid|bevorzuge|vermeide)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"^(?:i|i'm|i’m|i've|i’ve|i'd|my|me|ich|mein|meine|mir|mich)\b|^(?:我(?!们)|本人)",
    re.IGNORECASE,
)


def kind_of(text: str) -> Kind:
    """USER: about the person. FEEDBACK: how the agent shall work. REFERENCE: where to look."""
    bare = text.strip()
    if _PERSON.search(bare):
        return Kind.USER
    if _RULE.search(bare):
        return Kind.FEEDBACK
    if _REFERENCE.search(bare):
        return Kind.REFERENCE
    return Kind.PROJECT


def is_rule(text: str) -> bool:
    """Whether *text* says how an agent shall work, also where it is put into somebody's mouth."""
    return _RULE.search(fold(text)) is not None


def is_rule_of_steps(step: str) -> bool:
    """The same of one step of a procedure: "run the tests" is none, "never run the tests" is."""
    return _RULE_OF_STEPS.search(fold(step)) is not None
