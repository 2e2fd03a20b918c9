"""Claude Code's events, transcripts and answers. Only what a person typed or sent is the person's.

Seen with Claude Code 2.1.328. Of tools it reads names, paths and a command's first word, of their
results only whether they failed. The client also submits prompts of its own (a background agent's
report, a message of another session): they begin with a tag and are not the person's either.
"""

import json
import re
from typing import Any

from dormouse.errors import DormouseError
from dormouse.hosts import payload as p
from dormouse.quota import Limit, read_text
from dormouse.sessions import Answer, Event, Moment, Role, Turn

AGENT = "claude-code"

MOMENTS = {
    "SessionStart": Moment.SESSION_START,
    "UserPromptSubmit": Moment.PROMPT,
    "Stop": Moment.TURN_END,
    "StopFailure": Moment.TURN_END,
    "SubagentStop": Moment.SUBAGENT_END,
    "PreCompact": Moment.COMPACTION,
    "PostCompact": Moment.COMPACTION,
    "SessionEnd": Moment.SESSION_END,
    "PreToolUse": Moment.TOOL,
    "PostToolUse": Moment.TOOL,
    "PostToolUseFailure": Moment.TOOL,
    "PostToolBatch": Moment.TOOL,
}
# How prompts begin that the client wrote: <task-notification>, <teammate-message …>, <channel …>,
# <command-name> and so on; and slash commands, whose words are a program's input.
_NOT_SPOKEN = re.compile(r"\s*(<(([a-z]+-)+[a-z]+|channel|tick)[\s>]|/[a-z0-9][\w:.-]*(\s|$))")
ANSWERED = ("SessionStart", "UserPromptSubmit")  # on Stop a context makes the agent go on by itself


def read_common(agent: str, name: str, data: p.Payload, turn_key: str) -> Event:
    """Read the layout that Claude Code and Codex share; *turn_key* names the prompt's id."""
    moment = MOMENTS.get(name, Moment.OTHER)
    session_id = p.identity(data, "session_id") or ""
    if moment is not Moment.OTHER:
        session_id = p.session(data)
    subagent = bool(data.get("agent_id") or data.get("agent_type"))
    return Event(
        agent=agent,
        name=name,
        moment=moment,
        session_id=session_id,
        cwd=p.text(data, "cwd"),
        transcript_path=p.path(data, "transcript_path"),
        source=p.text(data, "source") if moment is Moment.SESSION_START else None,
        turn=_turn(name, data, session_id, p.identity(data, turn_key), subagent),
        subagent=subagent,
        used=_use(name, data),
        failure=_failure(data) if name == "StopFailure" else None,
    )


def _turn(
    name: str, data: p.Payload, session_id: str, turn_id: str | None, subagent: bool
) -> Turn | None:
    if name == "PostToolUse" or name == "PostToolUseFailure":
        tool = p.text(data, "tool_name") or "tool"
        if subagent or p.is_own_tool(tool, p.part(data, "tool_input").get("command")):
            return None
        output = data.get("error") if name == "PostToolUseFailure" else data.get("tool_response")
        return p.tool_turn(session_id, tool, output, turn_id)
    spoken = {
        "UserPromptSubmit": (Role.PERSON, "prompt"),
        "Stop": (Role.ASSISTANT, "last_assistant_message"),
        "SubagentStop": (Role.SUBAGENT, "last_assistant_message"),
        "PostCompact": (Role.SUMMARY, "compact_summary"),
    }.get(name)
    if spoken is None:
        return None
    role, key = spoken
    # A subagent speaks only through its final report, and only if it is of a named type.
    if subagent is not (role is Role.SUBAGENT and bool(data.get("agent_type"))):
        return None
    said = p.text(data, key)
    if not said or (role is Role.PERSON and _NOT_SPOKEN.match(said)):
        return None
    return Turn(role, said, session_id, host_turn_id=turn_id)


def _use(name: str, data: p.Payload) -> str | None:
    """What a tool call touched, as a transcript's line says it: no result, no argument."""
    if name not in ("PostToolUse", "PostToolUseFailure"):
        return None
    call = {"type": "tool_use", "id": "x", "name": data.get("tool_name")}
    used = _used([call | {"input": data.get("tool_input")}])
    failed = "failed: " if name == "PostToolUseFailure" else ""
    return f"{failed}{used['x']}" if used else None


def _failure(data: p.Payload) -> str | None:
    """Why a turn ended without an answer, as far as the event says it; never run for real."""
    names = ("error", "error_type", "error_message", "message", "last_assistant_message")
    return "\n".join(filter(None, (p.text(data, name) for name in names))) or None


class ClaudeCode:
    """The reader of Claude Code."""

    def read_event(self, name: str, body: bytes) -> Event:
        return read_common(AGENT, name, p.parse(body), "prompt_id")

    def transcript(self, head: bytes) -> "Transcript":
        return Transcript()

    def render(self, event: Event, answer: Answer) -> str:
        if event.name not in ANSWERED:
            return ""
        out: dict[str, Any] = {}
        if answer.context:
            out["hookSpecificOutput"] = {
                "hookEventName": event.name,
                "additionalContext": p.clean(answer.context),
            }
        if answer.message:
            out["systemMessage"] = p.clean(answer.message)
        return json.dumps(out, ensure_ascii=False) if out else ""


