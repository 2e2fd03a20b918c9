"""A thinker that is a program: alone, with nothing but its standard input, and gone afterwards."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dormouse.thinking import Result, Said, Stop, Thought, running
from dormouse_wire.hosts import THINKER_FOLDER, THINKER_MARKER
from tests.contract.rigs import ProgramRig, alive
from tests.machine import processes, wait_for

pytestmark = pytest.mark.slow

SCHEMA = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
CANARY = "canary-" + "5f1c" * 4
THOUGHT = Thought("judge", "You judge.", CANARY, SCHEMA, 100)
ANSWER = {"answer": {"x": "keep"}}


@pytest.fixture(params=["claude-code", "codex"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> ProgramRig:
    made = ProgramRig(request.param, tmp_path)
    made.script(ANSWER)
    return made


@pytest.fixture(autouse=True)
def nothing_is_left(way: ProgramRig) -> Iterator[None]:
    yield
    pids = [call["pid"] for call in way.seen()]
    wait_for(lambda: not any(map(alive, pids)), what="the end of the thinkers")
    folders = [Path(call["cwd"]).parent for call in way.seen()]
    wait_for(lambda: not any(folder.exists() for folder in folders), what="an empty place")


def ask(way: ProgramRig, timeout_s: float = 20.0) -> Said:
    return way.thinker(timeout_s).ask(THOUGHT, Stop())


def start(way: ProgramRig, timeout_s: float = 60.0) -> tuple[threading.Thread, list[Said]]:
    """A call in a thread of its own, begun."""
    said: list[Said] = []
    thread = threading.Thread(target=lambda: said.append(ask(way, timeout_s)))
    thread.start()
    wait_for(way.seen, what="the call")
    return thread, said


def test_the_text_stands_in_no_argument_environment_or_file(way: ProgramRig) -> None:
    way.script({**ANSWER, "sleep": 60})
    stop, said = Stop(), list[Said]()
    thread = threading.Thread(target=lambda: said.append(way.thinker().ask(THOUGHT, stop)))
    thread.start()
    (seen,) = wait_for(way.seen, what="the call")
    try:
        shown = [argv + b" " + env for argv, env in processes().values()]
        assert not any(CANARY.encode() in each for each in shown)
        assert CANARY not in json.dumps([seen["argv"], seen["env"], seen["around"]])
        found = [path for path in Path(seen["cwd"]).parent.rglob("*") if path.is_file()]
        assert not any(CANARY in path.read_text() for path in found)
    finally:
        stop.set()
        thread.join()
    assert CANARY in seen["given"]


def test_its_folder_is_empty_closed_and_bears_the_name_that_we_know(way: ProgramRig) -> None:
    ask(way)
    (seen,) = way.seen()
    folder = Path(seen["cwd"])
    assert folder.parent.name.startswith(THINKER_FOLDER)
    assert (seen["files"], seen["mode"]) == ([], "0o700")
    assert folder.parts[:2] in (("/", "run"), ("/", "dev")), "not in memory"


def test_it_inherits_nothing_but_what_it_needs_and_the_marker(
    way: ProgramRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "HTTP_PROXY", "DORMOUSE_HOME", "CLAUDECODE", "LD_PRELOAD_X"):
        monkeypatch.setenv(name, "x")
    ask(way)
    (seen,) = way.seen()
    assert seen["env"][THINKER_MARKER] == "1"
    known = {"HOME", "PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "PWD", "LC_CTYPE"}
    known |= {THINKER_MARKER, "CLAUDE_CODE_TMPDIR", "DISABLE_AUTOUPDATER", "SHLVL", "_"}
    known |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "OLDPWD", "CLAUDE_CODE_MAX_RETRIES"}
    assert set(seen["env"]) <= known
    assert seen["env"]["TMPDIR"].startswith(str(Path(seen["cwd"]).parent))


def test_what_it_forked_dies_with_it_even_in_a_session_of_its_own(way: ProgramRig) -> None:
    way.script({**ANSWER, "fork": True})
    assert ask(way).result is Result.ANSWERED
    children = json.loads((way.folder / "children.json").read_text())
    assert len(children) == 2
    wait_for(lambda: not any(map(alive, children)), what="the end of the children")


def test_one_that_never_reads_is_ended_in_time(way: ProgramRig) -> None:
    way.script({"deaf": True})
    thought = Thought("judge", "s", CANARY * 100_000, SCHEMA)
    began = time.monotonic()
    assert way.thinker(1.0).ask(thought, Stop()).result is Result.TIMEOUT
    assert time.monotonic() - began < 6


def test_one_that_never_stops_talking_is_cut_off(way: ProgramRig) -> None:
    way.script({"endless": True})
    assert ask(way).result is Result.RUBBISH


def test_one_that_is_killed_has_failed(way: ProgramRig) -> None:
    way.script({**ANSWER, "sleep": 60})
    thread, said = start(way)
    os.kill(way.seen()[0]["pid"], signal.SIGKILL)
    thread.join(10)
    assert said[0].result is Result.FAILED


def test_a_killed_supervisor_takes_its_thinker_along(way: ProgramRig) -> None:
    way.script({**ANSWER, "sleep": 60})
    thread, said = start(way)
    os.kill(way.seen()[0]["parent"], signal.SIGKILL)
    thread.join(10)
    assert said[0].result is Result.FAILED


@pytest.mark.parametrize(
    "raw", ["", "null", "[]", '"keep"', "{", '{"type":"result"', "\x00", "9" * 9999, "[" * 99999]
)
def test_whatever_it_prints_never_raises(way: ProgramRig, raw: str) -> None:
    way.script({"raw": raw})
    assert ask(way).result in (Result.RUBBISH, Result.FAILED)
    way.script({"raw": raw, "code": 3})
    assert ask(way).result in (Result.RUBBISH, Result.FAILED)


ASK = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from tests.contract.rigs import ProgramRig
from dormouse.thinking import Stop, Thought
way = ProgramRig({name!r}, Path({folder!r}))
way.thinker(60).ask(Thought("judge", "s", "x", {{"type": "object"}}), Stop())
"""


