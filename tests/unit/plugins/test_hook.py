"""The hook program as agents run it: it brings an event, prints the answer and does no harm."""

import ast
import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dormouse_plugins import hook
from dormouse_wire import launch
from dormouse_wire.hosts import HOSTS
from dormouse_wire.paths import Home
from tests.unit.plugins.dummy import (
    answer,
    daemon,
    make_home,
    recording_python,
    run_hook,
    wait_for,
)

SLACK_S = 1.5  # for starting a process on a busy machine
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "a home with 'quotes' and \"spaces\"" / ".dormouse")


def names(home: Home) -> set[str]:
    return {path.name for path in home.root.iterdir()} | {path.name for path in home.bin.iterdir()}


UNTOUCHED = {"bin", "dormouse-hook", "dormouse-mcp", "hook.py", "hook_start.py", "__pycache__"}


# One round trip


def test_it_prints_exactly_what_the_daemon_answers(home: Home) -> None:
    context = '{"hookSpecificOutput": {"additionalContext": "grüße 记住 😀"}}\n'.encode()
    event = b'{"prompt": "raw \xff\xfe bytes \\ud83d"}'
    with daemon(home, answer("200 OK", context)) as seen:
        run = run_hook(home, "claude-code", "UserPromptSubmit", body=event)
    assert (run.code, run.out, run.err) == (0, context, b"")
    (request,) = seen.requests
    assert request.startswith(b"POST /hooks/claude-code/UserPromptSubmit HTTP/1.1\r\n")
    assert request.endswith(b"\r\n\r\n" + event)
    assert names(home) == {*UNTOUCHED, "dormouse.sock"}


def test_an_answer_in_pieces_and_a_large_one_are_printed_whole(home: Home) -> None:
    context = b"x" * 300_000
    with daemon(home, answer("200 OK", context, "server: x")):
        assert run_hook(home, "codex", "SessionStart").out == context


@pytest.mark.parametrize("event", hook.SILENT)
def test_nothing_is_printed_where_an_agent_would_go_on_by_itself(home: Home, event: str) -> None:
    with daemon(home, answer("200 OK", b'{"decision": "block"}')) as seen:
        run = run_hook(home, "claude-code", event)
    assert (run.code, run.out, len(seen.requests)) == (0, b"", 1)


@pytest.mark.parametrize(
    "reply",
    [
        answer("404 Not Found", b"text"),
        answer("204 No Content", b""),
        answer("500 Oops", b"trace"),
        answer("423 Locked", b"text"),
        b"",
        b"\xff\xfe garbage",
        b"SSH-2.0-x\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\n\r\nno length",
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"HTTP/1.1\r\n\r\n",
        b"x" * (3 * 2**20),
    ],
)
def test_anything_but_a_whole_answer_of_status_200_is_not_printed(home: Home, reply: bytes) -> None:
    with daemon(home, reply):
        run = run_hook(home, "claude-code", "UserPromptSubmit")
    assert (run.code, run.out, run.err) == (0, b"", b"")


def test_a_home_deeper_than_a_sockets_address_works(tmp_path: Path) -> None:
    home = make_home(tmp_path / ("deep" * 20) / ("deeper" * 10) / ".dormouse")
    assert len(os.fsencode(home.socket)) > 107
    with daemon(home, answer("200 OK", b"found")):
        assert run_hook(home, "claude-code", "UserPromptSubmit").out == b"found"


PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_five_mebibytes_pass_quickly_within_little_memory_and_in_no_argument(home: Home) -> None:
    token = ("ghp_" + "A" * 36).encode()
    event = b'{"tool_response": "' + b"x" * (5 * 2**20) + token + b'"}'
    with daemon(home, answer("200 OK", b"")) as seen:
        command = [str(home.bin / "dormouse-hook"), "claude-code", "PostToolUse"]
        # From a small parent: a child's peak counts what it shared with its parent at its birth.
        small = [sys.executable, "-I", "-S", "-c", PEAK, *command]
        said = subprocess.run(small, input=event, capture_output=True, check=True).stdout
    status, peak = said.split()
    assert int(status) == 0
    assert seen.requests[0].endswith(event)
    assert int(peak) * 1024 < 80 * 2**20  # of the wrapper and of what it ran


def test_more_than_the_daemon_takes_is_not_sent_and_counted(home: Home) -> None:
    with daemon(home, answer("200 OK", b"")) as seen:
        run = run_hook(home, "codex", "PostToolUse", body=b"x" * (9 * 2**20))
    assert (run.code, run.out, seen.requests) == (0, b"", [])
    assert home.undelivered.read_bytes() == b"x"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("claude-code",),
        ("claude-code", "Stop", "more"),
        ("unknown-agent", "Stop"),
        ("claude-code", "../../v1/stop"),
        ("claude-code", "Stop HTTP/1.1\r\nDormouse: x"),
        ("claude-code", ""),
        ("claude-code", "Stöp"),
    ],
)
def test_a_wrong_call_sends_nothing(home: Home, arguments: tuple[str, ...]) -> None:
    with daemon(home, answer("200 OK", b"text")) as seen:
        run = run_hook(home, *arguments)
    assert (run.code, run.out, run.err, seen.connections) == (0, b"", b"", 0)


