"""Status and doctor: what they say with a daemon and without, and which exit code that is."""

import pytest

from dormouse_wire.paths import Home
from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import Dummy, status
from tests.unit.cli.test_reaching import silent


@pytest.mark.parametrize(
    ("state", "code"), [("ok", 0), ("consolidating", 0), ("degraded", 1), ("locked", 6)]
)
def test_the_state_decides_the_exit_code(daemon: Dummy, run: Run, state: str, code: int) -> None:
    daemon.script("GET /v1/health", status(state=state))
    said = run("status", "--json")
    assert (said.code, said.json, said.err) == (code, status(state=state), "")
    assert run("status").out.startswith(f"{state}  dormouse 9.9.9")


def test_a_missing_daemon_is_named_and_undelivered_events_are_counted(
    startable: Home, run: Run
) -> None:
    home = startable
    home.undelivered.write_bytes(b"c" * 70)
    said = run("status")
    assert said.code == 3
    assert said.err == (f"dormouse: No daemon is running at {home.socket}. Run `dormouse up`.\n")
    assert "70 events" in said.out
    assert run("status", "--json").json["undelivered"] == 70


def test_without_a_daemon_the_keys_are_those_of_the_contract(home: Home, run: Run) -> None:
    said = run("status", "--json").json

    def shape(value: object) -> object:
        if not isinstance(value, dict):
            return None
        return {name: shape(below) for name, below in value.items()}

    assert shape(said) == shape(status())
    assert said["state"] == "down"
    assert said["facts"] == {"current": None, "retired": None}


def test_a_silent_daemon_is_not_answering(home: Home, run: Run) -> None:
    with silent(home.socket):
        said = run("status", "--json")
    assert (said.code, said.json["state"]) == (3, "not_answering")
    assert str(home.socket) in said.err


def test_what_waits_and_what_warns_is_said(daemon: Dummy, run: Run) -> None:
    agents = {
        "codex": {"connected": True, "last_event": None, "trusted": False},
        "claude-code": {"connected": True, "last_event": "2026-06-01T10:00:00", "trusted": True},
        "gemini": {"connected": False, "last_event": None, "trusted": False},
    }
    daemon.script("GET /v1/health", status(agents=agents, warnings=["the disk is nearly full"]))
    out = run("status").out
    assert "12 current, 3 retired" in out
    assert "1 question, 2 candidates" in out
    assert "codex            waiting for your approval" in out
    assert "claude-code      connected, last event 2026-06-01 10:00" in out
    assert "the disk is nearly full" in out


def test_doctor_joins_its_own_checks_with_the_daemons(daemon: Dummy, home: Home, run: Run) -> None:
    for name in ("dormouse-hook", "hook.py", "hook_start.py"):
        (home.bin / name).write_text("")
        (home.bin / name).chmod(0o700)
    good = {"check": "integrity", "ok": True, "detail": "the file is whole", "fix": None}
    daemon.script("GET /v1/doctor", [good])
    said = run("doctor", "--json")
    assert said.code == 0
    assert [check["check"] for check in said.json] == [
        "set up",
        "folder",
        "hook program",
        "daemon",
        "service",
        "integrity",
    ]
    assert all(check["ok"] for check in said.json)
    bad = {"check": "disk", "ok": False, "detail": "1 MB free", "fix": "Free some space."}
    daemon.script("GET /v1/doctor", [good, bad])
    said = run("doctor")
    assert said.code == 1
    assert "!!  disk: 1 MB free\n    Free some space." in said.out


def test_doctor_without_a_daemon_still_checks_what_it_can(home: Home, run: Run) -> None:
    home.root.chmod(0o755)
    said = run("doctor", "--json")
    assert said.code == 3
    found = {check["check"]: check for check in said.json}
    assert not found["folder"]["ok"]
    assert "chmod 700" in found["folder"]["fix"]
    assert not found["hook program"]["ok"]
    assert not found["daemon"]["ok"]
    home.root.chmod(0o700)


def test_doctor_of_a_locked_memory_says_how_to_open_it(daemon: Dummy, run: Run) -> None:
    daemon.script("GET /v1/health", status(state="locked"))
    daemon.fail("GET /v1/doctor", 423, "locked", "The memory is locked.", "Run `dormouse unlock`.")
    said = run("doctor")
    assert said.code == 6
    assert "Run `dormouse unlock`." in said.out


def test_doctor_of_a_locked_memory_names_no_command_that_the_daemon_does_not(
    daemon: Dummy, run: Run
) -> None:
    daemon.script("GET /v1/health", status(state="locked"))
    hint = "Others may read its key file /k (mode 0644), so it is not used. Run `chmod 600 /k`."
    daemon.fail("GET /v1/doctor", 423, "locked", "The memory is locked.", hint)
    found = {check["check"]: check for check in run("doctor", "--json").json}
    assert found["daemon"]["fix"] == hint
    assert "dormouse unlock" not in run("doctor").out


def test_a_daemon_without_a_status_is_degraded_and_doctor_goes_on(daemon: Dummy, run: Run) -> None:
    daemon.fail("GET /v1/health", 500, "failed", "Something went wrong.", "See `dormouse doctor`.")
    said = run("status")
    assert said.code == 1
    assert said.out.startswith("degraded")
    assert "Something went wrong." in said.out
    daemon.script("GET /v1/doctor", [{"check": "disk", "ok": True, "detail": "x", "fix": None}])
    said = run("doctor")
    assert said.code == 1
    assert "ok  disk: x" in said.out
