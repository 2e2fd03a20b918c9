"""Telling the service manager how the daemon is (sd_notify). Says nothing where nobody listens."""

import contextlib
import os
import socket

READY, STOPPING = "READY=1", "STOPPING=1"


def address() -> str | None:
    """Where to tell it. Taken out of the environment: nothing that we start may speak for us."""
    return os.environ.pop("NOTIFY_SOCKET", None) or None


def notify(where: str | None, state: str) -> bool:
    """Send *state*; whether it went out. Never raises: a daemon that can't tell still serves."""
    if where is None or where[0] not in "/@":
        return False
    name = "\0" + where[1:] if where[0] == "@" else where
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(state.encode(), name)
        return True
    return False
