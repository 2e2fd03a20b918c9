"""Connecting and disconnecting: our hooks in and out, and not one foreign byte changed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dormouse_plugins.bin import command_prefix
from dormouse_plugins.connect import Change, connect, disconnect, find, rewrite
from dormouse_plugins.hooks_text import Entry, add, remove
from dormouse_wire.hosts import CLAUDE_CODE, CODEX, GEMINI, HOSTS, OPENCLAW, Host
from dormouse_wire.paths import Home


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home with no agent in it."""
    person = tmp_path / "a person"
    person.mkdir()
    monkeypatch.setenv("HOME", str(person))
    monkeypatch.setenv("PATH", "/nowhere")
    for host in HOSTS.values():
        if host.folder_variable:
            monkeypatch.delenv(host.folder_variable, raising=False)
    return person


@pytest.fixture
def home(machine: Path) -> Home:
    return Home(machine / ".dormouse")


def settings_of(host: Host, content: bytes | None) -> Path:
    path = host.settings_folder() / str(host.settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is not None:
        path.write_bytes(content)
    return path


def ours(path: Path, home: Home) -> list[tuple[str, dict[str, Any]]]:
    """Every hook of ours in a settings file, with its event."""
    value = json.loads(path.read_bytes().decode("utf-8-sig"))
    return [
        (event, hook)
        for event, groups in value.get("hooks", {}).items()
        if isinstance(groups, list)
        for group in groups
        for hook in group.get("hooks", [])
        if isinstance(hook, dict) and str(hook.get("command")).startswith(command_prefix(home))
    ]


FOREIGN = b'{"hooks": [{"type": "command", "command": "other", "timeout": 9}]}'
ODD = (
    '\ufeff{\r\n\t"zeta": "\\ud83d ä",\r\n\t"env": {"TOKEN": "x"},\r\n\t"hooks": {\r\n'
    '\t\t"Stop": [\r\n\t\t\t{"matcher": "*", "hooks": [{"command": "other", "type": "command"}]}'
    '\r\n\t\t],\r\n\t\t"PreToolUse": []\r\n\t},\r\n\t"alpha": [1,2 ,  3]\r\n}'
).encode()
CONTENTS = [
    b"{}",
    b"{ }",
    b"{\n}\n",
    b"{}\n\n",
    b'{"a":1}',
    b'{"a": {"b": []}, "hooks": {}}',
    b'{"hooks":{ } ,"a":1}',
    b'{"hooks": {"Stop": []}}',
    b'{"hooks": {"Stop": [ ], "SessionStart": [\n]}}',
    b'{"hooks": {"Stop": [' + FOREIGN + b"]}}",
    b'{"hooks": {\n  "SessionEnd": [' + FOREIGN + b" ,\n" + FOREIGN + b"  ]\n}}",
    b'{\n    "model": "x",\n    "hooks": {\n        "Stop": [\n            '
    + FOREIGN
    + b"\n        ]\n    }\n}\n",
    b'{"hooks": {"SessionStart": [{"matcher": "startup"}, {"hooks": []}]}}',
    b'{"disableAllHooks": false, "hooks": {"Stop": [{"hooks": [7, null, {"command": 1}]}]}}',
    ODD,
]


@pytest.mark.parametrize("host", [CLAUDE_CODE, CODEX, GEMINI], ids=["claude", "codex", "gemini"])
@pytest.mark.parametrize("before", [*CONTENTS, None])
def test_disconnect_gives_back_every_byte(home: Home, host: Host, before: bytes | None) -> None:
    path = settings_of(host, before)
    change = connect(home, host)
    assert change.state in ("connected", "waiting_for_approval")
    assert change.files[0] == str(path)
    assert len(ours(path, home)) == len(host.events)
    assert {event for event, _ in ours(path, home)} == {event.name for event in host.events}
    once = path.read_bytes()
    assert connect(home, host) == change
    assert path.read_bytes() == once
    assert disconnect(home, host) == Change(host.id, "removed", change.files)
    assert (path.read_bytes() if path.exists() else None) == before
    assert disconnect(home, host) == Change(host.id, "removed")


@pytest.mark.parametrize("before", CONTENTS)
def test_foreign_entries_stay_as_they_are(home: Home, before: bytes) -> None:
    path = settings_of(CLAUDE_CODE, before)
    old = json.loads(before.decode("utf-8-sig"))
    connect(home, CLAUDE_CODE)
    new = json.loads(path.read_bytes().decode("utf-8-sig"))
    for event, groups in old.pop("hooks", {}).items():
        assert new["hooks"][event][: len(groups)] == groups
    new.pop("hooks")
    assert new == old
    assert list(new) == list(old)


def test_every_entry_has_a_timeout_between_1_and_15_of_the_hosts_unit(home: Home) -> None:
    for host in (CLAUDE_CODE, CODEX):
        connect(home, host)
        for event, hook in ours(settings_of(host, None), home):
            assert isinstance(hook["timeout"], int) and 1 <= hook["timeout"] <= 15
            assert hook["type"] == "command"
            assert hook["command"] == f"{command_prefix(home)}{host.id} {event}"


def test_no_event_is_registered_whose_failure_denies_a_tool_call() -> None:
    for host in HOSTS.values():
        assert not [event for event in host.events if "Tool" in event.name]
        assert not [event for event in host.events if event.name == "PermissionRequest"]


def test_what_others_wrote_in_between_stays_to_the_byte(home: Home) -> None:
    path = settings_of(CLAUDE_CODE, b'{\n  "a": 1\n}\n')
    connect(home, CLAUDE_CODE)
    text = path.read_text().replace('"a": 1', '"a":   2,\n\n  "b": [ ]')
    text = text.replace('"Stop": [\n', '"Stop": [\n      {"hooks": []},\n')
    path.write_text(text)
    disconnect(home, CLAUDE_CODE)
    assert path.read_text() == (
        '{\n  "a":   2,\n\n  "b": [ ],\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n'
        "  }\n}\n"
    )


def test_a_host_that_writes_its_settings_anew_does_not_confuse_us(home: Home) -> None:
    path = settings_of(CLAUDE_CODE, b'{"z": 1, "hooks": {"Stop": [' + FOREIGN + b"]}}")
    connect(home, CLAUDE_CODE)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"theme": "dark"}, indent=2))
    connect(home, CLAUDE_CODE)
    assert len(ours(path, home)) == len(CLAUDE_CODE.events)
    disconnect(home, CLAUDE_CODE)
    foreign = json.loads(FOREIGN)
    wanted = {"z": 1, "hooks": {"Stop": [foreign]}, "theme": "dark"}
    assert json.loads(path.read_text()) == wanted


