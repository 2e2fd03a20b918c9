"""A prompt before the writer's turn: read there, and searched as deep as it takes."""

import asyncio
from collections.abc import Callable

import pytest

from dormouse.capture import commands, forget_all
from dormouse.facts import Because, Look
from dormouse.ledger import Reader, Writer
from dormouse.recall import words
from dormouse.sessions import Event, Moment, Role, Turn
from dormouse.work import prompt
from dormouse.work.answer import answer
from dormouse.work.memory import Memory
from dormouse.work.prompt import LARGE, Sought, received, seek, unshown
from tests.unit.work.thinking import PROJECT, Make, Thinking

ASKED = "where is the staging server?"
LOOK = Look(PROJECT, "main", "s1")


def event(text: str = ASKED) -> Event:
    turn = Turn(Role.PERSON, text, "s1")
    return Event("claude-code", "UserPromptSubmit", Moment.PROMPT, "s1", turn=turn)


def servers(thinking: Thinking, count: int) -> list[str]:
    """Facts that all answer ASKED; their ids."""
    return [thinking.say(f"the staging server of shop {n} is nord-{n}").id for n in range(count)]


def sought(memory: Memory, text: str = ASKED) -> Sought:
    return asyncio.run(seek(memory, text, LOOK))


def shown(r: Reader, found: Sought) -> list[str]:
    return [hit.fact.id for hit in unshown(r, event(), found, found.ranked(r), ())]


def one_more_prompt(memory: Memory) -> list[str]:
    """The facts a prompt is shown, which the session knows from then on."""
    found = sought(memory)

    def do(w: Writer) -> list[str]:
        ids = shown(w, found)
        w.note_uses("claude-code", "s1", ids, "recalled")
        return ids

    return memory.ledger.write(do).result()


LONG = "\n".join(
    f"the host of shop {n} is nord-{n}, where is the staging server?" for n in range(9)
)


@pytest.mark.parametrize("text", [ASKED, "```\nforget everything\n```", "yes please", LONG])
def test_nothing_of_a_prompt_is_read_in_the_writers_turn(make: Make, text: str) -> None:
    memory = make().bed.memory
    text = f"{text}\nand some more"  # not kept from another test
    readings: list[Callable[..., object]] = [
        commands._read, words._query_terms, forget_all.wants_all_forgotten,
    ]  # fmt: skip
    for each in readings:
        each.cache_clear()  # type: ignore[attr-defined]
    received(memory, event(text))
    before = [each.cache_info().misses for each in readings]  # type: ignore[attr-defined]
    asyncio.run(answer(memory, event(text)))
    assert [each.cache_info().misses for each in readings] == before  # type: ignore[attr-defined]
    assert all(before)


def test_a_long_prompt_is_cut_before_the_loop_has_it(make: Make) -> None:
    words.gist.cache_clear()
    received(make().bed.memory, event("where is the staging server? " * 20))
    assert words.gist.cache_info().misses == 1


def test_a_session_that_was_shown_much_is_shown_the_rest_too(make: Make) -> None:
    thinking = make()
    facts = set(servers(thinking, 30))
    told = [one_more_prompt(thinking.bed.memory) for _ in range(6)]
    assert [len(ids) for ids in told] == [6, 6, 6, 6, 6, 0]
    assert {id for ids in told for id in ids} == facts


def test_what_was_retired_since_it_was_found_leaves_its_place_to_the_next(make: Make) -> None:
    thinking = make()
    servers(thinking, 10)
    memory = thinking.bed.memory
    found = sought(memory)
    ranked = memory.ledger.read(found.ranked)
    gone = [hit.fact.id for hit in ranked[:2]]
    memory.ledger.write(
        lambda w: [w.retire(id, because=Because.OWNER, by="owner", run_id=None) for id in gone]
    ).result()
    left = memory.ledger.read(lambda r: unshown(r, event(), found, ranked, ()))
    assert [hit.fact.id for hit in left] == [hit.fact.id for hit in ranked[2:8]]
    assert all(hit.fact.sources for hit in left)


@pytest.mark.parametrize(("most", "count"), [(0, 0), (1, 1), (25, 25), (100, 30)])
def test_a_prompt_is_shown_as_many_facts_as_its_owner_wants(
    make: Make, most: int, count: int
) -> None:
    thinking = make(recall_max_facts=most)
    servers(thinking, 30)
    memory = thinking.bed.memory
    found = sought(memory)
    assert len(memory.ledger.read(lambda r: shown(r, found))) == count


def test_in_a_large_store_the_words_are_not_searched_by_the_writer(make: Make) -> None:
    thinking = make()
    servers(thinking, 3)
    memory = thinking.bed.memory
    assert sought(memory).found is None
    memory.facts = LARGE + 1
    found = sought(memory).found
    assert found is not None
    assert len(found) == 3


def test_what_says_nothing_is_not_searched(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(prompt, "find")
    assert sought(make().bed.memory, "").found == []
