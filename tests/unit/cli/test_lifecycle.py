"""Up, down, restart: against a program that plays the daemon."""

import io
import json
import stat
from pathlib import Path

import pytest

from dormouse_wire.paths import Home
from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import Dummy, status
from tests.unit.cli.terminals import on_terminal, without_terminal

# A started daemon outlives whoever started it; Python takes that for a forgotten child.
pytestmark = pytest.mark.filterwarnings("ignore:subprocess:ResourceWarning")


@pytest.fixture
def fresh(startable: Home) -> Home:
    """A home that was never set up."""
    startable.keyslots.unlink()
    startable.bin.rmdir()
    return startable


def test_up_makes_the_home_the_store_the_hook_program_and_a_daemon(fresh: Home, run: Run) -> None:
    said = run("up", "--json")
    assert said.code == 0
    assert said.json["created"] is True
    assert said.json["socket"] == str(fresh.socket)
    assert said.json["version"] == "9.9.9"
    assert isinstance(said.json["pid"], int)
    assert stat.S_IMODE(fresh.root.stat().st_mode) == 0o700
    assert stat.S_IMODE((fresh.bin / "dormouse-hook").stat().st_mode) == 0o700
    wish = json.loads((fresh.root / "wish.json").read_text())
    assert wish["slots"] == ["keyfile"]
    assert Path(wish["key_folder"]).name == "keys"


def test_a_second_up_changes_nothing(fresh: Home, run: Run) -> None:
    first = run("up", "--json").json
    (fresh.root / "wish.json").unlink()
    second = run("up", "--json").json
    assert second == first | {"created": False}
    assert not (fresh.root / "wish.json").exists()
    assert (fresh.root / "starts").read_text() == "x"


def test_up_says_what_to_do_next(fresh: Home, run: Run) -> None:
    said = run("up")
    assert f"a new memory was made in {fresh.root}" in said.out
    assert "dormouse connect" in said.out
    assert run("up").out.startswith("Dormouse is up\n")


def test_down_stops_and_keeps_everybody_from_starting_it(fresh: Home, run: Run) -> None:
    pid = run("up", "--json").json["pid"]
    said = run("down", "--json")
    assert said.code == 0
    assert said.json["pid"] == pid
    assert fresh.stopped.exists()
    assert not fresh.socket.exists()
    assert run("facts").code == 3
    again = run("down", "--json")
    assert (again.code, again.json["pid"]) == (0, None)
    assert run("up").code == 0
    assert not fresh.stopped.exists()
    assert (fresh.root / "starts").read_text() == "xx"


def test_restart_is_another_process_and_nothing_stays_forbidden(fresh: Home, run: Run) -> None:
    first = run("up", "--json").json
    second = run("restart", "--json").json
    assert second["pid"] != first["pid"]
    assert not fresh.stopped.exists()
    assert (fresh.root / "starts").read_text() == "xx"


def test_restart_and_down_before_the_first_up_make_nothing(fresh: Home, run: Run) -> None:
    fresh.root.rmdir()
    assert run("restart").code == 3
    assert run("down").code == 0
    assert not fresh.root.exists()


def test_a_failed_set_up_is_told_with_its_own_code(fresh: Home, run: Run) -> None:
    (fresh.root / "fail").touch()
    said = run("up")
    assert said.code == 7
    assert said.err == "dormouse: It can't be opened. Look.\n"


def test_a_folder_that_cannot_be_made_is_named(
    fresh: Home, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DORMOUSE_HOME", str(tmp_path / "file" / "home"))
    said = run("up")
    assert said.code == 1
    assert str(tmp_path / "file" / "home") in said.err
    monkeypatch.setenv("DORMOUSE_HOME", str(fresh.root))


def test_a_file_that_stands_in_the_way_is_named(home: Home, run: Run) -> None:
    home.stopped.mkdir()
    said = run("up", "--json")
    assert said.code == 1
    assert str(home.stopped) in said.json["error"]["message"]
    assert said.err.count("\n") == 1
    assert "error of its own" not in said.err


def test_an_existing_store_is_never_set_up_again(startable: Home, run: Run) -> None:
    said = run("up", "--json")
    assert said.json["created"] is False
    assert not (startable.root / "wish.json").exists()


def test_a_passphrase_comes_as_one_line_and_makes_a_memory_of_its_own(
    fresh: Home, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("open sesame\n"))
    assert run("up", "--passphrase").code == 0
    wish = json.loads((fresh.root / "wish.json").read_text())
    assert (wish["slots"], wish["passphrase"]) == (["passphrase"], "open sesame")


@pytest.mark.parametrize(
    ("kinds", "todo"),
    [
        (["keyfile"], "`dormouse key add passphrase`"),
        (["keyfile", "recovery"], "`dormouse key add passphrase`"),
        (["passphrase"], "`dormouse unlock`"),
    ],
)
@pytest.mark.parametrize("state", ["ok", "locked"])
def test_a_passphrase_for_a_memory_that_exists_is_an_error_that_names_its_slots(
    daemon: Dummy, home: Home, kinds: list[str], todo: str, state: str
) -> None:
    home.keyslots.write_text(json.dumps({"slots": [{"kind": kind} for kind in kinds]}))
    daemon.script("GET /v1/health", status(state=state))
    said = without_terminal("up", "--passphrase", stdin="open sesame\n")
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert f"opens with: {', '.join(kinds)}" in said.err
    assert todo in said.err
    assert daemon.bodies("POST /v1/unlock") == []


def test_a_passphrase_for_a_memory_with_unreadable_slots_is_an_error_too(
    startable: Home, run: Run
) -> None:
    startable.keyslots.write_text("[{")
    said = run("up", "--passphrase", "--json")
    assert (said.code, said.json["error"]["code"]) == (1, "conflict")
    assert not (startable.root / "starts").exists()


def test_at_a_terminal_a_new_passphrase_is_asked_twice(home: Home) -> None:
    home.keyslots.unlink()
    typed = [("Passphrase:", "one"), ("Once more:", "two")]
    said = on_terminal("up", "--passphrase", typed=typed)
    assert said.code == 2
    assert "not the same" in said.out
    assert not home.exists()


def test_a_locked_memory_is_up_and_says_what_the_daemon_says_opens_it(
    daemon: Dummy, run: Run
) -> None:
    daemon.script("GET /v1/health", status(state="locked"))
    hint = "Its key file /k is missing: put it back there from a copy."
    daemon.fail("GET /v1/projects", 423, "locked", "The memory is locked.", hint)
    said = run("up")
    assert said.code == 0
    assert f"it is locked: {hint}" in said.out
    assert "dormouse unlock" not in said.out


def test_a_damaged_memory_makes_up_exit_7(daemon: Dummy, run: Run) -> None:
    closed = status(state="degraded", facts={"current": None, "retired": None})
    daemon.script("GET /v1/health", closed)
    daemon.fail("GET /v1/projects", 500, "damaged", "The memory can't be opened: x.")
    said = run("up")
    assert said.code == 7
    assert "can't be opened" in said.err
