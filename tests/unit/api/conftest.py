"""A home whose memory can be damaged, for whoever asks for one."""

from pathlib import Path

import pytest

from tests.unit.api.mended import Mended


@pytest.fixture
def mended(tmp_path: Path) -> Mended:
    return Mended(tmp_path)
