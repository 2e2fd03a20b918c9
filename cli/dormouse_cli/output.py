"""What reaches the terminal: one JSON value, or text for people. It never asks the daemon anything.

Control characters are shown as escapes: a fact must not be able to move the cursor, recolour the
screen or hide its end.
"""

import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dormouse_cli import errors

SHORT_ID = 6  # of 16 characters; any unique prefix of 4 or more is accepted

# C0 and C1 controls, line and paragraph separators, and the marks that reorder what is read.
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_JSON_CONTROL = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

GAP = 2  # columns between two of a table
STYLES = {"id": "cyan", "good": "green", "bad": "red", "warn": "yellow", "dim": "dim"}


def prepare_streams() -> None:
    """Let no character that the terminal's encoding lacks end a command half way.

    A stream that was closed before we began (``>&-``) leads nowhere: nobody wants to read it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # in the kernel's order
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
        elif name == "stdout":
            sys.stdout = _named(sys.stdout)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


class _Output(io.FileIO):
    """Standard output that says itself where it can't be written: the error names no file."""

    def write(self, data: Any) -> int:
        if not len(data):  # how typer asks what sort of stream this is; it swallows the answer
            return 0
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            give_up(self)
            raise errors.NotWritten(why=error.strerror) from error


def _named(stream: TextIO) -> TextIO:
    """*stream* over an ``_Output``, buffered and encoded as it was."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    raw = _Output(stream.fileno(), "w", closefd=False)
    unbuffered = isinstance(stream.buffer, io.RawIOBase)
    return io.TextIOWrapper(
        raw if unbuffered else io.BufferedWriter(raw),
        encoding=stream.encoding,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def give_up(stream: TextIO | io.FileIO) -> None:
    """Let what is left for *stream* go nowhere, or the interpreter would fail at it once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def last(line: str, stream: TextIO) -> None:
    """The last line of a command that failed: it fails no further where it can't be written."""
    try:
        print(line, file=stream)
        stream.flush()
    except (OSError, errors.NotWritten):
        give_up(stream)


def on_terminal() -> bool:
    """Whether a person reads stdout directly."""
    return sys.stdout.isatty()


def colours() -> bool:
    """Colours only on a terminal, and not with NO_COLOR."""
    return on_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def escape(text: str) -> str:
    """The text on one line, every control character visible."""
    return _CONTROL.sub(_visible, text)


def _visible(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def say(text: str = "", style: str | None = None) -> None:
    """One line for a person; controls in it are escaped."""
    line = escape(text)
    if style is not None and colours():
        _console().print(Text(line, style=STYLES.get(style, style)), soft_wrap=True)
    else:
        print(line)


def emit(value: Any, as_json: bool, text: Callable[[], None]) -> None:
    """Print *value* as the one JSON value, or let *text* say it to a person."""
    if as_json:
        print(dumps(value))
    else:
        text()


def dumps(value: Any) -> str:
    """JSON in readable letters where stdout can show them; controls stay escaped."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    made = json.dumps(value, ensure_ascii=not unicode, indent=2)
    return _JSON_CONTROL.sub(lambda match: f"\\u{ord(match.group()):04x}", made)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, nothing: str) -> None:
    """Rows under headings: a table that folds on a terminal, aligned lines elsewhere."""
    escaped = [[escape(cell) for cell in row] for row in rows]
    if not escaped:
        say(nothing)
    elif on_terminal():
        _rich_table(columns, escaped)
    else:
        _plain_table(columns, escaped)


def _console() -> Console:
    return Console(highlight=False, no_color=not colours(), markup=False, emoji=False)


def _rich_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    made = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    console = _console()
    room = console.width - GAP * (len(columns) - 1)
    for column, width in zip(columns, shares(_widths(columns, rows), room), strict=True):
        made.add_column(column, width=width, overflow="fold")
    for row in rows:
        made.add_row(Text(row[0], style=STYLES["id"]), *(Text(cell) for cell in row[1:]))
    console.print(made)


def shares(widths: Sequence[int], room: int) -> list[int]:
    """What each column gets of *room*: the last, the text, half of it if it needs so much.

    The widest of the others fold first, so that an agent's long name never hides a text.
    """
    *others, text = widths
    left = room - min(text, (room + 1) // 2)
    while sum(others) > left and max(others) > 1:
        others[others.index(max(others))] -= 1
    return [*others, max(1, min(text, room - sum(others)))]


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(cell_len(row[at]) for row in (columns, *rows)) for at in range(len(columns))]


def _plain_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = _widths(columns, rows)
    for row in (columns, *rows):
        cells = [cell + " " * (widths[at] - cell_len(cell)) for at, cell in enumerate(row)]
        print("  ".join(cells).rstrip())


def pairs(rows: Iterable[tuple[str, str]]) -> None:
    """Names and what they are, aligned; a row without a name goes on with the one above."""
    kept = list(rows)
    width = max((cell_len(name) for name, _ in kept), default=0)
    for name, value in kept:
        say(f"{name}{' ' * (width - cell_len(name))}  {value}".rstrip())


def short(identifier: str | None) -> str:
    """An id as people see it."""
    return (identifier or "")[:SHORT_ID]


def when(time: str | None) -> str:
    """A time of the ledger in the reader's own zone, to the minute."""
    if not time:
        return ""
    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return time


def counted(number: int | None, one: str, many: str | None = None) -> str:
    """As in 1 fact, 2 facts."""
    return f"{number or 0} {one if number == 1 else many or one + 's'}"


def listed(of: Mapping[str, Any]) -> str:
    """As 2 facts, 1 turn from {"facts": 2, "turns": 1}; noughts are left out."""
    said = [counted(number, name.removesuffix("s"), name) for name, number in of.items() if number]
    return ", ".join(said) or "nothing"
