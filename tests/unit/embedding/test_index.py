"""Vectors in memory: found in their places, in step with the ledger, small where there are many."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from dormouse.embedding.index import Index, nearness, pack
from dormouse.embedding.seam import Prompts
from dormouse.embedding.weights import Floats
from dormouse.ledger import Lying

DIM = 128
CHANCE = np.random.default_rng(5)
NONE = Prompts(*(np.zeros((0, DIM), np.float32) for _ in range(2)))


def unit(count: int) -> Floats:
    rows = CHANCE.standard_normal((count, DIM)).astype(np.float32)
    made: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def lying(
    vectors: Floats, *, place: str = "u", retired: bool = False, first: int = 1
) -> list[Lying]:
    return [Lying(nr, place, retired, blob) for nr, blob in enumerate(pack(vectors), first)]


def nothing(_: Sequence[int]) -> Iterable[Lying]:
    raise AssertionError("the vectors are held whole")


def numbers(index: Index, query: Floats, **how: object) -> list[int]:
    options: dict[str, object] = {"places": None, "retired": False, "limit": 5} | how
    return [near.nr for near in index.search(query, nothing, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 150, 5_000])
def test_the_nearest_is_found_and_comes_first(count: int) -> None:
    vectors = unit(count)
    index = Index(DIM, NONE)
    index.add(lying(vectors))
    for at in (0, count // 2, count - 1):
        assert numbers(index, vectors[at])[0] == at + 1


def test_of_many_the_best_by_signs_are_nearly_the_best() -> None:
    vectors = np.repeat(unit(200), 100, axis=0) + 0.7 * unit(20_000)  # facts about 200 things
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    queries = vectors[::1_000] + 0.3 * unit(20)
    index = Index(DIM, NONE)
    index.add(lying(vectors))
    shared = 0
    for query in queries:
        exact = set((np.argsort(-(vectors @ query))[:10] + 1).tolist())
        shared += len(exact & set(numbers(index, query, limit=10)))
    assert shared >= 0.95 * 200


def test_only_the_places_asked_for_are_looked_at() -> None:
    vectors = unit(3)
    index = Index(DIM, NONE)
    index.add(lying(vectors[:1], place="p a"))
    index.add(lying(vectors[1:2], place="p b", first=2))
    index.add(lying(vectors[2:], first=3))
    assert sorted(numbers(index, vectors[0], places={"p a", "u"})) == [1, 3]
    assert numbers(index, vectors[0], places={"p c"}) == []


def test_retired_facts_are_found_only_when_they_are_asked_for() -> None:
    vectors = unit(2)
    index = Index(DIM, NONE)
    index.add([*lying(vectors[:1], retired=True), *lying(vectors[1:], first=2)])
    assert numbers(index, vectors[0]) == [2]
    assert numbers(index, vectors[0], retired=True) == [1, 2]


def test_changes_are_followed_and_the_erased_is_gone_for_good() -> None:
    vectors = unit(4)
    index = Index(DIM, NONE)
    index.add(lying(vectors[:3]))
    index.change([1, 2, 4], [*lying(vectors[:1], retired=True), *lying(vectors[3:], first=4)])
    assert sorted(numbers(index, vectors[0])) == [3, 4]
    assert sorted(numbers(index, vectors[0], retired=True)) == [1, 3, 4]
    assert len(index) == 3
    assert not index._table.bits[:, 1].any()
    halves = index._table.halves
    assert halves is not None and not halves[1].any()


def test_a_number_that_is_used_again_is_another_fact() -> None:
    vectors = unit(2)
    index = Index(DIM, NONE)
    index.add(lying(vectors[:1]))
    index.change([1], [])
    index.change([1], lying(vectors[1:]))
    assert numbers(index, vectors[1]) == [1]
    assert len(index) == 1


def test_above_its_bound_it_holds_signs_only_and_reads_the_best_from_the_ledger() -> None:
    vectors = unit(300)
    rows = lying(vectors)
    index = Index(DIM, NONE, full=100)
    index.add(rows[:90])
    assert index._table.halves is not None
    index.add(rows[90:])
    assert index._table.halves is None
    asked: list[int] = []

    def fetch(wanted: Sequence[int]) -> list[Lying]:
        asked.extend(wanted)
        return [rows[nr - 1] for nr in wanted if nr != 7]  # 7 was erased meanwhile

    near = index.search(vectors[120], fetch, places=None, retired=False)
    assert near[0].nr == 121 and near[0].cosine > 0.99
    assert len(asked) == 200
    assert [each.nr for each in index.compare(vectors[3], [4, 7], fetch)] == [4]


def test_an_empty_index_finds_nothing() -> None:
    index = Index(DIM, NONE)
    assert numbers(index, unit(1)[0]) == []
    assert index.compare(unit(1)[0], [1, 2], nothing) == []


def test_nearness_is_that_to_the_nearest() -> None:
    others = unit(20)
    assert nearness(others[:1], others, 1)[0] > 0.99
    assert nearness(others[:1], NONE.foreign, 1)[0] == 0


def test_a_fact_like_prompts_of_any_kind_pulls_whatever_is_asked() -> None:
    prompts = unit(20)
    index = Index(DIM, Prompts(prompts[:10], prompts[10:]))
    index.add(lying(np.stack([prompts[0], -prompts[0]])))
    pull = {near.nr: near.pull for near in index.compare(prompts[0], [1, 2], nothing)}
    assert pull[1] > pull[2]
    again = {near.nr: near.pull for near in index.compare(prompts[5], [1, 2], nothing)}
    assert again == pull
