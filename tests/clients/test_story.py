"""The promise, with the real agents: what one is told the other knows, and stale facts go."""

from typing import Any

import pytest

from tests.clients.conftest import Agents
from tests.machine import wait_for

pytestmark = pytest.mark.clients

OLD, NEW = "10.0.0.5", "10.0.0.9"
ASK = "Which address does the staging server have? [[say:I looked it up.]]"


def retired(agents: Agents, count: int = 1) -> Any:
    """What is struck through, as soon as it is."""
    return wait_for(
        lambda: len(found := agents.machine.retired()) >= count and found, what="a retirement"
    )


def facts(agents: Agents) -> list[Any]:
    """All facts of the repository, retired ones too."""
    return agents.machine.facts("all", agents.repository)


def test_what_claude_is_told_codex_knows_in_another_folder(agents: Agents) -> None:
    told = agents.claude(f"remember that the staging server is at {OLD}")
    assert told.saw("noted"), "what was noted is acknowledged"
    assert agents.codex(ASK).saw(OLD)


def test_the_whole_story_of_an_address_that_changes(agents: Agents) -> None:
    agents.claude(f"remember that the staging server is at {OLD}")
    shown = agents.claude(ASK, cwd=agents.frontend)
    assert shown.saw(OLD)
    session = agents.claude_session()

    agents.codex(f"remember that the staging server is at {NEW}")
    (old,) = retired(agents)

    fresh = agents.claude(ASK, cwd=agents.frontend)
    assert fresh.saw(NEW)
    assert not fresh.saw(OLD), "a new session must not see what is no longer true"

    resumed = agents.claude("Go on, please.", cwd=agents.frontend, session=session)
    assert resumed.saw("no longer true")
    assert NEW in resumed.requests[-1]

    (row,) = agents.machine.json("retired")
    assert OLD in row["text"]
    assert NEW in agents.machine.json("show", row["superseded_by"])["text"]
    assert row["judge"]

    restored = agents.machine.json("restore", old["id"][:8])
    assert restored["current"]
    agents.claude(ASK, cwd=agents.backend)
    agents.machine.json("rem", "run", "--wait")
    assert agents.machine.json("show", old["id"])["current"], "the owner's word is final"


def test_nothing_is_lost_while_the_daemon_is_dead(agents: Agents) -> None:
    agents.claude("Hello there.")
    agents.machine.kill()
    (agents.machine.home / "bin" / "stopped").touch(mode=0o600)
    agents.claude(f"remember that the staging server is at {OLD}")
    (agents.machine.home / "bin" / "stopped").unlink()
    agents.machine.up()
    agents.claude("Good morning.")
    wait_for(lambda: facts(agents), what="catching up")
    assert agents.codex(ASK).saw(OLD)
    assert len(facts(agents)) == 1


def test_an_old_statement_that_arrives_late_is_superseded_on_arrival(agents: Agents) -> None:
    agents.codex("Hello there.")
    agents.machine.down()
    agents.codex(f"remember that the staging server is at {OLD}")
    late, away = agents.machine.user / ".codex" / "sessions", agents.machine.base / "away"
    late.rename(away)
    agents.machine.up()
    agents.claude(f"remember that the staging server is at {NEW}")
    assert len(facts(agents)) == 1
    agents.machine.down()
    away.rename(late)
    agents.machine.up()
    agents.codex("Good morning.")
    (row,) = retired(agents)
    assert OLD in row["text"]
    assert row["because"] == "superseded"
    assert NEW in agents.machine.json("show", row["superseded_by"])["text"]
    answer = agents.codex(ASK)
    assert answer.saw(NEW)
    assert not answer.saw(OLD)


def test_what_was_said_while_nobody_listened_is_put_in_the_order_it_was_said(
    agents: Agents,
) -> None:
    agents.claude("Hello there.")
    agents.machine.down()
    agents.codex(f"remember that the staging server is at {OLD}")
    agents.claude(f"remember that the staging server is at {NEW}")
    agents.machine.up()
    (row,) = retired(agents)
    assert OLD in row["text"]


def test_german_is_understood_the_same_way(agents: Agents) -> None:
    agents.claude("Merk dir: wir deployen donnerstags")
    assert agents.codex("An welchem Tag deployen wir?").saw("donnerstags")
    agents.codex("Nein, wir deployen jetzt dienstags")
    (row,) = retired(agents)
    assert "donnerstags" in row["text"]
    answer = agents.claude("An welchem Tag deployen wir?", cwd=agents.frontend)
    assert answer.saw("dienstags")
    assert not answer.saw("donnerstags")


def test_chinese_is_understood_the_same_way(agents: Agents) -> None:
    agents.claude(f"记住：预发布服务器是 {OLD}")
    assert agents.codex("预发布服务器的地址是什么？").saw(OLD)
    agents.codex(f"记住：预发布服务器是 {NEW}")
    retired(agents)
    answer = agents.claude("预发布服务器的地址是什么？", cwd=agents.frontend)
    assert answer.saw(NEW)
    assert not answer.saw(OLD)


def test_every_prompt_is_journalled_once_although_hook_and_transcript_bring_it(
    agents: Agents,
) -> None:
    agents.claude("Please count to three. [[say:one two three]]")
    session = agents.claude_session()
    agents.claude("And now to four. [[say:one two three four]]", session=session)
    agents.codex("Please count to five. [[say:one two three four five]]")
    agents.claude("Thank you.", session=session)
    turns = agents.machine.ask("GET", "/v1/journal")
    for text in ("count to three", "now to four", "count to five"):
        assert sum(text in turn["text"] for turn in turns) == 1, turns


def test_disconnecting_leaves_the_agents_as_they_were(agents: Agents) -> None:
    agents.machine.cli("disconnect")
    settings = agents.machine.user / ".claude" / "settings.json"
    assert not settings.exists() or "dormouse" not in settings.read_text()
    told = agents.claude(f"remember that the staging server is at {OLD}")
    assert not told.saw("noted")
    assert facts(agents) == []
