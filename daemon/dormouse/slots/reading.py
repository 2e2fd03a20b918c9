"""Reads a text into a Statement. It refuses to guess: an unread word leaves the value unknown."""

from dataclasses import replace
from functools import lru_cache

from dormouse.slots import text as texts
from dormouse.slots.clause import Clause, parse
from dormouse.slots.frames import frame
from dormouse.slots.lexicon import words
from dormouse.slots.modality import modality, past_then_now, this_time
from dormouse.slots.statement import Modality, Single, Statement
from dormouse.slots.tokens import tokenise

_LONGEST = 320  # characters: a longer text says more than one thing
_IDLE = words(
    "answer keep verdict supersede unsure judge note thing update news thanks ok fyi important "
    "change info hinweis danke 注意 谢谢"
)  # what may stand beside a statement without bearing on it


@lru_cache(maxsize=4096)
def read(text: str) -> Statement:
    """Read one text; the same text always gives the same statement. Never raises."""
    clean = texts.clean(text)
    language = texts.language(clean)
    rest, corrects = texts.strip_lead(clean, language)
    rest, since = texts.strip_fillers(rest, language)
    mode = modality(rest, language)
    then_now = mode is Modality.PAST and past_then_now(rest, language)
    if then_now:
        mode = Modality.ASSERTED
    if len(rest) > _LONGEST:
        return Statement(modality=mode, language=language)
    found = [_sentence(part, language, then_now) for part in texts.sentences(rest)]
    statement = _one(found)
    if this_time(rest, language) and (not statement.moved or statement.kind in ("weekday", "time")):
        mode = Modality.TEMPORARY if mode is Modality.ASSERTED else mode
    return replace(
        statement,
        modality=mode,
        language=language,
        change=statement.change or corrects or since or then_now,
        moved=statement.moved or then_now,
    )


def _sentence(part: str, language: str, then_now: bool) -> Statement:
    clause = parse(tokenise(part, language), then_now=then_now)
    return _flags(clause, frame(clause))


def _flags(clause: Clause, statement: Statement) -> Statement:
    moved = clause.has("change", "replace", "rename", "takeover") or clause.old is not None
    joined = clause.has("and", "or") or clause.listed
    return replace(
        statement,
        qualifiers=frozenset(clause.qualifiers),
        change=moved or clause.has("now", "again", "correction", "instead"),
        ends=clause.ends,
        multi_valued=statement.multi_valued or clause.has("add", "multi"),
        moved=moved,
        negated=clause.negated,
        whole=not joined,
        single=Single.NEVER if joined else statement.single,
        words=tuple(clause.words),
        free_order=any(t.kind == "ends" and t.canon == "nominal" for t in clause.tokens),
        denies=clause.denies,
    )


def _one(found: list[Statement]) -> Statement:
    """Of several sentences the one with a value, if the others say nothing that bears on it."""
    if not found:
        return Statement()
    if len(found) == 1:
        return found[0]
    told = [s for s in found if s.slot.value is not None or s.old is not None or s.ends]
    others = [s for s in found if s not in told]
    if len(told) != 1 or any(not set(s.words) <= _IDLE or s.qualifiers for s in others):
        said = tuple(word for s in found for word in s.words)
        return Statement(words=said, whole=False, multi_valued=any(s.multi_valued for s in found))
    return replace(told[0], whole=False)
