"""The real Claude Code and Codex as thinkers, offline, in the suite that every thinker passes."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dormouse.thinking import Result, Stop, Thinker
from dormouse.thinking.claude import Claude
from dormouse.thinking.codex import Codex
from dormouse.thinking.programs import Account
from dormouse.thinking.values import SIGNATURE
from dormouse_wire.hosts import HOSTS
from tests.clients import fake_model
from tests.clients.conftest import CLAUDE, CODEX, what_is_missing
from tests.contract.test_thinkers import (
    CANARY,
    THOUGHT,
    test_a_running_call_is_stopped_within_a_second,
    test_a_text_of_every_script_arrives_whole,
    test_a_used_up_quota_is_told_apart_from_other_failures,
    test_rubbish_is_handed_on_as_text_and_never_raises,
    test_the_answer_comes_back_with_what_it_cost,
    test_the_model_is_told_the_text_once_and_signed,
    test_what_is_not_there_is_unavailable_and_was_told_nothing,
)
from tests.machine import Machine

__all__ = [
    "test_a_running_call_is_stopped_within_a_second",
    "test_a_text_of_every_script_arrives_whole",
    "test_a_used_up_quota_is_told_apart_from_other_failures",
    "test_rubbish_is_handed_on_as_text_and_never_raises",
    "test_the_answer_comes_back_with_what_it_cost",
    "test_the_model_is_told_the_text_once_and_signed",
    "test_what_is_not_there_is_unavailable_and_was_told_nothing",
]
pytestmark = pytest.mark.clients

# The program in a network namespace of its own, in which only the scripted model can be reached.
WRAPPER = """\
#!/bin/bash
exec unshare -n bash -c '
ip link set lo up
"{python}" "{model}" --port 8399 --log "{folder}/requests.jsonl" --script "{folder}/script.json" \\
  </dev/null >/dev/null 2>&1 & server=$!
for i in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/8399) 2>/dev/null && break; sleep 0.05; done
"{binary}" "$@"; rc=$?
kill $server
exit $rc' wrapper "$@"
"""
TOML = """\
model = "fake"
model_provider = "fake"
check_for_update_on_startup = false
[model_providers.fake]
name = "Fake"
base_url = "http://127.0.0.1:8399/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[mcp_servers.never]
command = "{folder}/never"
"""


class RealRig:
    """One agent's real program with a HOME of its own."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        binary = {"claude-code": CLAUDE, "codex": CODEX}[name]
        self.program = folder / binary.name
        text = WRAPPER.format(
            python=sys.executable, model=fake_model.__file__, folder=folder, binary=binary
        )
        self.program.write_text(text)
        self.program.chmod(0o700)
        never = folder / "never"
        never.write_text(f'#!/bin/sh\ntouch "{folder}/started"\n')
        never.chmod(0o700)
        (folder / ".codex").mkdir()
        (folder / ".codex" / "config.toml").write_text(TOML.format(folder=folder))
        self.hooks()

    def hooks(self) -> None:
        """Hooks of both agents that must not fire."""
        entry = [{"hooks": [{"type": "command", "command": str(self.folder / "never")}]}]
        hooks = {"hooks": {"UserPromptSubmit": entry, "SessionStart": entry, "Stop": entry}}
        (self.folder / ".claude").mkdir()
        (self.folder / ".claude" / "settings.json").write_text(json.dumps(hooks))
        (self.folder / ".codex" / "hooks.json").write_text(json.dumps(hooks))

    def thinker(self, timeout_s: float = 60.0) -> Thinker:
        env = {"HOME": str(self.folder), "ANTHROPIC_API_KEY": "dummy", "FAKE_KEY": "dummy"}
        env |= {"ANTHROPIC_BASE_URL": "http://127.0.0.1:8399", "DISABLE_TELEMETRY": "1"}
        env |= {"CODEX_HOME": str(self.folder / ".codex")}
        find = lambda _: self.program if self.program.exists() else None  # noqa: E731
        account = Account(env, max(timeout_s, 60.0) if timeout_s > 5 else timeout_s, find)
        return Codex(account) if self.name == "codex" else Claude(account=account)

    def script(self, plan: dict[str, Any]) -> None:
        (self.folder / "script.json").write_text(json.dumps(plan))

    def requests(self) -> list[Any]:
        log = self.folder / "requests.jsonl"
        lines = log.read_text().splitlines() if log.exists() else []
        return [body for line in lines if (body := json.loads(line)["body"])]

    def told(self) -> list[str]:
        """What the person's side said in each first request of a call."""
        found = []
        for body in self.requests():
            if "tool_result" in json.dumps(body):
                continue
            for message in body.get("messages") or body.get("input") or []:
                text = fake_model.flat(message.get("content"), "text", "input_text")
                if message.get("role") == "user" and text.startswith(SIGNATURE):
                    found.append(text)
        return found

    def break_it(self) -> None:
        self.program.unlink()

    def close(self) -> None:
        """Nothing runs on."""

    def files_with(self, text: str) -> list[Path]:
        """The files below HOME that hold *text*, but for our own record of the requests."""
        return [
            path
            for path in self.folder.rglob("*")
            if path.is_file()
            and path.name != "requests.jsonl"
            and text.encode() in path.read_bytes()
        ]


