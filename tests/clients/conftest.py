"""The real Claude Code and Codex on a test's machine, offline, each run's requests recorded."""

import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.machine import Machine

HERE = Path(__file__).parent
CLIENTS = Path(os.environ.get("CLIENTS_DIR", Path.home() / ".cache" / "dormouse-clients"))
CLAUDE = CLIENTS / "claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
CODEX = (
    CLIENTS
    / "codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
)


def what_is_missing() -> str:
    """Why the real agents can't be run here; empty if they can."""
    for binary in (CLAUDE, CODEX):
        if not os.access(binary, os.X_OK):
            return f"no {binary.name}: run tests/clients/install_clients.sh"
    if not shutil.which("ip"):
        return "no ip (iproute2)"
    namespace = subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False)
    return "" if namespace.returncode == 0 else "no network namespace (unshare -n) may be made here"


class Run(NamedTuple):
    """What one run of an agent printed, and what it asked its model."""

    printed: str
    requests: list[str]

    def saw(self, text: str) -> bool:
        """Whether the model was sent *text* in any request of this run."""
        return any(text in request for request in self.requests)


class Agents:
    """Claude Code and Codex of one person, connected to one Dormouse, in a repository."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.repository = machine.repository("shop")
        self.backend, self.frontend = self.repository / "backend", self.repository / "frontend"
        self.backend.mkdir()
        self.frontend.mkdir()
        self.runs = itertools.count(1)
        for name, binary in (("claude", CLAUDE), ("codex", CODEX)):
            (machine.bin / name).symlink_to(binary)
        (machine.user / ".codex").mkdir()
        machine.up()
        machine.cli("connect")

    def claude(
        self,
        prompt: str,
        *,
        cwd: Path | None = None,
        session: str | None = None,
        flags: tuple[str, ...] = (),
    ) -> Run:
        """One prompt to Claude Code; *session* resumes that session."""
        resume = ("--resume", session) if session else ()
        return self._run("run_claude.sh", cwd or self.backend, *resume, "-p", prompt, *flags)

    def codex(self, prompt: str, *, cwd: Path | None = None) -> Run:
        """One prompt to Codex. Its hooks are trusted for this run: nobody is there to approve."""
        flags = ("--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust")
        return self._run("run_codex.sh", cwd or self.frontend, "exec", *flags, prompt)

    def claude_session(self) -> str:
        """The id of the Claude session that was written to last."""
        folder = self.machine.user / ".claude" / "projects"
        transcripts = sorted(folder.rglob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
        return transcripts[-1].stem

    def _run(self, script: str, cwd: Path, *arguments: str) -> Run:
        folder = self.machine.base / "r" / str(next(self.runs))  # two agents may run at once
        done = subprocess.run(
            [str(HERE / script), str(folder), *arguments],
            env={
                **os.environ,
                "CLIENTS_DIR": str(CLIENTS),
                "CLIENT_HOME": str(self.machine.user),
                "WORK": str(cwd),
                "PYTHON": sys.executable,
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        log = folder / "requests.jsonl"
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        bodies = [json.dumps(line["body"], ensure_ascii=False) for line in lines if line["body"]]
        assert bodies, "the agent asked its model nothing"
        return Run(done.stdout, bodies)


@pytest.fixture
def agents(machine: Machine) -> Iterator[Agents]:
    if why := what_is_missing():
        pytest.skip(f"the real agents: {why}")
    yield Agents(machine)
    assert_nothing_failed(machine)


def assert_nothing_failed(machine: Machine) -> None:
    """No hook may have left a traceback or an undelivered event behind in an undisturbed test."""
    for log in (machine.home / "log").glob("*"):
        assert "Traceback" not in log.read_text(), log.read_text()
