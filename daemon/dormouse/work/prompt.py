"""A prompt before its turn in the writer's queue: reading it, and finding what answers it.

What takes long is done here, away from the writer, who would hold up others with it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from dormouse.capture.commands import read_prompt
from dormouse.capture.forget_all import wants_all_forgotten
from dormouse.facts import Look
from dormouse.ledger import Reader
from dormouse.recall.rank import Ranked
from dormouse.recall.words import LONGEST, gist, query_terms
from dormouse.sessions import Event, Moment, Role
from dormouse.work.intake import speech
from dormouse.work.meaning import Asked
from dormouse.work.memory import Memory
from dormouse.work.places import Where
from dormouse.work.recalls import DEPTH, Found, by_words, find, found_of

# Hits of each leg that are ranked for a prompt, which is shown six: both labelled sets are answered
# and silenced alike by 12 to 50, but for one question of 99 among 500 other facts.
SHALLOW = 20
LARGE = 100_000  # facts from which on the writer searches nothing: a frequent word takes .1 s then


def received(memory: Memory, event: Event) -> Where:
    """Where an event comes from. A prompt is read on the way; what comes of that is kept."""
    where = memory.places.where(event.cwd)
    if event.turn is not None and event.moment is Moment.PROMPT and not where.off:
        text = speech(event.turn.text)
        query_terms(text)
        if len(text) > LONGEST:
            gist(text)  # nor is the loop held up by a long one
        if said_by_person(event):
            read_prompt(text)
            wants_all_forgotten(text)
    return where


def said_by_person(event: Event) -> bool:
    return event.turn is not None and event.turn.role is Role.PERSON and not event.subagent


@dataclass(frozen=True, slots=True)
class Sought:
    """What a prompt is answered with: *found*, or to be searched for in the writer's turn."""

    memory: Memory
    text: str
    look: Look
    found: list[Ranked] | None = None
    asked: Asked | None = None

    @property
    def depth(self) -> int:
        """How many hits of each leg are ranked."""
        return min(DEPTH, max(SHALLOW, 3 * self.memory.settings.recall_max_facts))

    def ranked(self, r: Reader) -> list[Ranked]:
        """What fits, best first."""
        return self._by(r, self.depth) if self.found is None else self.found

    def deeper(self, r: Reader) -> list[Ranked]:
        """The same of more hits."""
        return self._by(r, DEPTH)

    def _by(self, r: Reader, depth: int) -> list[Ranked]:
        return find(r, self.memory, self.text, self.look, asked=self.asked, depth=depth).ranked


async def seek(memory: Memory, text: str, look: Look) -> Sought:
    """Find what answers *text*. Its words are searched while the model reads it.

    Words alone are left for the writer's turn: its pages are at hand, where each commit takes a
    reader's from it, and a prompt waits for the writer in any case.
    """
    sought = Sought(memory, text, look)
    if not text:
        return replace(sought, found=[])
    meaning = memory.meaning
    job = meaning.begin(text) if meaning is not None else None
    if meaning is None or job is None:
        large = memory.facts > LARGE
        return replace(sought, found=await memory.read(sought.ranked)) if large else sought
    depth = sought.depth
    words = await memory.read(lambda r: by_words(r, memory, text, look, depth=depth))
    if isinstance(words, Found):
        return replace(sought, found=words.ranked)
    asked = await meaning.wait(job)
    found = await memory.read(lambda r: found_of(r, memory, words, look, asked=asked, depth=depth))
    return replace(sought, found=found.ranked, asked=asked)


def unshown(
    r: Reader, event: Event, sought: Sought, ranked: Sequence[Ranked], named: Collection[str]
) -> list[Ranked]:
    """The best of *ranked* that hold now and are neither *named* nor known to the session.

    Where nearly all that was found is worth showing, and too little of it new, it looks deeper.
    """
    at_most = sought.memory.settings.recall_max_facts

    def new(ranked: Sequence[Ranked]) -> list[Ranked]:
        shown = r.shown_to(event.agent, event.session_id, [hit.fact.id for hit in ranked])
        return [hit for hit in ranked if hit.fact.id not in shown and hit.fact.id not in named]

    left = new(ranked)
    if len(left) < at_most and len(ranked) + at_most > sought.depth < DEPTH:
        left = new(sought.deeper(r))
    return _still_current(r, left, at_most)


def _still_current(r: Reader, ranked: Sequence[Ranked], at_most: int) -> list[Ranked]:
    """The first of *ranked* that hold now, with their sources, which are read *at_most* a time."""
    kept: list[Ranked] = []
    while ranked and len(kept) < at_most:
        some, ranked = ranked[:at_most], ranked[at_most:]
        still = r.facts_by_id(hit.fact.id for hit in some)
        found = ((hit, still.get(hit.fact.id)) for hit in some)
        kept += [replace(hit, fact=fact) for hit, fact in found if fact and fact.current]
    return kept[:at_most]
