"""The demo's stage: a temporary home, person and repository, and scripted agents in it.

Agents are played by running the commands that ``connect`` wrote into their settings, with payloads
like those of the real ones. Nothing outside the temporary folder is read or changed.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dormouse_cli import errors
from dormouse_wire import client
from dormouse_wire.hosts import HOSTS
from dormouse_wire.paths import Home

STEP_S = 30.0
GONE_S = 5.0
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")


class Stage:
    """Everything the story needs, in one folder that goes at the end, whatever happened."""

    def __init__(self, payloads: Mapping[str, Mapping[str, Any]]) -> None:
        self.payloads = payloads
        self.root = Path(tempfile.mkdtemp(prefix="dormouse-demo-")).resolve()
        self.home = self.root / "home"
        self.person = self.root / "person"
        self.repository = self.root / "work" / "api"
        self.pid: int | None = None
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ} | {
            "HOME": str(self.person),
            "DORMOUSE_HOME": str(self.home),
            "DORMOUSE_KEYDIR": str(self.root / "keys"),
        }

    def __enter__(self) -> Self:
        try:
            for agent in self.payloads:
                (self.person / HOSTS[agent].folder).mkdir(parents=True)
            (self.repository / "services").mkdir(parents=True)
            self._run(["git", "init", "-q", str(self.repository)])
        except BaseException:
            self.clean()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.clean()

    def clean(self) -> bool:
        """Stop the daemon and remove the folder; whether both are gone."""
        if self.pid is not None and not _gone(self.pid, 0):
            self._run([*_program(), "down"], check=False)
        if self.pid is not None and not _gone(self.pid, GONE_S):
            os.kill(self.pid, signal.SIGTERM)
        shutil.rmtree(self.root, ignore_errors=True)
        return not self.root.exists() and (self.pid is None or _gone(self.pid, GONE_S))

    def dormouse(self, *arguments: str) -> Any:
        """Run one command as the person in the story does; what --json says. Raises Failed."""
        done = self._run([*_program(), *arguments, "--json"], check=False)
        answer = _json(done.stdout)
        if done.returncode != 0:
            raise errors.Failed("", what=f"dormouse {arguments[0]}: exit {done.returncode}")
        return answer

    def look(self, where: str) -> Any:
        """What the daemon answers to one GET, without the cost of a process. Raises Failed."""
        try:
            status, answer = client.call(Home(self.home).socket, "GET", where)
        except client.Unreachable as error:
            raise errors.Failed("", what="the daemon does not answer") from error
        if status != 200:
            raise errors.Failed("", what=f"{where}: status {status}")
        return answer

    def session(self, agent: str, folder: Path | None = None) -> "Session":
        """A new session of a scripted agent."""
        return Session(self, agent, folder or self.repository)

    def hook(self, agent: str, event: str, payload: Mapping[str, Any], folder: Path) -> str:
        """What the agent gets for one event, by the commands in its own settings."""
        host = HOSTS[agent]
        settings = _json((self.person / host.folder / str(host.settings)).read_bytes())
        commands = [
            hook["command"] for entry in settings["hooks"].get(event, ()) for hook in entry["hooks"]
        ]
        said = b""
        for command in commands:
            given = json.dumps(payload).encode()
            said += self._run(["/bin/sh", "-c", command], given=given, folder=folder).stdout
        return _context(said)

    def readable(self, words: list[str]) -> list[str]:
        """Which files hold one of the words, as they are or as UTF-16."""
        wanted = [word.encode(code) for word in words for code in ("utf-8", "utf-16-le")]
        files = [path for path in self.root.rglob("*") if path.is_file()]
        return [str(path) for path in files if any(each in path.read_bytes() for each in wanted)]

    def _run(
        self,
        command: list[str],
        *,
        given: bytes = b"",
        folder: Path | None = None,
        check: bool = True,
    ) -> subprocess.CompletedProcess[bytes]:
        try:
            done = subprocess.run(
                command,
                input=given,
                capture_output=True,
                env=self.environment,
                cwd=folder or self.repository,
                timeout=STEP_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            what = f"{Path(command[0]).name} could not be run"
            raise errors.Failed("", what=what) from error
        if check and done.returncode != 0:
            raise errors.Failed("", what=f"{Path(command[0]).name}: exit {done.returncode}")
        return done


class Session:
    """One session of a scripted agent: it starts when made."""

    def __init__(self, stage: Stage, agent: str, folder: Path) -> None:
        self.stage, self.agent, self.folder = stage, agent, folder
        self.id = str(uuid.uuid4())
        host = HOSTS[agent]
        transcripts = stage.person / host.folder / str(host.transcripts)
        self.transcript = transcripts / f"{self.id}{host.transcript_suffix}"
        self.start = self._event("SessionStart")

    def prompt(self, text: str) -> str:
        """The person says something; what the agent gets with it. Then the turn ends."""
        name = "turn_id" if self.agent == "codex" else "prompt_id"
        turn = {name: str(uuid.uuid4())}
        context = self._event("UserPromptSubmit", prompt=text, **turn)
        if self._event("Stop", **turn):
            raise errors.Failed("", what="a hook printed something at the end of a turn")
        return context

    def _event(self, event: str, **more: str) -> str:
        payload = {
            "session_id": self.id,
            "transcript_path": str(self.transcript),
            "cwd": str(self.folder),
            **self.stage.payloads[self.agent][event],
            **more,
        }
        return self.stage.hook(self.agent, event, payload, self.folder)


def _program() -> list[str]:
    return [sys.executable, "-I", "-m", "dormouse_cli.main"]


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw or b"null")
    except ValueError as error:
        raise errors.Failed("", what="an answer was not JSON") from error


def _context(printed: bytes) -> str:
    """The text that a hook's answer puts before the model."""
    answer = _json(printed)
    if answer is None:
        return ""
    return str((answer.get("hookSpecificOutput") or {}).get("additionalContext") or "")


def _gone(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while True:
        try:
            os.kill(pid, 0)
        except OSError:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.05)
