"""Our server in JSON settings: in once, out to the byte, and somebody else's left alone."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dormouse_plugins.hooks_text import Entry, Unreadable, add, remove
from dormouse_plugins.json_member import add_member, get_member, remove_member

OURS = {"command": "/h/bin/dormouse-mcp", "args": ["--agent", "gemini"]}
PATHS = [("mcpServers",), ("mcp", "servers")]
TEXTS = [
    "{}",
    "{ }",
    "{\n}\n",
    '{"mcpServers": {}, "mcp": {}}',
    '{"mcpServers":{ } ,"mcp":{"servers":{ \n}}}',
    '{"mcpServers": {"other": {"command": "x"}}, "a": 1}',
    '{\n    "mcp": {\n        "servers": {\n            "a": {}\n        }\n    }\n}\n',
    '\ufeff{\r\n\t"zeta": "ä",\r\n\t"hooks": {}\r\n}',
]


def ours(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("command") == OURS["command"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("text", TEXTS)
def test_in_and_out_leaves_every_byte(text: str, path: tuple[str, ...]) -> None:
    made = add_member(text, path, "dormouse", OURS, ours)
    assert get_member(made, path, "dormouse") == OURS
    assert add_member(made, path, "dormouse", OURS, ours) == made
    assert remove_member(made, path, "dormouse", ours) == text


@pytest.mark.parametrize("path", PATHS)
def test_a_file_of_ours_goes_whole(path: tuple[str, ...]) -> None:
    made = add_member(None, path, "dormouse", OURS, ours)
    assert get_member(made, path, "dormouse") == OURS
    assert remove_member(made, path, "dormouse", ours) is None


def test_an_old_entry_of_ours_is_written_anew() -> None:
    old = add_member("{}", PATHS[0], "dormouse", {**OURS, "args": []}, ours)
    made = add_member(old, PATHS[0], "dormouse", OURS, ours)
    assert get_member(made, PATHS[0], "dormouse") == OURS
    assert remove_member(made, PATHS[0], "dormouse", ours) == "{}"


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": {"dormouse": {"command": "mine"}}}',
        '{"mcpServers": []}',
        '{"mcpServers": {}, "mcpServers": {}}',
        "{ // no\n}",
        "[]",
    ],
)
def test_what_is_not_ours_or_unreadable_is_left_alone(text: str) -> None:
    with pytest.raises(Unreadable):
        add_member(text, PATHS[0], "dormouse", OURS, ours)


def test_a_foreign_server_of_our_name_is_not_removed() -> None:
    text = '{"mcpServers": {"dormouse": {"command": "mine"}}}'
    assert remove_member(text, PATHS[0], "dormouse", ours) == text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
SERVERS = st.dictionaries(st.sampled_from(["a", "b"]), JSON, max_size=2)
ENTRIES = [Entry("Stop", "'ours' a Stop", 3), Entry("SessionEnd", "'ours' a SessionEnd", 2)]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), JSON, max_size=3),
    st.none() | SERVERS,
    st.sampled_from([None, 0, 1, 2, "\t"]),
    st.booleans(),
)
def test_hooks_and_server_in_one_file_come_out_to_the_byte_in_either_order(
    value: dict[str, Any], servers: Any, indent: Any, hooks_first: bool
) -> None:
    value.pop("mcpServers", None)
    value |= {} if servers is None else {"mcpServers": servers}
    before = json.dumps(value, indent=indent)
    made: str | None = add_member(add(before, ENTRIES), PATHS[0], "dormouse", OURS, ours)
    for hooks in (hooks_first, not hooks_first):
        assert made is not None
        made = remove(made, "'ours' ") if hooks else remove_member(made, PATHS[0], "dormouse", ours)
    assert made == before
