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
_BLOCK = re.compile(r"^hooks: # dormouse(?P<joined>\+?)\n(?:[ ][^\n]*\n)*", re.MULTILINE)
_HOOKS = re.compile(r"^[\"']?hooks[\"']?[ \t]*:", re.MULTILINE)


def add_yaml(text: str | None, entries: Sequence[Entry]) -> str:
    """*text* (None: no file) with a ``hooks`` block of ours at its end. Raises Unreadable."""
    bare = (remove_yaml(text) or "") if text is not None else ""
    if _HOOKS.search(bare):
        raise Unreadable("it has hooks already; docs/agents.md says which lines to add to them")
    if bare.lstrip().startswith("{") or re.search(r"^(\.\.\.|---)\s*$", bare.lstrip("-\n"), re.M):
        raise Unreadable("nothing can be added at its end")
    joined = "" if not bare or bare.endswith("\n") else "+"
    lines = [f"hooks: # dormouse{joined}"]
    for entry in entries:
        lines += [
            f"  {entry.event}:",
            f"    - command: {json.dumps(entry.command, ensure_ascii=False)}",
            f"      timeout: {entry.timeout}",
        ]
    return bare + ("\n" if joined else "") + "".join(f"{line}\n" for line in lines)


def remove_yaml(text: str) -> str | None:
    """*text* without our block; None where nothing else is left."""
    found = _BLOCK.search(text)
    if found is None:
        return text
    return text[: found.start() - len(found["joined"])] + text[found.end() :] or None


def add_plugin(text: str | None, hook: str) -> str:
    """The plugin's file; *hook* is the wrapper's path. Raises Unreadable for a foreign file."""
    if text is not None and not text.startswith(_FIRST):
        raise Unreadable("it is not ours")
    made = resources.files("dormouse_plugins").joinpath(_PLUGIN).read_text("utf-8")
    return made.replace('"@HOOK@"', json.dumps(hook, ensure_ascii=False))


def remove_plugin(text: str) -> str | None:
    """None, which removes the file, if it is ours."""
    return None if text.startswith(_FIRST) else text
