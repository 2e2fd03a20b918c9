"""One damaged page, wherever it is: reads and writes work or say that the file is damaged."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dormouse.errors import Damaged, DamagedPages
from dormouse.ledger import Ledger
from dormouse.ledger.connecting import PAGE
from tests.unit.ledger import store

TEXT = "tea"


def use(ledger: Ledger) -> list[BaseException]:
    """Read and write in every way; what was raised."""
    raised: list[BaseException] = []
    for do in (
        lambda: ledger.read(lambda r: r.counts()),
        lambda: store.texts(ledger),
        lambda: store.found(ledger, "fact"),
        lambda: ledger.count_secrets(lambda text: None),
        lambda: store.say(ledger, f"{TEXT} is green"),
        lambda: ledger.checkpoint(),
    ):
        try:
            do()
        except Exception as error:
            raised.append(error)
    return raised


def damaged(path: Path, step: int = 1) -> Iterator[int]:
    """The store at *path* with 200 facts and one damaged page, another one each time; which."""
    with store.open_ledger(path) as ledger:
        for number in range(200):
            store.say(ledger, f"fact {number} is {number}")
    whole = path.read_bytes()
    for page in range(1, len(whole) // PAGE, step):
        content = bytearray(whole)
        content[page * PAGE + 1000 : page * PAGE + 1016] = bytes(16)
        path.write_bytes(content)
        yield page


def test_every_error_of_a_damaged_page_is_told_as_damage(tmp_path: Path) -> None:
    path = store.make(tmp_path)
    found = 0
    for page in damaged(path, step=5):
        with suppress(Damaged), store.open_ledger(path) as ledger:
            raised = use(ledger)
            assert {type(error) for error in raised} <= {DamagedPages}, page
            assert bool(raised) == (ledger.trouble == "integrity"), page
            assert ledger.integrity(), page
            found += bool(raised)
    assert found >= 3


def test_a_read_that_meets_damage_stops_the_writing_with_exit_code_7(tmp_path: Path) -> None:
    path = store.make(tmp_path)
    for _ in damaged(path):
        with suppress(Damaged), store.open_ledger(path) as ledger:
            try:
                store.texts(ledger)
            except DamagedPages as error:
                assert error.exit_code == 7
                assert "restore-backup" in error.hint
                with pytest.raises(DamagedPages):
                    store.say(ledger, "tea is green")
                return
    raise AssertionError("no page of the facts was found")
