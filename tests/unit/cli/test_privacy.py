"""The privacy level at the command line: shown in full, lowered freely, raised by the owner."""

from typing import Any

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import Dummy, status
from tests.unit.cli.terminals import on_terminal, without_terminal

SHOW = "GET /v1/privacy"
AGENTS = "GET /v1/privacy?level=agents"
SET = "POST /v1/privacy"


def view(level: str = "local", *, answered: bool = True) -> dict[str, Any]:
    sends = "nothing" if level == "local" else "single pairs, redacted"
    part = {"part": "codex", "level": "agents", "sends": sends, "to": "OpenAI"}
    return {"level": level, "answered": answered, "parts": [part]}


@pytest.fixture
def asked(daemon: Dummy) -> Dummy:
    daemon.script(SHOW, view())
    daemon.script(AGENTS, view("agents"))
    daemon.script(SET, view("agents"))
    return daemon


def test_it_shows_what_each_part_sends_and_to_whom(asked: Dummy, run: Run) -> None:
    said = run("privacy")
    assert said.code == 0
    assert "privacy level: local" in said.out
    assert "codex: nothing, to OpenAI" in said.out
    assert run("privacy", "--json").json == view()


def test_raising_is_refused_without_a_terminal_and_to_an_agent(asked: Dummy) -> None:
    for env in ({}, {"CLAUDECODE": "1"}):
        said = without_terminal("privacy", "agents", env=env)
        assert said.code == 5
        assert "raising the privacy level" in said.err
    assert asked.bodies(SET) == []


def test_lowering_needs_nothing(asked: Dummy) -> None:
    asked.script(SHOW, view("hosted"))
    assert without_terminal("privacy", "local", env={"CLAUDECODE": "1"}).code == 0
    assert without_terminal("privacy", "agents").code == 0
    assert asked.bodies(SET) == [{"level": "local"}, {"level": "agents"}]


def test_hosted_is_asked_of_the_owner_each_time_since_the_address_may_have_changed(
    asked: Dummy,
) -> None:
    asked.script(SHOW, view("hosted"))
    assert without_terminal("privacy", "hosted").code == 5


def test_the_passphrase_stands_for_the_owner(asked: Dummy) -> None:
    assert without_terminal("privacy", "agents", "--yes", stdin="open\n").code == 0
    assert asked.bodies(SET) == [{"level": "agents", "passphrase": "open"}]


def test_the_endpoints_key_is_typed_and_never_an_argument(asked: Dummy) -> None:
    said = on_terminal("privacy", "--secret", typed=[("key: ", "k-1234")])
    assert said.code == 0
    assert "k-1234" not in said.out
    assert asked.bodies(SET) == [{"secret": "k-1234"}]
    assert without_terminal("privacy", "--secret", stdin="k-1\n").code == 5


@pytest.mark.parametrize(("typed", "level"), [("agents", "agents"), ("", "local"), ("x", "local")])
def test_up_asks_once_on_a_terminal(asked: Dummy, typed: str, level: str) -> None:
    asked.script(SHOW, view(answered=False))
    said = on_terminal("up", typed=[("[local]: ", typed)])
    assert said.code == 0, said.out
    assert "codex: single pairs, redacted, to OpenAI" in said.out
    assert asked.bodies(SET) == [{"level": level}]
    asked.script(SHOW, view(answered=True))
    assert "[local]" not in on_terminal("up").out


def test_up_asks_nothing_without_a_terminal_of_an_agent_or_with_json(asked: Dummy) -> None:
    asked.script(SHOW, view(answered=False))
    assert without_terminal("up").code == 0
    assert on_terminal("up", "--json").code == 0
    assert on_terminal("up", env={"CLAUDECODE": "1"}).code == 0
    assert asked.bodies(SET) == []


def test_up_works_though_the_question_can_not_be_asked(daemon: Dummy) -> None:
    assert on_terminal("up").code == 0


def test_status_says_what_thinking_cost_today_and_when_the_day_ends(
    daemon: Dummy, run: Run
) -> None:
    calls, tokens = {"used": 3, "cap": 40}, {"used": 1200, "cap": 200_000}
    used = {"calls": calls, "tokens": tokens, "resets_at": "2026-06-02T00:00:00.000+00:00"}
    daemon.script("GET /v1/health", status(thinker=used))
    assert "3 of 40 calls, 1200 of 200000 tokens" in run("status").out
    daemon.script("GET /v1/health", status())
    assert "calls" not in run("status").out
