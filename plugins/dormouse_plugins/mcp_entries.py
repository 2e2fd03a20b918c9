"""Our MCP server in the agents' settings: which entry, as text, and how it comes in and out.

Settings files are edited as text, and every other byte is left alone. Claude Code keeps its servers
in a file that it rewrites all the time, so only its own program writes there.
"""

import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import Any

from dormouse_plugins import other_texts
from dormouse_plugins.bin import MCP
from dormouse_plugins.hooks_text import Unreadable
from dormouse_plugins.json_member import add_member, remove_member
from dormouse_wire.hosts import Host
from dormouse_wire.paths import Home

NAME = "dormouse"
RUN_S = 30.0
# Ours is told by the comment; the + says that the line before had no end, so that it gets none back
_OURS = re.compile(
    r"^\[mcp_servers\.dormouse\] # dormouse(?P<joined>\+?)\n(?:[^\[\s][^\n]*\n)*", re.MULTILINE
)


def command(home: Home) -> str:
    """What an agent starts: it finds its home by itself and never changes between versions."""
    return str(home.bin / MCP)


# Codex: a table in config.toml


def add_table(text: str | None, home: Home, agent: str, approve: bool = False) -> str:
    """*text* (None: no file) with our table, which is written anew. Raises Unreadable.

    What the person once allowed stays allowed.
    """
    approve = approve or is_approved(text or "")
    bare = (remove_table(text) or "") if text is not None else ""
    known = _parsed(bare).get("mcp_servers")
    if isinstance(known, dict) and NAME in known:
        raise Unreadable("it has an mcp_servers.dormouse of somebody else's")
    joined = "" if not bare or bare.endswith("\n") else "+"
    lines = [
        f"[mcp_servers.{NAME}] # dormouse{joined}",
        f"command = {json.dumps(command(home), ensure_ascii=False)}",
        f'args = ["--agent", "{agent}"]',
    ]
    if approve:
        lines.append('default_tools_approval_mode = "approve"')
    made = bare + ("\n" if joined else "") + "".join(f"{line}\n" for line in lines)
    _parsed(made)  # an inline table, say, can't be added to
    return made


def is_approved(text: str) -> bool:
    """Whether our table lets our tools run without asking."""
    found = _OURS.search(text)
    return found is not None and "\ndefault_tools_approval_mode" in found[0]


def remove_table(text: str) -> str | None:
    """*text* without our table; None where nothing else is left. Raises Unreadable."""
    found = _OURS.search(text)
    if found is None:
        return text
    begin = found.start() - len(found["joined"])  # with the line end that we gave the line before
    rest = text[:begin] + text[found.end() :]
    return rest or None


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(f"it is not valid TOML ({error})") from None


# Gemini CLI, OpenCode, OpenClaw: a member in a JSON file; Hermes: a block in its YAML


def add_entry(text: str | None, home: Home, host: Host) -> str:
    """*text* (None: no file) of *host*'s settings with our server. Raises Unreadable."""
    if str(host.mcp).endswith(".yaml"):
        return other_texts.add_yaml_server(text, NAME, command(home), _arguments(host))
    return add_member(text, host.mcp_path, NAME, _entry(home, host), _is_ours(home))


def remove_entry(text: str, home: Home, host: Host) -> str | None:
    """*text* without our server; None where nothing else is left. Raises Unreadable."""
    if str(host.mcp).endswith(".yaml"):
        return other_texts.remove_yaml_server(text)
    return remove_member(text, host.mcp_path, NAME, _is_ours(home))


def _arguments(host: Host) -> list[str]:
    return ["--agent", host.id]


def _entry(home: Home, host: Host) -> dict[str, Any]:
    if host.id == "opencode":
        whole = [command(home), *_arguments(host)]
        return {"type": "local", "command": whole, "enabled": True}
    return {"command": command(home), "args": _arguments(host)}


def _is_ours(home: Home) -> Callable[[Any], bool]:
    """Told by the command: it lies in this home and never changes."""

    def ours(entry: Any) -> bool:
        started = entry.get("command") if isinstance(entry, dict) else None
        return (started[0] if isinstance(started, list) and started else started) == command(home)

    return ours


# Claude Code: its own program


def add_to_claude(home: Home, host: Host) -> str | None:
    """Register our server for the user; None if it is there, else what is left to do."""
    entry = {
        "type": "stdio",
        "command": command(home),
        "args": ["--agent", host.id],
        "alwaysLoad": True,  # else its tools hide behind a search for tools
    }
    if _known(host).get("command") == entry["command"]:
        return None
    given = json.dumps(entry)
    if _run(host, "add-json", "--scope", "user", NAME, given):
        return None
    return f"Its tools are not registered yet: claude mcp add-json --scope user {NAME} '{given}'"


def remove_from_claude(home: Home, host: Host) -> str | None:
    """Take our server out again; None if it is out, else what is left to do."""
    if _known(host).get("command") != command(home):
        return None
    if _run(host, "remove", "--scope", "user", NAME):
        return None
    return f"Its tools are still registered: claude mcp remove --scope user {NAME}"


def _known(host: Host) -> dict[str, Any]:
    """Our entry as the client has it; it is only read here."""
    folder = host.settings_folder()
    moved = folder != Path.home() / host.folder
    path = (folder if moved else Path.home()) / ".claude.json"
    try:
        entry = json.loads(path.read_bytes())["mcpServers"][NAME]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _run(host: Host, *arguments: str) -> bool:
    program = which(host.program)
    if program is None:
        return False
    try:
        done = subprocess.run(
            [program, "mcp", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=RUN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
