"""The one writer thread. What waits is committed together; nobody is answered before that.

One bad request fails alone. What is not on disk after an error is run again by itself or refused:
a request may be run twice, so it must follow from the ledger's state only.
"""

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

from dormouse.ledger.connecting import error_name, is_damage

T = TypeVar("T")
log = logging.getLogger("dormouse.ledger")
GROUP = 512  # requests in one transaction


class _Lost(Exception):
    """The whole transaction is gone, not just one request's part of it."""


class Job(NamedTuple):
    """One waiting request. ``alone``: it runs outside any transaction, with the writer paused."""

    do: Callable[[Any], Any]
    future: "Future[Any]"
    alone: bool = False


Result = tuple[Job, Any, BaseException | None]


class WriterThread:
    """Takes requests from any thread and runs them in the order of their coming.

    ``diagnose`` is told about errors of the file; it returns what the callers are told, and whether
    something was done about it, so that trying again makes sense. ``committed`` is called after
    each commit.
    """

    def __init__(
        self,
        db: Any,
        writer: Any,
        diagnose: Callable[[BaseException], tuple[Exception, bool]],
        committed: Callable[[], None],
    ) -> None:
        self._db, self._writer = db, writer
        self._diagnose, self._committed = diagnose, committed
        self._waiting: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._loop, name="ledger-writer", daemon=True)
        self._thread.start()

    def submit(self, do: Callable[[Any], T], *, alone: bool = False) -> "Future[T]":
        """Let *do* wait its turn. Its future is resolved after the commit."""
        if threading.current_thread() is self._thread:
            raise RuntimeError("a write can't wait for another write")
        future: Future[T] = Future()
        self._waiting.put(Job(do, future, alone))
        return future

    def stop(self) -> None:
        """Finish what waits, then end."""
        self._waiting.put(None)
        self._thread.join()

    def _loop(self) -> None:
        while True:
            job = self._waiting.get()
            if job is None:
                return
            group = [job]
            ended = False
            while len(group) < GROUP and not self._waiting.empty():
                following = self._waiting.get()
                if following is None:
                    ended = True
                    break
                group.append(following)
            self._run(group)
            if ended:
                return

    def _run(self, group: list[Job]) -> None:
        together: list[Job] = []
        for job in group:
            if not job.future.set_running_or_notify_cancel():
                continue
            if not job.alone:
                together.append(job)
                continue
            self._commit(together)
            together = []
            self._run_alone(job)
        self._commit(together)

    def _run_alone(self, job: Job) -> None:
        try:
            value = job.do(self._db)
        except BaseException as error:
            job.future.set_exception(error)
        else:
            job.future.set_result(value)

    def _commit(self, jobs: list[Job]) -> None:
        if not jobs:
            return
        try:
            results = self._transaction(jobs)
        except BaseException as error:
            cause = _cause(error)
            if len(jobs) == 1 and not _is_of_file(cause):
                _answer(jobs[0], None, cause)
            else:
                self._recover(jobs, cause)
            return
        for job, value, failure in results:
            _answer(job, value, failure)

    def _transaction(self, jobs: list[Job]) -> "list[Result]":
        self._db.execute("BEGIN IMMEDIATE")
        try:
            if len(jobs) == 1:  # its transaction is its savepoint: two statements less
                results: list[Result] = [(jobs[0], jobs[0].do(self._writer), None)]
            else:
                results = [(job, *self._one(job)) for job in jobs]
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        self._committed()
        return results

    def _one(self, job: Job) -> tuple[Any, BaseException | None]:
        self._db.execute("SAVEPOINT request")
        try:
            value = job.do(self._writer)
        except BaseException as error:
            if not self._db.in_transaction or _is_of_file(error):
                raise _Lost from error
            self._db.execute("ROLLBACK TO request")
            self._db.execute("RELEASE request")
            return None, error
        self._db.execute("RELEASE request")
        return value, None

    def _recover(self, jobs: list[Job], cause: BaseException) -> None:
        """After a failed transaction, of which nothing is on disk: once more, each by itself."""
        log.error("a transaction of %d request(s) failed: %s", len(jobs), error_name(cause))
        told, mended = self._diagnose(cause)
        if len(jobs) == 1 and not mended:
            _answer(jobs[0], None, told)
            return
        for job in jobs:
            try:
                results = self._transaction([job])
            except BaseException as error:
                _answer(job, None, self._diagnose(_cause(error))[0])
            else:
                _answer(*results[0])


def _cause(error: BaseException) -> BaseException:
    return error.__cause__ if isinstance(error, _Lost) and error.__cause__ else error


def _answer(job: Job, value: Any, failure: BaseException | None) -> None:
    if failure is None:
        job.future.set_result(value)
    else:
        job.future.set_exception(failure)


def _is_of_file(error: BaseException) -> bool:
    """Whether the file is at fault, not the request."""
    name = error_name(error)
    return is_damage(error) or name.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY"))
