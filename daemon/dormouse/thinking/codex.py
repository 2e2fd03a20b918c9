"""Codex as a thinker, with the person's own login. It has no shell, no tools and keeps no session.

Its answer is read from standard output, never from a file.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dormouse.thinking.programs import Account, count, ended_badly, is_quota, signed
from dormouse.thinking.running import Ran, environment, find_program, folder, run
from dormouse.thinking.values import Result, Said, Stop, Thought
from dormouse_wire.hosts import CODEX

PROGRAM = "codex"
_OFF = ("hooks", "plugins", "apps", "shell_tool")
# Settings that a later version no longer knows are ignored by it, unlike names after --disable.
_SET = (
    "features.multi_agent=false",
    "features.goals=false",
    'web_search="disabled"',
    "project_doc_max_bytes=0",
    'history.persistence="none"',
)


@dataclass(frozen=True, slots=True)
class Codex:
    """Asks ``codex exec``."""

    account: Account = field(default_factory=Account)
    name: str = "codex"

    def ready(self) -> bool:
        return (self.account.find or find_program)(PROGRAM) is not None

    def ask(self, thought: Thought, stop: Stop) -> Said:
        program = (self.account.find or find_program)(PROGRAM)
        if program is None:
            return Said(Result.UNAVAILABLE)
        with folder() as place:
            schema = place.root / "schema.json"  # a constant of ours; beside the empty folder
            schema.touch(mode=0o600)
            schema.write_text(json.dumps(thought.schema))
            ran = run(
                [str(program), *arguments(thought.system, schema, self._servers())],
                signed(thought).encode(),
                env=environment(place, self.account.environment),
                place=place,
                timeout_s=self.account.timeout_s,
                stop=stop,
            )
        return ended_badly(ran) or read(ran)

    def _servers(self) -> list[str]:
        """The MCP servers of the person's settings: a thinker starts none of them."""
        moved = self.account.environment.get(str(CODEX.folder_variable))
        file = (Path(moved) if moved else CODEX.settings_folder()) / "config.toml"
        try:
            servers = tomllib.loads(file.read_text("utf-8")).get("mcp_servers", {})
        except (OSError, ValueError):
            return []
        return [name for name in servers if re.fullmatch(r"[\w-]+", name)]


def arguments(system: str, schema: Path, servers: list[str]) -> list[str]:
    """The command line. It holds constants and names of settings, no text of a person."""
    made = ["exec", "--ephemeral", "--skip-git-repo-check"]
    for feature in _OFF:
        made += ["--disable", feature]
    for setting in _SET:
        made += ["-c", setting]
    for server in servers:
        made += ["-c", f"mcp_servers.{server}.enabled=false"]
    made += ["-c", f"developer_instructions={json.dumps(system)}", "--sandbox", "read-only"]
    return [*made, "--output-schema", str(schema), "--json", "-"]


def read(ran: Ran) -> Said:
    """What ``--json`` printed, a line an event: the last message, the usage, or what went wrong."""
    text: str | None = None
    tokens: int | None = None
    wrong = ""
    for event in _events(ran.out):
        kind, part = event.get("type"), event.get("item")
        if kind == "item.completed" and isinstance(part, dict):
            if part.get("type") == "agent_message":
                text = str(part.get("text", ""))
        elif kind == "turn.completed" and isinstance(event.get("usage"), dict):
            usage = event["usage"]
            tokens = count(usage.get("input_tokens"), usage.get("output_tokens"))
        elif kind in ("error", "turn.failed"):
            wrong += f" {event.get('message')} {event.get('error')}"
    if wrong or not ran.good:
        return Said(Result.QUOTA if is_quota(wrong) else Result.FAILED, "", tokens, len(ran.out))
    if text is None:
        return Said(Result.RUBBISH, "", tokens, len(ran.out))
    return Said(Result.ANSWERED, text, tokens, len(ran.out))


def _events(out: bytes) -> Iterator[dict[str, Any]]:
    for line in out.splitlines():
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event
