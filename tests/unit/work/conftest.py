"""A memory with thinkers that say what they are told, closed after the test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.work.thinking import Make, Obliging, Thinking


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Thinking] = []

    def do(*thinkers: Obliging, **more: Any) -> Thinking:
        made.append(Thinking(tmp_path, *thinkers, **more))
        return made[-1]

    yield do
    for one in made:
        one.bed.close()
