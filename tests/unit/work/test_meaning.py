"""The meaning leg at work: vectors come by themselves, and nobody waits for them."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dormouse.embedding.holder import Holder
from dormouse.embedding.seam import Embedder
from dormouse.errors import ModelRefused
from dormouse.facts import Because, Look
from dormouse.ledger import Ledger, Reader
from dormouse.work.meaning import Asked, Meaning
from tests.unit.embedding.toy import Toy
from tests.unit.ledger import store

HOST = "production runs on kubernetes"
MAIL = "mail goes out through postmark"


def holder(toy: Toy, load: Callable[[], Embedder] | None = None) -> Holder:
    return Holder(toy.model, toy.revision, toy.dim, toy.prompts, load or (lambda: toy))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with store.open_ledger(store.make(tmp_path)) as ledger:
        yield ledger


@pytest.fixture
def meaning(ledger: Ledger) -> Iterator[Meaning]:
    made = Meaning(ledger, lambda: holder(Toy()))
    yield made
    made.close()


def settle(meaning: Meaning) -> None:
    """Step the worker until it has nothing more to do."""
    for _ in range(200):
        if not meaning.step():
            return
    raise AssertionError("the worker never comes to rest")


def ask(
    meaning: Meaning, text: str, within_s: float = 10.0, *, explicit: bool = False
) -> Asked | None:
    return asyncio.run(meaning.ask(text, within_s, explicit=explicit))


def nearest(
    ledger: Ledger, meaning: Meaning, text: str, look: Look = store.EVERYTHING
) -> list[str]:
    asked = ask(meaning, text)
    assert asked is not None

    def do(r: Reader) -> list[str]:
        near = meaning.near(r, asked, look, retired=False)
        facts = r.facts_by_number([each.nr for each in near], look)
        return [facts[each.nr][0].text for each in near if each.nr in facts]

    return ledger.read(do)


def told(ledger: Ledger, meaning: Meaning, facts: int) -> tuple[dict[str, object], str | None]:
    return ledger.read(lambda r: meaning.status(r, facts))


def test_facts_get_their_vectors_off_the_write_path_and_are_found_by_meaning(
    ledger: Ledger, meaning: Meaning
) -> None:
    store.say(ledger, HOST)
    store.say(ledger, MAIL)
    settle(meaning)
    assert nearest(ledger, meaning, "which cloud")[0] == HOST
    assert told(ledger, meaning, 2) == ({"vectors": 2, "pending": 0, "model": "toy (1)"}, None)


def test_what_is_captured_retired_and_erased_later_is_followed(
    ledger: Ledger, meaning: Meaning
) -> None:
    host = store.say(ledger, HOST)
    settle(meaning)
    mail = store.say(ledger, MAIL)
    assert told(ledger, meaning, 2)[0]["pending"] == 1
    settle(meaning)
    assert set(nearest(ledger, meaning, "kubernetes mail")) == {HOST, MAIL}
    ledger.write(
        lambda w: w.retire(host.id, because=Because.OWNER, by="owner", run_id=None)
    ).result(10)
    settle(meaning)
    assert nearest(ledger, meaning, "kubernetes mail") == [MAIL]
    ledger.erase([mail.id])
    settle(meaning)
    assert meaning.vectors is not None and len(meaning.vectors.index) == 1


def test_a_retired_fact_is_not_shown_even_before_the_index_knows(
    ledger: Ledger, meaning: Meaning
) -> None:
    host = store.say(ledger, HOST)
    settle(meaning)
    ledger.write(
        lambda w: w.retire(host.id, because=Because.OWNER, by="owner", run_id=None)
    ).result(10)
    assert nearest(ledger, meaning, "which cloud") == []


def test_another_projects_facts_are_not_near(ledger: Ledger, meaning: Meaning) -> None:
    store.say(ledger, HOST, scope=store.Scope.PROJECT, project_id="a")
    settle(meaning)
    assert nearest(ledger, meaning, "which cloud", Look("b")) == []
    assert nearest(ledger, meaning, "which cloud", Look("a")) == [HOST]


def test_after_a_start_the_vectors_are_read_and_none_is_made_again(
    ledger: Ledger, meaning: Meaning
) -> None:
    store.say(ledger, HOST)
    settle(meaning)
    toy = Toy()
    again = Meaning(ledger, lambda: holder(toy))
    settle(again)
    assert toy.asked == []
    assert nearest(ledger, again, "which cloud") == [HOST]
    again.close()


def test_another_revision_goes_by_words_until_all_is_embedded_then_switches_once(
    ledger: Ledger, meaning: Meaning
) -> None:
    for number in range(20):
        store.say(ledger, f"thing number{number} is here")
    settle(meaning)
    newer = Meaning(ledger, lambda: holder(Toy("2")))
    newer.step()  # looks for its model
    newer.step()  # the first few facts
    assert ask(newer, "which thing") is None
    warning = told(ledger, newer, 20)[1]
    assert warning is not None and "8 of 20" in warning
    settle(newer)
    assert ask(newer, "which thing") is not None
    assert told(ledger, newer, 20) == ({"vectors": 20, "pending": 0, "model": "toy (2)"}, None)
    old = ledger.read(lambda r: r.embedder("toy", "1"))
    assert ledger.read(lambda r: r.embedded(old)) == 0
    newer.close()


def test_a_late_vector_is_not_waited_for(ledger: Ledger) -> None:
    gate = threading.Event()
    toy = Toy()

    def load() -> Embedder:
        gate.wait(20)
        return toy

    gate.set()
    meaning = Meaning(ledger, lambda: holder(toy, load))
    store.say(ledger, HOST)
    settle(meaning)
    assert meaning.vectors is not None
    meaning.vectors.holder.let_go(0.0)
    gate.clear()
    assert ask(meaning, "which cloud", 0.01) is None
    gate.set()
    assert ask(meaning, "which cloud") is not None
    meaning.close()


def test_small_talk_is_not_even_embedded_unless_it_is_searched_for(
    ledger: Ledger, meaning: Meaning
) -> None:
    store.say(ledger, HOST)
    settle(meaning)
    assert ask(meaning, "thanks, continue") is None
    assert ask(meaning, "thanks, continue", explicit=True) is not None


def test_without_a_model_status_says_aloud_that_words_alone_are_searched(ledger: Ledger) -> None:
    meaning = Meaning(ledger, lambda: None)
    store.say(ledger, HOST)
    settle(meaning)
    assert ask(meaning, "which cloud") is None
    index, warning = told(ledger, meaning, 1)
    assert index["model"] is None
    assert warning is not None and "words only" in warning
    meaning.close()


def test_weights_that_are_not_the_measured_ones_are_refused_aloud(ledger: Ledger) -> None:
    def refuse() -> Holder | None:
        raise ModelRefused(path="weights", why="its checksum differs")

    meaning = Meaning(ledger, refuse)

    async def a_moment() -> None:
        task = asyncio.create_task(meaning.run())
        while meaning.trouble is None:
            await asyncio.sleep(0)
        task.cancel()

    asyncio.run(asyncio.wait_for(a_moment(), 20))
    assert meaning.trouble is not None and "checksum" in meaning.trouble
    meaning.close()


def test_the_worker_is_woken_by_what_moves_and_by_nothing_else(
    ledger: Ledger, meaning: Meaning, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its slow look is far beyond this test's end: only being told can bring the vectors."""
    steps: list[bool] = []
    step = meaning.step

    def counted() -> bool:
        steps.append(True)
        return step()

    monkeypatch.setattr(meaning, "step", counted)

    def length() -> int:
        return len(meaning.vectors.index) if meaning.vectors is not None else 0

    async def until(there: int) -> None:
        while length() != there:
            await asyncio.sleep(0.01)

    async def live() -> None:
        task = asyncio.create_task(meaning.run())
        await asyncio.to_thread(store.say, ledger, HOST)
        await until(1)
        mail = await asyncio.to_thread(store.say, ledger, MAIL)
        await until(2)
        await asyncio.to_thread(ledger.erase, [mail.id])
        await until(1)
        await asyncio.sleep(0.2)
        rested = len(steps)
        for _ in range(20):
            await asyncio.wrap_future(ledger.write(lambda w: w.set_setting("n", "1")))
        await asyncio.sleep(0.2)
        assert len(steps) == rested
        task.cancel()

    asyncio.run(asyncio.wait_for(live(), 20))
