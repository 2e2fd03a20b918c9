"""Starting a daemon from a client: once, detached, with a scrubbed environment, without waiting.

Whoever starts it holds the home's lock while doing so and hands it to the new daemon, so that any
number of simultaneous starters end in one daemon.
"""

import fcntl
import os
import subprocess
import sys

from dormouse_wire.paths import Home

KEPT = ("HOME", "PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_RUNTIME_DIR")
LOCK_FD = "DORMOUSE_LOCK_FD"


def scrubbed_environment() -> dict[str, str]:
    """What a daemon may inherit: no tokens of the agent that happened to start it."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in KEPT or (name.startswith("DORMOUSE_") and name != LOCK_FD)
    }


def start(home: Home, python: str = sys.executable) -> bool:
    """Start a daemon for *home* unless one runs or is being started. Does not wait for it."""
    try:
        lock = os.open(home.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        subprocess.Popen(
            [python, "-I", "-m", "dormouse.main"],
            env=scrubbed_environment() | {"DORMOUSE_HOME": str(home.root), LOCK_FD: str(lock)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            pass_fds=(lock,),
            start_new_session=True,
        )
    except OSError:
        return False
    finally:
        os.close(lock)
    return True
