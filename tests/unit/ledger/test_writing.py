"""One writer: what waits is committed together, a bad request fails alone, reads never wait."""

import threading
from concurrent.futures import Future, wait
from typing import Any

import pytest
import sqlcipher3.dbapi2 as sqlcipher

from dormouse.errors import NotFound
from dormouse.ledger import Ledger, Writer
from dormouse.ledger.writing import GROUP
from tests.unit.ledger.store import EVERYTHING, dump, new_fact, say, texts


class Gate:
    """A request that holds the writer until it is opened, so that others gather behind it."""

    def __init__(self, ledger: Ledger) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()
        self.future = ledger.write(self._wait)
        assert self.entered.wait(10)

    def _wait(self, _: Writer) -> None:
        self.entered.set()
        assert self.opened.wait(10)

    def open(self) -> None:
        self.opened.set()
        self.future.result(10)


def transactions(ledger: Ledger) -> list[str]:
    """Every BEGIN and COMMIT from now on, as SQLite sees them."""
    seen: list[str] = []

    def note(sql: str) -> None:
        if sql.startswith(("BEGIN", "COMMIT", "SAVEPOINT", "ROLLBACK")):
            seen.append(sql.split()[0])

    ledger._db.set_trace_callback(note)
    return seen


def capture(ledger: Ledger, text: str) -> "Future[Any]":
    new = new_fact(text)
    return ledger.write(lambda w: w.capture(new))


def test_all_that_waits_is_one_transaction(ledger: Ledger) -> None:
    gate = Gate(ledger)
    seen = transactions(ledger)
    waiting = [capture(ledger, f"fact {number}") for number in range(40)]
    gate.open()
    wait(waiting, 10)
    assert [what for what in seen if what != "SAVEPOINT"] == ["COMMIT", "BEGIN", "COMMIT"]
    assert len(texts(ledger)) == 40


def test_a_group_has_an_upper_size(ledger: Ledger) -> None:
    gate = Gate(ledger)
    seen = transactions(ledger)
    waiting = [ledger.write(lambda w: w.setting("x")) for _ in range(GROUP + 5)]
    gate.open()
    wait(waiting, 10)
    assert seen.count("BEGIN") == 2
    assert seen.count("SAVEPOINT") == GROUP + 5


def test_a_bad_request_fails_alone_and_leaves_nothing(ledger: Ledger) -> None:
    def bad(w: Writer) -> None:
        w.capture(new_fact("never kept"))
        w.fact("none")

    def worse(w: Writer) -> None:
        w.capture(new_fact("never kept either"))
        w._run("INSERT INTO facts (id) VALUES ('x')")

    gate = Gate(ledger)
    good = [capture(ledger, "a"), capture(ledger, "b")]
    failing = [ledger.write(bad), ledger.write(worse)]
    good.append(capture(ledger, "c"))
    gate.open()
    wait(good, 10)
    with pytest.raises(NotFound):
        failing[0].result(10)
    with pytest.raises(sqlcipher.IntegrityError):
        failing[1].result(10)
    assert sorted(texts(ledger, which="all")) == ["a", "b", "c"]
    assert ledger.trouble is None


@pytest.mark.parametrize("alone", [True, False])
def test_a_single_bad_request_leaves_nothing_either(ledger: Ledger, alone: bool) -> None:
    def bad(w: Writer) -> None:
        w.capture(new_fact("never kept"))
        raise KeyError("nothing of the ledger")

    before = dump(ledger)
    gate = None if alone else Gate(ledger)
    future = ledger.write(bad)
    if gate:
        gate.open()
    with pytest.raises(KeyError):
        future.result(10)
    assert dump(ledger) == before


def test_nobody_is_answered_before_the_commit(ledger: Ledger) -> None:
    inside: list[int] = []
    seen: list[int] = []
    new = new_fact("tea is green")

    def do(w: Writer) -> None:
        w.capture(new)
        inside.append(ledger.read(lambda r: len(r.facts(EVERYTHING))))

    future = ledger.write(do)
    future.add_done_callback(lambda _: seen.append(len(texts(ledger))))
    future.result(10)
    assert inside == [0], "a reader sees nothing that is not committed"
    assert say(ledger, "and more").current
    assert seen == [1]


def test_reads_never_wait_for_the_writer(ledger: Ledger) -> None:
    say(ledger, "tea is green")
    gate = Gate(ledger)
    waiting = capture(ledger, "milk is white")
    assert texts(ledger) == ["tea is green"]
    assert not waiting.done()
    gate.open()
    waiting.result(10)


def test_a_read_looks_at_one_state_of_the_ledger(ledger: Ledger) -> None:
    def look(r: Any) -> tuple[int, int]:
        before = len(r.facts(EVERYTHING))
        say(ledger, "tea is green")
        return before, len(r.facts(EVERYTHING))

    assert ledger.read(look) == (0, 0)
    assert texts(ledger) == ["tea is green"]


def test_many_threads_read_and_write_at_once(ledger: Ledger) -> None:
    errors: list[BaseException] = []

    def work(name: int) -> None:
        try:
            for number in range(25):
                say(ledger, f"fact {name} {number}", session=f"s{name}")
                assert texts(ledger)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert errors == []
    assert len(texts(ledger)) == 200
    assert ledger.integrity() == []


def test_a_write_that_waits_for_a_write_is_refused_and_not_a_deadlock(ledger: Ledger) -> None:
    def nested(_: Writer) -> None:
        ledger.write(lambda w: w.counts()).result(10)

    with pytest.raises(RuntimeError, match="wait for another"):
        ledger.write(nested).result(10)


def test_a_request_that_was_cancelled_while_it_waited_is_not_run(ledger: Ledger) -> None:
    gate = Gate(ledger)
    future = capture(ledger, "never")
    assert future.cancel()
    gate.open()
    say(ledger, "after")
    assert texts(ledger) == ["after"]


def test_closing_finishes_what_waits(ledger: Ledger) -> None:
    gate = Gate(ledger)
    waiting = [capture(ledger, f"fact {number}") for number in range(5)]
    gate.opened.set()
    ledger.close()
    assert all(future.result(0).state == "new" for future in waiting)
