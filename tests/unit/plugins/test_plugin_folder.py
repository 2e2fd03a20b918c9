"""The folder for Claude Code's marketplaces: silent where Dormouse is not set up."""

import json
import os
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from dormouse_wire import __version__
from dormouse_wire.hosts import CLAUDE_CODE
from tests.unit.plugins.dummy import answer, daemon, make_home

FOLDER = resources.files("dormouse_plugins") / "agents" / "claude_code"


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text())


def hooks() -> dict[str, dict[str, Any]]:
    groups = read("hooks/hooks.json")["hooks"]
    return {event: group["hooks"][0] for event, (group,) in groups.items()}


def run(command: str, person: Path) -> subprocess.CompletedProcess[bytes]:
    env = {"HOME": str(person), "PATH": os.environ["PATH"]}
    return subprocess.run(
        ["sh", "-c", command], input=b"{}", capture_output=True, env=env, check=False
    )


def test_it_registers_what_connect_registers() -> None:
    registered = {event: hook["timeout"] for event, hook in hooks().items()}
    assert registered == {event.name: event.timeout for event in CLAUDE_CODE.events}


def test_its_version_is_ours() -> None:
    assert read(".claude-plugin/plugin.json")["version"] == __version__


def test_where_nothing_is_set_up_its_hooks_are_silent_success(tmp_path: Path) -> None:
    for hook in hooks().values():
        done = run(hook["command"], tmp_path / "nobody")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("event", [event.name for event in CLAUDE_CODE.events])
def test_where_dormouse_is_set_up_they_call_it(tmp_path: Path, event: str) -> None:
    home = make_home(tmp_path / "a person" / ".dormouse")
    with daemon(home, answer("200 OK", b"context")) as seen:
        done = run(hooks()[event]["command"], tmp_path / "a person")
    assert done.returncode == 0
    assert f"/hooks/claude-code/{event} ".encode() in seen.requests[0]
