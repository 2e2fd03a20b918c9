"""Everything the command line itself can refuse or fail at: one tree, one file.

The docstring is the message (attributes are filled in), ``hint`` says what to do, ``code`` stands
in ``--json`` answers, ``exit_code`` is what the shell gets. No message holds a fact's text.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

# What the daemon's error codes mean to a shell; every other code is 1.
EXIT_CODES = {
    "bad_request": 2,
    "too_large": 2,
    "not_found": 4,
    "not_unique": 4,
    "refused": 5,
    "locked": 6,
    "damaged": 7,
}


class CliError(Exception):
    """Something went wrong."""

    code: str = "failed"
    exit_code: int = 1
    hint: str = "Run `dormouse doctor`."
    text: ClassVar[str | None] = None
    told: Mapping[str, Any] = {}  # what a program is told beside the message

    def __init__(self, hint: str | None = None, **about: object) -> None:
        self.about = about
        if hint is not None:
            self.hint = hint
        message = (type(self).__doc__ or "").strip().splitlines()[0]
        super().__init__(message.format(**about))


class Usage(CliError):
    """{what}"""

    code, exit_code = "bad_request", 2
    hint = "See `dormouse --help`."


class Unexpected(CliError):
    """Dormouse stopped at an error of its own ({kind})."""

    code, exit_code = "failed", 1
    hint = "Run `dormouse doctor`; if it finds nothing, please report this."


class NotSetUp(CliError):
    """No daemon is running at {socket}: Dormouse was never set up in {home}."""

    code, exit_code = "not_set_up", 3
    hint = "Run `dormouse up`."


class MemoryExists(CliError):
    """A memory exists in {home} already and opens with: {ways}; --passphrase is for a new one."""

    code, exit_code = "conflict", 1
    hint = "Start it with `dormouse up`, then add one with `dormouse key add passphrase`."


class Down(CliError):
    """No daemon is running at {socket}{why}."""

    code, exit_code = "down", 3
    hint = "Run `dormouse up`."


class StartFailed(CliError):
    """The daemon at {socket} did not start within {seconds} s."""

    code, exit_code = "down", 3
    hint = "Its log is in the home's log folder; run `dormouse doctor`."


class NotAnswering(CliError):
    """The daemon at {socket} is not answering."""

    code, exit_code = "not_answering", 3
    hint = "Wait a moment and try again; if it stays so, end that process and run `dormouse up`."


class Sandboxed(CliError):
    """Blocked by the agent's sandbox: {socket} can't be reached from here."""

    code, exit_code = "sandboxed", 3
    hint = "Run this in a terminal of your own, or let the agent's hooks do it."


class Locked(CliError):
    """The memory in {home} is locked."""

    code, exit_code = "locked", 6
    hint = "Run `dormouse unlock`."


class NotStopped(CliError):
    """The daemon at {socket} was told to stop and still runs."""

    code, exit_code = "failed", 1
    hint = "Try `dormouse down` again in a moment."


class NotFound(CliError):
    """{what}"""

    code, exit_code = "not_found", 4
    hint = "List what there is, for example with `dormouse facts --all`."


class Refused(CliError):
    """Refused: {what}."""

    code, exit_code = "refused", 5
    hint = "Run it in a terminal of your own, or with --yes and the passphrase on standard input."


class Failed(CliError):
    """{what}"""


class NotWritten(CliError):
    """The output could not be written: {why}."""

    hint = (
        "Look whether the disk that it goes to is full. What the command does may be done already."
    )


class FromDaemon(CliError):
    """What the daemon answered instead of doing it."""

    def __init__(self, status: int, answer: Any) -> None:
        error = answer.get("error") if isinstance(answer, dict) else None
        error = error if isinstance(error, dict) else {}
        self.code = str(error.get("code") or "failed")
        self.exit_code = EXIT_CODES.get(self.code, 1)
        self.hint = str(error.get("hint") or "")
        self.about = {"status": status}
        self.told = {name: error[name] for name in ("taken_by", "until") if name in error}
        message = error.get("message") or f"The daemon answered with status {status}."
        Exception.__init__(self, str(message))


def one_line(error: CliError) -> str:
    """The line a person gets: what, which file or id, what to do."""
    return " ".join(f"dormouse: {error} {error.hint}".split())


def as_json(error: CliError) -> dict[str, dict[str, Any]]:
    """The same for a program."""
    return {"error": {"code": error.code, "message": str(error), "hint": error.hint, **error.told}}
