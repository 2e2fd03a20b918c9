"""One member of ours in the text of a JSON settings file: put in, and taken out to the byte.

As with hooks (``hooks_text``): what we put into an empty bracket that was there before follows it
at once, while a bracket of our own is followed by a line break. It opens no file.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from dormouse_plugins.hooks_text import (
    Unreadable,
    child_of,
    children,
    indent_of,
    put,
    root_of,
    style_of,
    value_at,
)


def add_member(
    text: str | None, path: Sequence[str], name: str, value: Any, ours: Callable[[Any], bool]
) -> str:
    """*text* (None: no file) with *name* below *path*; one of *ours* is written anew.

    Raises Unreadable, also where a member of that name is somebody else's.
    """
    known = None if text is None else get_member(text, path, name)
    if text is None:
        members = _nested([*path, name], value, "  ", "\n", "  ")
        return f"{{\n  {members}\n}}\n"
    if known is not None:
        if not ours(known):
            raise Unreadable(f"it has a {'.'.join([*path, name])} of somebody else's")
        if known == value:
            return text
        text = remove_member(text, path, name, ours)
        return add_member(text, path, name, value, ours)
    return _put(text, path, name, value)


def _put(text: str, path: Sequence[str], name: str, value: Any) -> str:
    line_end, step = style_of(text)
    at, rest = root_of(text), [*path, name]
    while len(rest) > 1:
        inner = child_of(text, at, rest[0], "{")
        if inner is None:
            break
        at = inner
        rest.pop(0)
    return put(text, at, _nested(rest, value, indent_of(text, at), line_end, step))


def _nested(keys: Sequence[str], value: Any, indent: str, line_end: str, step: str) -> str:
    """``"a": {"b": value}``, each bracket of ours with a line of its own."""
    first, *rest = keys
    if not rest:
        return f"{json.dumps(first)}: {json.dumps(value, ensure_ascii=False)}"
    inner = indent + step
    member = _nested(rest, value, inner, line_end, step)
    return f"{json.dumps(first)}: {{{line_end}{inner}{member}{line_end}{indent}}}"


def get_member(text: str, path: Sequence[str], name: str) -> Any:
    """The value of *name* below *path*, None where it is not there. Raises Unreadable."""
    found = _find(text, path, name)
    if found is None:
        return None
    at, number = found[-1]
    return value_at(text, children(text, at)[number].value)


def remove_member(
    text: str, path: Sequence[str], name: str, ours: Callable[[Any], bool]
) -> str | None:
    """*text* without our *name*; None where nothing else is left. Raises Unreadable."""
    found = _find(text, path, name)
    if found is None or not ours(get_member(text, path, name)):
        return text
    for at, number in reversed(found):
        inside = children(text, at)
        child = inside[number]
        if len(inside) > 1:
            begin = inside[number - 1].end if number else child.begin
            end = child.end if number else inside[1].begin
            return text[:begin] + text[end:]
        if child.begin == at + 1:
            return text[: at + 1] + text[child.end :]
    return None


def _find(text: str, path: Sequence[str], name: str) -> list[tuple[int, int]] | None:
    """From the outermost bracket to ours: where each opens and which child leads on."""
    at, found = root_of(text), []
    for key in [*path, name]:
        keys = [child.key for child in children(text, at)]
        if key not in keys:
            return None
        found.append((at, keys.index(key)))
        if key == name and len(found) == len(path) + 1:
            if keys.count(key) > 1:
                raise Unreadable(f'"{key}" stands in it twice')
            return found
        inner = child_of(text, at, key, "{")
        if inner is None:
            return None
        at = inner
    return None
