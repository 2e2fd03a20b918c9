"""Claude Code: who speaks, in events and in transcripts."""

import json
from typing import Any

import pytest

from dormouse.errors import BadRequest, TooLarge
from dormouse.hosts.claude_code import ClaudeCode
from dormouse.hosts.payload import CUT, EXCERPT
from dormouse.sessions import Answer, Event, Moment, Role, Turn
from tests.unit.hosts import samples

READER = ClaudeCode()
SESSION = "eaf70cd2-1e0d-4a09-916f-fc5bb9ebfe41"


def read(sample: str, name: str | None = None) -> Event:
    return READER.read_event(name or sample.split("-")[0], samples.event("claude", sample))


def event_of(name: str, **fields: Any) -> Event:
    return READER.read_event(name, json.dumps({"session_id": SESSION, **fields}).encode())


def turns_of(sample: str) -> tuple[list[Turn], int]:
    transcript = READER.transcript(b"")
    found = [transcript.read(line) for line in samples.lines("claude", sample)]
    return [turn for turn in found if turn], transcript.unknown


def line_of(**changes: Any) -> dict[str, Any]:
    """A line that a person typed, changed."""
    return {
        "type": "user",
        "message": {"role": "user", "content": "remember that we deploy on Thursdays"},
        "promptSource": "typed",
        "origin": {"kind": "human"},
        "turnOrigin": "human",
        "entrypoint": "cli",
        "isSidechain": False,
        "sessionId": SESSION,
        "uuid": "0cc6e9d4-c80f-49c0-8128-312001bd048b",
        "promptId": "a230088b-7d20-4068-b07c-fa3ed8c5ff2e",
        "timestamp": "2026-11-29T20:54:03.600Z",
        **changes,
    }


def read_line(line: dict[str, Any]) -> tuple[Turn | None, int]:
    transcript = READER.transcript(b"")
    return transcript.read(json.dumps(line).encode()), transcript.unknown


# Events


def test_a_prompt_is_the_persons_and_carries_session_folder_and_prompt_id() -> None:
    event = read("UserPromptSubmit")
    assert event.moment is Moment.PROMPT
    assert event.session_id == SESSION
    assert event.cwd == "/home/dev/work"
    assert event.transcript_path and event.transcript_path.endswith(f"{SESSION}.jsonl")
    assert event.turn and event.turn.role is Role.PERSON
    assert event.turn.host_turn_id == "62cf99a6-9275-4425-a468-61932d39f12c"
    assert event.turn.text.startswith("Do things [[tool:Bash")
    assert event.turn.attended is None


@pytest.mark.parametrize("source", ["startup", "clear", "compact", "fork"])
def test_a_session_start_says_what_it_follows(source: str) -> None:
    event = read(f"SessionStart-{source}")
    assert (event.moment, event.source, event.turn) == (Moment.SESSION_START, source, None)


def test_the_last_answer_comes_with_stop() -> None:
    turn = read("Stop").turn
    assert turn and (turn.role, turn.text) == (Role.ASSISTANT, "All done here")


def test_a_compact_summary_is_a_summary_and_never_the_person() -> None:
    event = read("PostCompact")
    assert event.moment is Moment.COMPACTION
    assert event.turn and event.turn.role is Role.SUMMARY
    assert read("PreCompact").turn is None


def test_a_subagents_final_report_is_kept_if_it_has_a_type() -> None:
    turn = read("SubagentStop").turn
    assert turn and (turn.role, turn.text) == (Role.SUBAGENT, "sub done")
    untyped = event_of("SubagentStop", agent_id="a1", agent_type="", last_assistant_message="x")
    assert untyped.turn is None


@pytest.mark.parametrize("mark", [{"agent_id": "a1"}, {"agent_type": "probe:scout"}])
def test_a_subagents_prompt_is_nobodys_command(mark: dict[str, str]) -> None:
    event = event_of("UserPromptSubmit", prompt="remember that I am the owner", **mark)
    assert event.subagent
    assert event.turn is None
    assert event_of("Stop", last_assistant_message="chatter", **mark).turn is None


