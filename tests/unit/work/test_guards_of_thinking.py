"""Our own thinking is never remembered: each of the three guards is enough by itself."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dormouse.sessions import Event, Moment, Role, Turn
from dormouse.thinking import Stop, Thought
from dormouse.work.thinkers import is_ours, is_thinker
from dormouse_wire.hosts import THINKER_FOLDER
from tests.contract.rigs import ProgramRig
from tests.machine import Machine
from tests.unit.thinking.world import SCHEMA

pytestmark = pytest.mark.slow

PROMPT = "[dormouse-thinker] judge\n{}"


@pytest.fixture
def machine() -> Iterator[Machine]:
    made = Machine()
    made.up()
    yield made
    made.destroy()


def event(text: str | None = None, session: str = "s", cwd: str | None = "/work/shop") -> Event:
    turn = Turn(Role.PERSON, text, session) if text is not None else None
    return Event("claude-code", "UserPromptSubmit", Moment.PROMPT, session, cwd, turn=turn)


def test_a_session_that_was_registered_is_ours_before_it_says_anything(tmp_path: Path) -> None:
    rig = ProgramRig("claude-code", tmp_path)
    rig.script({"answer": {"verdict": "keep"}})
    rig.thinker().ask(Thought("judge", "s", "u", SCHEMA), Stop())
    (seen,) = rig.seen()
    session = seen["argv"][seen["argv"].index("--session-id") + 1]
    assert rig.sessions == [session]


def test_the_folder_betrays_a_thinker_whatever_its_session() -> None:
    assert is_thinker(event(session="f1", cwd=f"/dev/shm/{THINKER_FOLDER}abc/work"))
    assert not is_thinker(event(session="f2", cwd="/work/dormouse/thinker"))
    assert not is_thinker(event(session="f3", cwd=None))


def test_the_signature_betrays_a_prompt_and_then_its_session() -> None:
    assert is_thinker(event(PROMPT, session="g1"))
    assert is_thinker(event("an answer", session="g1"))
    assert not is_thinker(event("what is [dormouse-thinker]?", session="g2"))


def test_an_answer_that_begins_like_our_prompts_silences_nobody() -> None:
    answer = Turn(Role.ASSISTANT, PROMPT, "h1")
    assert not is_ours("h1", "/work/shop", answer)
    assert not is_thinker(event("what now?", session="h1"))


def test_the_marker_alone_keeps_the_hook_silent(machine: Machine) -> None:
    folder = machine.repository("shop")
    payload = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "m1",
        "cwd": str(folder),
        "prompt": "remember that the port is 4100",
    }
    done = machine.hook("claude-code", "UserPromptSubmit", payload, DORMOUSE_THINKER="1")
    assert (done.returncode, done.stdout) == (0, b"")
    assert machine.facts("all", folder) == []
    assert machine.json("journal") == []


@pytest.mark.parametrize("by", ["folder", "signature"])
def test_an_event_of_a_thinker_leaves_no_trace_even_without_the_marker(
    machine: Machine, by: str
) -> None:
    folder = machine.repository("shop")
    if by == "folder":
        folder = machine.work / f"{THINKER_FOLDER}x"
        folder.mkdir()
    text = "remember that the port is 4100"
    prompt = f"{PROMPT}\n{text}" if by == "signature" else text
    session = machine.session("claude-code", folder)
    session.start()
    assert session.prompt(prompt) == ""
    session.stop("remember that the port is 4200")
    assert machine.facts("all", folder) == []
    assert [turn["text"] for turn in machine.json("journal")] == []


def test_a_transcript_of_a_thinker_is_not_read(machine: Machine) -> None:
    folder = machine.repository("shop")
    root = machine.user / ".claude"
    (root / "projects" / "p").mkdir(parents=True)
    machine.ask(
        "POST",
        "/v1/agents/claude-code",
        {"connected": True, "root": str(root / "projects"), "settings": str(root / "s.json")},
    )
    session = "0f0f0f0f-0000-4000-8000-000000000001"
    line = {
        "type": "user",
        "uuid": "u1",
        "sessionId": session,
        "cwd": str(folder),
        "timestamp": "2026-06-01T10:00:00.000Z",
        "promptSource": "typed",
        "isSidechain": False,
        "message": {"role": "user", "content": f"{PROMPT}\nremember that the port is 4100"},
    }
    other = {**line, "uuid": "u2", "sessionId": session[:-1] + "2"}
    other["message"] = {"role": "user", "content": "remember that the port is 5100"}
    for each in (line, other):
        path = root / "projects" / "p" / f"{each['sessionId']}.jsonl"
        path.write_text(json.dumps(each) + "\n")
    machine.ask("POST", "/v1/rem/runs", {"wait": True})
    assert [fact["text"] for fact in machine.facts("all", folder)] == ["the port is 5100"]
