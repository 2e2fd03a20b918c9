"""What a person tells the memory to do, in so many words. Guesses nothing, obeys no quoted text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dormouse.capture import normalise, private, speech
from dormouse.capture.forget_all import wants_all_forgotten
from dormouse.capture.kind_of import kind_of
from dormouse.capture.phrasebook import (
    Phrase,
    books,
    lead_in,
    listening,
    triggered,
    word,
)
from dormouse.capture.sentences import Line, Sentence, lines, split
from dormouse.capture.statement import (
    LONGEST,
    Hints,
    Said,
    cut,
    has_body,
    length,
    plain,
    take_hints,
)
from dormouse.facts import Kind, Scope


@dataclass(frozen=True, slots=True)
class Remember:
    """Keep this statement. ``scope`` is set only where the person named one; ``said`` is how many
    characters it had where it was too long to be kept whole."""

    text: str = field(repr=False)
    kind: Kind | None = None
    scope: Scope | None = None
    everywhere: bool = False
    pin: bool = False
    confidence: float = 0.99
    how_named: str = "remember"
    said: int = 0


@dataclass(frozen=True, slots=True)
class Forget:
    """Retire what this names. ``id`` is set where the target may be a short id; it can also be a
    plain word, so that a caller who finds no such fact looks for the target's words."""

    target: str = field(repr=False)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """This holds instead of something known. ``old`` and ``new`` are the two values, if named.

    ``dangling``: the text has no subject of its own ("it's 9090"); it means something only with
    the fact that ``old`` is found in, and should not be kept without it.
    """

    text: str = field(repr=False)
    old: str | None = field(default=None, repr=False)
    confidence: float = 0.93
    new: str | None = field(default=None, repr=False)
    dangling: bool = False
    scope: Scope | None = None
    everywhere: bool = False


Command = Remember | Forget | Correction

LONGEST_RULE = 600  # rules, corrections and targets are one sentence; more is not one


def read_prompt(text: str) -> list[Command]:
    """The commands of one prompt, in the order in which they were said, none twice."""
    text = private.strip_private(private.strip_own(normalise.clean(text)))
    with listening(triggered(text)):
        return list(dict.fromkeys(_Reader(text).read()))


