"""Secrets in a command line: what a known program takes for a password, whatever it looks like.

Only a place behind the program's own option counts: "-p" alone is a port or a path elsewhere.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

REACH = 600  # bytes of one command that are looked at behind the program's name

_VALUE = (
    rb"(?:\"(?P<double>[^\"\n]{1,256})\"|'(?P<single>[^'\n]{1,256})'"
    rb"|(?P<bare>[^\s\"'`;|&<>()-][^\s\"'`;|&<>()]{0,255}))"
)
_LOGIN = (
    rb"(?:\"[^\s:\"]{0,128}:(?P<double>[^\"\n]{1,256})\"|'[^\s:']{0,128}:(?P<single>[^'\n]{1,256})'"
    rb"|[^\s:\"'`;|&<>()]{0,128}:(?!//)(?P<bare>[^\s\"'`;|&<>()]{1,256}))"
)

_LOGS_IN = rb"login(?<=docker login|podman login|gistry login)"  # "helm registry login"


class Program(NamedTuple):
    """A program and its option. ``name`` begins with literal bytes, as all searches do."""

    type: str
    name: re.Pattern[bytes]
    option: re.Pattern[bytes]


def _program(kind: str, name: bytes, option: bytes, value: bytes = _VALUE) -> Program:
    return Program(kind, re.compile(name + rb"(?![A-Za-z0-9])"), re.compile(option + value))


PROGRAMS: tuple[Program, ...] = (
    _program(
        "basic_auth",
        rb"curl",
        rb"(?<=\s)(?:-[A-Za-z]{0,8}[uU]|--(?:proxy-)?user)(?:=|[ \t]{0,2})",
        _LOGIN,
    ),
    _program("password", rb"mysql(?:-?[a-z]{1,12})?", rb"(?<=\s)-p"),
    _program("password", rb"mariadb(?:-[a-z]{1,12})?", rb"(?<=\s)-p"),
    _program("password", rb"sshpass", rb"(?<=\s)-p[ \t]{0,2}"),
    _program("password", rb"redis-cli", rb"(?<=\s)-a[ \t]{1,2}"),
    _program("password", _LOGS_IN, rb"(?<=\s)-p[ \t]{0,2}"),
)
_ANY_OPTION = re.compile(rb" -[A-Za-z-]")
_COMMAND_ENDS = re.compile(rb"(?<!\\)\n")
# "Use sshpass -p to log in" names the option and no password.
_PROSE = frozenset(
    b"to and or is in for on with as the a an option flag instead if it then when so that your our"
    b" und oder mit ist das der die ein eine statt als".split()
)


def arguments(
    data: bytes, tick: Callable[[], None], stands_for: Callable[[bytes], bool]
) -> Iterator[tuple[int, int, str]]:
    """Begin, end and type of each secret that *data* gives to a program."""
    if not _ANY_OPTION.search(data):
        return
    for program in PROGRAMS:
        at, found = 0, program.name.search(data)
        while found:
            tick()
            following = program.name.search(data, found.end())
            limit = min(found.end() + REACH, following.start() if following else len(data))
            end = _COMMAND_ENDS.search(data, found.end(), limit)
            at, limit = found.end(), end.start() if end else limit
            while given := program.option.search(data, at, limit):
                group = given.lastgroup or "bare"
                value, at = given[group], given.end()
                named = value.lower() in _PROSE or (value.isdigit() and _IDS.search(given[0]))
                if not named and not stands_for(value):
                    yield given.start(group), given.end(group), program.type
            found = following


_IDS = re.compile(rb"\d+:\d+\Z")  # "docker run -u 1000:1000" further on in the line
