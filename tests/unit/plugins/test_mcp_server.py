"""The MCP server by itself: whatever comes in is answered, and the next message is read."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dormouse_plugins import mcp, mcp_tools
from dormouse_plugins.mcp_daemon import Daemon, Failed
from dormouse_plugins.mcp_lines import END, MAX_MESSAGE, Line, Lines, id_of
from dormouse_wire.paths import Home

LONG = "x" * (MAX_MESSAGE + 1)
PING = {"jsonrpc": "2.0", "id": "after", "method": "ping"}


class Client:
    """What a client writes, and what it gets back."""

    def __init__(self, write: int, read: int) -> None:
        self._write = os.fdopen(write, "wb", buffering=0)
        self._read = os.fdopen(read, "rb")

    def send(self, message: Any) -> None:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        left = memoryview(data + b"\n")
        while left:
            left = left[self._write.write(left) :]

    def next(self) -> Any:
        return json.loads(self._read.readline())

    def call(self, name: str, **arguments: Any) -> Any:
        params = {"name": name, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        return self.next()

    def close(self) -> None:
        self._write.close()

    def closed(self) -> None:
        self._read.close()


@contextmanager
def serving(home: Path) -> Iterator[Client]:
    """A server of a home without a memory, in a thread; it has to end when its input does."""
    to_server, from_server = os.pipe(), os.pipe()
    client = Client(to_server[1], from_server[0])
    server = mcp.Server(Home(home), None, Lines(to_server[0]), from_server[1])

    def run() -> None:
        try:
            server.run()
        finally:
            os.close(from_server[1])  # as the process would, so that nobody waits for an answer

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield client
        client.send(PING)
        assert client.next() == {"jsonrpc": "2.0", "id": "after", "result": {}}
    finally:
        client.close()
        thread.join(10)
        client.closed()
        os.close(to_server[0])
    assert not thread.is_alive()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with serving(tmp_path / "home") as made:
        yield made


def test_an_id_that_is_no_text_is_answered(client: Client) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("memory_history", {}),
        ("memory_correct", {"text": "x"}),
        ("handoff_take", {}),
        ("handoff_take", {"show": True}),
        ("handoff_take", {"end": "finished"}),
    ]
    for name, more in calls:
        error = client.call(name, id="\ud800abcd", **more)["result"]["structuredContent"]["error"]
        assert error["code"] == "bad_request"


@pytest.mark.parametrize(
    "uri",
    ["file://[::1/x", "file:///" + "a" * 5_000, "file:///\ud800", "file:///a%00b", 7, "http://["],
)
def test_a_root_that_is_no_folder_is_passed_over(client: Client, uri: object) -> None:
    params: dict[str, Any] = {"capabilities": {"roots": {}}}
    client.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
    client.next()
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    asked = client.next()
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": uri}]}})


def test_a_folder_whose_name_is_not_utf8_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = os.path.join(os.fsencode(tmp_path), b"caf\xe9")  # noqa: PTH118  (bytes)
    os.mkdir(odd)  # noqa: PTH102
    monkeypatch.chdir(os.fsdecode(odd))
    with serving(tmp_path / "home") as client:
        error = client.call("memory_health")["result"]["structuredContent"]["error"]
        assert error["code"] == "bad_request"
        assert "UTF-8" in error["message"]


def test_what_goes_wrong_in_one_message_is_answered_and_ends_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(daemon: Daemon, given: mcp_tools.Given) -> mcp_tools.Told:
        raise ZeroDivisionError("a fact's text")

    monkeypatch.setitem(mcp_tools.CALLS, "memory_health", fail)
    answer = client.call("memory_health")
    assert answer["id"] == 1
    assert answer["error"]["code"] == -32603
    assert "a fact's text" not in json.dumps(answer)


def test_a_message_that_is_too_long_is_answered_once_and_skipped(client: Client) -> None:
    call = {"name": "memory_store", "arguments": {"text": LONG, "id": 4}}
    first = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
    last = {"method": "tools/call", "params": call, "jsonrpc": "2.0", "id": "q-8"}
    for message, id_ in ((first, 7), (last, "q-8"), ({"params": call}, None), (LONG, None)):
        client.send(message)
        answer = client.next()
        assert answer["id"] == id_
        assert answer["error"]["code"] == -32600
        assert "too long" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("begin", "end", "id_"),
    [
        ('{"id": 5, "params": {"te', '"}}', 5),
        ('{"params": {"id": 5, "te', '"}}', None),
        ('{"params": {"te', ', "id": 5}}', None),
        ('{"params": {"te', 'x"}, "id" : "a b" }\r', "a b"),
        ('{"te', ' \\"id\\":\\"x"}', None),
        ('{"id": 5', "", None),
        ('{"id": true, "te', '"}', None),
        ('{"id" 5, "te', '"}', None),
        ('["id", 5, ', "]", None),
        ("", "", None),
    ],
)
def test_the_id_of_a_cut_message_is_its_own_or_none(
    begin: str, end: str, id_: int | str | None
) -> None:
    assert id_of(Line(begin.encode(), True, end.encode())) == id_


def test_no_more_than_the_ends_of_a_long_line_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\n\n  \n" + b"a" * MAX_MESSAGE + b"\n" + LONG.encode() + b"!\ntwo\nrest")
    descriptor = os.open(path, os.O_RDONLY)
    lines = Lines(descriptor)
    assert lines.next() == Line(b"one")
    assert lines.next() == Line(b"a" * MAX_MESSAGE)
    cut = lines.next()
    assert cut is not None
    assert (len(cut.data), cut.cut, len(cut.end), cut.end[-1:]) == (END, True, END, b"!")
    assert lines.next() == Line(b"two")
    assert not lines.next()
    os.close(descriptor)


class Heard(Daemon):
    """A daemon that notes what it is asked, and answers as scripted."""

    def __init__(self, tmp_path: Path, project: str | None) -> None:
        super().__init__(Home(tmp_path), "codex", "mcp-1", project)
        self.asked: list[tuple[str, str, Any]] = []
        self.answer: dict[str, Any] = {}

    def _once(self, method: str, route: str, body: Any) -> Any:
        self.asked.append((method, route, body))
        return self.answer


def test_a_working_folder_that_is_gone_is_no_project_until_it_is_back(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    daemon = Heard(tmp_path, str(folder))
    for _ in ("gone", "gone"):
        daemon.get("layers")
        daemon.post("recall", body={})
        folder.mkdir()
        daemon.get("layers")
        daemon.post("recall", body={})
        folder.rmdir()
    assert ["project" in route for _, route, _ in daemon.asked[::2]] == [False, True] * 2
    assert ["project" in body for _, _, body in daemon.asked[1::2]] == [False, True] * 2


def test_who_took_a_handoff_ends_it_with_the_token_it_got(tmp_path: Path) -> None:
    daemon = Heard(tmp_path, None)
    daemon.answer = {"id": "7k3f2abc", "token": 1, "text": "", "state": "taken"}
    mcp_tools.CALLS["handoff_take"](daemon, {"id": "7k3f", "show": True})
    mcp_tools.CALLS["handoff_take"](daemon, {"id": "7k3f", "end": "finished"})
    mcp_tools.CALLS["handoff_take"](daemon, {})
    mcp_tools.CALLS["handoff_take"](daemon, {"id": "7k3f", "end": "returned"})
    mcp_tools.CALLS["handoff_take"](daemon, {"id": "7k3f2abc", "end": "finished"})
    ended = [body.get("token") for _, route, body in daemon.asked if "/take" not in route and body]
    assert ended == [None, 1, 1], "shown is not taken; given back, the token is stale but kept"
    with pytest.raises(Failed):
        mcp_tools.CALLS["handoff_take"](daemon, {"end": "finished"})
