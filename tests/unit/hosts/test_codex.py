"""Codex: rollouts of people only, and an answer without one field too many."""

import json
from typing import Any

import pytest

from dormouse.hosts.codex import Codex, token_count
from dormouse.sessions import Answer, Event, Moment, Role, Turn
from tests.unit.hosts import samples

READER = Codex()
THREAD = "01a2290a-3d27-7f80-bbc4-19790b579145"


def read(sample: str) -> Event:
    return READER.read_event(sample.split("-")[0], samples.event("codex", sample))


def turns_of(sample: str) -> tuple[list[Turn], int]:
    lines = samples.lines("codex", sample)
    rollout = READER.transcript(lines[0])
    found = [rollout.read(line) for line in lines]
    return [turn for turn in found if turn], rollout.unknown


def meta(**changes: Any) -> bytes:
    payload = {"id": THREAD, "thread_source": "user", "source": "cli", **changes}
    return json.dumps({"type": "session_meta", "payload": payload}).encode()


def item(**fields: Any) -> bytes:
    payload = {"type": "item_completed", "turn_id": "t-1", "item": {"id": "i-1", **fields}}
    return json.dumps({"type": "event_msg", "timestamp": "now", "payload": payload}).encode()


MESSAGE = {"type": "UserMessage", "content": [{"type": "text", "text": "remember the port"}]}


def test_a_prompt_is_the_persons_and_carries_its_turn_id() -> None:
    event = read("UserPromptSubmit")
    assert (event.agent, event.moment) == ("codex", Moment.PROMPT)
    assert event.turn and event.turn.role is Role.PERSON
    assert event.turn.host_turn_id == "01a2290a-3d3b-76a0-97a8-3f7df68d0c7d"


def test_answers_reports_and_tools_are_read_as_with_claude_code() -> None:
    answer, report, tool = read("Stop").turn, read("SubagentStop").turn, read("PostToolUse-Bash")
    assert answer and (answer.role, answer.text) == (Role.ASSISTANT, "Hello")
    assert report and (report.role, report.text) == (Role.SUBAGENT, "sub answer")
    assert tool.turn and (tool.moment, tool.turn.text) == (Moment.TOOL, "Bash: hello-cx\n")
    assert read("PostCompact").turn is None
    assert read("SessionStart-fork").source == "fork"
    assert read("SessionEnd-other").moment is Moment.SESSION_END


def test_a_session_without_transcript_is_fine() -> None:
    body = json.dumps({"session_id": THREAD, "transcript_path": None, "prompt": "hi"})
    assert READER.read_event("UserPromptSubmit", body.encode()).transcript_path is None


def test_a_subagents_prompt_is_not_the_persons() -> None:
    body = {"session_id": THREAD, "prompt": "remember this", "agent_id": "a", "agent_type": "x"}
    event = READER.read_event("UserPromptSubmit", json.dumps(body).encode())
    assert event.subagent and event.turn is None


def test_a_rollout_gives_what_was_said_with_its_item_ids() -> None:
    turns, unknown = turns_of("resume-0")
    assert [(turn.role, turn.text) for turn in turns] == [
        (Role.PERSON, "hi one [[say:one]]"),
        (Role.ASSISTANT, "one"),
        (Role.PERSON, "hi two [[say:two]]"),
        (Role.ASSISTANT, "two"),
    ]
    assert turns[0].line_id == "01a2290c-3c7c-7d32-8390-670c8053c011"
    assert turns[0].host_turn_id == "01a2290c-3b1e-7d00-b5b2-5949a3af7bcd"
    assert turns[0].at == "2026-11-29T20:43:17.502Z"
    assert unknown == 0


def test_exec_means_that_nobody_sat_there() -> None:
    assert turns_of("resume-0")[0][0].attended is False
    for source, attended in [("cli", True), ("vscode", None), ({"subagent": {}}, None)]:
        turn = READER.transcript(meta(source=source)).read(item(**MESSAGE))
        assert turn and turn.attended is attended


def test_of_commands_only_the_first_word_and_the_exit_code_are_read() -> None:
    turns, unknown = turns_of("tools-0")
    tools = [turn.text for turn in turns if turn.role is Role.TOOL]
    assert tools == ["echo (exit 0)", "exit (exit 3)"]
    assert unknown == 0
    token = "ghp_" + "D" * 36
    for command in (["deploy", token], ["bash", "-lc", f"T={token} deploy {token}"], f"a {token}"):
        line = item(type="CommandExecution", command=command, exit_code=0)
        turn = READER.transcript(meta()).read(line)
        assert turn and token not in turn.text
    own = item(type="CommandExecution", command=["bash", "-lc", "dormouse recall x"], exit_code=0)
    assert READER.transcript(meta()).read(own) is None


def test_a_rollout_that_no_person_started_says_nothing() -> None:
    assert turns_of("subagent-1")[0] == []
    assert [turn.role for turn in turns_of("subagent-0")[0]].count(Role.PERSON) == 1
    for source in ("subagent", None, "", ["user"], "User"):
        assert READER.transcript(meta(thread_source=source)).read(item(**MESSAGE)) is None


def test_without_a_first_line_nobody_is_known_to_speak() -> None:
    assert READER.transcript(b"").read(item(**MESSAGE)) is None
    assert READER.transcript(b"not json").read(item(**MESSAGE)) is None


def test_the_first_line_decides_and_a_later_one_changes_nothing() -> None:
    rollout = READER.transcript(meta(thread_source="subagent"))
    rollout.read(meta())
    assert rollout.read(item(**MESSAGE)) is None


def test_a_fork_has_its_own_session() -> None:
    turns, _ = turns_of("resume-1")
    assert {turn.session_id for turn in turns} == {"01a2290c-4bb6-7693-a2db-ece39fb92709"}


def test_our_own_injections_are_not_read_back() -> None:
    assert not [turn for turn in turns_of("tools-0")[0] if "CTX-" in turn.text]


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b'{"type":"x"}', b'{"type":[]}', item(type="NeverHeardOf"), item(type={})],
)
def test_what_cannot_be_read_is_counted(line: bytes) -> None:
    rollout = READER.transcript(meta())
    assert rollout.read(line) is None
    assert rollout.unknown == 1


def test_token_counts_can_be_read() -> None:
    counts = [token_count(line) for line in samples.lines("codex", "resume-0")]
    found = [count for count in counts if count]
    assert len(found) == 2
    assert found[-1]["info"]["total_token_usage"]["total_tokens"] == 30
    assert token_count(b"\xff") is None


def test_the_answer_is_the_smallest_that_codex_accepts() -> None:
    event = read("UserPromptSubmit")
    assert json.loads(READER.render(event, Answer("context", "message"))) == {
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": "context",
        }
    }
    assert READER.render(event, Answer(None, "message")) == ""
    for name in ("Stop", "SubagentStop-x", "SessionEnd-other", "PostCompact", "PreCompact"):
        sample = name.replace("-x", "")
        assert READER.render(read(sample), Answer("context", "message")) == ""
