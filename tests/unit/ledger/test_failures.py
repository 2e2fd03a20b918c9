"""Fail a request's first statement, then the second, until none fails: nothing is half done."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
import sqlcipher3.dbapi2 as sqlcipher

from dormouse.facts import Because, How, Source
from dormouse.judgments import Verdict
from dormouse.ledger import Ledger, Writer
from dormouse.projects.values import Known
from tests.unit.ledger.store import (
    EVERYTHING,
    decide,
    dump,
    new_fact,
    say,
    settle,
    supersede,
    turn,
)

Request = Callable[[Writer], object]


class Failing:
    """A connection whose *n*-th statement fails, as the file system may fail any write."""

    def __init__(self, db: Any, after: int) -> None:
        self._db, self.left = db, after

    def execute(self, sql: str, values: Any = ()) -> Any:
        self.left -= 1
        if self.left < 0:
            raise sqlcipher.OperationalError("injected")
        return self._db.execute(sql, values)


def scenario(ledger: Ledger) -> dict[str, Request]:
    """Each kind of request, ready to be made once on this state."""
    a, b = say(ledger, "port is 1"), say(ledger, "port is 2")
    c, d = say(ledger, "tea is green"), say(ledger, "tea is black")
    e, f = say(ledger, "milk is white"), say(ledger, "milk is brown")
    run = supersede(ledger, c, d)
    settle(ledger, decide(e, f, verdict=Verdict.UNSURE))
    (question,) = ledger.read(lambda r: r.questions(EVERYTHING))
    candidate = ledger.write(lambda w: w.add_candidate("the api is here")).result(10)
    ledger.write(lambda w: w.keep_project(Known("p2", "b", "git", "/b", "2", ("/b",)))).result(10)
    new, fixed, accepted = new_fact("x is y"), new_fact("port is 3"), new_fact("the api is here")
    source = Source("codex", "s9", None, How.EXPLICIT, "2026-06-01")
    known = Known("p1", "a", "git", "/a", "1", ("/a", "/b"))

    def settle_all(w: Writer) -> None:
        own = w.open_run("rem")
        w.carry_out([decide(a, b), decide(e, f)], run_id=own, level="local")
        w.mark_settled([a.id, b.id])
        w.close_run(own, state="done", report={})

    def forget(w: Writer) -> None:
        w.journal("codex", turn("forget port"), project_id=None, branch=None, at="2026-06-01")
        w.retire(a.id, because=Because.FORGOTTEN, by="codex", run_id=w.open_run("owner"))
        w.suppress(text_hash=w.hash_of(a.text), slot=a.slot, project_id=None, by="codex")
        w.note_uses("codex", "s1", [a.id], "acknowledged")
        w.mark_told("codex", "s1", [a.id], current=False)

    def join(w: Writer) -> None:
        w.keep_project(known)
        w.join_projects("p1", "p2")

    return {
        "capture": lambda w: w.capture(new),
        "source": lambda w: w.add_source(a.id, source),
        "settle": settle_all,
        "forget": forget,
        "restore": lambda w: w.restore(c.id, by="owner"),
        "undo": lambda w: w.undo_run(run, by="owner"),
        "correct": lambda w: w.correct(a.id, fixed),
        "answer": lambda w: w.answer_question(question.id, Verdict.SUPERSEDE),
        "stop": lambda w: w.stop_run(w.open_run("settle"), [decide(a, b)]),
        "accept": lambda w: w.accept_candidate(candidate.id, accepted),
        "join": join,
        "drop": lambda w: w.drop_turns("s1"),
    }


NAMES = [
    "capture", "source", "settle", "forget", "restore", "undo", "correct", "answer", "stop",
    "accept", "join", "drop",
]  # fmt: skip


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_whichever_statement_fails_the_request_leaves_nothing(
    ledger: Ledger, name: str, together: bool
) -> None:
    request = scenario(ledger)[name]
    before = dump(ledger)
    for after in range(200):

        def failing(w: Writer, after: int = after) -> int:
            whole = w._db
            w._db = Failing(whole, after)
            try:
                request(w)
                return int(w._db.left)
            finally:
                w._db = whole

        futures: list[Future[Any]] = [ledger.write(failing)]
        if together:  # others in the same transaction are not touched by it
            futures.append(ledger.write(lambda w: w.set_setting("other", "request")))
        error = futures[0].exception(10)
        if error is None:
            assert after > 0
            assert futures[0].result(0) == 0, "every statement had its turn to fail"
            return
        assert isinstance(error, sqlcipher.OperationalError)
        if together:
            futures[1].result(10)
            assert ledger.read(lambda r: r.setting("other")) == "request"
        after_it = dump(ledger)
        for table in after_it:
            if table not in ("settings", "settings_log"):
                assert after_it[table] == before[table], (table, after)
    pytest.fail("the request never came through")
