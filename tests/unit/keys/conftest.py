from pathlib import Path

import pytest

from tests.unit.keys.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)
