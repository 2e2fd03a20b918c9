"""The real OpenCode, where it is installed: what is known reaches it, and it calls our tools."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.conftest import CLIENTS, HERE, what_is_missing
from tests.machine import Machine

pytestmark = pytest.mark.clients

BINARY = CLIENTS / "opencode/node_modules/opencode-linux-x64/bin/opencode"
PLUGIN = CLIENTS / "opencode-plugin/node_modules"  # else it waits for the registry
STORE = '[[tool:dormouse_memory_store {"text":"the queue is called blue-7"}]] [[say:done]]'


def run(machine: Machine, folder: Path, prompt: str) -> list[str]:
    """One prompt; the bodies of the requests that the model was sent."""
    out = machine.base / "opencode"
    done = subprocess.run(
        [str(HERE / "run_opencode.sh"), str(out), prompt],
        env={
            **os.environ,
            "CLIENTS_DIR": str(CLIENTS),
            "CLIENT_HOME": str(machine.user),
            "WORK": str(folder),
            "PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (out / "requests.jsonl").read_text().splitlines()
    return [json.dumps(json.loads(line)["body"], ensure_ascii=False) for line in lines]


def test_opencode_is_shown_what_is_known_and_calls_our_tools(machine: Machine) -> None:
    if not os.access(BINARY, os.X_OK) or not PLUGIN.is_dir() or what_is_missing():
        pytest.skip("no OpenCode: run tests/clients/install_clients.sh --others")
    settings = machine.user / ".config" / "opencode"
    settings.mkdir(parents=True)
    shutil.copytree(PLUGIN, settings / "node_modules")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PLUGIN.parent / name, settings)
    machine.up()
    machine.cli("connect", "opencode")
    shop = machine.repository("shop")
    machine.remember("the staging server is at 10.0.0.5", project=str(shop))
    asked = run(machine, shop, f"remember that deploys happen on Thursdays. {STORE}")
    assert any("10.0.0.5" in body for body in asked), "the profile"
    assert any("noted" in body for body in asked), "the acknowledgement"
    facts = {fact["text"]: fact["sources"][0] for fact in machine.facts(project=shop)}
    stored = facts["the queue is called blue-7"]
    assert (stored["agent"], stored["how"]) == ("opencode", "assistant")
    assert any("Thursdays" in text for text in facts)
    turns = machine.ask("GET", "/v1/journal")
    assert [turn["role"] for turn in turns][:1] == ["person"]
    assert sum("Thursdays" in turn["text"] for turn in turns) == 1
    machine.cli("disconnect", "opencode")
    left = json.loads((settings / "opencode.json").read_text())
    assert "mcp" not in left, "only what OpenCode wrote itself"
    assert not (settings / "plugin" / "dormouse.js").exists()
