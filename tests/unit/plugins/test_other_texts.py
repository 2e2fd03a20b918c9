"""Hermes and OpenCode: ours goes in and comes out, what is somebody else's stays."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from dormouse_plugins.connect import Change, connect, disconnect
from dormouse_plugins.hooks_text import Entry, Unreadable
from dormouse_plugins.other_texts import (
    add_plugin,
    add_yaml,
    add_yaml_server,
    remove_plugin,
    remove_yaml,
    remove_yaml_server,
)
from dormouse_wire.hosts import HERMES, OPENCODE
from dormouse_wire.paths import Home
from tests.unit.hosts import samples

ENTRIES = [Entry("pre_llm_call", "'/a b/dormouse-hook' hermes pre_llm_call", 3)]


@pytest.mark.parametrize("text", ["", "model: x\n", "model: x", "# hooks: none\na:\n  hooks: 1\n"])
def test_yaml_in_and_out_leaves_every_byte(text: str) -> None:
    made = add_yaml(text, ENTRIES)
    assert made.startswith(text)
    assert made.endswith(
        "  pre_llm_call:\n    - command: \"'/a b/dormouse-hook' hermes pre_llm_call\"\n"
        "      timeout: 3\n"
    )
    assert add_yaml(made, ENTRIES) == made
    assert (remove_yaml(made) or "") == text


@pytest.mark.parametrize("text", ["hooks:\n  x: []\n", '"hooks": {}\n', "{a: 1}\n", "a: 1\n...\n"])
def test_yaml_that_has_hooks_or_an_end_is_left_alone(text: str) -> None:
    with pytest.raises(Unreadable):
        add_yaml(text, ENTRIES)


def test_what_follows_our_block_stays() -> None:
    made = add_yaml("model: x\n", ENTRIES) + "later: 1\n"
    assert remove_yaml(made) == "model: x\nlater: 1\n"


def test_a_foreign_plugin_of_our_name_is_left_alone() -> None:
    with pytest.raises(Unreadable):
        add_plugin("export const Mine = 1", "/h")
    assert remove_plugin("export const Mine = 1") == "export const Mine = 1"
    assert remove_plugin(add_plugin(None, "/h")) is None


HERMES_TEXTS = ["", "model: x\n", "model: x", "# hooks: none\na:\n  hooks: 1\n"]


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("HOME", str(tmp_path))
    return Home(tmp_path / ".dormouse")


@pytest.mark.parametrize("text", [None, *HERMES_TEXTS[1:]])
def test_hermes_gets_hooks_and_server_and_every_byte_back(person: Home, text: str | None) -> None:
    path = HERMES.settings_folder() / str(HERMES.settings)
    path.parent.mkdir()
    if text is not None:
        path.write_text(text)
    change = connect(person, HERMES)
    assert (change.state, change.files) == ("connected", [str(path)])
    made = path.read_text()
    assert f'command: "{person.bin / "dormouse-mcp"}"' in made
    assert '    args: ["--agent", "hermes"]' in made
    assert connect(person, HERMES) == change
    assert path.read_text() == made
    assert disconnect(person, HERMES) == Change("hermes", "removed", [str(path)])
    assert (path.read_text() if path.exists() else None) == text


def test_hermes_own_servers_are_left_alone_and_it_is_said(person: Home) -> None:
    path = HERMES.settings_folder() / str(HERMES.settings)
    path.parent.mkdir()
    path.write_text("mcp_servers:\n  time:\n    command: uvx\n")
    change = connect(person, HERMES)
    assert "dormouse-mcp --agent hermes" in (change.note or "")
    assert "it has mcp_servers already" in (change.note or "")
    disconnect(person, HERMES)
    assert path.read_text() == "mcp_servers:\n  time:\n    command: uvx\n"


@pytest.mark.parametrize("out", [("hooks", "mcp_servers"), ("mcp_servers", "hooks")])
@pytest.mark.parametrize("text", HERMES_TEXTS)
def test_the_two_blocks_go_in_any_order(text: str, out: tuple[str, str]) -> None:
    made: str | None = add_yaml_server(add_yaml(text, ENTRIES), "dormouse", "/c", ["x"])
    remove = {"hooks": remove_yaml, "mcp_servers": remove_yaml_server}
    for name in out:
        assert made is not None
        made = remove[name](made)
    assert (made or "") == text


def test_opencode_gets_a_plugin_and_a_server_and_every_byte_back(person: Home) -> None:
    folder = OPENCODE.settings_folder()
    plugin, config = folder / "plugin" / "dormouse.js", folder / "opencode.json"
    change = connect(person, OPENCODE)
    assert (change.state, change.files) == ("connected", [str(plugin), str(config)])
    assert change.note is None
    command = [str(person.bin / "dormouse-mcp"), "--agent", "opencode"]
    entry = {"type": "local", "command": command, "enabled": True}
    assert json.loads(config.read_text()) == {"mcp": {"dormouse": entry}}
    assert str(person.bin / "dormouse-hook") in plugin.read_text()
    disconnect(person, OPENCODE)
    assert not plugin.exists()
    assert not config.exists()


RUN = """
const { Dormouse } = await import(process.argv[2])
const read = (name) => JSON.parse(process.argv[3])[name]
const plugin = await Dormouse({ directory: "/home/dev/work" })
await plugin.event({ event: { type: "session.created", properties: read("created") } })
await plugin["chat.message"](read("message").input, read("message").output)
const output = { system: ["host"] }
await plugin["experimental.chat.system.transform"]({}, output)
const part = { type: "text", text: "the answer", sessionID: read("idle").sessionID, messageID: "m" }
await plugin.event({ event: { type: "message.part.updated", properties: { part } } })
await plugin.event({ event: { type: "session.idle", properties: read("idle") } })
console.log(JSON.stringify(output.system))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_opencodes_plugin_carries_the_recorded_events(tmp_path: Path) -> None:
    hook, calls = tmp_path / "hook", tmp_path / "calls"
    hook.write_text(
        f'#!/bin/sh\nprintf "%s %s\\n" "$2" "$(cat)" >>"{calls}"\n'
        'echo "{\\"hookSpecificOutput\\": {\\"additionalContext\\": \\"ctx $2\\"}}"\n'
    )
    hook.chmod(0o700)
    plugin, run = tmp_path / "dormouse.mjs", tmp_path / "run.mjs"
    plugin.write_text(add_plugin(None, str(hook)))
    run.write_text(RUN)
    names = {
        "created": "event_session.created", "message": "chat.message", "idle": "event_session.idle",
    }  # fmt: skip
    events = {key: json.loads(samples.event("opencode", name)) for key, name in names.items()}
    done = subprocess.run(
        ["node", str(run), str(plugin), json.dumps(events)], capture_output=True, text=True,
        check=True, timeout=60,
    )  # fmt: skip
    assert json.loads(done.stdout) == ["host", "ctx session.created", "ctx chat.message"]
    lines = calls.read_text().splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        "session.created", "chat.message", "session.idle",
    ]  # fmt: skip
    assert json.loads(lines[2].partition(" ")[2])["last_assistant_message"] == "the answer"
    assert json.loads(lines[0].partition(" ")[2])["cwd"] == "/home/dev/work"
