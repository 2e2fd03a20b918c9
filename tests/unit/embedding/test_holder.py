"""A model is loaded when it is first used and let go of when it is idle."""

import threading
from collections.abc import Callable

import numpy as np

from dormouse.embedding.holder import Holder
from dormouse.embedding.seam import Embedder, Prompts
from tests.unit.embedding.toy import DIM, Toy


def holder_of(load: Callable[[], Embedder]) -> Holder:
    return Holder("toy", "1", DIM, Prompts(*[np.zeros((0, DIM), np.float32)] * 2), load)


def test_it_is_loaded_once_however_many_ask() -> None:
    loads: list[int] = []

    def load() -> Embedder:
        loads.append(1)
        return Toy()

    holder = holder_of(load)
    assert not holder.loaded
    threads = [threading.Thread(target=holder.get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert holder.loaded and loads == [1]


def test_it_goes_when_it_was_not_used_and_comes_back() -> None:
    holder = holder_of(Toy)
    first = holder.get()
    assert not holder.let_go(60.0)
    assert holder.let_go(0.0) and not holder.loaded
    assert not holder.let_go(0.0)
    assert holder.get() is not first
