"""Our hook entries in the text of a settings file: put in, and taken out again to the byte.

It works on the text, because reading and writing JSON anew would lose the owner's order, spaces and
line ends. It opens no file. One rule makes it reversible without remembering anything: what we put
into an empty bracket that was there before follows it at once (``[{…}``), while a bracket of our
own is followed by a line break. Ours come last: Codex trusts a foreign hook by its position.
"""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

BOM = "\ufeff"
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Unreadable(Exception):
    """The text can't be edited; the message says why and holds nothing of it."""


class Entry(NamedTuple):
    """One hook: run *command* on *event*, for at most *timeout* (in the host's unit)."""

    event: str
    command: str
    timeout: int


class Child(NamedTuple):
    """A member of an object or an element of an array: from *begin* (its key) to *end*."""

    key: str | None
    begin: int
    value: int
    end: int


def add(text: str | None, entries: Sequence[Entry]) -> str:
    """Return *text* (None: there is no file) with the entries that it lacks. Raises Unreadable."""
    if text is None:
        first, *entries = entries
        text = f'{{\n  "hooks": {_new_object(first, "  ", _Style(chr(10), "  "))}\n}}\n'
    style = style_of(text)
    for entry in entries:
        if not any(path.event == entry.event for path in _find(text, entry.command)):
            text = _add_one(text, entry, style)
    return text


def remove(text: str, prefix: str) -> str | None:
    """Return *text* without the hooks whose command begins with *prefix*; None: the file was ours.

    Raises Unreadable.
    """
    while found := next(iter(_find(text, prefix)), None):
        rest = _cut(text, found)
        if rest is None:
            return None
        text = rest
    return text


def holds(text: str, prefix: str) -> bool:
    """Whether a hook of ours is in *text*. Raises Unreadable."""
    return bool(_find(text, prefix))


# Reading: where the parts of the text are.


def children(text: str, at: int) -> list[Child]:
    """The members or elements of the object or array that opens at *at*, in a valid text."""
    found: list[Child] = []
    closing = {"{": "}", "[": "]"}[text[at]]
    position = _skip(text, at + 1)
    if text[position : position + 1] == closing:
        return found
    while True:
        begin, key = position, None
        if closing == "}":
            name, position = _value(text, position)
            key, position = str(name), _skip(text, _skip(text, position) + 1)
        value = position
        _, end = _value(text, value)
        found.append(Child(key, begin, value, end))
        position = _skip(text, end)
        if text[position : position + 1] == closing:
            return found
        position = _skip(text, position + 1)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        if text[error.pos : error.pos + 2] in ("//", "/*"):
            raise Unreadable(f"it has comments ({where}), which plain JSON has not") from None
        raise Unreadable(f"it is not valid JSON ({where})") from None
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None


def value_at(text: str, at: int) -> object:
    """The value that begins at *at*. Raises Unreadable."""
    return _value(text, at)[0]


def root_of(text: str) -> int:
    """Where the outermost object opens."""
    at = _skip(text, len(BOM) if text.startswith(BOM) else 0)
    value, end = _value(text, at)
    if not isinstance(value, dict):
        raise Unreadable("it is no JSON object")
    if _skip(text, end) != len(text):
        raise Unreadable("something follows its last bracket")
    return at


def child_of(text: str, at: int, key: str, opening: str) -> int | None:
    """Where the value of *key* opens, None if the object has no such key."""
    values = [child.value for child in children(text, at) if child.key == key]
    if not values:
        return None
    if len(values) > 1:
        raise Unreadable(f'"{key}" stands in it twice')
    if text[values[0]] != opening:
        raise Unreadable(f'"{key}" is not what it should be')
    return values[0]


class _Path(NamedTuple):
    """Where one hook stands: in each container, outermost first, its opening and our index."""

    event: str
    steps: tuple[tuple[int, int], ...]


def _find(text: str, prefix: str) -> list[_Path]:
    """Every hook whose command begins with *prefix*."""
    root = root_of(text)
    hooks = child_of(text, root, "hooks", "{")
    if hooks is None:
        return []
    outer = [child.key for child in children(text, root)].index("hooks")
    return [
        _Path(event.key or "", ((root, outer), (hooks, number), *steps))
        for number, event in enumerate(children(text, hooks))
        if text[event.value] == "["
        for steps in _find_in(text, event.value, prefix)
    ]


