"""The real clients against a dummy daemon: our hooks fire, our answers arrive, nothing is unknown.

When a client's format moves on, this fails first, and says where.
"""

import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from dormouse.hosts import READERS, safe
from dormouse.sessions import Answer, Event, Role, Turn
from dormouse_plugins.connect import connect, write_bin
from dormouse_wire.hosts import HOSTS
from dormouse_wire.paths import Home
from tests.clients.conftest import CLIENTS, HERE, what_is_missing
from tests.unit.plugins.dummy import answer, daemon

pytestmark = pytest.mark.clients

CODEX_EXEC = ("exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust")
PROMPTS: dict[str, list[tuple[str, ...]]] = {
    "claude-code": [
        ("-p", "remember the port [[say:I noted it]]"),
        ("-c", "-p", '[[tool:Agent {"description":"s","prompt":"remember me [[say:sub done]]"}]]'),
        ("-c", "-p", '[[tool:Bash {"command":"ls"}]] [[say:listed]]', "--allowedTools", "Bash"),
        ("-c", "-p", "/compact keep it"),
    ],
    "codex": [
        (*CODEX_EXEC, "remember the port [[say:I noted it]]"),
        (*CODEX_EXEC, '[[tool:spawn_agent {"message":"remember me [[say:sub]]"}]] [[say:ok]]'),
    ],
}
SCRIPTS = {"claude-code": "run_claude.sh", "codex": "run_codex.sh"}


def run(agent: str, folder: Path, *arguments: str) -> str:
    """Run a client; return what it printed."""
    env = {**os.environ, "CLIENTS_DIR": str(CLIENTS), "PYTHON": sys.executable}
    command = [str(HERE / SCRIPTS[agent]), str(folder), *arguments]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def events_of(agent: str, requests: list[bytes]) -> list[Event]:
    heads = [request.partition(b"\r\n\r\n") for request in requests]
    names = [head.split(b" ")[1].decode().split("/")[-1] for head, _, _ in heads]
    return [
        READERS[agent].read_event(name, body)
        for name, (_, _, body) in zip(names, heads, strict=True)
    ]


def transcripts_of(agent: str, person: Path) -> tuple[list[Turn], int]:
    """Everything that was said in any transcript of the agent, and how many lines were unknown."""
    host = HOSTS[agent]
    root = person / host.folder / str(host.transcripts)
    turns, unknown = [], 0
    for path in safe.list_transcripts(root, host.transcript_suffix):
        file = safe.open_transcript(str(path), root=root, session_id=None, uid=os.getuid())
        assert file
        with file:
            reader = READERS[agent].transcript(file.head())
            found = [reader.read(line) for line in file.read_lines(0)[0]]
        turns += [turn for turn in found if turn]
        unknown += reader.unknown
    return turns, unknown


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_hooks_fire_answers_arrive_and_transcripts_say_the_same(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why := what_is_missing():
        pytest.skip(f"the real agents: {why}")
    person = tmp_path / "home"
    monkeypatch.setenv("HOME", str(person))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    home = Home(person / ".dormouse")
    write_bin(home, sys.executable)
    assert connect(home, HOSTS[agent]).state != "failed"
    event = READERS[agent].read_event("SessionStart", b'{"session_id": "s"}')
    context = READERS[agent].render(event, Answer("CANARY grüße 记住", "told"))
    with daemon(home, answer("200 OK", context.encode())) as seen:
        for arguments in PROMPTS[agent]:
            run(agent, tmp_path, *arguments)
    events = events_of(agent, seen.requests)
    assert {event.name for event in events} >= {"SessionStart", "UserPromptSubmit", "Stop"}
    assert "CANARY grüße 记住" in json.dumps(
        [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text().splitlines()],
        ensure_ascii=False,
    )
    said, unknown = transcripts_of(agent, person)
    assert unknown == 0
    assert not [turn for turn in said if "CANARY" in turn.text]
    by_hook = {event.turn.text for event in events if event.turn and event.turn.role is Role.PERSON}
    assert by_hook == {turn.text for turn in said if turn.role is Role.PERSON}
    assert not [text for text in by_hook if text.startswith("remember me") or "sub done<" in text]


def test_claude_code_accepts_the_plugin_folder(tmp_path: Path) -> None:
    if why := what_is_missing():
        pytest.skip(f"the real agents: {why}")
    folder = str(resources.files("dormouse_plugins") / "agents" / "claude_code")
    run("claude-code", tmp_path / "validate", "plugin", "validate", "--strict", folder)
    printed = run(
        "claude-code", tmp_path / "nobody", "--plugin-dir", folder, "-p", "hello [[say:fine]]"
    )
    assert printed.strip() == "fine"
