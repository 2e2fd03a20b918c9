"""The shell wrapper: whatever is wrong behind it, nothing but success comes out."""

import subprocess
import sys
from pathlib import Path

import pytest

from dormouse_plugins.bin import command_prefix, quoted, wrapper_text, write_bin, write_whole
from dormouse_wire.paths import Home
from tests.unit.plugins.dummy import answer, daemon, make_home, run_hook


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_bin_is_closed_to_others_and_written_over_an_older_one(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "/old/python")
    (home.bin / "hook.py").write_text("old")
    (home.bin / "hook.py").chmod(0o644)
    write_bin(home, "/new/python")
    assert "/new/python" in (home.bin / "dormouse-hook").read_text()
    assert (home.bin / "hook.py").read_text() != "old"
    assert (mode(home.bin), mode(home.bin / "dormouse-hook")) == (0o700, 0o700)
    assert mode(home.bin / "hook.py") == 0o600
    assert sorted(path.name for path in home.bin.iterdir()) == [
        "__pycache__",
        "dormouse-hook",
        "dormouse-mcp",
        "hook.py",
        "hook_start.py",
    ]


def test_the_hook_program_is_run_as_it_was_compiled(tmp_path: Path) -> None:
    """Compiling it with every event would cost a fifth of what the interpreter's start does."""
    home = make_home(tmp_path / "home")
    (compiled,) = (home.bin / "__pycache__").iterdir()
    assert (mode(compiled.parent), mode(compiled)) == (0o700, 0o600)
    program = str(home.bin / "hook_start.py")
    command = [sys.executable, "-I", "-S", "-v", program, "nobody", "Stop"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"code object from '{compiled}'" in done.stderr


@pytest.mark.parametrize("left", [None, b"", b"no code", b"\x00" * 64])
def test_without_the_compiled_program_it_runs_and_writes_none(
    tmp_path: Path, left: bytes | None
) -> None:
    home = make_home(tmp_path / "home")
    (compiled,) = (home.bin / "__pycache__").iterdir()
    compiled.unlink()
    if left is not None:
        compiled.write_bytes(left)
    with daemon(home, answer("200 OK", b"text")):
        assert run_hook(home, "claude-code", "UserPromptSubmit").out == b"text"
    assert compiled.exists() == (left is not None)


def test_a_missing_interpreter_is_silent_success(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "/nowhere/python")
    run = run_hook(home, "claude-code", "UserPromptSubmit")
    assert (run.code, run.out, run.err) == (0, b"", b"")


@pytest.mark.parametrize("code", [1, 2, 139])
def test_a_failing_interpreter_is_silent_success(tmp_path: Path, code: int) -> None:
    python = tmp_path / "py thon"
    python.write_text(f"#!/bin/sh\necho broken >&2\nexit {code}\n")
    python.chmod(0o700)
    home = make_home(tmp_path / "home", str(python))
    run = run_hook(home, "claude-code", "UserPromptSubmit")
    assert (run.code, run.out, run.err) == (0, b"", b"")


def test_a_missing_hook_program_is_silent_success(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    (home.bin / "hook.py").unlink()
    run = run_hook(home, "claude-code", "UserPromptSubmit")
    assert (run.code, run.out, run.err) == (0, b"", b"")


def test_no_exec_and_no_flags_in_the_first_line() -> None:
    text = wrapper_text("/usr/bin/python3")
    assert text.splitlines()[0] == "#!/bin/sh"
    assert "exec " not in text
    assert text.endswith("exit 0\n")


@pytest.mark.parametrize("name", ["plain", "with space", "it's", 'a "b" $(c) `d`', "记忆"])
def test_a_command_in_the_settings_survives_any_home(tmp_path: Path, name: str) -> None:
    home = make_home(tmp_path / name, "/bin/echo")
    command = command_prefix(home) + "claude-code SessionStart"
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=True)
    assert done.stdout.decode().split()[-2:] == ["claude-code", "SessionStart"]
    assert quoted(str(home.bin / "dormouse-hook")) + " " == command_prefix(home)


def test_the_command_never_changes_between_versions() -> None:
    home = Home(Path("/home/dev/.dormouse"))
    assert command_prefix(home) == "'/home/dev/.dormouse/bin/dormouse-hook' "


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    (path / "inside").mkdir(parents=True)
    with pytest.raises(OSError):
        write_whole(path, b"new", 0o600)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
