"""Codex CLI's events, rollouts and answers. A rollout that no person started is not read at all.

Seen with Codex CLI 0.169.0. Its events have Claude Code's layout; ``turn_id`` is the prompt's id.
"""

import json

from dormouse.errors import DormouseError
from dormouse.hosts import payload as p
from dormouse.hosts.claude_code import ANSWERED, read_common
from dormouse.quota import Limit, read_figures, read_text
from dormouse.sessions import Answer, Event, Role, Turn

AGENT = "codex"


class Codex:
    """The reader of Codex CLI."""

    def read_event(self, name: str, body: bytes) -> Event:
        return read_common(AGENT, name, p.parse(body), "turn_id")

    def transcript(self, head: bytes) -> "Rollout":
        return Rollout(head)

    def render(self, event: Event, answer: Answer) -> str:
        """One unknown field and Codex drops the whole answer: nothing but the context."""
        if event.name not in ANSWERED or not answer.context:
            return ""
        context = p.clean(answer.context)
        out = {"hookEventName": event.name, "additionalContext": context}
        return json.dumps({"hookSpecificOutput": out}, ensure_ascii=False)


# Line types and items that hold nothing said. Others are counted: the format may have moved on.
SILENT = frozenset(
    (
        "compacted",
        "response_item",
        "token_usage_record",
        "turn_context",
        "world_state",
    )
)
SILENT_ITEMS = frozenset(
    (
        "CollabAgentToolCall",
        "ContextCompaction",
        "DynamicToolCall",
        "EnteredReviewMode",
        "ExitedReviewMode",
        "HookPrompt",
        "ImageGeneration",
        "ImageView",
        "McpToolCall",
        "Plan",
        "Reasoning",
        "Sleep",
        "WebSearch",
    )
)


class Rollout:
    """Reads CODEX_HOME/sessions/Y/M/D/rollout-*.jsonl. Its first line says who started it."""

    def __init__(self, head: bytes) -> None:
        self.unknown = 0
        self.limits: list[Limit] = []
        self._session_id: str | None = None
        self._attended: bool | None = None
        self._cwd: str | None = None
        self._known = False
        if head:
            self.read(head)

    def read(self, line: bytes) -> Turn | None:
        try:
            data = p.parse(line)
        except DormouseError:
            self.unknown += 1
            return None
        kind, payload = p.text(data, "type"), p.part(data, "payload")
        if kind == "session_meta":
            self._begin(payload)
        elif kind == "event_msg":
            if payload.get("type") == "item_completed":
                return self._item(payload, p.text(data, "timestamp"))
            self._watch(payload, p.text(data, "timestamp"))
        elif kind not in SILENT:
            self.unknown += 1
        return None

    def _watch(self, payload: p.Payload, at: str | None) -> None:
        """What a line says of the limit: its figures, or an error that names it."""
        if self._session_id is None or at is None:
            return
        found = None
        if payload.get("type") == "token_count":
            figures = p.part(payload, "rate_limits")
            found = read_figures(figures, AGENT, self._session_id, at)
        elif payload.get("type") == "error":
            info = payload.get("codex_error_info")
            said = (p.text(payload, "message"), info if isinstance(info, str) else None)
            texts = (read_text(text, AGENT, self._session_id, at) for text in said if text)
            found = next((each for each in texts if each), None)
        if found is not None:
            self.limits.append(found)

    def _begin(self, meta: p.Payload) -> None:
        if self._known:  # a fork's file may repeat the meta of the session it came from
            return
        self._known = True
        if meta.get("thread_source") != "user":
            return
        self._session_id = p.identity(meta, "id")
        self._cwd = p.text(meta, "cwd")
        source = meta.get("source")
        self._attended = (
            {"exec": False, "cli": True}.get(source) if isinstance(source, str) else None
        )

    def _item(self, payload: p.Payload, at: str | None) -> Turn | None:
        item = p.part(payload, "item")
        kind = p.text(item, "type")
        role, said = Role.TOOL, None
        if kind == "UserMessage":
            role, said = Role.PERSON, p.joined(item.get("content"), "text")
        elif kind == "AgentMessage":
            role, said = Role.ASSISTANT, p.joined(item.get("content"), "Text", "text")
        elif kind == "CommandExecution":
            said = _command(item)
        elif kind == "FileChange":
            said = _changed(item, self._cwd)
        elif kind not in SILENT_ITEMS:
            self.unknown += 1
        if self._session_id is None or not said:
            return None
        return Turn(
            role=role,
            text=said,
            session_id=self._session_id,
            at=at,
            line_id=p.identity(item, "id"),
            host_turn_id=p.identity(payload, "turn_id"),
            attended=self._attended if role is Role.PERSON else None,
            cwd=self._cwd,
        )


def _command(item: p.Payload) -> str | None:
    command, code = item.get("command"), item.get("exit_code")
    if p.is_own_tool("", command):
        return None
    word = p.first_word(command)
    return f"{word} (exit {code})" if isinstance(code, int) else word


def _changed(item: p.Payload, cwd: str | None) -> str | None:
    """The paths of a change, nothing of what was changed in them."""
    changes = item.get("changes")
    named = list(changes) if isinstance(changes, dict) else []
    if isinstance(changes, list):
        named = [change.get("path") for change in changes if isinstance(change, dict)]
    paths = [path for path in named if isinstance(path, str) and "\n" not in path][:50]
    whole = [
        path if path.startswith("/") else f"{cwd}/{path}"
        for path in paths
        if cwd or path[0:1] == "/"
    ]
    return "\n".join(f"edit {path}" for path in whole) or None


def token_count(line: bytes) -> p.Payload | None:
    """The payload of a token_count line: ``info`` and ``rate_limits`` as Codex wrote them."""
    try:
        payload = p.part(p.parse(line), "payload")
    except DormouseError:
        return None
    return payload if payload.get("type") == "token_count" else None
