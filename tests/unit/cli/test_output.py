"""What reaches the terminal: escapes, colours, tables, one JSON value, help with examples."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from dormouse import facts as daemon_facts
from dormouse.judgments import Verdict
from dormouse_cli import main, options, output
from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import Dummy, fact
from tests.unit.cli.terminals import PROGRAM, on_terminal, without_terminal

EVIL = "a\x1b[2Jb\x9bc\u202ed\r\nZ"
GROUPS = ("candidates", "proposals", "questions", "rem", "projects", "key")
LATER = ("lessons", "snapshot", "open", "skills", "graph")


def commands(
    command: Any = None, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below *command*, with the words that name it."""
    command = command or get_command(main.app)
    if path:
        yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


def test_control_characters_are_shown_and_not_obeyed(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/facts/7k3f/pin", fact(EVIL))
    expected = "pinned 7k3f2a: a\\x1b[2Jb\\x9bc\\u202ed\\r\\nZ\n"
    assert run("pin", "7k3f").out == expected
    assert on_terminal("pin", "7k3f").out == expected


def test_json_keeps_the_text_and_escapes_what_a_terminal_would_obey(
    daemon: Dummy, run: Run
) -> None:
    daemon.script("POST /v1/facts/7k3f/pin", fact(EVIL))
    said = run("pin", "7k3f", "--json")
    assert said.json["text"] == EVIL
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", said.out)


def test_a_table_on_a_terminal_folds_and_is_coloured_unless_told_not_to(daemon: Dummy) -> None:
    daemon.script("GET /v1/retired", [fact("word " * 60, judge="slot:1", run="r" * 16)])
    bright = on_terminal("retired", env={"TERM": "xterm-256color", "COLUMNS": "80"}).out
    assert "\x1b[36m7k3f2a" in bright
    assert len(bright.splitlines()) > 3
    plain = on_terminal("retired", env={"TERM": "xterm-256color", "NO_COLOR": "1"}).out
    assert "\x1b[36m" not in plain
    assert "\x1b" not in without_terminal("retired").out


def test_the_text_gets_half_of_a_table_and_the_widest_of_the_others_folds() -> None:
    assert output.shares([6, 10, 40, 16, 200], 72) == [6, 10, 10, 10, 36]
    assert output.shares([6, 10, 40, 16, 20], 72) == [6, 10, 20, 16, 20]
    assert output.shares([6, 10, 5, 16, 200], 92) == [6, 10, 5, 16, 55]
    assert output.shares([6, 10, 40, 16, 200], 8) == [1, 1, 1, 1, 4]
    assert min(output.shares([6, 10, 40, 16, 200], 1)) == 1


def test_a_terminal_that_lacks_letters_gets_escapes_not_an_error(daemon: Dummy) -> None:
    daemon.script("POST /v1/facts/7k3f/pin", fact("预发布"))
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert "\\u9884" in without_terminal("pin", "7k3f", env=env).out
    assert without_terminal("pin", "7k3f", "--json", env=env).json["text"] == "预发布"


def test_usage_errors_exit_2_with_one_line_and_an_error_object(run: Run) -> None:
    for command in (["recall"], ["recall", "a", "b"], ["facts", "--nope"], ["no-such-command"]):
        said = run(*command)
        assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
        said = run(*command, "--json")
        assert said.code == 2
        assert said.json["error"]["code"] == "bad_request"
    assert "secret words" not in run("recall", "a", "secret words").err
    assert "'--kind': 'odd' is not one of" in run("remember", "x", "--kind", "odd").err


def test_version_and_help_need_no_daemon(run: Run) -> None:
    assert run("--version").out.startswith("dormouse ")
    assert run("--help").code == 0
    said = run()
    assert said.code == 2


def test_every_command_of_the_contract_is_there_and_no_later_one() -> None:
    names = {" ".join(path) for path, _ in commands()}
    lone = """up down restart status doctor connect disconnect uninstall remember recall facts show
    history retired retire restore correct pin unpin journal judge unlock backup erase privacy
    restore-backup agents mcp"""
    below = """candidates: accept drop, proposals: accept reject, questions: answer,
    rem: run log show undo approve, projects: join, key: add remove rotate check,
    service: install remove status, handoff: give list show take finish return"""
    wanted = set(lone.split()) | set(GROUPS)
    for group, words in (part.split(":") for part in below.split(",")):
        wanted |= {f"{group.strip()} {word}" for word in words.split()}
    assert wanted <= names
    assert not names & set(LATER)


def test_every_command_takes_json_and_explains_itself_with_an_example() -> None:
    for path, command in commands():
        if path not in (("rem",), ("key",), ("service",), ("handoff",), ("mcp",)):
            given = {name for parameter in command.params for name in parameter.opts}
            assert "--json" in given, path
        assert command.help, path
        assert "Example" in (command.epilog or ""), path


def test_the_examples_are_commands_that_exist() -> None:
    known = dict(commands())
    for path, command in known.items():
        for line in command.epilog.splitlines():
            if "dormouse " not in line:
                continue
            words = shlex.split(line.partition("dormouse ")[2])
            assert words[: len(path)] == list(path), line
            longest = max(n for n in (0, 1, 2) if tuple(words[:n]) in known or n == 0)
            found = known[tuple(words[:longest])]
            options_of = {name for parameter in found.params for name in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= options_of, line


def test_the_words_are_those_of_the_daemon() -> None:
    for ours, theirs in [
        (options.Kind, daemon_facts.Kind),
        (options.Layer, daemon_facts.Layer),
    ]:
        assert {word.value for word in ours} == {word.value for word in theirs}
    said_in_it = {daemon_facts.Scope.SESSION}
    assert {word.value for word in options.Scope} == set(daemon_facts.Scope) - said_in_it
    assert {word.value for word in options.Answer} < {word.value for word in Verdict}


def test_no_scope_is_offered_that_a_command_can_not_give(run: Run) -> None:
    assert "session|" not in run("remember", "--help").out.replace(" ", "")
    said = run("remember", "x", "--scope", "session")
    assert said.code == 2
    assert "'session' is not one of" in said.err


def test_completion_knows_commands_and_agents() -> None:
    env = {"_DORMOUSE_COMPLETE": "complete_bash", "COMP_WORDS": "dormouse conn", "COMP_CWORD": "1"}
    assert without_terminal(env=env).out.split() == ["connect"]
    env |= {"COMP_WORDS": "dormouse connect c", "COMP_CWORD": "2"}
    assert without_terminal(env=env).out.split() == ["claude-code", "codex"]


def test_small_words() -> None:
    assert output.counted(1, "fact") == "1 fact"
    assert output.counted(2, "fact") == "2 facts"
    assert output.listed({"facts": 2, "turns": 1, "derived": 0}) == "2 facts, 1 turn"
    assert output.listed({}) == "nothing"
    assert output.when("no time") == "no time"
    assert output.when(None) == ""


def test_a_closed_pipe_is_no_error(daemon: Dummy, tmp_path: Path) -> None:
    daemon.script("GET /v1/retired", [fact("word " * 2000) for _ in range(200)])
    said = without_terminal_piped_to_head("retired")
    assert said == ""


def test_an_output_that_can_not_be_written_is_one_line_and_exit_1(daemon: Dummy) -> None:
    daemon.script("GET /v1/retired", [fact("word " * 2000) for _ in range(200)])
    daemon.script("GET /v1/questions", [])
    for command in ("retired", "retired --json", "questions", "--help"):
        code, err = in_a_shell(f"{command} >/dev/full")
        assert code == 1, (command, err)
        assert err.startswith("dormouse: The output could not be written: No space left on device.")
        assert err.count("\n") == 1
        assert in_a_shell(f"{command} >/dev/full", PYTHONUNBUFFERED="1") == (code, err)


def test_an_error_keeps_its_code_wherever_its_words_can_not_go(daemon: Dummy) -> None:
    code, err = in_a_shell("show none --json >/dev/full")
    assert (code, err) == (4, "dormouse: No such route.\n")
    assert in_a_shell("show none 2>/dev/full")[0] == 4
    assert in_a_shell("show none --json >/dev/full 2>/dev/full")[0] == 4
    code, err = in_a_shell("show none --json | true")
    assert err == "dormouse: No such route.\n"


def test_streams_that_are_closed_are_nobodys_and_no_error(daemon: Dummy) -> None:
    daemon.script("GET /v1/retired", [fact()])
    assert in_a_shell("retired >&-") == (0, "")
    assert in_a_shell("retired <&- >&- 2>&-") == (0, "")
    daemon.script("POST /v1/recall", {"hits": [], "left_out": 0, "reason": "empty"})
    assert in_a_shell("recall - <&-") == (0, "")


def in_a_shell(command: str, **env: str) -> tuple[int, str]:
    """Exit code and stderr of one command with redirections."""
    program = " ".join(map(shlex.quote, PROGRAM))
    done = subprocess.run(
        ["sh", "-c", f"{program} {command}"],
        capture_output=True,
        env={**os.environ, **env},
        timeout=20,
        check=False,
        start_new_session=True,
    )
    return done.returncode, done.stderr.decode()


def without_terminal_piped_to_head(*arguments: str) -> str:
    """What the command writes to stderr when its reader leaves after one line."""
    command = " ".join(map(shlex.quote, [*PROGRAM, *arguments])) + " | head -n 1 >/dev/null"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=20, check=True)
    return done.stderr.decode()


def test_usage_errors_are_told_apart_by_their_base() -> None:
    assert main.CLICK_ERROR is not Exception
    assert issubclass(typer.BadParameter, main.CLICK_ERROR)
