"""Our MCP server in the agents' settings: in once, out byte for byte."""

import json
import tomllib
from pathlib import Path

import pytest

from dormouse_plugins.connect import connect, disconnect
from dormouse_plugins.hooks_text import Unreadable
from dormouse_plugins.mcp_entries import add_table, remove_table
from dormouse_wire.hosts import CLAUDE_CODE, CODEX
from dormouse_wire.paths import Home

HOME = Home(Path("/home/a person/.dormouse"))
TEXTS = [
    "",
    'model = "x"\n',
    'model = "x"',
    "[mcp_servers.other]\ncommand = 'y'\n\n# end\n",
    "# only a comment",
    'a = 1\r\n[b]\r\nc = "ü"\r\n',
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("approve", [False, True])
def test_in_and_out_leaves_every_byte(text: str, approve: bool) -> None:
    made = add_table(text, HOME, "codex", approve)
    entry = tomllib.loads(made)["mcp_servers"]["dormouse"]
    assert entry["command"] == "/home/a person/.dormouse/bin/dormouse-mcp"
    assert (entry.get("default_tools_approval_mode") == "approve") is approve
    assert (remove_table(made) or "") == text
    assert add_table(made, HOME, "codex", approve) == made


def test_what_others_wrote_after_ours_stays() -> None:
    made = add_table('model = "x"', HOME, "codex")
    after = made + "\n[projects.p]\ntrust_level = 'trusted'\n"
    assert remove_table(after) == "model = \"x\"\n[projects.p]\ntrust_level = 'trusted'\n"


@pytest.mark.parametrize(
    "text", ["[mcp_servers.dormouse]\ncommand = 'mine'\n", "mcp_servers = {}\n", "no = toml ="]
)
def test_what_is_not_ours_or_unreadable_is_left_alone(text: str) -> None:
    with pytest.raises(Unreadable):
        add_table(text, HOME, "codex")


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "programs") + ":/usr/bin:/bin")
    (tmp_path / "programs").mkdir()
    return tmp_path


def test_connecting_codex_says_that_it_asks_unless_it_is_approved(person: Path) -> None:
    home, config = Home(person / ".dormouse"), person / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('model = "x"')
    change = connect(home, CODEX)
    assert str(config) in change.files
    assert "--approve-tools" in (change.note or "")
    assert "approve" not in config.read_text()
    assert "approve" in (connect(home, CODEX, approve_tools=True), config.read_text())[1]
    disconnect(home, CODEX)
    assert config.read_text() == 'model = "x"'


def claude(person: Path, code: int) -> Path:
    """A program that notes what it is called with."""
    program, calls = person / "programs" / "claude", person / "calls"
    program.write_text(f'#!/bin/sh\nfor a in "$@"; do echo "$a" >>"{calls}"; done\nexit {code}\n')
    program.chmod(0o700)
    return calls


def test_claude_code_is_told_by_its_own_program(person: Path) -> None:
    calls, home = claude(person, 0), Home(person / ".dormouse")
    assert connect(home, CLAUDE_CODE).note is None
    *said, entry = calls.read_text().splitlines()
    assert said == ["mcp", "add-json", "--scope", "user", "dormouse"]
    assert json.loads(entry)["command"] == str(home.bin / "dormouse-mcp")
    assert json.loads(entry)["alwaysLoad"] is True
    calls.unlink()
    assert disconnect(home, CLAUDE_CODE).note is None
    assert not calls.exists(), "it is not there, so nothing is to be removed"
    (person / ".claude.json").write_text(
        json.dumps({"mcpServers": {"dormouse": json.loads(entry)}})
    )
    connect(home, CLAUDE_CODE)
    assert not calls.exists(), "it is there already"
    disconnect(home, CLAUDE_CODE)
    assert calls.read_text().splitlines() == ["mcp", "remove", "--scope", "user", "dormouse"]


def test_without_the_program_it_is_a_note_and_still_connected(person: Path) -> None:
    change = connect(Home(person / ".dormouse"), CLAUDE_CODE)
    assert change.state == "connected"
    assert "claude mcp add-json" in (change.note or "")
    claude(person, 1)
    assert "claude mcp add-json" in (connect(Home(person / ".dormouse"), CLAUDE_CODE).note or "")
