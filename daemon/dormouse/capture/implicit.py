"""What a person says in passing that lasts: corrections, decisions, preferences, project facts.

Reads plain statements at the beginning of a clause, and nothing that is asked, doubted, quoted,
pasted, supposed, broken just now or true only today. When in doubt it reads nothing: what was
missed can be said again, but what was never said must not become a fact.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from dormouse.capture import normalise, private, speech
from dormouse.capture.cuebook import CONFIDENCE, LANGUAGES, Cue, Cuebook, cuebook
from dormouse.capture.kind_of import kind_of
from dormouse.capture.phrasebook import lead_in, word
from dormouse.capture.sentences import Line, Sentence, lines, split
from dormouse.capture.statement import Said, cut, has_body, plain
from dormouse.facts import Kind
from dormouse.slots.lexicon import TOOLS

How = Literal["correction", "decision", "preference", "project_fact", "weak"]


@dataclass(frozen=True, slots=True)
class Found:
    """One statement. ``start`` and ``end`` are its place in ``heard(text)``, ``by`` its cue."""

    text: str = field(repr=False)
    how: How
    confidence: float
    kind: Kind
    start: int
    end: int
    by: str = ""


LONGEST_SENTENCE = 600  # longer ones are no statements, and patterns stay cheap
LONGEST = 400
JOINTS = 12
_LATIN = re.compile("[A-Za-z]")
_HAN = re.compile("[\u3400-\u9fff]")


def heard(text: str) -> str:
    """The part of a prompt that may be read at all, in the form that the rules read."""
    return private.strip_private(private.strip_own(normalise.clean(text)))


def promising(text: str) -> bool:
    """Whether reading is worth a look at all: one cheap search, which may say yes in vain."""
    return any(book.words["cue"].search(text[:LONG_LOOK]) for book in _books(text, None))


LONG_LOOK = 4_000


def read(text: str, *, language: str | None = None) -> list[Found]:
    """The statements of one prompt in their order. Linear in the length of *text*.

    Those below the thresholds are in the list too: who captures decides by ``confidence``.
    """
    text = heard(text)
    books = _books(text, language)
    if not any(book.words["cue"].search(text) for book in books):
        return []
    cover, sure, *_ = speech.listen(text)
    if any(book.words["fiction"].match(_first_line(cover)) for book in books):
        return []
    found: list[Found] = []
    for line in lines(cover, word("task")):
        if line.start >= sure:
            break
        for sentence in _sentences(cover, line):
            if sentence.start < sure and sentence.end - sentence.start <= LONGEST_SENTENCE:
                found += _in_sentence(Said(cover, text), sentence, books)
    return _once(found)


def _first_line(cover: str) -> str:
    head = cover.lstrip()[:LONGEST_SENTENCE]
    lead = lead_in().match(head)
    return head[lead.end() if lead else 0 :].split("\n", 1)[0]


def _sentences(cover: str, line: Line) -> Iterator[Sentence]:
    """The sentences of a line; "No." goes with what follows it."""
    held: int | None = None
    for sentence in split(cover, line):
        if held is not None:
            sentence, held = sentence._replace(start=held), None
        if word("lead_fix").fullmatch(cover[sentence.start : sentence.end].strip()):
            held = sentence.start
        else:
            yield sentence


def _books(text: str, language: str | None) -> list[Cuebook]:
    """The cuebooks that may say something about *text*: by its script, or only *language*'s."""
    if language is not None:
        return [cuebook(language)] if language in LANGUAGES else []
    names = [name for name in LANGUAGES if (_HAN if name == "zh" else _LATIN).search(text)]
    return [cuebook(name) for name in names]


