"""Reaching the daemon: when it is started, when it is not, and what a person is told instead."""

import errno
import fcntl
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from dormouse_wire.paths import Home
from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import Dummy, fact

# A started daemon outlives whoever started it; Python takes that for a forgotten child.
pytestmark = pytest.mark.filterwarnings("ignore:subprocess:ResourceWarning")


@contextmanager
def silent(path: Path) -> Iterator[socket.socket]:
    """A server that accepts and never writes a byte."""
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as server:
        server.bind(str(path))
        server.listen(64)
        yield server


def test_a_command_starts_the_daemon_and_waits_for_it(startable: Home, run: Run) -> None:
    said = run("remember", "x")
    assert said.code == 0
    assert said.out.startswith("noted 7k3f2a")
    assert (startable.root / "starts").read_text() == "x"


def test_nothing_is_started_before_the_first_up(startable: Home, run: Run) -> None:
    startable.keyslots.unlink()
    said = run("remember", "x")
    assert said.code == 3
    assert "dormouse up" in said.err
    assert str(startable.root) in said.err
    assert not (startable.root / "starts").exists()


def test_nothing_is_started_where_it_is_forbidden_and_the_message_says_why(
    startable: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DORMOUSE_AUTOSTART", "0")
    said = run("facts")
    assert (said.code, "DORMOUSE_AUTOSTART=0" in said.err) == (3, True)
    startable.noautostart.touch()
    said = run("facts")
    assert (said.code, "hooks.autostart" in said.err) == (3, True)
    startable.stopped.touch()
    said = run("facts")
    assert (said.code, "dormouse down" in said.err) == (3, True)
    assert not (startable.root / "starts").exists()


def test_status_doctor_down_and_uninstall_start_nothing(startable: Home, run: Run) -> None:
    assert run("status").code == 3
    assert run("doctor").code == 3
    assert run("down").code == 0
    assert not (startable.root / "starts").exists()


@pytest.mark.slow
def test_a_silent_socket_is_told_within_five_seconds_and_left_alone(
    startable: Home, run: Run
) -> None:
    lock = os.open(startable.lock, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with silent(startable.socket):
        for command in (["recall", "staging"], ["rem", "run", "--wait"]):
            began = time.monotonic()
            said = run(*command)
            assert time.monotonic() - began < 4.7
            assert said.code == 3
            assert "not answering" in said.err
            assert str(startable.socket) in said.err
        assert startable.socket.exists()
        assert not (startable.root / "starts").exists()
    os.close(lock)
    startable.socket.unlink()


def test_a_sandbox_is_named_and_nothing_is_started(
    startable: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forbidden(socket.socket):
        def connect(self, address: object) -> None:
            raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(socket, "socket", Forbidden)
    for command in (["recall", "x"], ["status"], ["up"], ["down"]):
        said = run(*command)
        assert said.code == 3
        assert "blocked by the agent's sandbox" in said.err.lower()
    assert not (startable.root / "starts").exists()


def test_something_that_speaks_no_http_is_not_taken_for_a_daemon(startable: Home, run: Run) -> None:
    with silent(startable.socket) as server:

        def babble() -> None:
            connection, _ = server.accept()
            connection.recv(65536)  # what is left unread would reset the connection
            connection.sendall(b"hello\r\n")
            connection.close()

        threading.Thread(target=babble, daemon=True).start()
        said = run("facts")
    assert said.code == 3
    assert "not answering" in said.err
    assert not (startable.root / "starts").exists()
    startable.socket.unlink()


@pytest.mark.parametrize(
    ("status", "code", "exit_code"),
    [
        (404, "not_found", 4),
        (409, "not_unique", 4),
        (403, "refused", 5),
        (423, "locked", 6),
        (500, "damaged", 7),
        (400, "bad_request", 2),
        (413, "too_large", 2),
        (507, "write_refused", 1),
        (409, "conflict", 1),
        (500, "never_heard_of", 1),
    ],
)
def test_the_daemons_errors_become_exit_codes(
    daemon: Dummy, run: Run, status: int, code: str, exit_code: int
) -> None:
    daemon.fail("GET /v1/facts/7k3f", status, code, "No fact has the id 7k3f.", "List them.")
    said = run("show", "7k3f")
    assert said.code == exit_code
    assert said.out == ""
    assert said.err == "dormouse: No fact has the id 7k3f. List them.\n"
    said = run("show", "7k3f", "--json")
    assert said.code == exit_code
    assert said.json == {
        "error": {"code": code, "message": "No fact has the id 7k3f.", "hint": "List them."}
    }
    assert said.err.count("\n") == 1


def test_an_answer_of_another_shape_is_one_line_without_its_text(daemon: Dummy, run: Run) -> None:
    secret = "the canary text"
    daemon.script("GET /v1/facts/7k3f", {"text": secret})
    daemon.script("GET /v1/facts/9m2q", [secret], 500)
    for identifier in ("7k3f", "9m2q"):
        said = run("show", identifier)
        assert said.code == 1
        assert said.err.count("\n") == 1
        assert "Traceback" not in said.err
        assert secret not in said.out + said.err


def test_many_commands_at_once_start_one_daemon(startable: Home, run: Run) -> None:
    # Eight ask at the same time in threads of this process; the lock lets one of them start it.
    from dormouse_cli.daemon import ask, route  # noqa: PLC0415  (after the fixture's environment)

    answers: list[object] = []

    def one() -> None:
        answers.append(ask("POST", route("facts"), {"text": "x"}))

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(15)
    assert answers == [fact(state="new", redacted=[])] * 8
    assert (startable.root / "starts").read_text() == "x"
