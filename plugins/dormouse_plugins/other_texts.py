"""Our hooks in settings that are no JSON: Hermes's YAML as text, OpenCode's plugin as a file.

Only what is ours goes in and out. Where somebody else's hooks stand it is left to the person.
"""

import json
import re
from collections.abc import Sequence
from importlib import resources

from dormouse_plugins.hooks_text import Entry, Unreadable

_PLUGIN = "agents/opencode/dormouse.js"
_FIRST = "// Dormouse's plugin for OpenCode"
_OURS = re.compile(r"(?:hooks|mcp_servers): # dormouse(?=\n)")


def _block(name: str) -> re.Pattern[str]:
    # Ours is told by the comment; the + says that the line before had no end, so it gets none back
    return re.compile(rf"^{name}: # dormouse(?P<joined>\+?)\n(?:[ ][^\n]*\n)*", re.MULTILINE)


def add_yaml(text: str | None, entries: Sequence[Entry]) -> str:
    """*text* (None: no file) with a ``hooks`` block of ours at its end. Raises Unreadable."""
    lines = []
    for entry in entries:
        lines += [
            f"  {entry.event}:",
            f"    - command: {json.dumps(entry.command, ensure_ascii=False)}",
            f"      timeout: {entry.timeout}",
        ]
    return _add_block(text, "hooks", lines)


def add_yaml_server(text: str | None, name: str, command: str, arguments: Sequence[str]) -> str:
    """*text* with an ``mcp_servers`` block of ours at its end. Raises Unreadable."""
    lines = [
        f"  {name}:",
        f"    command: {json.dumps(command, ensure_ascii=False)}",
        f"    args: {json.dumps(list(arguments))}",
    ]
    return _add_block(text, "mcp_servers", lines)


def _add_block(text: str | None, key: str, lines: Sequence[str]) -> str:
    bare = (_remove_block(text, key) or "") if text is not None else ""
    if re.search(rf"^[\"']?{key}[\"']?[ \t]*:", bare, re.MULTILINE):
        raise Unreadable(f"it has {key} already; docs/agents.md says which lines to add to them")
    if bare.lstrip().startswith("{") or re.search(r"^(\.\.\.|---)\s*$", bare.lstrip("-\n"), re.M):
        raise Unreadable("nothing can be added at its end")
    joined = "" if not bare or bare.endswith("\n") else "+"
    made = [f"{key}: # dormouse{joined}", *lines]
    return bare + ("\n" if joined else "") + "".join(f"{line}\n" for line in made)


def remove_yaml(text: str) -> str | None:
    """*text* without our hooks; None where nothing else is left."""
    return _remove_block(text, "hooks")


def remove_yaml_server(text: str) -> str | None:
    """*text* without our server; None where nothing else is left."""
    return _remove_block(text, "mcp_servers")


def _remove_block(text: str, key: str) -> str | None:
    found = _block(key).search(text)
    if found is None:
        return text
    rest = text[found.end() :]
    begin = found.start() - len(found["joined"])
    if found["joined"] and (after := _OURS.match(rest)):
        # Our other block came in behind this one: the line before has no end again, so it joins.
        rest = rest[: after.end()] + "+" + rest[after.end() :]
        begin += 1
    return text[:begin] + rest or None


def add_plugin(text: str | None, hook: str) -> str:
    """The plugin's file; *hook* is the wrapper's path. Raises Unreadable for a foreign file."""
    if text is not None and not text.startswith(_FIRST):
        raise Unreadable("it is not ours")
    made = resources.files("dormouse_plugins").joinpath(_PLUGIN).read_text("utf-8")
    return made.replace('"@HOOK@"', json.dumps(hook, ensure_ascii=False))


def remove_plugin(text: str) -> str | None:
    """None, which removes the file, if it is ours."""
    return None if text.startswith(_FIRST) else text