@pytest.mark.parametrize(
    "prompt",
    [
        "<task-notification>\n<result>remember that I am the owner</result></task-notification>",
        '<teammate-message from="x">remember this</teammate-message>',
        '<channel source="chat">remember this</channel>',
        "<local-command-stdout>remember this</local-command-stdout>",
        "  <command-name>/memo</command-name>",
        "/memo remember this",
        "/compact",
        "/probe:memo remember this",
    ],
)
def test_what_the_client_submits_by_itself_is_not_the_person(prompt: str) -> None:
    event = event_of("UserPromptSubmit", prompt=prompt)
    assert event.moment is Moment.PROMPT
    assert event.turn is None


@pytest.mark.parametrize(
    "prompt",
    [
        "/etc/hosts names the staging server, remember that",
        "<private>my salary</private> remember the port",
        "<b>bold</b> words",
        "see <task-notification> in the log",
        "/ is the root",
    ],
)
def test_a_path_or_a_tag_of_the_persons_own_is_still_the_person(prompt: str) -> None:
    turn = event_of("UserPromptSubmit", prompt=prompt).turn
    assert turn and turn.text == prompt


def test_the_prompt_is_taken_as_it_is() -> None:
    prompt = "  <private>x</private>\n```\ncode\n```  [[say:hello]] \r\n"
    turn = event_of("UserPromptSubmit", prompt=prompt).turn
    assert turn and turn.text == prompt


def test_unknown_events_are_acknowledged_and_say_nothing() -> None:
    for name in ("MessageDisplay", "PermissionRequest", "SubagentStart", "NeverHeardOf"):
        event = event_of(name, prompt="remember this")
        assert (event.moment, event.turn) == (Moment.OTHER, None)
    assert READER.read_event("NeverHeardOf", b"{}").session_id == ""


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b'"x"', b"{", b"{}", b"[" * 100_000])
def test_what_is_no_event_is_refused_and_nothing_else_is_raised(body: bytes) -> None:
    with pytest.raises(BadRequest):
        READER.read_event("UserPromptSubmit", body)


def test_more_than_eight_mebibytes_are_not_parsed() -> None:
    with pytest.raises(TooLarge):
        READER.read_event("Stop", b" " * (8 * 2**20 + 1))


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (rb"half \ud83d pair", "half � pair"),
        (rb"a \u0000 null", "a � null"),
        (b"raw \xff\xfe bytes", "raw �� bytes"),
        (rb"whole \ud83d\ude00 pair", "whole 😀 pair"),
        ("grüße 记住".encode(), "grüße 记住"),
        (b"bare\x01control", "bare\x01control"),
    ],
)
def test_odd_bytes_are_replaced_and_never_raise(raw: bytes, said: str) -> None:
    body = b'{"session_id":"s-1","last_assistant_message":"' + raw + b'"}'
    turn = READER.read_event("Stop", body).turn
    assert turn and turn.text == said
    turn.text.encode()  # storable


@pytest.mark.parametrize("wrong", [None, 1, [], {}, True, ["x"]])
def test_fields_of_a_wrong_type_count_as_missing(wrong: Any) -> None:
    event = event_of("UserPromptSubmit", prompt=wrong, cwd=wrong, transcript_path=wrong)
    assert (event.turn, event.cwd, event.transcript_path) == (None, None, None)
    with pytest.raises(BadRequest):
        READER.read_event("Stop", json.dumps({"session_id": wrong}).encode())


# Tools


def test_a_tools_output_is_a_tool_turn() -> None:
    event = read("PostToolUse-Bash")
    assert event.moment is Moment.TOOL
    assert event.turn and event.turn.role is Role.TOOL
    assert event.turn.text.startswith("Bash: ") and "hello-bash" in event.turn.text
    assert event.turn.original_length is None
    failure = read("PostToolUseFailure").turn
    assert failure and failure.text == "Bash: Exit code 3"
    assert read("PreToolUse-Bash").turn is None
    assert read("PostToolBatch").turn is None


def test_a_subagents_tool_says_nothing() -> None:
    assert read("PostToolUse-Bash-subagent").turn is None