def _find_in(text: str, array: int, prefix: str) -> list[tuple[tuple[int, int], ...]]:
    """Our hooks in one event's array: the group's step and the hook's."""
    found: list[tuple[tuple[int, int], ...]] = []
    for number, group in enumerate(children(text, array)):
        inner = child_of(text, group.value, "hooks", "[") if text[group.value] == "{" else None
        for place, hook in enumerate(children(text, inner) if inner is not None else ()):
            value, _ = _value(text, hook.value)
            command = value.get("command") if isinstance(value, dict) else None
            if inner is not None and isinstance(command, str) and command.startswith(prefix):
                found.append(((array, number), (inner, place)))
    return found


# Writing.


class _Style(NamedTuple):
    line_end: str
    indent: str


def style_of(text: str) -> _Style:
    """The line end of *text* and what one level is indented by."""
    root = root_of(text)
    first = next(iter(children(text, root)), None)
    _, broken, indent = text[root + 1 : first.begin if first else root + 1].rpartition("\n")
    return _Style("\r\n" if "\r\n" in text else "\n", indent if broken and indent else "  ")


def _add_one(text: str, entry: Entry, style: _Style) -> str:
    root = root_of(text)
    hooks = child_of(text, root, "hooks", "{")
    if hooks is None:
        indent = indent_of(text, root)
        return put(text, root, f'"hooks": {_new_object(entry, indent, style)}')
    array = child_of(text, hooks, entry.event, "[")
    if array is None:
        indent = indent_of(text, hooks)
        return put(text, hooks, f'"{entry.event}": {_new_array(entry, indent, style)}')
    return put(text, array, _group(entry))


def put(text: str, at: int, addition: str) -> str:
    """Make *addition* the last in the container that opens at *at*."""
    inside = children(text, at)
    if not inside:
        return text[: at + 1] + addition + text[at + 1 :]
    end = inside[-1].end
    return text[:end] + "," + _gap(text, at, inside) + addition + text[end:]


def _gap(text: str, at: int, inside: list[Child]) -> str:
    """The white space in front of the container's last child."""
    before = text.index(",", _skip(text, inside[-2].end)) if len(inside) > 1 else at
    return text[before + 1 : inside[-1].begin]


def indent_of(text: str, at: int) -> str:
    """How far the children of the container at *at* are indented."""
    inside = children(text, at)
    if inside:
        return _gap(text, at, inside).rpartition("\n")[2]
    line = text[: at + 1].rpartition("\n")[2]
    return line[: _skip(line, 0)]


def _new_object(entry: Entry, indent: str, style: _Style) -> str:
    inner = indent + style.indent
    member = f'"{entry.event}": {_new_array(entry, inner, style)}'
    return f"{{{style.line_end}{inner}{member}{style.line_end}{indent}}}"


def _new_array(entry: Entry, indent: str, style: _Style) -> str:
    inner = indent + style.indent
    return f"[{style.line_end}{inner}{_group(entry)}{style.line_end}{indent}]"


_GROUP = '{"hooks": [{"type": "command", '


def _group(entry: Entry) -> str:
    hook = {"type": "command", "command": entry.command, "timeout": entry.timeout}
    return json.dumps({"hooks": [hook]}, ensure_ascii=False)


def _cut(text: str, path: _Path) -> str | None:
    """Take one hook out, with every bracket that held nothing else and was ours."""
    groups, number = path.steps[-2]
    as_written = text.startswith(_GROUP, children(text, groups)[number].begin)
    for depth, (at, index) in reversed(list(enumerate(path.steps))):
        inside = children(text, at)
        child = inside[index]
        if len(inside) > 1:
            begin = inside[index - 1].end if index else child.begin
            end = child.end if index else inside[1].begin
            return text[:begin] + text[end:]
        in_a_group = depth == len(path.steps) - 1
        # Where a program wrote the file anew the sign is lost: what holds only ours goes with it.
        if child.begin == at + 1 and as_written and not in_a_group:
            return text[: at + 1] + text[child.end :]
    return None