class _Reader:
    """Walks the sentences of one prompt; a command may take the following ones with it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._cover, self._sure = speech.listen(text)
        self._lines = list(lines(self._cover, word("task")))
        self._sentences = [s for line in self._lines for s in self._split(line)]
        self._at = 0

    def read(self) -> Iterator[Command]:
        while self._at < len(self._sentences):
            sentence = self._sentences[self._at]
            self._at += 1
            yield from self._one(sentence)

    def _said(self, sentence: Sentence) -> Said:
        return self._from(sentence.start, sentence.end)

    def _from(self, start: int, end: int) -> Said:
        cover = self._cover[start:end]
        start = end - len(cover.lstrip())
        return Said(self._cover[start:end], self._text[start:end])

    def _split(self, line: Line) -> Iterator[Sentence]:
        """Sentences, cut before a command in their middle; "No." goes with what follows it."""
        held: Sentence | None = None
        for sentence in split(self._cover, line):
            if held:
                sentence = sentence._replace(start=held.start)
                held = None
            bare = self._cover[sentence.start : sentence.end].strip()
            if word("lead_fix").fullmatch(bare):
                held = sentence
                continue
            yield from self._cut_before_commands(sentence)
        if held:
            yield held

    def _cut_before_commands(self, sentence: Sentence) -> Iterator[Sentence]:
        start = sentence.start
        for joint in word("join").finditer(self._cover, sentence.start, sentence.end):
            before = self._cover[start : joint.start()]
            lead, _ = take_hints(Said(before + " ", before + " "))
            bare = lead.cover.strip(" ,;:.，：")
            only_lead = not bare or lead_in().fullmatch(bare + ", ")
            if not only_lead and not word("reported").search(before):
                yield Sentence(start, joint.start(), sentence.line, False)
                start = joint.end()
        yield sentence._replace(start=start)

    def _one(self, sentence: Sentence) -> Iterator[Command]:
        said, hints = take_hints(self._said(sentence))
        lead = lead_in().match(said.cover)
        said = said.part(lead.end() if lead else 0)
        no = word("lead_no").match(said.cover)
        told = said.part(no.end()) if no else said  # "No! Never push to main."
        sure = sentence.start < self._sure
        yield from (
            self._back(said, hints)
            or _forget(told)
            or list(self._remember(sentence, told, hints))
            or (sure and (_rule(told, hints) or _correct(said, hints)))
            or ()
        )

    def _back(self, said: Said, hints: Hints) -> list[Command]:
        """ "Remember that." speaks of the sentence before."""
        for phrase, found in _matches("back", said.cover):
            head = found.groupdict().get("text")
            if head is not None:
                before: Said | None = said.part(found.start("text"), found.end("text"))
            else:
                before = self._said(self._sentences[self._at - 2]) if self._at > 1 else None
            if before is None or before.cover.rstrip().endswith(("?", "？")):
                continue
            before, more = take_hints(before)
            lead = lead_in().match(before.cover)
            made = _remembered(
                before.part(lead.end() if lead else 0), phrase, more.over(hints), "statement"
            )
            if made:
                return [made]
        return []

    def _remember(self, sentence: Sentence, said: Said, hints: Hints) -> Iterator[Command]:
        for phrase, found in _matches("remember", said.cover):
            rest = _in_order(said, found)
            colon = _COLON.search(said.cover[: found.start("text")]) is not None
            if not rest.cover.strip(" .:：，,"):
                made = list(self._list(sentence, phrase, hints)) if colon else []
            else:
                polite = word("polite").match(said.cover) is not None
                one = _remembered(rest, phrase, hints, phrase.check, polite=polite)
                made = list(self._and_more(sentence, one, phrase, colon)) if one else []
            if made:
                yield from made
                return

    def _and_more(
        self, sentence: Sentence, first: Remember, phrase: Phrase, colon: bool
    ) -> Iterator[Remember]:
        """Sentences that go on about the same thing; behind a colon, other statements too."""
        hints = Hints(first.scope, first.everywhere, first.pin)
        current = first
        while self._at < len(self._sentences):
            following = self._sentences[self._at]
            said = self._said(following)
            bare = said.cover.strip()
            if following.line != sentence.line or following.asks or word("task").match(bare):
                break
            if word("anaphora").match(bare) and word("statement").search(bare):
                current = replace(current, text=f"{current.text}. {plain(said)}")
            elif colon and word("of_us").match(bare) and not _commands(bare):
                more = _remembered(said, phrase, hints, "statement")
                if more is None:
                    break
                yield current
                current = more
            else:
                break
            self._at += 1
        yield current

    def _list(self, head: Sentence, phrase: Phrase, hints: Hints) -> Iterator[Remember]:
        """The lines under "remember:": a list to its end, or else the paragraph."""
        following = [line for line in self._lines if line.start >= head.end]
        gap_at, taken_item = head.end, False
        for line in following:
            gap = self._cover[gap_at : line.start]
            blank_lines = gap.count("\n") - 1
            blocked = speech.BLOCK in gap or (blank_lines > 1 and not line.item)
            if blocked or (taken_item and not line.item) or (blank_lines and not line.item):
                return
            said, more = take_hints(self._from(line.start, line.end))
            if not line.item and word("task").match(said.cover.strip()):
                return
            made = _remembered(said, phrase, more.over(hints), "said" if line.item else "statement")
            self._skip_to(line.end)
            taken_item, gap_at = line.item, line.end
            if made:
                yield made

    def _skip_to(self, place: int) -> None:
        while self._at < len(self._sentences) and self._sentences[self._at].start < place:
            self._at += 1


_ASKING = ("吗", "呢", "么")
_COLON = re.compile(r"[:：–—-]\s*$|[:：]")
_SHORT_ID = re.compile(r"#?([a-z2-7]{4,16})$")
_NO_ID = frozenset(
    ["about", "everything", "that", "this", "staging", "these", "those", "them", "what", "dass"]
)


def _in_order(said: Said, found: re.Match[str]) -> Said:
    """What is to be kept; German puts the verb first after "ab jetzt", so that is turned round."""
    places = found.groupdict()
    rest = said.part(found.start("text"), found.end("text"))
    if not (places.get("subject") and places.get("verb")):
        return rest
    names = [name for name in ("subject", "verb", "adverb") if places.get(name)]
    words = [*(said.part(*found.span(name)) for name in names), rest]
    return Said(" ".join(w.cover for w in words), " ".join(w.text for w in words))


def _matches(kind: str, cover: str) -> Iterator[tuple[Phrase, re.Match[str]]]:
    for book in books():
        for phrase in getattr(book, kind):
            found = phrase.pattern.match(cover)
            if found:
                yield phrase, found


def _commands(cover: str) -> bool:
    return any(True for kind in ("forget", "remember", "rule") for _ in _matches(kind, cover))


def _remembered(
    said: Said, phrase: Phrase, hints: Hints, check: str, *, polite: bool = False
) -> Remember | None:
    said, more = take_hints(said)
    said, asks = cut(said, rule=check in ("said", "standing", "rule"))
    text = plain(said)
    if text.endswith(_ASKING):
        asks, text = True, text[:-1].rstrip()
    empty = check not in ("rule", "said") and word("empty").match(text)
    if (asks and not polite) or empty or not has_body(text):
        return None
    if not _passes(check, said.cover, text):
        return None
    hints = more.over(hints)
    return Remember(
        text=text,
        kind=_kind(text, phrase, check),
        scope=hints.scope,
        everywhere=hints.everywhere,
        pin=phrase.pin or hints.pin,
        confidence=phrase.confidence,
        how_named=phrase.name,
        said=long if (long := length(said)) > LONGEST else 0,
    )


def _kind(text: str, phrase: Phrase, check: str) -> Kind:
    kind = kind_of(text)
    told_how = phrase.name == "from_now_on" and not word("of_us").match(text)
    if check in ("rule", "standing") or (kind is not Kind.USER and told_how):
        return Kind.FEEDBACK
    return kind


def _passes(check: str, cover: str, text: str) -> bool:
    if check == "statement":
        return word("statement").search(cover) is not None and len(text) >= 3
    if check == "standing":
        return word("standing").search(cover) is not None
    if check == "said":
        return word("asks").match(cover.strip()) is None
    if check == "not_to":  # "denk dran, die Tests laufen zu lassen" is a task, not a fact
        return word("to_do").search(cover.strip()) is None or _passes("standing", cover, text)
    if check == "fact":
        return word("fact").search(cover) is not None or _passes("standing", cover, text)
    if check == "clear":
        bare = cover.strip()
        return word("clear").match(bare) is not None and not word("unclear").search(bare)
    return True


def _forget(said: Said) -> list[Command]:
    if len(said.cover) > LONGEST_RULE or wants_all_forgotten(said.cover):
        return []
    for _, found in _matches("forget", said.cover):
        target_said, _ = cut(said.part(found.start("target"), found.end("target")))
        target = plain(target_said).rstrip("?？").strip()
        if not target or word("forget_nothing").match(target):
            return []
        short = _SHORT_ID.match(target)
        known = short[1] if short and short[1] not in _NO_ID else None
        return [Forget(target.removeprefix("#") if known else target, known)]
    return []


def _rule(said: Said, hints: Hints) -> list[Command]:
    if len(said.cover) > LONGEST_RULE:
        return []
    for phrase, found in _matches("rule", said.cover):
        verb = found.groupdict().get("verb")
        if verb is not None and not word("imperative").fullmatch(verb):
            continue
        rest = said.part(found.start("text"), found.end("text"))
        if word("no_rule").match(rest.cover):
            continue
        made = _remembered(rest, phrase, hints, "rule")
        if made:
            return [made]
    return []


def _correct(said: Said, hints: Hints) -> list[Command]:
    if len(said.cover) > LONGEST_RULE:
        return []
    said, more = take_hints(said)
    said, asks = cut(said)
    hints = more.over(hints)
    if asks:
        return []
    for phrase, found in _matches("correction", said.cover):
        made = _corrected(said, phrase, found, hints)
        if made:
            return [made]
    return []


def _corrected(said: Said, phrase: Phrase, found: re.Match[str], hints: Hints) -> Correction | None:
    def group(*names: str) -> str | None:
        places = [found.span(name) for name in names if name in found.groupdict()]
        spans = [span for span in places if span[0] >= 0]
        return plain(said.part(*spans[0])) or None if spans else None

    new, old = group("new", "new2"), group("old")
    ordered = _in_order(said, found) if "text" in found.groupdict() else None
    text = plain(ordered) if ordered else None
    cover = text
    if text is None:  # "the port is not 8080 but 9090": take the old value out of the middle
        parts = [group("before"), group("prep"), group("is"), new]
        glue = "" if group("is") and "is" in found.groupdict() else " "
        text = cover = glue.join(part for part in parts if part)
    else:
        cover = ordered.cover if ordered else text
    if not (has_body(text) or new) or not text or not _passes(phrase.check, cover or "", text):
        return None
    return Correction(
        text=text,
        old=old,
        confidence=0.93,
        new=new,
        dangling=text == new or phrase.name == "meant" or word("vague").match(text) is not None,
        scope=hints.scope,
        everywhere=hints.everywhere,
    )