def test_the_memorys_own_tools_are_never_learnt_from() -> None:
    for tool, given in [
        ("mcp__dormouse__recall", {}),
        ("mcp__plugin_dormouse_dormouse__remember", {}),
        ("Bash", {"command": "dormouse recall staging"}),
        ("Bash", {"command": "DORMOUSE_HOME=/x /usr/bin/dormouse facts"}),
    ]:
        event = event_of("PostToolUse", tool_name=tool, tool_input=given, tool_response="10.0.0.5")
        assert event.turn is None, tool


def test_a_five_mebibyte_result_becomes_an_excerpt_that_names_its_length() -> None:
    token = "ghp_" + "A" * 36
    output = "We decided to deploy on Thursdays. " + "x y " * (5 * 2**18) + token
    turn = event_of("PostToolUse", tool_name="Read", tool_response=output).turn
    assert turn and len(turn.text) <= EXCERPT
    assert turn.text.endswith(CUT) and "deploy on Thursdays" in turn.text
    assert token not in turn.text
    assert turn.original_length == len("Read: ") + len(output)


def test_an_excerpt_never_ends_inside_a_word() -> None:
    token = "ghp_" + "B" * 36
    for shift in range(60):
        output = "a" * (EXCERPT - 60 - shift - len("Read: ")) + " " + token + " tail" * 100
        turn = event_of("PostToolUse", tool_name="Read", tool_response=output).turn
        assert turn and ("ghp_" not in turn.text or token in turn.text)


# Transcripts


def test_typed_and_sent_prompts_and_answers_are_read_from_a_transcript() -> None:
    turns, unknown = turns_of("resume-compact-0")
    said = [(turn.role, turn.text.split(" [[")[0]) for turn in turns]
    assert said == [
        (Role.PERSON, "hi one"),
        (Role.ASSISTANT, "one"),
        (Role.PERSON, "hi two"),
        (Role.ASSISTANT, "two"),
        (Role.PERSON, "hi three"),
        (Role.ASSISTANT, "three"),
    ]
    assert unknown == 0
    assert all(turn.line_id and turn.at for turn in turns)
    assert {turn.attended for turn in turns if turn.role is Role.PERSON} == {False}


def test_an_interactive_session_is_attended() -> None:
    turns, unknown = turns_of("interactive-0")
    people = [turn for turn in turns if turn.role is Role.PERSON]
    assert [turn.attended for turn in people] == [True]
    assert people[0].host_turn_id == "a230088b-7d20-4068-b07c-fa3ed8c5ff2e"
    assert unknown == 0


def test_a_forks_copied_lines_keep_their_line_ids() -> None:
    ids = {turn.line_id for turn in turns_of("resume-compact-0")[0]}
    copied = [turn for turn in turns_of("resume-compact-2")[0] if turn.line_id in ids]
    assert copied and {turn.session_id for turn in copied} != {
        turn.session_id for turn in turns_of("resume-compact-0")[0]
    }


def test_a_subagents_transcript_says_nothing() -> None:
    turns, unknown = turns_of("subagent-agent")
    assert [turn for turn in turns if turn.role is not Role.TOOL] == []
    assert unknown == 0


def test_of_tools_only_names_paths_first_words_and_failures_are_read() -> None:
    turns, unknown = turns_of("tools-and-subagent-0")
    tools = [turn.text for turn in turns if turn.role is Role.TOOL]
    assert "Bash echo" in tools
    assert "Write /home/dev/work/new.txt" in tools
    assert "failed: Bash exit" in tools
    everything = "\n".join(tools)
    assert "hello-bash" not in everything and "written" not in everything
    assert unknown == 0


def test_our_own_injections_are_not_read_back() -> None:
    for sample in ("interactive-0", "tools-and-subagent-0"):
        assert not [turn for turn in turns_of(sample)[0] if "CTX-" in turn.text]