# Line types that hold nothing said. Others are counted: the format may have moved on.
SILENT = frozenset(
    {
        "agent-name",
        "ai-title",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "atis-latch",
        "attachment",
        "cost-state",
        "custom-title",
        "file-history-delta",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "summary",
        "system",
        "tag",
        "tools-used",
    }
)
# Whose prompt it is: queued is typed while the agent was at work. Of the rest none is a person's
# own words: system prompts, and suggestions that a model wrote and a person accepted.
_TYPED, _NOT_TYPED = ("typed", "queued"), ("system", "suggestion_accepted")


class Transcript:
    """Reads ~/.claude/projects/<folder>/<session>.jsonl."""

    def __init__(self) -> None:
        self.unknown = 0
        self.limits: list[Limit] = []
        self._tools: dict[str, str] = {}  # tool_use id → what is said if it fails

    def read(self, line: bytes) -> Turn | None:
        try:
            data = p.parse(line)
        except DormouseError:
            self.unknown += 1
            return None
        kind = p.text(data, "type")
        if kind == "assistant":
            return self._assistant(data)
        if kind == "user":
            return self._user(data)
        if kind not in SILENT:
            self.unknown += 1
        return None

    def _user(self, data: p.Payload) -> Turn | None:
        content = p.part(data, "message").get("content")
        if "toolUseResult" in data or _parts(content, "tool_result"):
            return self._failures(data, content)
        said = p.joined(content, "text")
        if _is_known_other(data, said or ""):
            return None
        if not _is_person(data):
            self.unknown += 1
            return None
        typed = data["promptSource"] in _TYPED
        return _line(Role.PERSON, said, data, attended=typed)

    def _assistant(self, data: p.Payload) -> Turn | None:
        message = p.part(data, "message")
        content = message.get("content")
        if data.get("isSidechain"):
            return None
        # Written by the client, not by a model.
        if data.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
            self._limit(data, p.joined(content, "text") or "")
            return None
        if said := p.joined(content, "text"):
            return _line(Role.ASSISTANT, said, data)
        used = _used(content)
        self._tools.update(used)
        return _line(Role.TOOL, "\n".join(used.values()), data)

    def _limit(self, data: p.Payload, said: str) -> None:
        session_id, at = p.identity(data, "sessionId"), p.text(data, "timestamp")
        if session_id and at and (found := read_text(said, AGENT, session_id, at)):
            self.limits.append(found)

    def _failures(self, data: p.Payload, content: object) -> Turn | None:
        failed = [
            self._tools.get(str(result.get("tool_use_id")), "tool")
            for result in _parts(content, "tool_result")
            if result.get("is_error") is True
        ]
        if data.get("isSidechain"):
            return None
        return _line(Role.TOOL, "\n".join(f"failed: {name}" for name in failed), data)


def _is_known_other(data: p.Payload, said: str) -> bool:
    """Lines of type user that are known not to be the person's."""
    flags = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
    return (
        any(data.get(flag) for flag in flags)
        or data.get("promptSource") in _NOT_TYPED
        or bool(_NOT_SPOKEN.match(said))
    )


def _is_person(data: p.Payload) -> bool:
    """Whether every field that speaks of its author says: the person at this machine."""
    source, kind = data.get("promptSource"), p.part(data, "origin").get("kind")
    return (
        (source in ("typed", "sdk") or (source == "queued" and kind == "human"))
        and kind in (None, "human")
        and data.get("turnOrigin") in (None, "human", "sdk")
        and p.part(data, "message").get("role") == "user"
    )


def _parts(content: object, kind: str) -> list[p.Payload]:
    if not isinstance(content, list):
        return []
    return [part for part in content if isinstance(part, dict) and part.get("type") == kind]


def _used(content: object) -> dict[str, str]:
    """Which tools a line calls, by the call's id: the name and a path or a command's first word."""
    used = {}
    for call in _parts(content, "tool_use"):
        name, given = p.text(call, "name") or "tool", p.part(call, "input")
        about = p.text(given, "file_path") or p.text(given, "notebook_path")
        if "command" in given:
            about = p.first_word(given["command"])
        if not p.is_own_tool(name, given.get("command")):
            used[str(call.get("id"))] = f"{name} {about}" if about else name
    return used


def _line(
    role: Role, said: str | None, data: p.Payload, attended: bool | None = None
) -> Turn | None:
    session_id = p.identity(data, "sessionId")
    if not said or session_id is None:
        return None
    return Turn(
        role=role,
        text=said,
        session_id=session_id,
        at=p.text(data, "timestamp"),
        line_id=p.identity(data, "uuid"),
        host_turn_id=p.identity(data, "promptId"),
        attended=attended,
        cwd=p.text(data, "cwd"),
    )