def _once(found: Sequence[Found]) -> list[Found]:
    """Each statement once; of two that overlap the surer one."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: (-f.confidence, f.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    texts: dict[str, Found] = {}
    for one in sorted(kept, key=lambda f: f.start):
        texts.setdefault(normalise.fold(one.text), one)
    return list(texts.values())


def _in_sentence(said: Said, sentence: Sentence, books: Sequence[Cuebook]) -> Iterator[Found]:
    for book in books:
        if not book.words["cue"].search(said.cover, sentence.start, sentence.end):
            continue
        end, later = sentence.end, list[Found]()
        clauses = _clauses(said.cover, sentence, book)
        if not clauses:
            continue
        corrects = _in_clause(said, clauses[0], end, book, only="correction")
        if corrects is not None and corrects.how == "correction":
            yield corrects
            continue
        for clause in reversed(clauses):
            # The last clause first: what it states is not part of the one before.
            one = _in_clause(said, clause, end, book)
            if one is not None:
                end = end if one.how == "weak" else clause.joined_at
                later.append(one)
        yield from reversed(later)


class _Clause(NamedTuple):
    """A place where a statement may begin; ``carried`` begins before it, where it holds."""

    at: int
    joined_at: int
    carried: int
    until: int  # the end of the sentence


def _clauses(cover: str, sentence: Sentence, book: Cuebook) -> list[_Clause]:
    """Where statements may begin, in their order; none where the lead-in rules them all out."""
    first = _after_lead(cover, sentence, book)
    lead = (sentence.start, first)
    if book.words["today"].search(cover, *lead) or _set_apart(cover, first, sentence, book):
        return []
    place = book.words["place"].match(cover, first, sentence.end)
    clauses = [_Clause(place.end() if place else first, first, first, sentence.end)]
    for joint in book.words["joint"].finditer(cover, first, sentence.end):
        at, joined_at = joint.end(), joint.start()
        if len(clauses) > JOINTS or book.words["apart"].search(cover, first, at):
            break  # "if …, we use": from here on nothing is simply stated
        # "In this repo, we use pnpm": where it holds belongs to the statement.
        carries = book.words["carry"].fullmatch(cover, first, joined_at)
        clauses.append(_Clause(at, joined_at, first if carries else at, sentence.end))
    return clauses


def _set_apart(cover: str, first: int, sentence: Sentence, book: Cuebook) -> bool:
    """ "is it true that 我们…": a Chinese statement that hangs on English words before it."""
    if book.language != "zh":
        return False
    own = _HAN.search(cover, first, sentence.end)
    return any(
        other.words["apart"].search(cover, first, own.start() if own else first)
        for other in map(cuebook, LANGUAGES)
        if other is not book
    )


def _after_lead(cover: str, sentence: Sentence, book: Cuebook) -> int:
    at = sentence.start
    while True:
        while at < sentence.end and cover[at].isspace():
            at += 1
        before = at
        for lead in (lead_in(), book.words["lead"]):
            found = lead.match(cover, at, sentence.end)
            at = found.end() if found else at
        if at == before:
            return at


def _in_clause(
    said: Said, clause: _Clause, end: int, book: Cuebook, only: str | None = None
) -> Found | None:
    """The first cue that holds for the clause; where each fails a check, a weak one."""
    weak: Found | None = None
    for cue in book.cues:
        if only is not None and cue.how != only:
            break  # they are in the order of their sureness, corrections first
        match = cue.pattern.match(said.cover, clause.at, end)
        if match is None or (cue.need and not cue.need.search(said.cover, clause.at, end)):
            continue
        one = _judge(said, clause, cue, match, book)
        if one is not None and one.how != "weak":
            return one
        weak = weak or one
    return weak


def _judge(
    said: Said, clause: _Clause, cue: Cue, match: re.Match[str], book: Cuebook
) -> Found | None:
    """What is kept of a match, and how sure it is; None where it must not be read."""
    start, end = clause.carried, match.end()
    if match.groupdict().get("text") is not None:
        start, end = match.span("text")
    whole = said.part(start, end)
    kept, asks = cut(whole)
    cut_off = book.words["after"].search(kept.cover)
    if cut_off and cut_off.start() > 0:
        kept = kept.part(0, cut_off.start())
    text = plain(kept)
    asks = asks or said.cover[match.end() : clause.until].strip()[:1] in ("?", "？")
    if asks or len(text) > LONGEST or not has_body(text):
        return None
    if any(book.words[name].search(kept.cover) for name in ("today", "past")):
        return None
    how, confidence = cue.how, cue.confidence
    if book.words["hedge"].search(kept.cover) or not _passes(clause, cue, match, whole, kept, book):
        how, confidence = "weak", CONFIDENCE["weak"]
    kind = _kind(text, how)
    return Found(text, how, confidence, kind, start, start + len(kept.cover), cue.name)  # type: ignore[arg-type]


def _passes(
    clause: _Clause, cue: Cue, match: re.Match[str], whole: Said, kept: Said, book: Cuebook
) -> bool:
    for check in cue.checks:
        if check == "untroubled":
            # "… and now the build is broken" was cut off, but tells what it was about.
            comma = _COMMA.search(whole.cover, len(kept.cover))
            if book.words["trouble"].search(whole.cover[: comma.start() if comma else None]):
                return False
        elif check == "purposeful" and clause.carried < clause.at:
            continue  # "for dates we use …" says what for
        elif not _named(match, len(whole.cover) - len(kept.cover), book, check):
            return False
    return True


_COMMA = re.compile("[,;，；]")
_WORD = re.compile(r"[^\s,;:()]+")


def _named(match: re.Match[str], cut_off: int, book: Cuebook, check: str) -> bool:
    groups = match.groupdict()
    group = next((name for name in ("thing", "thing2") if groups.get(name)), 0)
    thing = match[group]
    if match.end(group) == match.end():
        thing = thing[: len(thing) - cut_off]
    if book.words["name"].search(thing):
        return True
    if check == "purposeful" and book.words["purpose"].match(thing):
        return True
    return any(found[0].rstrip(".!?").lower() in TOOLS for found in _WORD.finditer(thing))


def _kind(text: str, how: str) -> Kind:
    """Never a rule: how an agent shall work is for the person to say outright."""
    if how == "preference":
        return Kind.USER
    kind = kind_of(text)
    if kind is Kind.FEEDBACK or (kind is Kind.USER and how != "correction"):
        return Kind.PROJECT
    return kind