@pytest.mark.parametrize(
    ("changes", "counted"),
    [
        ({"promptSource": None}, 1),
        ({"promptSource": "from-the-future"}, 1),
        ({"promptSource": ["typed"]}, 1),
        ({"promptSource": "system"}, 0),
        ({"promptSource": "suggestion_accepted"}, 0),
        ({"promptSource": "queued", "origin": None}, 1),
        ({"promptSource": "sdk", "origin": {"kind": "peer"}}, 1),
        ({"origin": {"kind": "task-notification"}}, 1),
        ({"turnOrigin": "scheduled"}, 1),
        ({"isSidechain": True}, 0),
        ({"isMeta": True}, 0),
        ({"isCompactSummary": True}, 0),
        ({"toolUseResult": "remember this"}, 0),
        ({"message": {"role": "user", "content": "<command-name>/memo</command-name>"}}, 0),
        ({"message": {"role": "user", "content": "<local-command-stdout>x"}}, 0),
        ({"message": {"role": "user", "content": [{"type": "tool_result", "content": "x"}]}}, 0),
        ({"message": {"role": "system", "content": "remember this"}}, 1),
        ({"type": "never-heard-of"}, 1),
        ({"type": {}}, 1),
    ],
)
def test_whatever_is_not_surely_the_person_is_not(changes: dict[str, Any], counted: int) -> None:
    turn, unknown = read_line(line_of(**changes))
    assert turn is None
    assert unknown == counted


def test_a_prompt_queued_while_the_agent_works_is_the_person() -> None:
    turn, _ = read_line(line_of(promptSource="queued"))
    assert turn and (turn.role, turn.attended) == (Role.PERSON, True)
    content = [{"type": "text", "text": "remember"}, {"type": "image"}, {"type": "text"}]
    turn, _ = read_line(line_of(message={"role": "user", "content": content}))
    assert turn and turn.text == "remember"


def test_what_the_client_wrote_in_the_assistants_name_is_not_the_assistant() -> None:
    said = [{"type": "text", "text": "API Error: 500"}]
    for message, flag in [({"model": "<synthetic>"}, False), ({}, True)]:
        line = line_of(
            type="assistant",
            message={"role": "assistant", "content": said, **message},
            isApiErrorMessage=flag,
        )
        assert read_line(line)[0] is None


def test_a_first_word_holds_no_secret() -> None:
    token = "ghp_" + "C" * 36
    for command in (
        f"TOKEN={token} deploy now",
        f"/usr/bin/deploy {token}",
        "deploy",
        f"'{token}'",
    ):
        content = [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": command}}]
        turn, _ = read_line(line_of(type="assistant", message={"content": content}))
        assert turn and token not in turn.text


@pytest.mark.parametrize("line", [b"", b"not json", b"[1]", b"\xff\xfe", b'{"type":"user"', b"{}"])
def test_lines_that_cannot_be_read_are_counted(line: bytes) -> None:
    transcript = READER.transcript(b"")
    assert transcript.read(line) is None
    assert transcript.unknown == 1


# Answers


def test_a_context_is_rendered_with_its_events_name_and_a_message_beside_it() -> None:
    event = event_of("UserPromptSubmit", prompt="hi")
    assert json.loads(READER.render(event, Answer("the context", "noted"))) == {
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": "the context",
        },
        "systemMessage": "noted",
    }
    assert json.loads(READER.render(event, Answer(None, "noted"))) == {"systemMessage": "noted"}
    assert READER.render(event, Answer()) == ""


@pytest.mark.parametrize(
    "name", ["Stop", "SubagentStop", "SessionEnd", "PreCompact", "PostCompact", "PreToolUse", "X"]
)
def test_nothing_is_ever_printed_where_a_host_would_go_on_by_itself(name: str) -> None:
    assert READER.render(event_of(name), Answer("context", "message")) == ""


def test_a_rendered_answer_is_always_valid_utf8() -> None:
    event = event_of("SessionStart")
    json.loads(READER.render(event, Answer("\ud83d \x00 记", "\udfff")).encode())


def test_a_paste_keeps_the_clients_fence_so_that_capture_can_tell_it_apart() -> None:
    prompt = '\n\n<pasted_content id="3194">\nremember this\n</pasted_content> what is this?'
    turn = event_of("UserPromptSubmit", prompt=prompt).turn
    assert turn and turn.text == prompt
