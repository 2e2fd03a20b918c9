"""The agents, as data that ``connect``, the hook and the daemon read; it decides nothing."""

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HookEvent:
    """One registered event: its host's name and the host's timeout for it, in the host's unit."""

    name: str
    timeout: int


@dataclass(frozen=True, slots=True)
class Host:
    """One agent. Empty ``events`` mean that it has no hooks: ``connect`` gives it the tools."""

    id: str
    title: str
    letter: str  # its byte in bin/undelivered
    program: str  # found on PATH
    folder_variable: str | None  # environment variable that moves its settings folder
    folder: str  # settings folder below HOME
    settings: str | None = None  # the file in that folder that hook entries go into
    events: tuple[HookEvent, ...] = ()
    timeout_unit: str = "s"
    context_limit: int = 9_000
    context_unit: str = "utf16"  # utf16 (code units) or utf8 (bytes)
    prompt_limit: int = 1_500
    transcripts: str | None = None  # folder of its transcripts below the settings folder
    transcript_suffix: str = ".jsonl"
    needs_approval: bool = False
    mcp: str | None = None  # the file our MCP server goes into; "program": its own program does it
    mcp_path: tuple[str, ...] = ()  # where servers stand in it, if it is JSON
    marks: tuple[str, ...] = ()  # variables that its shells carry; X_* stands for all that begin so
    notes: tuple[str, ...] = field(default=())

    def rings(self, event: str) -> bool:
        """Whether *event* is one that ``connect`` registers."""
        return any(each.name == event for each in self.events)

    def settings_folder(self) -> Path:
        """Where this host keeps its settings, from the environment of this process."""
        named = os.environ.get(self.folder_variable) if self.folder_variable else None
        return Path(named).expanduser().absolute() if named else Path.home() / self.folder


CLAUDE_CODE = Host(
    id="claude-code",
    title="Claude Code",
    letter="c",
    program="claude",
    folder_variable="CLAUDE_CONFIG_DIR",
    folder=".claude",
    settings="settings.json",
    events=(
        HookEvent("SessionStart", 5),
        HookEvent("UserPromptSubmit", 3),
        HookEvent("Stop", 3),
        HookEvent("SubagentStop", 3),
        HookEvent("PostCompact", 3),
        HookEvent("SessionEnd", 2),
    ),
    context_unit="utf16",
    transcripts="projects",
    mcp="program",
    marks=("CLAUDECODE",),
)

CODEX = Host(
    id="codex",
    title="Codex",
    letter="x",
    program="codex",
    folder_variable="CODEX_HOME",
    folder=".codex",
    settings="hooks.json",
    events=(
        HookEvent("SessionStart", 5),
        HookEvent("UserPromptSubmit", 3),
        HookEvent("Stop", 3),
        HookEvent("SubagentStop", 3),
        HookEvent("SessionEnd", 3),
    ),
    context_unit="utf8",
    transcripts="sessions",
    needs_approval=True,
    mcp="config.toml",
    marks=("CODEX_*",),
    notes=("Approve Dormouse's hooks once: type /hooks in Codex.",),
)

GEMINI = Host(
    id="gemini",
    title="Gemini CLI",
    letter="g",
    program="gemini",
    folder_variable=None,
    folder=".gemini",
    settings="settings.json",
    events=(
        HookEvent("SessionStart", 5_000),
        HookEvent("BeforeAgent", 3_000),
        HookEvent("AfterAgent", 3_000),
        HookEvent("SessionEnd", 3_000),
    ),
    timeout_unit="ms",
    mcp="settings.json",
    mcp_path=("mcpServers",),
    marks=("GEMINI_CLI",),
)

OPENCODE = Host(
    id="opencode",
    title="OpenCode",
    letter="o",
    program="opencode",
    folder_variable=None,
    folder=".config/opencode",
    settings="plugin/dormouse.js",  # a file of our own
    events=(
        HookEvent("session.created", 5),
        HookEvent("chat.message", 3),
        HookEvent("session.idle", 3),
    ),
    mcp="opencode.json",
    mcp_path=("mcp",),
    marks=("OPENCODE",),
)

HERMES = Host(
    id="hermes",
    title="Hermes",
    letter="h",
    program="hermes",
    folder_variable=None,
    folder=".hermes",
    settings="config.yaml",
    # Not on_session_start: what it prints reaches no model, so that a handoff would be lost.
    events=(
        HookEvent("pre_llm_call", 3),
        HookEvent("post_llm_call", 3),
        HookEvent("on_session_end", 3),
    ),
    mcp="config.yaml",
    marks=("HERMES_AGENT", "HERMES_SESSION_*"),
    notes=("Hermes asks you once whether it may run these hooks.",),
)

OPENCLAW = Host(  # no hooks: the tools alone
    id="openclaw",
    title="OpenClaw",
    letter="l",
    program="openclaw",
    folder_variable=None,
    folder=".openclaw",
    mcp="openclaw.json",
    mcp_path=("mcp", "servers"),
    marks=("OPENCLAW_SHELL", "OPENCLAW_CLI"),
)

HOSTS: dict[str, Host] = {
    host.id: host for host in (CLAUDE_CODE, CODEX, GEMINI, OPENCODE, HERMES, OPENCLAW)
}

# A thinker that the daemon starts carries this in its environment: our hooks fall silent in it.
THINKER_MARKER = "DORMOUSE_THINKER"
# The folder it runs in begins with this name: nothing said in such a folder is ever remembered.
THINKER_FOLDER = "dormouse-thinker-"
