"""A person's machine in a temporary folder: a HOME, a Dormouse home, a real daemon. Black box only.

It reaches the daemon the way a person or an agent does: by the command, the hook and the socket.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from dormouse_wire import client

T = TypeVar("T")

PROGRAM = Path(sys.executable).parent / "dormouse"
DEADLINE_S = 20.0


def wait_for(
    ask: Callable[[], T], *, within_s: float = DEADLINE_S, every_s: float = 0.02, what: str = "it"
) -> T:
    """Ask until the answer is true; fail loudly at the deadline."""
    deadline = time.monotonic() + within_s
    while not (answer := ask()):
        assert time.monotonic() < deadline, f"{what} did not come true; last answer: {answer!r}"
        time.sleep(every_s)
    return answer


PATIENCE_S = 90  # of which a machine without other work needs one
_SLOW = ("did not start within", "still runs", "is not answering")  # said where others work hard


class Machine:
    """One person's HOME with a Dormouse home of its own, below a path short enough for a socket."""

    def __init__(self) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="dm", dir="/tmp")).resolve()
        self.user = self.base / "u"
        self.home = self.base / "d"
        self.work = self.base / "w"
        self.bin = self.base / "b"
        self.program = PROGRAM  # another version of it, where a test needs one
        for folder in (self.user, self.work, self.bin, self.base / "t"):
            folder.mkdir()
        self.env = {
            "PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.user),
            "TMPDIR": str(self.base / "t"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "DORMOUSE_HOME": str(self.home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    # -- the daemon -------------------------------------------------------------------------------
    def up(self, now: str | None = None) -> int:
        """Start it, at the time *now* if given; return its pid."""
        self.env.pop("DORMOUSE_NOW", None)
        if now:
            self.env["DORMOUSE_NOW"] = now
        return int(json.loads(self._patiently("up", "--json").stdout)["pid"])

    def down(self) -> None:
        self._patiently("down")

    def _patiently(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A start or an end that the program gave up waiting for, on a machine with other work."""
        until = time.monotonic() + PATIENCE_S
        done = self.cli(*arguments, check=False)
        while any(said in done.stderr for said in _SLOW) and time.monotonic() < until:
            time.sleep(0.5)
            done = self.cli(*arguments, check=False)
        assert done.returncode == 0, (arguments, done)
        return done

    def jump(self, now: str) -> None:
        """Stop the clock's world and go on at *now*."""
        self.down()
        self.up(now)

    def daemons(self) -> list[int]:
        """The daemons of this home: by their environment, or by who answers the socket.

        A daemon is not dumpable, so only root may read its environment.
        """
        mine = f"DORMOUSE_HOME={self.home}".encode()
        found = {
            pid
            for pid, (argv, env) in processes().items()
            if b"dormouse.main" in argv and mine in env
        }
        return sorted(found | listener(self.home / "dormouse.sock"))

    def kill(self) -> None:
        """kill -9, as a crash would."""
        for pid in self.daemons():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not self.daemons(), what="the end of the daemon")

    def destroy(self) -> None:
        if self.daemons():
            self.cli("down", check=False)
        self.kill()
        shutil.rmtree(self.base, ignore_errors=True)

    # -- the three ways in ------------------------------------------------------------------------
    def cli(
        self,
        *arguments: str,
        cwd: Path | None = None,
        check: bool = True,
        given: str = "",
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(self.program), *arguments],
            cwd=cwd or self.work,
            env={**self.env, **(env or {})},
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert not check or done.returncode == 0, (arguments, done)
        return done

    def json(self, *arguments: str, cwd: Path | None = None) -> Any:
        return json.loads(self.cli(*arguments, "--json", cwd=cwd).stdout)

    def call(
        self, method: str, route: str, body: Any = None, *, agent: str | None = None
    ) -> tuple[int, Any]:
        """One request; *agent* makes it an agent's own call instead of the owner's."""
        headers = {"Dormouse-Agent": agent} if agent else None
        return client.call(
            self.home / "dormouse.sock", method, route, body, headers=headers, timeout_s=20
        )

    def ask(self, method: str, route: str, body: Any = None) -> Any:
        """A request that has to work; its body."""
        status, answer = self.call(method, route, body)
        assert status < 300, (method, route, status, answer)
        return answer

    def event(self, agent: str, name: str, **payload: Any) -> str:
        """An event on the daemon's socket, as the hook would bring it; the text it would print."""
        status, answer = client.request(
            self.home / "dormouse.sock",
            "POST",
            f"/hooks/{agent}/{name}",
            json.dumps({"hook_event_name": name, **payload}).encode(),
            timeout_s=20,
        )
        assert status == 200, (status, answer)
        return answer.decode()

    def hook(
        self, agent: str, name: str, payload: bytes | Mapping[str, Any], **env: str
    ) -> subprocess.CompletedProcess[bytes]:
        """The installed hook program itself, with *payload* on its standard input."""
        given = payload if isinstance(payload, bytes) else json.dumps(dict(payload)).encode()
        return subprocess.run(
            [str(self.home / "bin" / "dormouse-hook"), agent, name],
            cwd=self.work,
            env={**self.env, **env},
            input=given,
            capture_output=True,
            timeout=20,
            check=False,
        )

    # -- what a test says often -------------------------------------------------------------------
    def remember(self, text: str, **more: Any) -> Any:
        return self.ask("POST", "/v1/facts", {"text": text, **more})

    def recall(self, query: str, **more: Any) -> list[Any]:
        hits = self.ask("POST", "/v1/recall", {"query": query, **more})["hits"]
        assert isinstance(hits, list)
        return hits

    def facts(self, which: str = "current", project: Path | None = None) -> list[Any]:
        narrow = f"&project={quote(str(project))}" if project else ""
        facts = self.ask("GET", f"/v1/facts?which={which}{narrow}")
        assert isinstance(facts, list)
        return facts

    def retired(self) -> list[Any]:
        retired = self.ask("GET", "/v1/retired")
        assert isinstance(retired, list)
        return retired

    def settled(self) -> None:
        """Wait until nothing waits to be settled."""
        wait_for(lambda: self.ask("GET", "/v1/health")["pending"] == 0, what="settling")

    def repository(self, name: str) -> Path:
        """A git work tree with one commit on the branch main."""
        folder = self.work / name
        folder.mkdir(parents=True)
        self.git(folder, "init", "--quiet", "--initial-branch=main")
        self.git(folder, "commit", "--quiet", "--allow-empty", "--message", f"first of {name}")
        return folder

    def git(self, folder: Path, *arguments: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
        subprocess.run(
            ["git", *who, *arguments], cwd=folder, env=self.env, check=True, capture_output=True
        )

    def session(self, agent: str, cwd: Path, id: str | None = None) -> "Session":
        return Session(self, agent, cwd, id or str(uuid.uuid4()))


class Session:
    """One session of an agent, event by event, over the socket."""

    def __init__(self, machine: Machine, agent: str, cwd: Path, id: str) -> None:
        self.machine, self.agent, self.cwd, self.id = machine, agent, cwd, id
        self.turn = ""

    def start(self, source: str = "startup") -> str:
        return context(self._event("SessionStart", source=source))

    def prompt(self, text: str) -> str:
        """Say something as the person; return what the agent is shown beside it."""
        self.turn = str(uuid.uuid4())
        return context(self._event("UserPromptSubmit", prompt=text))

    def stop(self, answer: str) -> None:
        printed = self._event("Stop", last_assistant_message=answer, stop_hook_active=False)
        assert printed == "", "a hook must print nothing when a turn ends"

    def end(self) -> None:
        assert self._event("SessionEnd", reason="other") == ""

    def _event(self, name: str, **payload: Any) -> str:
        key = "prompt_id" if self.agent == "claude-code" else "turn_id"
        turn = {key: self.turn} if self.turn else {}
        return self.machine.event(
            self.agent,
            name,
            session_id=self.id,
            cwd=str(self.cwd),
            transcript_path=None,
            **turn,
            **payload,
        )


def context(printed: str) -> str:
    """What a hook's output adds for the model."""
    if not printed:
        return ""
    specific = json.loads(printed).get("hookSpecificOutput", {})
    return str(specific.get("additionalContext", ""))


def processes() -> dict[int, tuple[bytes, bytes]]:
    """Every process: its arguments, and its environment where that may be read."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                argv, env = (folder / "cmdline").read_bytes(), b""
                with contextlib.suppress(PermissionError):
                    env = (folder / "environ").read_bytes()
                found[int(folder.name)] = (argv, env)
    return found


def listener(path: Path) -> set[int]:
    """The process that listens at *path*, if one does."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1)
        connection.connect(str(path))
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return {struct.unpack("3i", credentials)[0]}
    return set()