def connect(machine: Machine, rig: RealRig) -> None:
    """Make the rig's program the thinker of the running daemon, at level agents."""
    env = {
        "HOME": str(rig.folder),
        "CODEX_HOME": str(rig.folder / ".codex"),
        "FAKE_KEY": "dummy",
        "ANTHROPIC_API_KEY": "dummy",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:8399",
    }
    exports = "".join(f'export {key}="{value}"\n' for key, value in env.items())
    program = machine.bin / rig.program.name
    program.write_text(f'#!/bin/bash\n{exports}exec "{rig.program}" "$@"\n')
    program.chmod(0o700)
    host = HOSTS[rig.name]
    settings = rig.folder / host.folder / str(host.settings)
    body = {"connected": True, "root": None, "settings": str(settings)}
    machine.ask("POST", f"/v1/agents/{rig.name}", body)
    machine.ask("POST", "/v1/privacy", {"level": "agents"})


@pytest.fixture(params=["claude-code", "codex"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RealRig]:
    if why := what_is_missing():
        pytest.skip(f"the real agents: {why}")
    made = RealRig(request.param, tmp_path)
    made.script({"answer": {"verdict": "keep"}})
    yield made
    assert not (tmp_path / "started").exists(), "a hook or a server was started by a thinker"


def test_nothing_of_the_text_stays_in_the_agents_own_files(way: RealRig) -> None:
    assert way.thinker().ask(THOUGHT, Stop()).result is Result.ANSWERED
    assert way.files_with(CANARY) == []
    assert not list(way.folder.rglob("rollout-*"))
    assert not list((way.folder / ".claude").glob("projects/**/*.jsonl"))


def test_the_request_holds_the_text_and_no_tool_that_acts(way: RealRig) -> None:
    way.thinker().ask(THOUGHT, Stop())
    body = way.requests()[0]
    assert json.dumps(body).count("canary-7f3a") == 1
    offered = {tool.get("name") or tool.get("type") for tool in body.get("tools", [])}
    acts = {"Bash", "Write", "Edit", "Read", "WebFetch", "WebSearch", "web_search", "Task"}
    acts |= {"shell", "exec_command", "apply_patch", "local_shell", "multi_agent_v1"}
    assert not offered & acts
    assert len(json.dumps(body)) < 40_000


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_night_of_the_daemon_with_the_real_program_as_its_thinker(
    machine: Machine, tmp_path: Path, name: str
) -> None:
    if why := what_is_missing():
        pytest.skip(f"the real agents: {why}")
    rig = RealRig(name, tmp_path)
    quote = "the billing service moved to port 7443"
    fact = {"quote": quote, "text": "the billing service is on port 7443", "kind": "project"}
    rules = {"supersede": [["sign-off from Maria", "kein Sign-off"]], "facts": [fact]}
    rig.script({"think": rules})

    machine.up()
    connect(machine, rig)
    folder = machine.repository("shop")
    older = machine.remember(
        "releases need a sign-off from Maria", at="2026-01-01T10:00:00Z", project=str(folder)
    )
    machine.remember(
        "Releases brauchen kein Sign-off von Maria mehr, das macht die CI", project=str(folder)
    )
    session = machine.session(name, folder)
    session.prompt(f"by the way, could you look: {quote}, as I told Anna")
    machine.settled()
    run = machine.ask("POST", "/v1/rem/runs", {"wait": True})
    assert run["thinker_calls"] >= 1
    (retired,) = machine.retired()
    assert (retired["id"], retired["judge"]) == (older["id"], f"thinker:1:{name}")
    told = rig.told()
    again = machine.ask("POST", "/v1/rem/runs", {"wait": True})
    assert (again["thinker_calls"], rig.told()) == (0, told)
    assert not any(SIGNATURE in turn["text"] for turn in machine.json("journal"))
    assert not (tmp_path / "started").exists()
