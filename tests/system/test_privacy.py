"""The privacy level in the daemon: it stands in the ledger, and nothing leaves below it."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.rigs import ServerRig
from tests.machine import Machine

pytestmark = pytest.mark.slow

OLDER = "releases need a sign-off from Maria"
NEWER = "Releases brauchen kein Sign-off von Maria mehr, das macht die CI"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerRig]:
    made = ServerRig(tmp_path)
    made.script({"answer": {"verdicts": [{"pair": 1, "verdict": "supersede"}]}})
    yield made
    made.close()


def level(machine: Machine) -> Any:
    return machine.ask("GET", "/v1/privacy")["level"]


def endpoint(machine: Machine, url: str, model: str = "fake") -> None:
    """Set the endpoint and start again."""
    machine.down()
    text = f'[endpoint]\nurl = "{url}"\nmodel = "{model}"\n'
    (machine.home / "config.toml").write_text(text)
    machine.up()


def wait_for_thinker(machine: Machine) -> None:
    machine.remember(OLDER, at="2026-01-01T10:00:00Z")
    machine.remember(NEWER)
    machine.settled()


def test_it_is_local_until_answered_and_status_says_so(daemon: Machine) -> None:
    shown = daemon.ask("GET", "/v1/privacy")
    assert (shown["level"], shown["answered"]) == ("local", False)
    assert {"part", "sends", "to"} <= set(shown["parts"][0])
    status = daemon.ask("GET", "/v1/health")
    assert status["privacy"] == "local"
    assert status["thinker"]["calls"] == {"used": 0, "cap": 40}
    assert status["thinker"]["tokens"] == {"used": 0, "cap": 200_000}


def test_the_owner_raises_an_agent_only_lowers_and_it_outlives_a_restart(daemon: Machine) -> None:
    assert daemon.call("POST", "/v1/privacy", {"level": "agents"}, agent="codex")[0] == 403
    assert daemon.call("POST", "/v1/privacy", {"secret": "x"}, agent="codex")[0] == 403
    assert level(daemon) == "local"
    assert daemon.ask("POST", "/v1/privacy", {"level": "agents"})["level"] == "agents"
    daemon.down()
    daemon.up()
    assert daemon.ask("GET", "/v1/health")["privacy"] == "agents"
    assert daemon.call("POST", "/v1/privacy", {"level": "local"}, agent="codex")[0] == 200
    assert level(daemon) == "local"


@pytest.mark.parametrize("body", [{}, {"level": "all"}, {"level": 1}, {"level": None}])
def test_anything_but_a_level_is_a_bad_request(daemon: Machine, body: Any) -> None:
    assert daemon.call("POST", "/v1/privacy", body)[0] == 400
    assert level(daemon) == "local"


def test_hosted_means_the_endpoint_of_that_day_and_no_other(daemon: Machine) -> None:
    assert daemon.call("POST", "/v1/privacy", {"level": "hosted"})[0] == 400
    endpoint(daemon, "https://models.example/v1")
    daemon.ask("POST", "/v1/privacy", {"level": "hosted"})
    rows = {row["part"]: row for row in daemon.ask("GET", "/v1/privacy")["parts"]}
    assert rows["hosted endpoint"]["to"] == "https://models.example/v1"
    endpoint(daemon, "https://other.example/v1")
    assert daemon.call("POST", "/v1/privacy", {"level": "hosted"}, agent="codex")[0] == 403


def test_a_local_endpoint_thinks_at_level_local_and_the_judge_command_asks_it(
    daemon: Machine, server: ServerRig
) -> None:
    endpoint(daemon, f"http://127.0.0.1:{server.port}/v1")
    said = daemon.json("judge", OLDER, NEWER, "--level", "local")
    assert (said["verdict"], said["judge"]) == ("supersede", "thinker:1:endpoint")
    assert not daemon.json("judge", OLDER, NEWER)["judge"].startswith("thinker")
    refused = daemon.cli("judge", OLDER, NEWER, "--level", "agents", check=False)
    assert refused.returncode == 5
    pairs = [{"id": "1", "older": OLDER, "newer": NEWER}]
    asked = {"pairs": pairs, "level": "local"}
    assert daemon.call("POST", "/v1/judge", asked, agent="codex")[0] == 403


@pytest.mark.parametrize("url", ["http://localhost:{port}/v1", "http://127.0.0.1:{port}/v1"])
def test_names_proxies_and_redirects_are_no_way_out_at_level_local(
    machine: Machine, server: ServerRig, tmp_path_factory: pytest.TempPathFactory, url: str
) -> None:
    trap = ServerRig(tmp_path_factory.mktemp("trap"))
    trap.script({"answer": {"verdicts": [{"pair": 1, "verdict": "supersede"}]}})
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        machine.env[name] = f"http://127.0.0.1:{trap.port}"
    where = f"http://127.0.0.1:{trap.port}/v1/chat/completions"
    server.script({"answer": {}, "status": 307, "location": where})
    machine.up()
    endpoint(machine, url.format(port=server.port))
    wait_for_thinker(machine)
    machine.ask("POST", "/v1/rem/runs", {"wait": True})
    assert trap.requests() == []
    assert len(machine.facts()) == 2
    if "localhost" in url:
        assert server.requests() == []
    trap.close()


def test_the_recorded_request_holds_the_redacted_pair_and_nothing_else_of_the_memory(
    daemon: Machine, server: ServerRig
) -> None:
    endpoint(daemon, f"http://127.0.0.1:{server.port}/v1")
    secret = "ghp_" + "C" * 36
    daemon.remember("the vault is at canary-1.example")
    daemon.remember(f"{OLDER} (key {secret})", at="2026-01-01T10:00:00Z")
    daemon.remember(NEWER)
    daemon.settled()
    daemon.ask("POST", "/v1/rem/runs", {"wait": True})
    sent = json.dumps(server.requests())
    assert OLDER in sent
    assert NEWER in sent
    assert secret not in sent
    assert "canary-1" not in sent
    for file in daemon.home.rglob("*"):
        if file.is_file():
            assert NEWER.encode() not in file.read_bytes(), file


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("strace"), reason="no strace")
def test_a_trace_of_the_daemon_shows_no_connection_beyond_this_machine(machine: Machine) -> None:
    machine.up()
    endpoint(machine, "http://models.example:80/v1")
    (pid,) = machine.daemons()
    log = machine.base / "trace"
    trace = subprocess.Popen(
        ["strace", "-f", "-e", "trace=connect", "-o", str(log), "-p", str(pid)],
        stderr=subprocess.DEVNULL,
        env=os.environ,
    )
    wait_for_thinker(machine)
    machine.ask("POST", "/v1/rem/runs", {"wait": True})
    trace.terminate()
    trace.wait()
    assert "AF_INET" not in log.read_text()
