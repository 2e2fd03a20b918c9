"""A new ledger for each test: a copy of one that is made once (8 MB of ballast take their time)."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dormouse.ledger import Ledger
from tests.unit.ledger import store


@pytest.fixture
def clock() -> store.Clock:
    return store.Clock()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store.make(tmp_path_factory.mktemp("template"))


@pytest.fixture
def path(tmp_path: Path, template: Path) -> Path:
    os.link(template.with_name("ballast"), tmp_path / "ballast")
    return Path(shutil.copy(template, tmp_path))


@pytest.fixture
def ledger(path: Path, clock: store.Clock) -> Iterator[Ledger]:
    with store.open_ledger(path, now=clock) as ledger:
        yield ledger
