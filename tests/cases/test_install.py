"""Case 04: connecting and uninstalling leave no trace."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from tests.cases.test_hooks import mine
from tests.machine import Machine, wait_for

CLAUDE_SETTINGS = b"""\xef\xbb\xbf{
  "model": "opus",
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "echo mine", "timeout": 5}]}],
    "PreToolUse": []
  },
  "env": {"ZED": "1", "ALPHA": "2"},
  "autoMemoryEnabled": true
}"""
CODEX_HOOKS = b'{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"true"}]}]}}\n'
CODEX_CONFIG = b'model = "gpt"\n[features]\nmemories = true'
DENIES_TOOLS = {"PreToolUse", "PermissionRequest", "PreModelRequest", "PostToolUse"}


def prepare(machine: Machine) -> list[Path]:
    """Agents with settings of their own: foreign hooks, a byte-order mark, no final newline."""
    for name in ("claude", "codex"):
        program = machine.bin / name
        program.write_text("#!/bin/sh\nexit 0\n")
        program.chmod(0o755)
    files = {
        machine.user / ".claude" / "settings.json": CLAUDE_SETTINGS,
        machine.user / ".codex" / "hooks.json": CODEX_HOOKS,
        machine.user / ".codex" / "config.toml": CODEX_CONFIG,
    }
    for path, content in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return list(files)


def hashes(paths: list[Path]) -> dict[str, str]:
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def entries(path: Path) -> list[tuple[str, Any]]:
    """Every hook entry of a settings file with the event it is registered for."""
    settings = json.loads(path.read_text(encoding="utf-8-sig"))
    return [
        (event, hook)
        for event, groups in settings["hooks"].items()
        for group in groups
        for hook in group["hooks"]
    ]


def everything_below(folder: Path) -> set[str]:
    return {
        str(Path(at) / name)
        for at, folders, files in os.walk(folder)
        for name in [*folders, *files]
    }


def test_case_04_install_and_uninstall_are_reversible(machine: Machine) -> None:
    files = prepare(machine)
    before, tree = hashes(files), everything_below(machine.user)
    machine.up()
    machine.cli("connect")
    connected = hashes(files)

    for path in files[:2]:
        ours = [(event, hook) for event, hook in entries(path) if "dormouse" in hook["command"]]
        assert ours, path
        for event, hook in ours:
            assert type(hook["timeout"]) is int
            assert 1 <= hook["timeout"] <= 15
            assert event not in DENIES_TOOLS
    claude = json.loads(files[0].read_text(encoding="utf-8-sig"))
    assert claude["env"] == {"ZED": "1", "ALPHA": "2"}
    assert list(claude)[:1] == ["model"]
    assert claude["autoMemoryEnabled"] is True
    assert ("Stop", {"type": "command", "command": "echo mine", "timeout": 5}) in entries(files[0])
    assert files[0].read_bytes().startswith(b"\xef\xbb\xbf")
    assert files[2].read_bytes().startswith(CODEX_CONFIG)  # its tools are added below

    machine.cli("connect")
    assert hashes(files) == connected, "connecting twice changes nothing"

    done = machine.cli("uninstall")
    assert hashes(files) == before
    said = (done.stdout + done.stderr).replace("\n", "")
    (key,) = (machine.user / ".config" / "dormouse").iterdir()
    for kept in (str(machine.home / "memory.db"), str(key)):
        assert kept in said or str(Path(kept).parent) in said
    assert "rm " in said, "the command that removes them is printed"
    left = everything_below(machine.user) - tree
    assert left <= {str(key), str(key.parent), str(key.parent.parent)}
    kept_files = {path.name for path in machine.home.iterdir()}
    assert not kept_files & {"bin", "log", "dormouse.sock"}
    wait_for(lambda: not mine(machine), within_s=5, what="the end of every process")
