"""The other listed agents: their events are acknowledged, prompts and answers read where obvious.

Seen with Gemini CLI 0.61.0, OpenCode 1.18.33 and Hermes 0.19.0. It reads no transcripts.
"""

import json

from dormouse.hosts import payload as p
from dormouse.quota import Limit
from dormouse.sessions import Answer, Event, Moment, Role, Turn

MOMENTS = {
    # Gemini CLI
    "SessionStart": Moment.SESSION_START,
    "BeforeAgent": Moment.PROMPT,
    "AfterAgent": Moment.TURN_END,
    "AfterTool": Moment.TOOL,
    "PreCompress": Moment.COMPACTION,
    "SessionEnd": Moment.SESSION_END,
    # OpenCode
    "session.created": Moment.SESSION_START,
    "chat.message": Moment.PROMPT,
    "session.idle": Moment.TURN_END,
    "tool.after": Moment.TOOL,
    # Hermes
    "on_session_start": Moment.SESSION_START,
    "pre_llm_call": Moment.PROMPT,
    "post_llm_call": Moment.TURN_END,
    "post_tool_call": Moment.TOOL,
    "on_session_end": Moment.SESSION_END,
    # names that plugins of other agents use
    "UserPromptSubmit": Moment.PROMPT,
    "Stop": Moment.TURN_END,
}
ANSWERED = (Moment.SESSION_START, Moment.PROMPT)


class Generic:
    """The reader of one agent that has none of its own."""

    def __init__(self, agent: str) -> None:
        self.agent = agent

    def read_event(self, name: str, body: bytes) -> Event:
        data = p.parse(body)
        moment = MOMENTS.get(name, Moment.OTHER)
        session_id = _session(data) or ""
        if moment is not Moment.OTHER and not session_id:
            session_id = p.session(data)
        subagent = bool(data.get("agent_id") or data.get("agent_type"))
        return Event(
            agent=self.agent,
            name=name,
            moment=moment,
            session_id=session_id,
            cwd=p.text(data, "cwd") or p.text(p.part(data, "info"), "directory"),
            transcript_path=p.path(data, "transcript_path"),
            source=p.text(data, "source") if moment is Moment.SESSION_START else None,
            turn=None if subagent else _turn(moment, data, session_id),
            subagent=subagent,
        )

    def transcript(self, head: bytes) -> "NoTranscript":
        return NoTranscript()

    def render(self, event: Event, answer: Answer) -> str:
        if event.moment not in ANSWERED or not answer.context:
            return ""
        context = p.clean(answer.context)
        if self.agent == "hermes":
            return json.dumps({"context": context}, ensure_ascii=False)
        out = {"hookEventName": event.name, "additionalContext": context}
        return json.dumps({"hookSpecificOutput": out}, ensure_ascii=False)


class NoTranscript:
    """A transcript in a format that is not read: no line says anything."""

    def __init__(self) -> None:
        self.unknown = 0
        self.limits: list[Limit] = []

    def read(self, line: bytes) -> Turn | None:
        self.unknown += 1
        return None


def _session(data: p.Payload) -> str | None:
    return (
        p.identity(data, "session_id")
        or p.identity(data, "sessionID")
        or p.identity(p.part(data, "input"), "sessionID")
    )


def _turn(moment: Moment, data: p.Payload, session_id: str) -> Turn | None:
    extra = p.part(data, "extra")
    turn_id = p.identity(extra, "turn_id")
    if moment is Moment.TOOL:
        given = p.part(data, "input")
        name = p.text(data, "tool_name") or p.text(given, "tool") or "tool"
        if p.is_own_tool(name, p.part(data, "tool_input").get("command")):
            return None
        output = data.get("tool_response") or extra.get("result") or data.get("output")
        return p.tool_turn(session_id, name, output, turn_id)
    if moment is Moment.PROMPT:
        if p.text(extra, "platform") not in (None, "cli"):
            return None  # a chat gateway: whoever wrote there need not be this machine's owner
        parts = p.part(data, "output").get("parts")
        said = p.text(data, "prompt") or p.text(extra, "user_message") or p.joined(parts, "text")
        return Turn(Role.PERSON, said, session_id, host_turn_id=turn_id) if said else None
    if moment is Moment.TURN_END:
        said = p.text(data, "prompt_response") or p.text(extra, "assistant_response")
        said = said or p.text(data, "last_assistant_message")
        return Turn(Role.ASSISTANT, said, session_id, host_turn_id=turn_id) if said else None
    return None
