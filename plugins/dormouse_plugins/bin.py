"""The home's ``bin``: what agents call. A wrapper for hooks, the hook program, one for MCP.

All are written whole, over older ones too. The hooks' wrapper can only end in success: an exit
status of 2 would block a person's prompt.
"""

import contextlib
import os
import py_compile
import secrets
from importlib import resources
from pathlib import Path

from dormouse_wire.paths import Home

WRAPPER = "dormouse-hook"
PROGRAM = "hook.py"
START = "hook_start.py"
MCP = "dormouse-mcp"


def quoted(text: str) -> str:
    """*text* as one word of sh, always in quotes."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


def wrapper_text(python: str) -> str:
    """No ``exec``, so that nothing but 0 comes out; -S and -I halve the interpreter's start."""
    return (
        "#!/bin/sh\n"
        f"p={quoted(python)}\n"
        '[ -x "$p" ] && "$p" -I -S "${0%/*}/hook_start.py" "$@" 2>/dev/null\n'
        "exit 0\n"
    )


def start_text() -> str:
    """Imports the hook program, so that Python takes it compiled: that is 1.7 of 10 ms.

    -I leaves its folder out of the path. It writes nothing compiled itself: ``write_bin`` did.
    """
    return (
        "import sys\n"
        "sys.dont_write_bytecode = True\n"
        'sys.path.insert(0, sys.argv[0].rpartition("/")[0])\n'
        "import hook\n"
        "hook.main(sys.argv)\n"
        "hook.os._exit(0)\n"
    )


def mcp_text(python: str) -> str:
    """Finds the home beside itself: an agent may start it with hardly any environment."""
    return (
        "#!/bin/sh\n"
        f"p={quoted(python)}\n"
        'exec "$p" -I -m dormouse_plugins.mcp --home "${0%/*}/.." "$@"\n'
    )


def command_prefix(home: Home) -> str:
    """What every command of ours in a settings file begins with. Never changes between versions."""
    return quoted(str(home.bin / WRAPPER)) + " "


def write_bin(home: Home, python: str) -> None:
    """Write the wrapper and the hook program; *python* is an interpreter's absolute path."""
    home.bin.mkdir(mode=0o700, parents=True, exist_ok=True)
    program = resources.files("dormouse_plugins").joinpath(PROGRAM).read_bytes()
    write_whole(home.bin / PROGRAM, program, 0o600)
    write_whole(home.bin / START, start_text().encode(), 0o600)
    _compile(home.bin / PROGRAM)
    write_whole(home.bin / WRAPPER, os.fsencode(wrapper_text(python)), 0o700)
    write_whole(home.bin / MCP, os.fsencode(mcp_text(python)), 0o700)


def _compile(program: Path) -> None:
    """Compile for this Python; another one, or a full disk, compiles with every event instead."""
    with contextlib.suppress(OSError, py_compile.PyCompileError):
        compiled = py_compile.compile(str(program), doraise=True)
        if compiled is not None:
            Path(compiled).parent.chmod(0o700)
            Path(compiled).chmod(0o600)


def write_whole(path: Path, content: bytes, mode: int) -> None:
    """Replace *path* in one step; a reader finds the old file or the new one. Raises OSError."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(unfinished, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