def test_a_thinker_dies_with_a_daemon_that_is_killed(way: ProgramRig) -> None:
    way.script({**ANSWER, "sleep": 60, "fork": True})
    code = ASK.format(path=sys.path, name=way.name, folder=str(way.folder))
    daemon = subprocess.Popen([sys.executable, "-c", code])
    wait_for(lambda: (way.folder / "children.json").exists(), what="the children")
    children = json.loads(wait_for(lambda: (way.folder / "children.json").read_text()))
    daemon.kill()
    daemon.wait()
    pids = [way.seen()[0]["pid"], *children]
    wait_for(lambda: not any(map(alive, pids)), within_s=5, what="the end of the thinker")


def test_a_program_that_others_may_write_is_not_run(tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    path = os.environ["PATH"]
    try:
        os.environ["PATH"] = str(tmp_path)
        assert running.find_program("claude") == program
        program.chmod(0o757)
        assert running.find_program("claude") != program
        os.environ["PATH"] = "."
        assert Path("claude") not in [running.find_program("claude")]
    finally:
        os.environ["PATH"] = path


def test_below_our_own_service_it_is_started_as_a_unit_of_its_own(tmp_path: Path) -> None:
    cgroup = tmp_path / "cgroup"
    cgroup.write_text("0::/user.slice/user@1000.service/app.slice/dormouse.service\n")
    assert running.in_service(cgroup)
    for other in ("0::/user.slice/user-1000.slice/session-2.scope\n", "0::/ssh.service\n", ""):
        cgroup.write_text(other)
        assert not running.in_service(cgroup)
    assert not running.in_service(tmp_path / "none")


def test_as_a_unit_it_gets_all_it_needs_on_standard_input(tmp_path: Path) -> None:
    stub = tmp_path / "systemd-run"
    stub.write_text(
        f'#!/bin/sh\necho "$@" > "{tmp_path}/asked"\n'
        'while [ "$1" != "--" ]; do shift; done\nshift\nexec env -i "$@"\n'
    )
    stub.chmod(0o700)
    with running.folder() as place:
        env = running.environment(place, {})
        env["PATH"] = f"{tmp_path}:{env['PATH']}"
        ran = running.run(
            ["/bin/cat"],
            CANARY.encode(),
            env=env,
            place=place,
            timeout_s=10,
            stop=Stop(),
            launch=running.launcher(service=True),
        )
    assert (ran.ended, ran.out) == ("done", CANARY.encode())
    asked = (tmp_path / "asked").read_text()
    assert "--user --pipe --wait --collect" in asked
    assert CANARY not in asked
