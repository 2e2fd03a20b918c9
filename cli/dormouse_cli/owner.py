"""Is it the owner who asks? Owner commands are refused where an agent could be at the keyboard.

It proves nothing against a program of the same user that hides its marks; docs/security.md says so.
"""

import contextlib
import getpass
import io
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from dormouse_cli import errors, slots
from dormouse_wire.hosts import HOSTS, THINKER_MARKER
from dormouse_wire.paths import Home

ANY_AGENT = "AI_AGENT"  # what several agents set beside their own; AGENT is too common a word
# A person sets these for themselves, to move a folder: no agent shows itself by them.
SETTINGS = frozenset(host.folder_variable for host in HOSTS.values() if host.folder_variable)
TERMINAL = "/dev/tty"
TERMINAL_ONLY = (  # nothing else proves the owner: any program of theirs can read a key file
    "Run it in a terminal of your own (over ssh: `ssh -t`) with nothing on standard input: this"
    " memory has no passphrase that could stand for you, it opens with: {ways}."
)


def marker() -> str | None:
    """The variable in the environment by which an agent shows itself."""
    found = _marked()
    return found[0] if found else None


def agent() -> str | None:
    """The agent in whose shell this command runs, by the mark it leaves; None for the owner."""
    found = _marked()
    return found[1] if found else None


def _marked() -> tuple[str, str] | None:
    """A mark and whose it is: the agents' own in the table's order, then those of any agent."""
    names = sorted(set(os.environ) - SETTINGS)
    for host in HOSTS.values():
        for mark in host.marks:
            begin = mark.removesuffix("*")
            for name in names:
                if name == mark or (begin != mark and name.startswith(begin)):
                    return name, host.id
    if THINKER_MARKER in os.environ:
        return THINKER_MARKER, "thinker"
    if ANY_AGENT in os.environ:
        said = os.environ[ANY_AGENT].lower()
        return ANY_AGENT, next((id_ for id_ in HOSTS if id_ in said), "agent")
    return None


@contextlib.contextmanager
def terminal() -> Iterator[TextIO]:
    """The controlling terminal, whatever stdin and stdout are. Raises OSError without one."""
    descriptor = os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY)
    with io.TextIOWrapper(io.FileIO(descriptor, "r+"), write_through=True) as text:
        yield text


def has_terminal() -> bool:
    """Whether a controlling terminal can be opened."""
    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def prove(what: str, *, yes: bool) -> dict[str, str]:
    """What an owner's request carries: nothing at an own terminal, else the passphrase. Or Refused.

    With ``--yes`` the first line of a piped standard input is the passphrase, at a terminal too, so
    that a second line means the same everywhere.
    """
    found = marker()
    at_terminal = found is None and has_terminal()
    hint = _without_passphrase()
    if yes and not (at_terminal and _typed()):
        given = _read_secret("Passphrase: ")
        if given and hint is not None:
            raise errors.Refused(hint, what=f"{what} is the owner's to do, and no passphrase fits")
        if given:
            return {"passphrase": given}
    if at_terminal:
        return {}
    why = f"{found} says that an agent is running this" if found else "there is no terminal here"
    raise errors.Refused(hint, what=f"{what} is the owner's to do, and {why}")


def _without_passphrase() -> str | None:
    """What to do where no passphrase can stand for the owner; None where one may."""
    found = slots.kinds(Home.from_environment())
    if not found or "passphrase" in found:
        return None
    return TERMINAL_ONLY.format(ways=", ".join(found))


def confirm(question: str, *, yes: bool) -> None:
    """Ask on the terminal before something that can't be taken back."""
    if yes:
        return
    with terminal() as tty:
        tty.write(f"{question} Type yes: ")
        answer = tty.readline().strip().lower()
    if answer != "yes":
        raise errors.Refused("Nothing was changed.", what="not confirmed")


def secret(prompt: str, *, twice: bool = False) -> str:
    """A secret typed on the terminal without echo, or one line of standard input."""
    given = _read_secret(prompt)
    if twice and _typed() and given != _read_secret("Once more: "):
        raise errors.Usage("Nothing was changed; try again.", what="The two were not the same.")
    if not given:
        raise errors.Usage(
            "Type it on a terminal, or give it as one line on standard input.",
            what="No passphrase was given.",
        )
    return given


def _typed() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _read_secret(prompt: str) -> str:
    if _typed():
        return getpass.getpass(prompt)
    return sys.stdin.readline().rstrip("\r\n") if sys.stdin is not None else ""
