"""Hermes and OpenCode: ours goes in and comes out, what is somebody else's stays."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from dormouse_plugins.connect import Change, connect, disconnect
from dormouse_plugins.hooks_text import Entry, Unreadable
from dormouse_plugins.other_texts import add_plugin, add_yaml, remove_plugin, remove_yaml
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


def test_both_are_connected_and_disconnected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    home = Home(tmp_path / ".dormouse")
    for host in (HERMES, OPENCODE):
        path = host.settings_folder() / str(host.settings)
        change = connect(home, host)
        assert (change.state, change.files) == ("connected", [str(path)])
        assert "dormouse-mcp --agent" in (change.note or "")
        assert str(home.bin / "dormouse-hook") in path.read_text()
        assert disconnect(home, host) == Change(host.id, "removed", [str(path)])
        assert not path.exists()


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
