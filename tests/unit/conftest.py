"""A memory on a clock that the test holds, for whoever asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.night import Bed


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Bed]:
    bed = Bed(tmp_path)
    yield bed
    bed.close()
