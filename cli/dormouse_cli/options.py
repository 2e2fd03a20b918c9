"""What several commands share: options, the words they accept, texts from stdin, examples in help.

The words repeat those of the daemon, which the command line may not import; a test compares them.
"""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dormouse_cli import errors

GONE = "The working folder no longer exists."
MAX_STDIN = 8 * 1024 * 1024  # the daemon takes no larger body


class Kind(StrEnum):
    """What a fact is about."""

    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


class Layer(StrEnum):
    """Which lasting layer holds a fact."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    CORE = "core"


class Scope(StrEnum):
    """Whom a fact holds for. Not a session: a command is in none, so it is said there."""

    USER = "user"
    ORGANISATION = "organisation"
    PROJECT = "project"
    BRANCH = "branch"


class Answer(StrEnum):
    """The owner's answer to a question."""

    SUPERSEDE = "supersede"
    KEEP = "keep"


class Level(StrEnum):
    """Privacy levels."""

    LOCAL = "local"
    AGENTS = "agents"
    HOSTED = "hosted"


class Slot(StrEnum):
    """Kinds of key slots that can be added and checked."""

    KEYFILE = "keyfile"
    PASSPHRASE = "passphrase"  # noqa: S105  (the word, not one)
    RECOVERY = "recovery"


Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
Id = Annotated[
    str, typer.Argument(metavar="ID", help="The id, or its first characters (4 or more).")
]
Project = Annotated[
    Path | None,
    typer.Option(
        "--project",
        metavar="DIR",
        exists=True,
        file_okay=False,
        help="A folder of the project that is meant, instead of the working directory.",
    ),
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes",
        help="Don't ask. Where no terminal is, the passphrase comes as one line on standard input.",
    ),
]


def folder(named: Path | None) -> str | None:
    """The folder the daemon is told: the named one or the working directory, absolute."""
    try:
        return str(named.absolute()) if named is not None else os.getcwd()  # noqa: PTH109
    except OSError:
        return None  # the working directory is gone: no project


def only(named: Path | None) -> str | None:
    """The named folder, absolute; without one, every project is meant."""
    return None if named is None else whole(named)


def whole(path: Path) -> str:
    """*path*, absolute. Raises Usage where the folder that it starts from is gone."""
    try:
        return str(path.absolute())
    except OSError:
        hint = "Go to a folder that is there, or write the path from / on."
        raise errors.Usage(hint, what=GONE) from None


def text_of(given: str) -> str:
    """A TEXT argument; ``-`` stands for standard input."""
    if given != "-":
        return given
    raw = sys.stdin.buffer.read(MAX_STDIN + 1)
    if len(raw) > MAX_STDIN:
        raise errors.Usage("Give it in parts.", what="Standard input is larger than 8 MiB.")
    return raw.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")


def example(*lines: str) -> str:
    """The end of a help text: commands to copy."""
    head = "Example:" if len(lines) == 1 else "Examples:"
    return "\b\n" + "\n".join([head, *(f"  {line}" for line in lines)])
