"""The other agents, and what holds for every reader."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dormouse.errors import BadRequest, TooLarge
from dormouse.hosts import READERS
from dormouse.sessions import Answer, Event, Moment, Role
from dormouse_wire.hosts import HOSTS
from tests.unit.hosts import samples


def read(agent: str, sample: str, name: str) -> Event:
    return READERS[agent].read_event(name, samples.event(agent, sample))


def test_every_listed_agent_has_a_reader() -> None:
    assert READERS.keys() == HOSTS.keys()


@pytest.mark.parametrize(
    ("agent", "sample", "name", "moment", "role", "said"),
    [
        ("gemini", "BeforeAgent", "BeforeAgent", Moment.PROMPT, Role.PERSON, "<hook_context>"),
        ("gemini", "AfterAgent", "AfterAgent", Moment.TURN_END, Role.ASSISTANT, "Hello gem"),
        ("hermes", "pre_llm_call", "pre_llm_call", Moment.PROMPT, Role.PERSON, "Do [["),
        ("hermes", "post_llm_call", "post_llm_call", Moment.TURN_END, Role.ASSISTANT, "Hello h"),
        ("hermes", "post_tool_call-terminal", "post_tool_call", Moment.TOOL, Role.TOOL, "terminal"),
        ("opencode", "chat.message", "chat.message", Moment.PROMPT, Role.PERSON, "Do [["),
        ("opencode", "tool.after", "tool.after", Moment.TOOL, Role.TOOL, "bash: "),
    ],
)
def test_prompts_and_answers_are_read_where_they_are_obvious(
    agent: str, sample: str, name: str, moment: Moment, role: Role, said: str
) -> None:
    event = read(agent, sample, name)
    assert (event.agent, event.moment) == (agent, moment)
    assert event.session_id
    assert event.turn and event.turn.role is role and event.turn.text.startswith(said)


def test_other_events_are_acknowledged() -> None:
    assert read("gemini", "SessionStart-startup", "SessionStart").source == "startup"
    assert read("gemini", "BeforeModel", "BeforeModel").turn is None
    assert read("opencode", "event_session.idle", "session.idle").moment is Moment.TURN_END
    assert READERS["openclaw"].read_event("anything", b"{}").moment is Moment.OTHER


def test_who_writes_through_a_chat_gateway_is_not_the_person() -> None:
    body = {"session_id": "s", "extra": {"user_message": "remember this", "platform": "telegram"}}
    assert READERS["hermes"].read_event("pre_llm_call", json.dumps(body).encode()).turn is None


def test_answers_are_rendered_as_each_agent_reads_them() -> None:
    answer = Answer("context", "message")
    gemini = READERS["gemini"].render(read("gemini", "BeforeAgent", "BeforeAgent"), answer)
    assert json.loads(gemini)["hookSpecificOutput"]["additionalContext"] == "context"
    hermes = READERS["hermes"].render(read("hermes", "pre_llm_call", "pre_llm_call"), answer)
    assert json.loads(hermes) == {"context": "context"}
    assert READERS["gemini"].render(read("gemini", "AfterAgent", "AfterAgent"), answer) == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = [
    "session_id", "sessionId", "prompt", "type", "message", "payload", "item", "content", "cwd",
    "tool_name", "tool_input", "tool_response", "agent_type", "promptSource", "origin", "extra",
    "input", "output", "source", "id", "command", "thread_source", "last_assistant_message",
]  # fmt: skip
NAMES = ["UserPromptSubmit", "Stop", "PostToolUse", "SubagentStop", "SessionStart", "pre_llm_call"]
SLOW_IS_FINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SLOW_IS_FINE
@given(st.dictionaries(st.sampled_from(KEYS), JSON), st.sampled_from(NAMES))
def test_no_event_raises_anything_but_a_refusal(body: dict[str, object], name: str) -> None:
    raw = json.dumps(body).encode()
    for reader in READERS.values():
        try:
            event = reader.read_event(name, raw)
        except (BadRequest, TooLarge):
            continue
        assert isinstance(event.moment, Moment)
        reader.render(event, Answer("x", "y")).encode()


TYPES = st.sampled_from(["user", "assistant", "session_meta", "event_msg", "system"])


@SLOW_IS_FINE
@given(st.dictionaries(st.sampled_from(KEYS), JSON), TYPES, st.binary(max_size=40))
def test_no_transcript_line_raises(line: dict[str, object], kind: str, noise: bytes) -> None:
    for reader in READERS.values():
        transcript = reader.transcript(noise)
        for raw in (json.dumps({**line, "type": kind}).encode(), noise):
            turn = transcript.read(raw)
            assert turn is None or turn.role in set(Role)
