"""Finding what a prompt is answered with, before the writer's turn where that can be done."""

from collections.abc import Sequence
from dataclasses import replace

from dormouse.capture.commands import read_prompt
from dormouse.facts import Look
from dormouse.ledger import Reader
from dormouse.recall.rank import Ranked
from dormouse.sessions import Event, Role
from dormouse.work.intake import speech
from dormouse.work.memory import Memory
from dormouse.work.places import Where
from dormouse.work.recalls import DEPTH_OF_PROMPT, Found, Words, by_words, found_of


def whence(memory: Memory, event: Event) -> Where:
    """Where an event comes from.

    A prompt is read for commands on the way, for the writer would hold up others with it; where a
    model reads it too, that is done meanwhile.
    """
    where = memory.places.where(event.cwd)
    modelled = memory.meaning is not None and memory.meaning.reads
    if event.turn is not None and by_person(event) and not (where.off or modelled):
        read_prompt(speech(event.turn.text))
    return where


def by_person(event: Event) -> bool:
    return event.turn is not None and event.turn.role is Role.PERSON and not event.subagent


async def with_meaning(memory: Memory, text: str, look: Look, person: bool) -> list[Ranked] | None:
    """What fits a prompt by both legs; its words are searched while the model reads it.

    None where no model reads it, so that it goes by words alone.
    """
    meaning = memory.meaning
    job = meaning.begin(text) if meaning is not None else None
    if meaning is None or job is None:
        return None

    def search(r: Reader) -> Words | Found:
        if person:
            read_prompt(text)  # kept for the writer, who would hold up others with it
        return by_words(r, memory, text, look, depth=DEPTH_OF_PROMPT)

    words = await memory.read(search)
    if isinstance(words, Found):
        return words.ranked
    asked = await meaning.wait(job)

    def rank(r: Reader) -> Found:
        return found_of(r, memory, words, look, asked=asked, depth=DEPTH_OF_PROMPT)

    return (await memory.read(rank)).ranked


def still_current(r: Reader, ranked: Sequence[Ranked], at_most: int) -> list[Ranked]:
    """The first of *ranked* that hold now, with their sources; no more of them is read."""
    kept: list[Ranked] = []
    for begin in range(0, len(ranked), max(at_most, 1)):
        some = ranked[begin : begin + max(at_most, 1)]
        still = r.facts_by_id(hit.fact.id for hit in some)
        found = ((hit, still.get(hit.fact.id)) for hit in some)
        kept += [replace(hit, fact=fact) for hit, fact in found if fact and fact.current]
        if len(kept) >= at_most:
            break
    return kept[:at_most]
