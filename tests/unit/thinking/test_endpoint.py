"""An endpoint is this machine or it is nothing: names, proxies, redirects and remote models."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dormouse.thinking import Result, Stop, Thought
from dormouse.thinking.completions import Refused
from dormouse.thinking.endpoint import Endpoint, connect_loopback, is_local
from dormouse.thinking.hosted import Hosted, is_hosted
from tests.contract.rigs import SECRET, HostedRig, ServerRig
from tests.unit.thinking.world import SCHEMA, THOUGHT

pytestmark = pytest.mark.slow

KEEP = {"answer": {"verdict": "keep"}}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerRig]:
    made = ServerRig(tmp_path)
    made.script(KEEP)
    yield made
    made.close()


@pytest.fixture
def trap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerRig]:
    """A server that must never be reached."""
    made = ServerRig(tmp_path_factory.mktemp("trap"))
    made.script(KEEP)
    yield made
    assert made.requests() == []
    made.close()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:11434/v1",
        "http://127.8.9.1",
        "http://[::1]:8080/v1",
        "unix:/run/model.sock",
        "unix:/run/model.sock:/v1",
    ],
)
def test_literal_loopback_and_unix_sockets_are_local(url: str) -> None:
    assert is_local(url)
    assert not is_hosted(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:11434/v1",
        "http://localhost.:80",
        "http://model.internal/v1",
        "http://127.0.0.1.example:80/v1",
        "http://127.0.0.1@10.0.0.1/v1",
        "http://user:pw@127.0.0.1/v1",
        "http://10.0.0.1/v1",
        "http://0.0.0.0:80/v1",
        "http://2130706433/v1",
        "http://127.1/v1",
        "http://0x7f000001/v1",
        "http://[::ffff:127.0.0.1]/v1",
        "http://[::]/v1",
        "http://[::1%25eth0]/v1",
        "https://127.0.0.1/v1",
        "http://127.0.0.1/v1?to=x",
        "http://127.0.0.1:99999/v1",
        "unix:model.sock",
        "unix://host/run/model.sock",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "127.0.0.1:80",
        "http://",
        "",
    ],
)
def test_names_other_machines_and_odd_addresses_are_refused(url: str) -> None:
    thinker = Endpoint(url, "fake")
    assert not thinker.ready()
    assert thinker.ask(THOUGHT, Stop()).result is Result.UNAVAILABLE


def test_no_proxy_is_used_whatever_the_environment_says(
    server: ServerRig, trap: ServerRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{trap.port}")
    monkeypatch.setenv("NO_PROXY", "")
    assert server.thinker().ask(THOUGHT, Stop()).result is Result.ANSWERED


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_nobody_is_told(
    server: ServerRig, trap: ServerRig, status: int
) -> None:
    where = f"http://127.0.0.1:{trap.port}/v1/chat/completions"
    server.script({**KEEP, "status": status, "location": where})
    assert server.thinker().ask(THOUGHT, Stop()).result is Result.FAILED


def test_who_answers_is_looked_at_again_once_connected() -> None:
    with pytest.raises((Refused, OSError)):
        connect_loopback("192.0.2.1", 9, 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connect_loopback("127.0.0.1", listener.getsockname()[1], 1).close()


@pytest.mark.parametrize(
    "model", ["gpt-oss:120b-cloud", "cloud/x", "qwen3-remote", "REMOTE:1", "x.cloud", ""]
)
def test_a_model_whose_name_says_that_it_runs_elsewhere_is_not_asked(
    server: ServerRig, model: str
) -> None:
    thinker = Endpoint(f"http://127.0.0.1:{server.port}/v1", model)
    assert not thinker.ready()
    assert thinker.ask(THOUGHT, Stop()).result is Result.UNAVAILABLE
    assert server.requests() == []


def test_a_name_that_only_sounds_like_it_is_asked(server: ServerRig) -> None:
    thinker = Endpoint(f"http://127.0.0.1:{server.port}/v1", "cloudy-7b")
    assert thinker.ask(THOUGHT, Stop()).result is Result.ANSWERED


@pytest.mark.parametrize(
    "marked", [{"remote_host": "https://m.example"}, {"remote_model": "x"}, {"owned_by": "cloud"}]
)
def test_a_model_that_its_server_marks_as_remote_is_told_nothing(
    server: ServerRig, marked: dict[str, Any]
) -> None:
    server.script({**KEEP, "model": marked})
    assert server.thinker().ask(THOUGHT, Stop()).result is Result.UNAVAILABLE
    assert server.told() == []


def test_a_socket_that_is_no_socket_or_not_ours_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "m.sock"
    file.write_text("x")
    thinker = Endpoint(f"unix:{file}", "fake")
    assert thinker.ask(THOUGHT, Stop()).result is Result.UNAVAILABLE
    if os.getuid() == 0:
        file.unlink()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(file))
            listener.listen()
            os.chown(file, 12345, 12345)
            assert thinker.ask(THOUGHT, Stop()).result is Result.UNAVAILABLE


def raw(answer: bytes, drip: bool = False) -> Iterator[int]:
    """A server that says *answer* to everything; *drip*: and then a byte at a time, for ever."""
    ends = threading.Event()

    def serve(listener: socket.socket) -> None:
        while True:
            try:
                one, _ = listener.accept()
            except OSError:
                return
            with one:
                one.recv(65536)
                try:
                    one.sendall(answer)
                    while drip and not ends.wait(0.05):
                        one.sendall(b"x")
                except OSError:
                    continue

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield listener.getsockname()[1]
        ends.set()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"no http",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nnull",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000,
    ],
)
def test_whatever_a_server_says_never_raises(answer: bytes) -> None:
    for port in raw(answer):
        said = Endpoint(f"http://127.0.0.1:{port}", "fake", None, 2.0).ask(THOUGHT, Stop())
        assert said.result in (Result.RUBBISH, Result.FAILED, Result.UNAVAILABLE)


def test_a_server_that_drips_is_cut_off_in_time() -> None:
    head = b"HTTP/1.1 404 no\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
    for port in raw(head[:20], drip=True):
        thinker = Endpoint(f"http://127.0.0.1:{port}", "fake", None, 1.0)
        done: list[Result] = []

        def ask(thinker: Endpoint = thinker, done: list[Result] = done) -> None:
            done.append(thinker.ask(THOUGHT, Stop()).result)

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        thread.join(12)
        assert not thread.is_alive()
        assert done[0] is not Result.ANSWERED


def test_a_hosted_endpoint_needs_the_owners_word_for_this_very_address(tmp_path: Path) -> None:
    rig = HostedRig(tmp_path)
    rig.script(KEEP)
    url = f"https://localhost:{rig.port}/v1"
    for agreed in (None, "", "https://other.example/v1", f"https://localhost:{rig.port}/v2"):
        thinker = Hosted(url, "fake", agreed, SECRET, 5.0, rig.trust)
        assert thinker.ask(THOUGHT, Stop()).result is Result.UNAVAILABLE
    assert rig.requests() == []
    assert Hosted(url, "fake", url, SECRET, 5.0).ask(THOUGHT, Stop()).result is Result.FAILED
    assert rig.told() == [], "a certificate that nobody vouches for"
    rig.close()


@pytest.mark.parametrize("url", ["http://m.example/v1", "https://u:p@m.example", "https://", "x"])
def test_a_hosted_endpoint_is_reached_by_tls_only(url: str) -> None:
    assert not is_hosted(url)
    assert not Hosted(url, "fake", url).ready()


def test_the_secret_is_sent_in_its_header_and_shown_nowhere(server: ServerRig) -> None:
    thinker = Endpoint(f"http://127.0.0.1:{server.port}/v1", "fake", SECRET)
    thinker.ask(Thought("judge", "s", "u", SCHEMA), Stop())
    assert SECRET not in repr(thinker)
    assert not any(SECRET in str(line) for line in server.requests())
    assert SECRET not in repr(Hosted("https://m.example", "m", None, SECRET))
