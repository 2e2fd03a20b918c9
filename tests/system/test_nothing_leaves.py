"""At level local nothing leaves the machine: no route to it is needed, no connection is tried.

The daemon runs in a network namespace that has a loopback and nothing else, and is traced.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dormouse_wire.client import Unreachable
from tests.clients import fake_model
from tests.machine import Machine, wait_for

pytestmark = pytest.mark.slow

PROXY = "http://192.0.2.7:3128"  # an address for documentation: nobody is there
TRAPS = dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"), PROXY)
INET = re.compile(r'htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"')
UNIX = re.compile(r"AF_UNIX|AF_LOCAL")


def needs(*programs: str) -> list[str]:
    """The programs' paths; a test is skipped, aloud, where one is missing or may not work."""
    found = [shutil.which(program) for program in programs]
    if None in found:
        pytest.skip(f"{programs[found.index(None)]} is not on this machine: nothing is traced")
    if subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace may be made here")
    return [str(path) for path in found]


class Traced:
    """A daemon that only sees a loopback, and each connection that it tries.

    *beside*: a shell command that runs on that loopback, too.
    """

    def __init__(self, machine: Machine, beside: str = "") -> None:
        unshare, strace, ip = needs("unshare", "strace", "ip")
        machine.up()
        machine.down()
        (machine.home / "bin" / "stopped").unlink()
        self.machine, self.log = machine, machine.base / "trace"
        python = f'exec "{sys.executable}" -I -m dormouse.main'
        trace = f'"{strace}" -f -qq -e trace=connect,sendto,sendmsg,socket -o "{self.log}"'
        also = f"{beside} >/dev/null 2>&1 </dev/null & other=$!;" if beside else "other=;"
        end = "[ -z $other ] || kill $other"
        script = f"\"{ip}\" link set lo up; {also} {trace} sh -c '{python}'; {end}"
        self.process = subprocess.Popen(
            [unshare, "-n", "sh", "-c", script],
            env={**machine.env, **TRAPS, "DORMOUSE_HOME": str(machine.home)},
            stdin=subprocess.DEVNULL,
        )
        try:
            wait_for(self._answers, within_s=60, what="the traced daemon")
        except BaseException:
            self.kill()
            raise

    def _answers(self) -> bool:
        try:
            return self.machine.call("GET", "/v1/health")[0] == 200
        except (Unreachable, OSError):
            return False

    def kill(self) -> None:
        if self.process.poll() is None:
            self.machine.kill()
            self.process.wait(60)

    def end(self) -> list[str]:
        """Stop it; the calls that reached for anything but a Unix socket."""
        return [line for line in self.calls() if reaches_out(line)]

    def calls(self) -> list[str]:
        """Stop it; every call that was traced."""
        self.machine.call("POST", "/v1/stop")
        self.process.wait(60)
        lines = self.log.read_text(errors="replace").splitlines()
        calls = [line for line in lines if "(" in line and "+++" not in line]
        assert any("socket(" in line for line in calls), "the trace saw nothing at all"
        return calls


def reaches_out(line: str) -> bool:
    """Whether a traced call makes or uses a socket that could leave the machine."""
    if "socket(" in line:
        return "AF_INET" in line or "AF_PACKET" in line
    if "connect(" in line or "sa_family" in line:
        return "sa_family" in line and not UNIX.search(line)
    return False


@pytest.fixture
def traced(machine: Machine) -> Iterator[Traced]:
    traced = Traced(machine)
    yield traced
    traced.kill()


def a_day(machine: Machine) -> None:
    """What an ordinary day asks of a daemon: prompts, recall, doctor, a night, a backup."""
    folder = machine.repository("shop")
    machine.git(folder, "remote", "add", "origin", "https://git.example.invalid/shop.git")
    session = machine.session("claude-code", folder)
    session.start()
    session.prompt("remember that the staging server is at staging.example.com")
    session.prompt("the staging server moved to https://10.0.0.9/login")
    session.prompt("where is the staging server?")
    session.end()
    machine.settled()
    assert machine.recall("staging server", project=str(folder))
    run = machine.ask("POST", "/v1/rem/runs", {"wait": True})
    assert (run["state"], run["thinker_calls"]) == ("done", 0)
    machine.ask("GET", "/v1/doctor")


@pytest.mark.slow
def test_a_day_and_a_night_try_no_connection_beyond_unix_sockets(traced: Traced) -> None:
    a_day(traced.machine)
    assert traced.end() == []


@pytest.mark.slow
def test_a_host_name_that_means_loopback_is_refused_before_it_is_looked_up(
    machine: Machine,
) -> None:
    machine.up()
    machine.down()
    settings = machine.home / "config.toml"
    settings.write_text('[endpoint]\nurl = "http://localhost:9/v1"\nmodel = "m"\n')
    traced = Traced(machine)
    try:
        a_day(machine)
        assert traced.end() == []
    finally:
        traced.kill()


def test_an_endpoint_that_redirects_is_not_followed_and_no_proxy_is_asked(
    machine: Machine, tmp_path: Path
) -> None:
    machine.up()
    machine.down()
    port, log, plan = 8399, tmp_path / "requests", tmp_path / "script"
    where = f"{PROXY}/v1/chat/completions"
    plan.write_text(json.dumps({"answer": {}, "status": 307, "location": where}))
    settings = machine.home / "config.toml"
    settings.write_text(f'[endpoint]\nurl = "http://127.0.0.1:{port}/v1"\nmodel = "m"\n')
    model = f'"{sys.executable}" "{fake_model.__file__}" --port {port}'
    traced = Traced(machine, f'{model} --log "{log}" --script "{plan}"')
    try:
        machine.remember("releases need a sign-off from Maria", at="2026-01-01T10:00:00Z")
        machine.remember("Releases brauchen kein Sign-off von Maria mehr, das macht die CI")
        machine.settled()
        run = machine.ask("POST", "/v1/rem/runs", {"wait": True})
        assert run["settled"]["supersede"] == 0
        assert log.exists(), "the endpoint itself was asked"
        reached = {to for line in traced.calls() for to in INET.findall(line)}
        assert reached == {(str(port), "127.0.0.1")}
    finally:
        traced.kill()


def test_no_module_of_the_daemon_but_thinking_can_speak_http() -> None:
    """The one door is a matter of imports, too (see the contracts in pyproject.toml)."""
    root = Path(__file__).parents[2] / "daemon" / "dormouse"
    if not root.exists():
        pytest.skip("the sources are not here: the suite runs against the built wheel")
    clients = re.compile(r"^\s*(?:from|import) (?:http\.client|urllib\.request|httpx|ssl)\b", re.M)
    found = {
        path.relative_to(root).parts[0]
        for path in root.rglob("*.py")
        if clients.search(path.read_text("utf-8"))
    }
    assert found <= {"thinking"}
