"""The daemon's process gives nothing away: no dump, no token, no text in its log."""

import logging
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path

import pytest

from dormouse import hygiene

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


@linux
def test_a_hardened_process_leaves_no_dump_and_makes_private_files(tmp_path: Path) -> None:
    told = run(
        "import ctypes, os, resource, pathlib\n"
        "from dormouse.hygiene import harden_process\n"
        "print(harden_process())\n"
        "print(resource.getrlimit(resource.RLIMIT_CORE))\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))\n"  # PR_GET_DUMPABLE
        f"pathlib.Path({str(tmp_path / 'x')!r}).write_text('')\n"
    )
    assert told.splitlines() == ["[]", "(0, 0)", "0"]
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o600


def test_only_what_the_daemon_needs_stays_in_its_environment() -> None:
    environment = {
        "HOME": "/home/person",
        "PATH": "/bin",
        "LANG": "de_DE.UTF-8",
        "LISTEN_FDS": "1",
        "DORMOUSE_HOME": "/x",
        "GITHUB_TOKEN": "secret",
        "ANTHROPIC_API_KEY": "secret",
        "CLAUDECODE": "1",
        "HTTP_PROXY": "http://proxy",
        "PYTHONPATH": "/evil",
        "NOT_DORMOUSE_X": "1",
    }
    gone = hygiene.scrub_environment(environment)
    assert set(environment) == {"HOME", "PATH", "LANG", "LISTEN_FDS", "DORMOUSE_HOME"}
    assert "GITHUB_TOKEN" in gone
    assert "secret" not in gone


def test_the_peer_of_a_unix_socket_is_known() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert hygiene.peer_uid(one) == os.getuid()


def test_the_peer_of_another_kind_of_socket_is_not() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        assert hygiene.peer_uid(other) in (None, -1, 0xFFFFFFFF)
    closed = socket.socket(socket.AF_UNIX)
    closed.close()
    assert hygiene.peer_uid(closed) is None


class TestLog:
    @pytest.fixture
    def log(self, tmp_path: Path) -> Iterator[logging.Logger]:
        log = hygiene.set_up_log(tmp_path)
        yield log
        for handler in list(log.handlers):
            log.removeHandler(handler)
            handler.close()
        log.propagate = True

    def text(self, folder: Path) -> str:
        return (folder / "dormoused.log").read_text()

    def test_it_writes_one_line_a_record(self, log: logging.Logger, tmp_path: Path) -> None:
        log.getChild("ledger").info("captured %s\nin %d ms\r", "abcd", 3)
        (line,) = self.text(tmp_path).splitlines()
        assert line.endswith("INFO dormouse.ledger captured abcd | in 3 ms ")

    def test_an_exception_is_its_class_and_places_never_its_message(
        self, log: logging.Logger, tmp_path: Path
    ) -> None:
        try:
            raise ValueError("the staging server is at 10.0.0.5")
        except ValueError as error:
            try:
                raise KeyError("the second text") from error
            except KeyError:
                log.exception("step failed")
        text = self.text(tmp_path)
        assert "KeyError at test_process.py:" in text
        assert "staging" not in text
        assert "second text" not in text
        assert len(text.splitlines()) == 1

    def test_a_long_line_is_cut(self, log: logging.Logger, tmp_path: Path) -> None:
        log.info("x" * 10_000)
        assert len(self.text(tmp_path)) <= hygiene.LOG_LINE + 1

    def test_odd_characters_do_no_harm(self, log: logging.Logger, tmp_path: Path) -> None:
        # To our handler alone: the test runner keeps what is logged, and can't pass this on.
        record = logging.makeLogRecord({"msg": "a\ud800b %s", "args": ("\0",)})
        ours = next(h for h in log.handlers if isinstance(h, RotatingFileHandler))
        ours.handle(record)
        assert "\\ud800" in self.text(tmp_path)

    def test_it_never_grows_beyond_its_limit_and_every_file_is_private(
        self, log: logging.Logger, tmp_path: Path
    ) -> None:
        assert hygiene.LOG_BYTES == 10_000_000
        old = os.umask(0)
        try:
            hygiene.set_up_log(tmp_path, at_most=10_000)
            for _ in range(100):
                log.info("%s", "x" * 400)
        finally:
            os.umask(old)
        files = list(tmp_path.iterdir())
        assert len(files) == hygiene.LOG_FILES
        assert sum(f.stat().st_size for f in files) <= 10_000
        assert {stat.S_IMODE(f.stat().st_mode) for f in files} == {0o600}

    def test_set_up_twice_it_still_writes_once(self, log: logging.Logger, tmp_path: Path) -> None:
        hygiene.set_up_log(tmp_path)
        log.info("once")
        assert self.text(tmp_path).count("once") == 1

    def test_a_link_in_its_place_is_not_followed(self, tmp_path: Path) -> None:
        target = tmp_path / "target"
        target.write_text("untouched")
        (tmp_path / "dormoused.log").symlink_to(target)
        with pytest.raises(OSError, match="dormoused"):
            hygiene.set_up_log(tmp_path)
        assert target.read_text() == "untouched"

    def test_what_cant_be_written_goes_nowhere_else(self, tmp_path: Path) -> None:
        told = run(
            "import pathlib, sys\n"
            "from dormouse.hygiene import set_up_log\n"
            "sys.stderr = sys.stdout\n"
            f"set_up_log(pathlib.Path({str(tmp_path)!r})).info('%d', 'a text')\n"
        )
        assert told == ""
        assert self.text(tmp_path) == ""