def test_it_is_silent_in_a_thinker(home: Home) -> None:
    with daemon(home, answer("200 OK", b"text")) as seen:
        run = run_hook(home, "claude-code", "UserPromptSubmit", env={"DORMOUSE_THINKER": "1"})
    assert (run.code, run.out, seen.connections) == (0, b"", 0)
    assert names(home) == {*UNTOUCHED, "dormouse.sock"}


# Deadlines


@pytest.mark.parametrize(
    ("event", "deadline_s"), [("UserPromptSubmit", 1.5), ("SessionStart", 3.0), ("Stop", 1.0)]
)
def test_a_daemon_that_never_answers_costs_no_more_than_the_deadline(
    home: Home, event: str, deadline_s: float
) -> None:
    home.keyslots.write_text("{}")
    with daemon(home, None) as seen:
        before = home.socket.stat()
        run = run_hook(home, "claude-code", event)
        assert home.socket.stat().st_ino == before.st_ino
    assert (run.code, run.out, run.err, seen.connections) == (0, b"", b"", 1)
    assert run.took_s < deadline_s + SLACK_S
    assert not home.lock.exists()  # nothing was started
    assert home.undelivered.read_bytes() == b"c"


def test_a_stdin_that_stays_open_costs_no_more_than_the_deadline(home: Home) -> None:
    with daemon(home, answer("200 OK", b"text")) as seen:
        process = subprocess.Popen(
            [home.bin / "dormouse-hook", "claude-code", "Stop"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            assert process.wait(1.0 + SLACK_S) == 0
        finally:
            process.communicate()
    assert seen.requests == []


def test_no_stdin_and_no_stdout_at_all_do_no_harm(home: Home) -> None:
    with daemon(home, answer("200 OK", b"text")) as seen:
        script = '"$0" claude-code UserPromptSubmit <&- >&-'
        command = ["sh", "-c", script, str(home.bin / "dormouse-hook")]
        done = subprocess.run(command, capture_output=True, check=False, timeout=10)
    assert (done.returncode, done.stderr) == (0, b"")
    assert seen.requests[0].endswith(b"\r\n\r\n")


def test_deadlines_lie_below_the_hosts_own_timeouts() -> None:
    for host in HOSTS.values():
        units = {"s": 1, "ms": 1_000}[host.timeout_unit]
        for event in host.events:
            deadline = hook.DEADLINES_S.get(event.name, hook.DEADLINE_S)
            assert deadline * units < event.timeout


# No daemon


def test_without_a_daemon_every_event_ends_well_and_is_counted(home: Home) -> None:
    off = {"DORMOUSE_AUTOSTART": "0"}
    runs = [run_hook(home, "codex", event, env=off) for event in EVENTS for _ in range(10)]
    assert {(run.code, run.out, run.err) for run in runs} == {(0, b"", b"")}
    times = sorted(run.took_s for run in runs)
    assert times[len(times) // 2] < 0.5
    assert min(run.took_s for run in runs[-10:]) < 2 * times[len(times) // 2]
    assert home.undelivered.read_bytes() == b"x" * 70
    assert home.undelivered.stat().st_mode & 0o777 == 0o600
    assert names(home) == {*UNTOUCHED, "undelivered"}


def test_what_the_daemon_has_is_not_counted_and_what_it_could_not_write_is(home: Home) -> None:
    replies = [
        answer("200 OK", b""),
        answer("404 Not Found", b""),
        answer("423 Locked", b""),
        answer("507 Full", b""),
        b"garbage",
    ]
    with daemon(home, *replies):
        for letters in (0, 0, 1, 2, 3):
            run_hook(home, "claude-code", "Stop")
            counted = home.undelivered.stat().st_size if home.undelivered.exists() else 0
            assert counted == letters


def test_counting_stops_at_64_kib_and_follows_no_link(home: Home, tmp_path: Path) -> None:
    home.undelivered.write_bytes(b"c" * hook.UNDELIVERED_LIMIT)
    run_hook(home, "claude-code", "Stop")
    assert home.undelivered.stat().st_size == hook.UNDELIVERED_LIMIT
    home.undelivered.unlink()
    elsewhere = tmp_path / "elsewhere"
    home.undelivered.symlink_to(elsewhere)
    run_hook(home, "claude-code", "Stop")
    assert not elsewhere.exists()
    home.undelivered.unlink()
    os.mkfifo(home.undelivered)
    assert run_hook(home, "claude-code", "Stop").code == 0


# Starting a daemon


@pytest.fixture
def starting(tmp_path: Path) -> Iterator[Home]:
    """A home with a store, whose interpreter knows a daemon that tells how it was started."""
    home = make_home(tmp_path / "h o m e", recording_python(tmp_path / "venv"))
    home.keyslots.write_text("{}")
    yield home
    (home.root / "enough").touch()


def started(home: Home) -> list[Path]:
    return sorted(home.root.glob("started-*[0-9]"))


def test_it_starts_a_daemon_as_every_other_client_does(starting: Home) -> None:
    run = run_hook(
        starting, "claude-code", "SessionStart", env={"DORMOUSE_NOW": "2026-06-01", "LANG": "C"}
    )
    assert (run.code, run.out, run.err) == (0, b"", b"")
    assert wait_for(lambda: bool(started(starting)))
    told = json.loads(started(starting)[0].read_text())
    assert told["env"]["DORMOUSE_HOME"] == str(starting.root)
    assert told["env"]["DORMOUSE_NOW"] == "2026-06-01"
    assert "AGENT_TOKEN" not in told["env"]
    assert told["isolated"] and told["lock"] and told["cwd"] == "/"
    assert told["session"] == told["pid"]
    assert set(told["files"]) <= {0, 1, 2, 3, int(told["env"]["DORMOUSE_LOCK_FD"])}
    assert starting.undelivered.read_bytes() == b"c"


def test_it_does_not_wait_for_the_daemon_it_started(starting: Home) -> None:
    run = run_hook(starting, "claude-code", "SessionStart")
    assert wait_for(lambda: bool(started(starting)))
    assert run.took_s < 3.0  # the daemon stays for 10 s


def test_thirty_hooks_at_once_start_one_daemon(starting: Home) -> None:
    starting.socket.write_bytes(b"")
    command = [str(starting.bin / "dormouse-hook"), "claude-code", "UserPromptSubmit"]
    hooks = [subprocess.Popen(command, stdin=subprocess.DEVNULL) for _ in range(30)]
    assert {process.wait(20) for process in hooks} == {0}
    assert wait_for(lambda: bool(started(starting)))
    assert len(started(starting)) == 1
    assert starting.undelivered.read_bytes() == b"c" * 30


@pytest.mark.parametrize("reason", ["stopped", "noautostart", "environment", "no store", "lock"])
def test_it_starts_nothing_where_none_is_wanted(starting: Home, reason: str) -> None:
    if reason == "no store":
        starting.keyslots.unlink()
    elif reason in ("stopped", "noautostart"):
        (starting.bin / reason).touch()
    env = {"DORMOUSE_AUTOSTART": "0"} if reason == "environment" else {}
    with starting.lock.open("w") as lock:
        if reason == "lock":
            fcntl.flock(lock, fcntl.LOCK_EX)
        run = run_hook(starting, "claude-code", "SessionStart", env=env)
    assert (run.code, run.out) == (0, b"")
    assert not wait_for(lambda: bool(started(starting)), 0.3)
    assert starting.undelivered.read_bytes() == b"c"


# What it is made of


def test_it_agrees_with_the_table_of_hosts_and_with_launch() -> None:
    assert {name: letter.decode() for name, letter in hook.LETTERS.items()} == {
        host.id: host.letter for host in HOSTS.values()
    }
    assert len(set(hook.LETTERS.values())) == len(hook.LETTERS)
    assert (hook.KEPT, hook.LOCK_FD) == (launch.KEPT, launch.LOCK_FD)


def test_it_imports_nothing_but_a_few_small_parts_of_the_standard_library() -> None:
    tree = ast.parse(Path(hook.__file__).read_text())
    named = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    rare = {"fcntl", "subprocess"}
    other_pythons = {"os", "signal", "socket"}
    assert named == {"sys", "time", "_signal", "_socket", "posix"} | other_pythons | rare


def test_the_usual_way_loads_nothing_large(home: Home) -> None:
    program = str(home.bin / "hook.py")
    command = [sys.executable, "-I", "-S", "-X", "importtime", program, "claude-code", "Stop"]
    with daemon(home, answer("200 OK", b"")):
        done = subprocess.run(command, input=b"{}", capture_output=True, check=True)
    loaded = {line.split("|")[-1].strip() for line in done.stderr.decode().splitlines()}
    assert "_socket" in loaded
    assert not loaded & {"json", "argparse", "socket", "subprocess", "enum", "re", "typing", "os"}


def test_it_runs_on_pythons_without_the_private_parts(home: Home) -> None:
    program = str(home.bin / "hook.py")
    driver = (
        "import builtins, sys\n"
        "real = builtins.__import__\n"
        "def blocked(name, globals=None, *rest, **more):\n"
        "    if name == '_signal' and (globals or {}).get('__name__') == '__main__':\n"
        "        raise ImportError(name)\n"
        "    return real(name, globals, *rest, **more)\n"
        "builtins.__import__ = blocked\n"
        f"sys.argv = [{program!r}, 'claude-code', 'UserPromptSubmit']\n"
        "exec(compile(open(sys.argv[0]).read(), 'hook.py', 'exec'))\n"
    )
    with daemon(home, answer("200 OK", b"text")):
        command = [sys.executable, "-I", "-S", "-c", driver]
        done = subprocess.run(command, input=b"{}", capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"text", b"")
