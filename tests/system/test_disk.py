"""Nothing that was said is readable on disk or in a process's arguments; all modes are tight."""

import json
import os
import stat
import uuid
from pathlib import Path

import pytest

from tests.decrypt import dump
from tests.machine import Machine, processes, wait_for

pytestmark = pytest.mark.slow


def everything(machine: Machine) -> dict[Path, bytes]:
    """Every file below the machine's folders that is not the test's own."""
    return {
        path: path.read_bytes()
        for folder in (machine.home, machine.user, machine.base / "t")
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def holding(machine: Machine, canary: str) -> list[str]:
    """Where *canary* stands: files (as UTF-8 or UTF-16) and processes."""
    forms = (canary.encode(), canary.encode("utf-16-le"))
    found = [
        str(path) for path, data in everything(machine).items() if any(f in data for f in forms)
    ]
    me = os.getpid()
    return found + [
        str(pid)
        for pid, (argv, env) in processes().items()
        if pid != me and (forms[0] in argv or forms[0] in env)
    ]


def say_everywhere(daemon: Machine, canary: str) -> None:
    """Bring *canary* in by every path there is, as a fact and as talk."""
    repository = daemon.work / "shop"
    if not repository.exists():
        daemon.repository("shop")
    daemon.remember(f"the owner keeps the word {canary}-api", project=str(repository))
    daemon.cli("remember", "-", given=f"the command keeps the word {canary}-cli", cwd=repository)
    for agent in ("claude-code", "codex"):
        session = daemon.session(agent, repository)
        session.start()
        session.prompt(f"remember that {agent} keeps the word {canary}-{agent}")
        session.prompt(f"which words are kept? {canary}")
        session.stop(f"I know {canary}")
        session.end()
    given = {"session_id": "s-hook", "cwd": str(repository), "prompt": f"remember that {canary}"}
    daemon.hook("claude-code", "UserPromptSubmit", given)
    daemon.recall(f"words {canary}")
    # Refusals and odd requests must not put it into the log either.
    daemon.call("POST", "/v1/facts", {"text": ["not a text", canary]})
    daemon.call("POST", f"/v1/facts/{canary}/retire", {"why": canary})
    daemon.call("POST", "/v1/recall", {"query": 5, "extra": canary})
    daemon.event("claude-code", "UserPromptSubmit", session_id="session-odd", prompt={"a": canary})
    odd = json.dumps({"prompt": canary}).encode()
    assert daemon.hook("claude-code", "UserPromptSubmit", odd).returncode == 0
    daemon.settled()


def test_nothing_that_was_said_is_readable_after_capture_crash_and_stop(daemon: Machine) -> None:
    canary = f"canary{uuid.uuid4().hex}"
    say_everywhere(daemon, canary)
    assert canary in dump(daemon.home), "it did come in"
    assert holding(daemon, canary) == []
    daemon.kill()
    assert holding(daemon, canary) == []
    daemon.up()
    say_everywhere(daemon, canary)
    daemon.cli("backup", str(daemon.home / "copy.db"))
    daemon.down()
    assert holding(daemon, canary) == []


def test_a_hook_leaves_nothing_readable_while_no_daemon_runs(daemon: Machine) -> None:
    canary = f"canary{uuid.uuid4().hex}"
    daemon.down()
    for event in ("UserPromptSubmit", "Stop", "SessionStart"):
        given = {"session_id": "s", "cwd": str(daemon.work), "prompt": canary}
        assert daemon.hook("codex", event, given).returncode == 0
    assert holding(daemon, canary) == []
    assert (daemon.home / "bin" / "undelivered").read_bytes() == b"xxx"


def test_a_planted_token_is_not_even_inside_the_decrypted_ledger(daemon: Machine) -> None:
    token = "ghp_" + "A" * 36
    say_everywhere(daemon, token)
    assert token not in dump(daemon.home)
    assert "[redacted:" in dump(daemon.home)
    daemon.down()
    assert holding(daemon, token) == []


def modes(folder: Path) -> dict[str, int]:
    return {
        str(path): stat.S_IMODE(path.lstat().st_mode)
        for path in [folder, *folder.rglob("*")]
        if not path.is_symlink()
    }


def test_all_folders_are_0700_and_all_files_0600_whatever_the_umask(machine: Machine) -> None:
    before = os.umask(0)
    try:
        machine.up()
    finally:
        os.umask(before)
    machine.remember("something to write")
    machine.settled()
    wait_for(lambda: (machine.home / "memory.db-wal").exists(), what="a write-ahead log")
    for path, mode in {**modes(machine.home), **modes(machine.user / ".config")}.items():
        runs = Path(path).is_dir() or path.endswith(("/bin/dormouse-hook", "/bin/dormouse-mcp"))
        if path == str(machine.user / ".config"):
            continue  # it may have been there, with a mode of its own
        assert mode == (0o700 if runs else 0o600), (path, oct(mode))
    assert stat.S_ISSOCK((machine.home / "dormouse.sock").stat().st_mode)


def test_the_ledger_is_not_a_readable_database(daemon: Machine) -> None:
    daemon.remember("something to write")
    for name in ("memory.db", "memory.db-wal"):
        assert not (daemon.home / name).read_bytes().startswith(b"SQLite format 3")


def test_what_is_private_is_nowhere(daemon: Machine) -> None:
    canary = f"canary{uuid.uuid4().hex}"
    session = daemon.session("codex", daemon.repository("shop"))
    session.prompt(f"remember that the wall is green <private>{canary}</private>")
    session.prompt(f"and <PRIVATE> the {canary} goes on")
    session.stop(f"I will not tell <private>{canary}</private>")
    daemon.settled()
    held = dump(daemon.home)
    assert "the wall is green" in held
    assert canary not in held


def test_nothing_is_kept_or_shown_below_a_dormouse_off_file(daemon: Machine) -> None:
    canary = f"canary{uuid.uuid4().hex}"
    repository = daemon.repository("shop")
    daemon.remember("the wall is green", project=str(repository))
    inner = repository / "secret" / "deep"
    inner.mkdir(parents=True)
    (repository / "secret" / ".dormouse-off").touch()
    session = daemon.session("claude-code", inner)
    shown = session.start() + session.prompt(f"remember {canary}. What colour is the wall?")
    session.stop(f"It is {canary}")
    daemon.settled()
    assert shown == ""
    assert canary not in dump(daemon.home)


def test_nothing_is_kept_once_a_dormouse_off_file_is_there(daemon: Machine) -> None:
    before, canary = (f"canary{uuid.uuid4().hex}" for _ in range(2))
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt(f"the wall is {before}")
    (repository / ".dormouse-off").touch()
    assert session.prompt(f"remember that the wall is {canary}") == ""
    (repository / ".dormouse-off").unlink()
    assert "the wall is green" in session.prompt("remember that the wall is green")
    daemon.settled()
    held = dump(daemon.home)
    assert before in held
    assert canary not in held
