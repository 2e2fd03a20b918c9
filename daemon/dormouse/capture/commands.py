"""What a person tells the memory to do, in so many words. Guesses nothing, obeys no quoted text."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from dormouse.capture import normalise, private, speech
from dormouse.capture.orders import (
    Command,
    Correction,
    Forget,
    Remember,
    commands,
    correct,
    forget,
    in_order,
    matches,
    remembered,
    rule,
)
from dormouse.capture.phrasebook import Phrase, lead_in, listening, triggered, word
from dormouse.capture.sentences import Line, Sentence, lines, split
from dormouse.capture.statement import Hints, Said, cut, plain, take_hints
from dormouse.capture.under import Place, under

__all__ = ["Command", "Correction", "Forget", "Remember", "read_prompt"]


def read_prompt(text: str) -> list[Command]:
    """The commands of one prompt, in the order in which they were said, none twice.

    Reading takes a millisecond, and of each prompt it is asked twice: the last few are kept.
    """
    return list(_read(text))


@lru_cache(maxsize=4)
def _read(text: str) -> tuple[Command, ...]:
    text = private.strip_private(private.strip_own(normalise.clean(_mark_soft(text))))
    with listening(triggered(text)):
        return tuple(dict.fromkeys(_Reader(text).read()))


# A line break that was typed inside a paragraph (Shift+Enter) arrives as one of these. Whose words
# these are is read line by line as ever; what is the person's own then goes on over the break.
_SOFT_BREAK = re.compile("[\x0b\x85\u2028]")
_SOFT = re.compile(r"\x1e\n(?![ \t]*(?:[-*•+·]|\d{1,2}[.)、])[ \t])")


def _mark_soft(text: str) -> str:
    return _SOFT_BREAK.sub("\x1e\n", text.replace("\x1e", " "))


class _Reader:
    """Walks the sentences of one prompt; a command may take the following ones with it."""

    def __init__(self, text: str) -> None:
        self._voice = speech.listen(text)
        self._cover = _SOFT.sub("  ", self._voice.cover)
        self._text = _SOFT.sub("  ", text)
        self._lines = list(lines(self._cover, word("task")))
        self._sentences = [s for line in self._lines for s in self._split(line)]
        self._at = 0

    def read(self) -> Iterator[Command]:
        while self._at < len(self._sentences):
            sentence = self._sentences[self._at]
            self._at += 1
            if not self._voice.sure <= sentence.start < self._voice.again:
                yield from self._one(sentence)

    def _said(self, sentence: Sentence) -> Said:
        return self._from(sentence.start, sentence.end)

    def _from(self, start: int, end: int) -> Said:
        """That stretch on one line: where a line was only wrapped, its patterns go on."""
        cover = self._cover[start:end]
        start = end - len(cover.lstrip())
        return Said(
            self._cover[start:end].replace("\n", " "), self._text[start:end].replace("\n", " ")
        )

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
        sure = sentence.start < self._voice.sure
        yield from (
            self._back(said, hints)
            or forget(told)
            or list(self._remember(sentence, told, hints))
            or (sure and (self._rule(sentence, told, hints) or correct(said, hints)))
            or ()
        )

    def _back(self, said: Said, hints: Hints) -> list[Command]:
        """ "Remember that." speaks of the sentence before."""
        for phrase, found in matches("back", said.cover):
            head = found.groupdict().get("text")
            if head is not None:
                before: Said | None = said.part(found.start("text"), found.end("text"))
            else:
                before = self._said(self._sentences[self._at - 2]) if self._at > 1 else None
            if before is None or before.cover.rstrip().endswith(("?", "？")):
                continue
            before, more = take_hints(before)
            lead = lead_in().match(before.cover)
            made = remembered(
                before.part(lead.end() if lead else 0), phrase, more.over(hints), "statement"
            )
            if made:
                return [made]
        return []

    def _remember(self, sentence: Sentence, said: Said, hints: Hints) -> Iterator[Command]:
        for phrase, found in matches("remember", said.cover):
            rest = in_order(said, found)
            colon = _COLON.search(said.cover[: found.start("text")]) is not None
            if colon and (again := _order_in(rest)):
                rest = again
            if not rest.cover.strip(" .:：，,"):
                made = list(self._list(sentence, phrase, hints)) if colon else []
            else:
                polite = word("polite").match(said.cover) is not None
                one = remembered(rest, phrase, hints, phrase.check, polite=polite)
                if one and one.said and sentence.end == self._voice.cut:
                    one = replace(one, said=one.said + self._voice.whole - self._voice.cut)
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
                current = current.longer(f"{current.text}. {plain(said)}")
            elif colon and word("of_us").match(bare) and not commands(bare):
                more = remembered(said, phrase, hints, "statement")
                if more is None:
                    break
                yield current
                current = more
            else:
                break
            self._at += 1
        yield self._with_what_follows(current)

    def _rule(self, sentence: Sentence, said: Said, hints: Hints) -> list[Command]:
        return [self._with_what_follows(one, rule=True) for one in rule(said, hints)]

    def _with_what_follows(self, one: Remember, *, rule: bool = False) -> Remember:
        """The statement that was read last, with the list under it, or with what is left out."""
        last = self._sentences[self._at - 1]
        at = bisect_right(self._lines, last.start, key=lambda line: line.start) - 1
        line = self._lines[at]
        said, _ = take_hints(self._said(last))
        whole = cut(said, rule=rule, question=True)[0].cover.rstrip() == said.cover.rstrip()
        if one.said or not whole or self._cover[last.end : line.end].strip():
            return one  # cut, or a task stands behind it, and what follows is the task's
        place = Place(Said(self._cover, self._text), last.start, line.end, line.item)
        following = (self._lines[nr] for nr in range(at + 1, len(self._lines)))
        found = under(place, following, word("task").match, commands)
        if found.items:
            self._skip_to(found.end)
            one = one.longer(f"{one.text}: {'; '.join(found.items)}")
        unsaid = found.left == "quoted" and not found.items and word("dangles").search(one.text)
        return replace(one, left="all" if unsaid else found.left)

    def _list(self, head: Sentence, phrase: Phrase, hints: Hints) -> Iterator[Remember]:
        """The lines under "remember:": a list to its end, or else the paragraph."""
        following = [line for line in self._lines if line.start >= head.end]
        gap_at, taken_item = head.end, False
        voice = self._voice
        for line in following:
            gap = self._cover[gap_at : line.start]
            blank_lines = gap.count("\n") - 1
            blocked = speech.BLOCK in gap or (blank_lines > 1 and not line.item)
            if blocked or (taken_item and not line.item) or (blank_lines and not line.item):
                return
            said, more = take_hints(self._from(line.start, line.end))
            if not line.item and word("task").match(said.cover.strip()):
                return
            made = remembered(said, phrase, more.over(hints), "said" if line.item else "statement")
            self._skip_to(line.end)
            taken_item, gap_at = line.item, line.end
            if made:
                goes_on = voice.cut <= line.end < voice.whole
                yield replace(made, left="lines") if goes_on else made

    def _skip_to(self, place: int) -> None:
        while self._at < len(self._sentences) and self._sentences[self._at].start < place:
            self._at += 1


def _order_in(rest: Said) -> Said | None:
    """What a second order right behind the first one has kept: "remember: merk dir: …"."""
    for phrase, found in matches("remember", rest.cover):
        if not phrase.check and found["text"].strip():
            return in_order(rest, found)
    return None


_COLON = re.compile(r"[:：–—-]\s*$|[:：]")