def test_a_hook_that_somebody_put_into_our_group_stays(home: Home) -> None:
    path = settings_of(CLAUDE_CODE, None)
    connect(home, CLAUDE_CODE)
    value = json.loads(path.read_text())
    value["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "other"})
    path.write_text(json.dumps(value, separators=(",", ":")))
    disconnect(home, CLAUDE_CODE)
    rest = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "other"}]}]}}
    assert json.loads(path.read_text()) == rest


def test_an_entry_that_is_missing_again_is_put_back_alone(home: Home) -> None:
    path = settings_of(CODEX, None)
    connect(home, CODEX)
    value = json.loads(path.read_text())
    del value["hooks"]["Stop"]
    value["hooks"]["SessionStart"][0]["hooks"][0]["timeout"] = 7
    path.write_text(json.dumps(value))
    connect(home, CODEX)
    found = dict(ours(path, home))
    assert found.keys() == {event.name for event in CODEX.events}
    assert found["SessionStart"]["timeout"] == 7


def test_another_homes_hooks_are_foreign(home: Home, tmp_path: Path) -> None:
    path = settings_of(CLAUDE_CODE, None)
    other = Home(tmp_path / "other")
    connect(other, CLAUDE_CODE)
    alone = path.read_bytes()
    connect(home, CLAUDE_CODE)
    disconnect(home, CLAUDE_CODE)
    assert path.read_bytes() == alone


def test_a_linked_settings_file_stays_a_link_and_keeps_its_mode(home: Home, machine: Path) -> None:
    real = machine / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(b"{}")
    real.chmod(0o640)
    path = settings_of(CLAUDE_CODE, None)
    path.symlink_to(Path("..") / "dotfiles" / "claude.json")
    connect(home, CLAUDE_CODE)
    assert path.is_symlink() and ours(real, home)
    assert real.stat().st_mode & 0o777 == 0o640
    disconnect(home, CLAUDE_CODE)
    assert path.is_symlink() and real.read_bytes() == b"{}"
    assert [file.name for file in real.parent.iterdir()] == ["claude.json"]


