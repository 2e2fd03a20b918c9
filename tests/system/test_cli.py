"""The command line with the real daemon, each home in a temporary folder of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROGRAM = [sys.executable, "-I", "-m", "dormouse_cli.main"]
SECRET = "correct horse battery"
LIMIT_S = 60.0


@dataclass
class Machine:
    """A person's home, key folder and repository, and the commands they type."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def work(self) -> Path:
        return self.root / "work"

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.root / "person"),
            "TMPDIR": str(self.root / "tmp"),
            "DORMOUSE_HOME": str(self.home),
            "DORMOUSE_KEYDIR": str(self.root / "keys"),
            **more,
        }

    def run(
        self, *arguments: str, stdin: str = "", **more: str
    ) -> subprocess.CompletedProcess[str]:
        """One command without a terminal."""
        return subprocess.run(
            [*PROGRAM, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env=self.environment(**more),
            cwd=self.work,
            start_new_session=True,
            timeout=LIMIT_S,
            check=False,
        )

    def json(self, *arguments: str, stdin: str = "") -> Any:
        """What a command that must succeed says to a program."""
        done = self.run(*arguments, "--json", stdin=stdin)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return json.loads(done.stdout)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    for name in ("person", "tmp", "work"):
        (tmp_path / name).mkdir()
    subprocess.run(["git", "init", "-q", str(made.work)], check=True)
    yield made
    made.run("down")


def test_a_fact_is_kept_found_retired_and_restored(machine: Machine) -> None:
    machine.json("up")
    fact = machine.json("remember", "the build cache lives on host zephyr")
    assert (fact["state"], fact["scope"], fact["project"]["name"]) == ("new", "project", "work")
    assert machine.json("recall", "build cache")["hits"][0]["id"] == fact["id"]
    machine.json("retire", fact["id"][:6], "--why", "gone")
    assert machine.json("recall", "build cache")["hits"] == []
    assert [row["id"] for row in machine.json("retired")] == [fact["id"]]
    assert machine.json("restore", fact["id"][:6])["current"] is True
    assert machine.json("remember", "the build cache lives on host zephyr")["state"] == "known"


@pytest.mark.slow
def test_every_list_is_there_and_empty_in_a_new_memory(machine: Machine) -> None:
    machine.json("up")
    for command in ("facts", "retired", "candidates", "proposals", "questions", "journal"):
        assert machine.json(command) == [], command
    assert [project["name"] for project in machine.json("projects")] in ([], ["work"])
    assert machine.json("rem", "run", "--wait")["state"] == "done"
    assert machine.json("rem", "log")[0]["kind"] == "rem"
    assert all(check["ok"] for check in machine.json("doctor"))


def test_ids_that_name_nothing_or_too_much_exit_4(machine: Machine) -> None:
    machine.json("up")
    for identifier in ("zzzzzz", "zz"):
        assert machine.run("show", identifier).returncode == 4


def test_a_hook_of_a_stopped_memory_and_a_command_start_nothing(machine: Machine) -> None:
    assert machine.run("facts").returncode == 3
    machine.json("up")
    machine.json("down")
    done = machine.run("facts")
    assert done.returncode == 3
    assert "dormouse down" in done.stderr
    assert machine.run("status").returncode == 3


@pytest.mark.slow
def test_the_first_command_after_a_crash_starts_it_again(machine: Machine) -> None:
    pid = machine.json("up")["pid"]
    fact = machine.json("remember", "the build cache lives on host zephyr")
    os.kill(pid, 9)
    assert [row["id"] for row in machine.json("facts")] == [fact["id"]]
    assert machine.json("up")["created"] is False


def test_a_passphrase_locks_and_opens_and_stands_for_the_owner(machine: Machine) -> None:
    machine.json("up", "--passphrase", stdin=f"{SECRET}\n")
    assert list(machine.root.glob("keys/*")) == []
    fact = machine.json("remember", "the build cache lives on host zephyr")
    machine.json("restart")
    assert machine.run("status").returncode == 6
    assert machine.run("facts").returncode == 6
    assert machine.run("unlock", stdin="wrong\n").returncode != 0
    machine.json("unlock", stdin=f"{SECRET}\n")
    assert machine.json("status")["state"] == "ok"
    erase = ["erase", fact["id"], "--yes"]
    assert machine.run(*erase, stdin="wrong\n", CLAUDECODE="1").returncode == 5
    done = machine.run(*erase, "--json", stdin=f"{SECRET}\n", CLAUDECODE="1")
    assert done.returncode == 0
    assert json.loads(done.stdout)["erased"]["facts"] == 1
    assert machine.json("facts") == []


def test_the_judge_answers_for_texts_that_are_not_facts(machine: Machine) -> None:
    machine.json("up")
    ruling = machine.json("judge", "we deploy on Thursdays", "we deploy on Tuesdays now")
    assert ruling["verdict"] in ("supersede", "keep", "unsure")
    assert machine.json("facts") == []


@pytest.mark.slow
def test_uninstall_leaves_store_and_key_only(machine: Machine) -> None:
    (machine.root / "person" / ".claude").mkdir()
    settings = machine.root / "person" / ".claude" / "settings.json"
    settings.write_text('{"theme": "dark"}')
    machine.json("up")
    assert machine.json("connect")[0]["state"] == "connected"
    answer = machine.json("uninstall")
    assert settings.read_text() == '{"theme": "dark"}'
    assert Path(answer["store"]).is_file()
    assert Path(answer["key"]).is_file()
    names = {path.name for path in machine.home.iterdir()}
    assert names <= {"memory.db", "keyslots.json", "config.toml"}
    assert machine.run("facts").returncode == 3
    machine.json("up")


@pytest.mark.slow
def test_the_demo_tells_the_story_and_leaves_nothing_behind(machine: Machine) -> None:
    began = time.monotonic()
    done = machine.run("demo", "--json", CLAUDECODE="1")
    assert time.monotonic() - began < 30  # 5 s on an idle machine with 2 cores
    told = json.loads(done.stdout)
    assert [step["title"] for step in told["steps"] if not step["ok"]] == []
    assert (told["ok"], done.returncode) == (True, 0)
    assert len(told["steps"]) >= 12
    assert told["steps"][-1]["title"] == "Claude Code hands its task on to Codex"
    assert list((machine.root / "tmp").iterdir()) == []
    assert list((machine.root / "person").iterdir()) == []
    assert not machine.home.exists()


def test_what_is_wrong_in_a_command_is_said_before_anything_else(machine: Machine) -> None:
    wrong = machine.run("connect", "nonsense")
    assert wrong.returncode == 2, "not yet set up, and no agent of that name"
    assert "Known agents: claude-code" in wrong.stderr
    machine.json("up")
    assert machine.run("connect", "nonsense").returncode == 2
    assert machine.run("retire", "zzzzzz").returncode == 4
    fact = machine.json("remember", "the build cache lives on host zephyr")
    without = machine.run("retire", fact["id"])
    assert without.returncode == 2
    assert "--why" in without.stderr
    assert machine.json("show", fact["id"])["current"] is True


def test_a_folder_that_is_off_is_said_to_be_off_and_not_to_be_empty(machine: Machine) -> None:
    machine.json("up")
    machine.json("remember", "the build cache lives on host zephyr")
    assert machine.run("handoff", "list").stdout == "no handoffs here\n"
    (machine.work / ".dormouse-off").touch()
    off = machine.run("recall", "build cache").stdout
    assert "switched off" in off
    for command in (("facts",), ("facts", "--all"), ("handoff", "list")):
        assert machine.run(*command).stdout == off
        assert machine.json(*command) == []
