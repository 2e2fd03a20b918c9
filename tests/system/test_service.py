"""The user service: units that systemd accepts, a socket it passes, and commands that use both."""

import json
import os
import plistlib
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dormouse_cli.managers import Launchd, Systemd
from dormouse_wire.client import Unreachable
from dormouse_wire.paths import Home
from tests.machine import Machine, wait_for

pytestmark = pytest.mark.slow

PLAYED = """#!/bin/sh
# A systemctl that notes what it is asked, and whether units are enabled and started.
shift
echo "$@" >> "$HOME/asked"
case "$1" in
  is-active) grep -qx "$3" "$HOME/active" 2>/dev/null ;;
  start) shift; for unit in "$@"; do echo "$unit" >> "$HOME/active"; done ;;
  enable) echo "$3" >> "$HOME/active" ;;
  stop|disable) : > "$HOME/active" ;;
esac
"""


def needs(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not on this machine: the service is not tried for real")
    return found


@pytest.fixture
def played(machine: Machine) -> Machine:
    """A machine whose service manager only writes down what it is asked."""
    if sys.platform != "linux":
        pytest.skip("systemd is played on Linux only")
    program = machine.bin / "systemctl"
    program.write_text(PLAYED)
    program.chmod(0o700)
    return machine


def asked(machine: Machine) -> list[str]:
    try:
        lines = (machine.user / "asked").read_text().splitlines()
    except FileNotFoundError:
        return []
    return [line for line in lines if not line.startswith(("is-active", "show-environment"))]


def units(machine: Machine) -> Path:
    return machine.user / ".config" / "systemd" / "user"


@contextmanager
def as_user(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Systemd]:
    monkeypatch.setenv("HOME", str(machine.user))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    yield Systemd(Home(machine.home))


def test_systemd_accepts_the_units_also_for_a_home_with_odd_letters(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = needs("systemd-analyze")
    for root in (machine.home, machine.base / 'a home 50% "of" $mine'):
        with as_user(machine, monkeypatch):
            made = Systemd(Home(root)).files()
        folder = tmp_path / root.name.replace(" ", "-").replace('"', "")
        folder.mkdir()
        for path, text in made.items():
            (folder / path.name).write_text(text)
        done = subprocess.run(
            [program, "--user", "verify", *map(str, sorted(folder.glob("dormouse*")))],
            capture_output=True,
            text=True,
            env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
            check=False,
        )
        ours = [line for line in done.stderr.splitlines() if "dormouse" in line]
        assert (done.returncode, ours) == (0, [])


def test_the_unit_holds_the_guards_of_the_security_page(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with as_user(machine, monkeypatch) as systemd:
        files = {path.suffix: text for path, text in systemd.files().items()}
    for line in (
        "Type=notify",
        "UMask=0077",
        "NoNewPrivileges=yes",
        "RestrictAddressFamilies=AF_UNIX",
        "MemoryMax=768M",
        "MemorySwapMax=0",
        "LimitCORE=0",
        "KillMode=control-group",
    ):
        assert line in files[".service"].splitlines()
    assert "SocketMode=0600" in files[".socket"].splitlines()
    assert f"ListenStream={machine.home}/dormouse.sock" in files[".socket"].splitlines()


def test_the_socket_that_systemd_passes_is_served_told_ready_and_left_to_systemd(
    machine: Machine,
) -> None:
    program = needs("systemd-socket-activate")
    machine.up()
    machine.down()
    path, told = machine.home / "dormouse.sock", machine.base / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(told))
        ear.settimeout(20)
        given = [f"--setenv={name}={machine.env[name]}" for name in ("HOME", "DORMOUSE_HOME")]
        given += [f"--setenv=NOTIFY_SOCKET={told}", "--listen", str(path)]
        systemd = subprocess.Popen(
            [program, *given, sys.executable, "-I", "-m", "dormouse.main"], env=machine.env
        )
        try:
            wait_for(path.exists, what="the socket")
            wait_for(lambda: answers(machine), what="the first request that starts it")
            assert ear.recv(64) == b"READY=1"
            assert machine.call("POST", "/v1/stop")[0] == 200
            assert ear.recv(64) == b"STOPPING=1"
            systemd.wait(20)
            assert path.exists(), "the socket is not ours to remove"
        finally:
            systemd.send_signal(signal.SIGTERM)
            systemd.wait(20)


def answers(machine: Machine) -> bool:
    try:
        return machine.call("GET", "/v1/health")[0] == 200
    except (Unreachable, OSError):
        return False


def test_install_writes_the_units_and_up_and_down_use_them(played: Machine) -> None:
    played.up()
    assert played.json("service", "status")["state"] == "not_installed"
    assert played.json("service", "install")["state"] == "installed"
    names = sorted(path.name for path in units(played).iterdir())
    (socket_unit,) = [name for name in names if name.endswith(".socket")]
    assert names == [socket_unit.replace(".socket", ".service"), socket_unit]
    assert asked(played) == ["daemon-reload", f"enable --now {socket_unit}"]
    assert not played.daemons(), "the one started by hand has made room"
    assert played.json("service", "status")["state"] == "listening"
    played.cli("down")
    assert asked(played)[-1] == f"stop {socket_unit} {names[0]}"
    assert (played.home / "bin" / "stopped").exists()
    played.cli("uninstall")
    assert list(units(played).iterdir()) == []


def test_an_endpoint_opens_loopback_and_its_end_closes_it_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.home.mkdir()
    with as_user(machine, monkeypatch) as systemd:
        settings = Home(machine.home).settings
        settings.write_text('[endpoint]\nurl = "http://127.0.0.1:11434"\n')
        systemd._write()
        (drop_in,) = units(machine).glob("*.service.d/endpoint.conf")
        assert "AF_UNIX AF_INET AF_INET6" in drop_in.read_text()
        settings.write_text('[endpoint]\n#url = ""\n')
        systemd._write()
        assert not drop_in.exists()


def test_without_a_manager_it_says_so_and_the_daemon_starts_on_demand(machine: Machine) -> None:
    machine.up()
    broken = machine.bin / "systemctl"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o700)
    assert machine.json("service", "install")["state"] == "no_manager"
    assert machine.json("service", "status")["state"] == "no_manager"
    assert "starts by itself" in machine.cli("service", "status").stdout
    assert not units(machine).exists()
    machine.kill()
    assert machine.json("facts") == []


def test_before_the_first_up_the_service_is_refused_with_what_to_do(machine: Machine) -> None:
    done = machine.cli("service", "install", check=False)
    assert done.returncode == 3
    assert "dormouse up" in done.stderr


def test_the_plist_starts_this_interpreter_for_this_home(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(machine.user))
    launchd = Launchd(Home(machine.base / "a & b <c>"))
    made = plistlib.loads(launchd.plist())
    assert made["ProgramArguments"] == [sys.executable, "-I", "-m", "dormouse.main"]
    assert made["EnvironmentVariables"] == {"DORMOUSE_HOME": str(machine.base / "a & b <c>")}
    assert made["Umask"] == 0o077
    assert made["HardResourceLimits"] == {"Core": 0}
    assert launchd.path.name == f"{launchd.label}.plist"
    assert json.dumps(made)