def test_a_link_to_nothing_is_filled_and_emptied_again(home: Home, machine: Path) -> None:
    path = settings_of(CLAUDE_CODE, None)
    path.symlink_to(machine / "later.json")
    connect(home, CLAUDE_CODE)
    assert (machine / "later.json").stat().st_mode & 0o777 == 0o600
    disconnect(home, CLAUDE_CODE)
    assert path.is_symlink() and not (machine / "later.json").exists()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b'{"a": 1,}', "not valid JSON"),
        (b'{\n  // mine\n  "a": 1\n}', "it has comments (line 2"),
        (b'{"a": 1 /* mine */}', "comments"),
        (b'/* mine */ {"a": 1}', "comments"),
        (b'{"a": 1} // mine', "follows"),
        (b"[]", "no JSON object"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"hooks": []}', "not what it should be"),
        (b'{"hooks": {"Stop": {}}}', "not what it should be"),
        (b'{"hooks": {}, "hooks": {}}', "twice"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_left_alone_with_a_clear_word(
    home: Home, content: bytes, why: str
) -> None:
    path = settings_of(CLAUDE_CODE, content)
    change = connect(home, CLAUDE_CODE)
    assert (change.state, change.files) == ("failed", [])
    assert change.note and why in change.note and str(path) in change.note
    assert path.read_bytes() == content
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_an_error_shows_nothing_of_the_settings(home: Home) -> None:
    token = "ghp_" + "A" * 36
    settings_of(CLAUDE_CODE, f'{{"env": {{"T": "{token}"}} {token}'.encode())
    note = connect(home, CLAUDE_CODE).note
    assert note and token not in note


def test_a_fifo_and_a_folder_are_left_alone(home: Home) -> None:
    path = settings_of(CLAUDE_CODE, None)
    os.mkfifo(path)
    assert connect(home, CLAUDE_CODE).state == "failed"
    path.unlink()
    path.mkdir()
    assert connect(home, CLAUDE_CODE).state == "failed"
    assert disconnect(home, CLAUDE_CODE).state == "failed"


def test_a_write_by_somebody_else_in_between_is_not_lost(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    seen: list[str | None] = []

    def change(text: str | None) -> str:
        seen.append(text)
        if len(seen) == 1:
            path.write_text('{"theirs": 1}')
        return str(text) + "\n"

    assert rewrite(path, change)
    assert path.read_text() == '{"theirs": 1}\n'
    assert seen == ["{}", '{"theirs": 1}']


def test_a_home_with_a_quote_in_it_is_found_again(machine: Path) -> None:
    home = Home(machine / 'it\'s "mine" 记')
    path = settings_of(CLAUDE_CODE, b"{}")
    connect(home, CLAUDE_CODE)
    assert len(ours(path, home)) == len(CLAUDE_CODE.events)
    disconnect(home, CLAUDE_CODE)
    assert path.read_bytes() == b"{}"


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
GROUPS = st.lists(st.dictionaries(st.sampled_from(["matcher", "x"]), st.text(max_size=3)))
HOOKS = st.dictionaries(st.sampled_from(["Stop", "SessionStart", "PreToolUse"]), GROUPS)
INDENTS = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(st.text(max_size=4), JSON, max_size=3),
    st.none() | HOOKS,
    INDENTS,
    st.booleans(),
    st.sampled_from(["", "\n", "\r\n \n"]),
)
def test_any_settings_come_back_to_the_byte(
    value: dict[str, Any], hooks: Any, indent: Any, order: bool, end: str
) -> None:
    value = value | ({} if hooks is None else {"hooks": hooks})
    before = json.dumps(value, indent=indent, sort_keys=order, ensure_ascii=order) + end
    before = before.replace("\n", "\r\n") if end.startswith("\r") else before
    entries = [Entry("Stop", "'ours' a Stop", 3), Entry("SessionEnd", "'ours' a SessionEnd", 2)]
    after = add(before, entries)
    assert add(after, entries) == after
    assert json.loads(after)["hooks"]["SessionEnd"][-1]["hooks"][0]["timeout"] == 2
    assert remove(after, "'ours' ") == before


# Finding agents, and what a person still has to do


def test_an_agent_is_found_by_its_folder_or_by_its_program(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find() == []
    (machine / ".claude").mkdir()
    assert find() == [CLAUDE_CODE]
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(program.parent))
    assert find() == [CLAUDE_CODE, CODEX]
    assert find(["codex"]) == [CODEX]
    assert find(["gemini"]) == []
    assert find(["never-heard-of"]) == []


def test_a_settings_folder_that_a_variable_names_is_used(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    connect(home, CODEX)
    path = tmp_path / "codex" / "hooks.json"
    assert ours(path, home)
    monkeypatch.delenv("CODEX_HOME")
    assert disconnect(home, CODEX).files == []
    assert disconnect(home, CODEX, settings=path).files == [str(path)]
    assert not path.exists()


def test_codex_waits_for_the_persons_approval(home: Home) -> None:
    change = connect(home, CODEX)
    assert change.state == "waiting_for_approval"
    assert change.note and "/hooks" in change.note
    asked = connect(home, CODEX, approve_tools=True)
    assert asked.note and "tool" not in asked.note
    assert connect(home, CODEX).note == asked.note, "what was allowed stays allowed"
    assert "mcp add-json" in (connect(home, CLAUDE_CODE).note or ""), "its program is not here"


def test_an_agent_without_hooks_is_given_the_tools_alone(machine: Path, home: Home) -> None:
    folder = machine / ".openclaw"
    folder.mkdir()
    path = folder / "openclaw.json"
    path.write_text('{"agents": {}}\n')
    assert find() == find(["openclaw"]) == [OPENCLAW]
    assert connect(home, OPENCLAW) == Change("openclaw", "connected", [str(path)])
    entry = json.loads(path.read_text())["mcp"]["servers"]["dormouse"]
    assert entry == {"command": str(home.bin / "dormouse-mcp"), "args": ["--agent", "openclaw"]}
    assert disconnect(home, OPENCLAW) == Change("openclaw", "removed", [str(path)])
    assert path.read_text() == '{"agents": {}}\n'


def test_an_agent_without_hooks_whose_settings_cannot_be_read_fails_and_says_what_to_do(
    machine: Path, home: Home
) -> None:
    folder = machine / ".openclaw"
    folder.mkdir()
    (folder / "openclaw.json").write_text("{ // JSON5\n}")
    change = connect(home, OPENCLAW)
    assert change.state == "failed"
    assert "it has comments" in (change.note or "")
    assert "dormouse-mcp --agent openclaw" in (change.note or "")
