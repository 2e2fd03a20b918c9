"""Connect, disconnect, uninstall: real settings files in a home of their own."""

import json
import shutil
from pathlib import Path

import pytest

from dormouse_wire.paths import Home
from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import Dummy, status

SETTINGS = '{\n  "theme": "dark"\n}'


@pytest.fixture
def machine(tmp_path: Path, daemon: Dummy, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home with Claude Code's and Codex's folders in it, and no agent's program."""
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(SETTINGS)
    (tmp_path / ".codex").mkdir()
    for agent in ("claude-code", "codex"):
        daemon.script(f"POST /v1/agents/{agent}", {})
    return tmp_path


def test_connect_writes_the_hooks_and_tells_the_daemon(
    machine: Path, daemon: Dummy, run: Run, home: Home
) -> None:
    said = run("connect", "--json")
    assert said.code == 0
    states = {change["agent"]: change["state"] for change in said.json}
    assert states == {"claude-code": "connected", "codex": "waiting_for_approval"}
    assert str(home.bin) in (machine / ".claude" / "settings.json").read_text()
    assert daemon.bodies("POST /v1/agents/claude-code") == [
        {
            "connected": True,
            "root": str(machine / ".claude" / "projects"),
            "settings": str(machine / ".claude" / "settings.json"),
        }
    ]


def test_connect_ends_with_what_is_still_to_do(machine: Path, run: Run) -> None:
    assert "/hooks" in run("connect", "codex").out


def test_a_named_agent_that_is_not_here_exits_4_and_the_others_are_connected(
    machine: Path, run: Run
) -> None:
    shutil.rmtree(machine / ".codex")
    said = run("connect", "codex", "claude-code", "--json")
    assert said.code == 4
    states = {change["agent"]: change["state"] for change in said.json}
    assert states == {"codex": "not_found", "claude-code": "connected"}


@pytest.mark.parametrize("command", ["connect", "disconnect"])
def test_a_name_that_is_no_agents_is_wrong_usage(run: Run, command: str) -> None:
    said = run(command, "no-such-agent")
    assert said.code == 2
    assert "Known agents: claude-code, codex" in said.err


def test_a_settings_file_that_cannot_be_read_fails_and_is_left_alone(
    machine: Path, run: Run
) -> None:
    (machine / ".claude" / "settings.json").write_text("{ not json")
    said = run("connect", "--json")
    assert said.code == 1
    assert {change["state"] for change in said.json} == {"failed", "waiting_for_approval"}
    assert (machine / ".claude" / "settings.json").read_text() == "{ not json"


def test_a_locked_memory_is_connected_to_nobody(machine: Path, daemon: Dummy, run: Run) -> None:
    daemon.script("GET /v1/health", status(state="locked"))
    daemon.fail("GET /v1/projects", 423, "locked", "The memory is locked.", "Put its key back.")
    said = run("connect")
    assert said.code == 6
    assert "Put its key back." in said.err
    assert (machine / ".claude" / "settings.json").read_text() == SETTINGS


def test_disconnect_leaves_the_file_as_it_was(machine: Path, daemon: Dummy, run: Run) -> None:
    run("connect")
    said = run("disconnect", "--json")
    assert said.code == 0
    assert {change["state"] for change in said.json} == {"removed"}
    assert (machine / ".claude" / "settings.json").read_text() == SETTINGS
    assert daemon.bodies("POST /v1/agents/codex")[-1]["connected"] is False


def test_disconnect_works_without_a_daemon(machine: Path, run: Run) -> None:
    run("connect")
    run("down")
    assert run("disconnect", "claude-code").code == 0
    assert (machine / ".claude" / "settings.json").read_text() == SETTINGS


def test_uninstall_leaves_store_and_key_and_says_how_to_destroy_them(
    machine: Path, run: Run, home: Home
) -> None:
    key = machine / "keys dir" / "s.key"
    home.ledger.touch()
    home.keyslots.write_text(json.dumps({"slots": [{"kind": "keyfile", "path": str(key)}]}))
    home.log.mkdir()
    run("connect")
    said = run("uninstall", "--json")
    assert said.code == 0
    assert said.json["store"] == str(home.ledger)
    assert said.json["key"] == str(key)
    assert said.json["remove_command"] == f"rm -r -- {home.root} && rm -- '{key}'"
    assert {change["state"] for change in said.json["agents"]} == {"removed"}
    left = {path.name for path in home.root.iterdir()}
    assert left == {"memory.db", "keyslots.json"}
    assert (machine / ".claude" / "settings.json").read_text() == SETTINGS
    again = run("facts")
    assert (again.code, "uninstalled" in again.err) == (3, True)


def test_uninstall_where_nothing_is_is_harmless(machine: Path, run: Run, home: Home) -> None:
    run("down")
    shutil.rmtree(home.root)
    said = run("uninstall", "--json")
    assert said.code == 0
    assert (said.json["store"], said.json["remove_command"]) == (None, None)
    assert not home.root.exists()
