"""A home for every test, a scripted daemon at its socket, and the command line in this process."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dormouse_cli import main, owner
from dormouse_wire.paths import Home
from tests.unit.cli import dummy
from tests.unit.cli.dummy import Dummy


@dataclass
class Said:
    """What one command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Said]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home with a store in it (by its key slots), and no agent's mark in the environment."""
    while (mark := owner.marker()) is not None:
        monkeypatch.delenv(mark)
    for name in ("DORMOUSE_AUTOSTART", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    root = tmp_path / "home"
    root.mkdir(mode=0o700)
    (root / "bin").mkdir(mode=0o700)
    (root / "keyslots.json").write_text("{}")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("DORMOUSE_HOME", str(root))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DORMOUSE_KEYDIR", str(tmp_path / "keys"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("DORMOUSE_AUTOSTART", "0")  # no test here may start the real daemon
    return Home(root)


@pytest.fixture
def daemon(home: Home) -> Iterator[Dummy]:
    """A daemon that answers health and what the test scripts."""
    made = Dummy()
    made.script("GET /v1/health", dummy.status())
    made.script("POST /v1/stop", {"stopping": True})
    with dummy.serving(home.socket, made):
        yield made


@pytest.fixture
def run(home: Home, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run one command in this process."""

    def do(*arguments: str) -> Said:
        capsys.readouterr()
        code = main.run(arguments)
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return do


@pytest.fixture
def startable(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """Instead of the interpreter, a program that plays the daemon; it is stopped at the end."""
    monkeypatch.delenv("DORMOUSE_AUTOSTART")
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{dummy.__file__}" "$@"\n')
    program.chmod(0o700)
    # The dummy imports nothing of ours, so it needs no path of ours either.
    monkeypatch.setattr(sys, "executable", str(program))
    yield home
    main.run(["down"])
