"""Cuts what was said down to the statement: tasks, tags, scope words and quote marks go."""

import re
from typing import NamedTuple

from dormouse.capture.phrasebook import word
from dormouse.facts import Scope

LONGEST = 4000  # the ledger's limit for one fact


class Said(NamedTuple):
    """A stretch of the prompt beside its cover: same length, same places."""

    cover: str
    text: str

    def part(self, start: int, end: int | None = None) -> "Said":
        return Said(self.cover[start:end], self.text[start:end])

    def without(self, start: int, end: int) -> "Said":
        """Without that stretch; a mark that set it off at the beginning goes with it."""
        before = self.cover[:start].rstrip()
        after = self.cover[end:].lstrip(" " if before else " ,:;，：；、")
        sides = before[-1:] + after[:1]
        gap = " " if len(sides) == 2 and sides.isascii() and after[0] not in ",:;.!?" else ""
        return Said(
            before + gap + after,
            self.text[: len(before)] + gap + self.text[len(self.text) - len(after) :],
        )


class Hints(NamedTuple):
    """What the person said about where and how the statement holds."""

    scope: Scope | None = None
    everywhere: bool = False
    pin: bool = False

    def over(self, other: "Hints") -> "Hints":
        """These hints, and where they are silent the *other* ones."""
        return Hints(
            self.scope or other.scope, self.everywhere or other.everywhere, self.pin or other.pin
        )


def take_hints(said: Said) -> tuple[Said, Hints]:
    """Take scope and pin words out, unless they are part of what is said."""
    hints = Hints()
    found = word("pin").search(said.cover)
    if found and found.start() > 0:
        said, hints = said.part(0, found.start()), Hints(pin=True)
    for name, hint in (
        ("everywhere", Hints(Scope.USER, everywhere=True)),
        ("session", Hints(Scope.SESSION)),
        ("branch", Hints(Scope.BRANCH)),
    ):
        found = word(name).search(said.cover)
        if not found or not found[0].strip():
            continue
        end = found.end()
        left = said.without(found.start(), end)
        before = left.cover[: found.start()].rstrip(" .,!。，")
        at_end = not said.cover[end:].strip(" .,!?。，！？")
        if at_end and word("cut_short").search(before):
            continue  # "the TODOs are everywhere": here the word is the statement
        said, hints = left, hint.over(hints)
    return said, hints


def cut(said: Said, *, rule: bool = False, question: bool = False) -> tuple[Said, bool]:
    """Cut a task or a tag question off the end; tells whether all of it is asked.

    With *question* a question behind a statement goes too: only the statement was said.
    """
    before = said.cover.rstrip()
    asks = before.endswith(("?", "？"))
    end = len(before)
    for found in word("tail").finditer(said.cover):
        if found.start() > 0:
            end = min(end, found.start())
            break
    if not rule:
        task = word("tail_if_whole").search(said.cover, 0, end)
        if task and task.start() > 0:
            head = said.cover[: task.start()]
            if word("whole").search(head) or (asks and end == len(before)):
                end = task.start()
    if question and asks and end == len(before):
        behind = word("question").search(said.cover, 0, end)
        head = said.cover[: behind.start()] if behind else ""
        if word("statement").search(head) and not word("dangles").search(head):
            end = len(head)
    tag = word("tag").search(said.cover, 0, end)
    if tag and tag.start() > 0 and tag[0].strip():
        end = tag.start()
    return said.part(0, end), asks and end == len(before)


_EDGES = " \t\n,;:。，；：、.!！…–—-"
_QUOTES = dict(zip("\"'`“„«「『‘", "\"'`”“»」』’", strict=True))


def plain(said: Said) -> str:
    """The statement as it is kept: one line, own casing, no quotes around the whole.

    What is longer than a fact may be is cut at a word; ``length`` tells how long it was.
    """
    text = " ".join(said.text.split()).lstrip(_EDGES.replace("-", "").replace(".", ""))
    text = text.lstrip("–—").lstrip().rstrip(_EDGES + "?？")
    close = _QUOTES.get(text[:1])
    if close and len(text) > 2 and text.endswith((close, "”")) and close not in text[1:-1]:
        text = text[1:-1].strip(_EDGES)
    for opening, closing in (("(", ")"), ("（", "）")):
        if text.endswith(closing) and opening not in text:
            text = text[:-1].rstrip(_EDGES)
    return at_a_word(text)


def at_a_word(text: str) -> str:
    """*text*, cut at a word where it is longer than a fact may be."""
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0]


def length(said: Said) -> int:
    """How many characters *said* has on one line."""
    return len(" ".join(said.text.split()))


def has_body(text: str) -> bool:
    """Whether something is said at all: two words, or some CJK letters, or a value."""
    if not text:
        return False
    cjk = len(re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]", text))
    return cjk >= 3 or len(text.split()) >= 2 or bool(re.search(r"\w[=:/@.]\w|\w\d|\d\w", text))
