"""The way to the daemon: ask it, start it where that is allowed, wait for it, stop it.

It never removes a socket, never ends a process by force, and never starts a second daemon: whoever
starts one holds the home's lock (dormouse_wire.launch).
"""

import fcntl
import json
import os
import socket
import struct
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from dormouse_cli import errors
from dormouse_wire import client, launch
from dormouse_wire.paths import Home

ANSWER_S = 3.0  # with a busy machine's start of the interpreter below 5 s for "not answering"
START_S = 15.0
STOP_S = 10.0
LONG_S = 600.0
POLL_S = 0.05
HEALTH = "/v1/health"
SWITCHED_OFF = "nothing: this folder is switched off for memory (.dormouse-off)"

Seen = TypeVar("Seen")


def route(*parts: str, **query: str | None) -> str:
    """A route below /v1; parts are quoted, empty query values left out."""
    for part in parts:
        if not part.strip():
            raise errors.NotFound(what="An empty id names nothing.")
    path = "/v1/" + "/".join(quote(part, safe="") for part in parts)
    given = {name: value for name, value in query.items() if value is not None}
    try:
        return f"{path}?{urlencode(given)}" if given else path
    except UnicodeEncodeError:  # only a folder's name can be such bytes
        raise errors.Usage("Rename it.", what="The folder's name is not UTF-8.") from None


def ask(
    method: str,
    where: str,
    body: Mapping[str, Any] | None = None,
    *,
    long: bool = False,
    once: bool = False,
    autostart: bool = True,
    agent: str | None = None,
) -> Any:
    """Ask the daemon, started first if need be; its answer or a CliError.

    ``long`` work may take minutes, so a silent daemon is found out by a short request before it.
    ``once`` sends an idempotency key: should the daemon die in between, nothing is done twice.
    ``agent`` asks for that agent, whose word and rights are not the owner's.
    """
    home = Home.from_environment()
    headers = {"Idempotency-Key": uuid.uuid4().hex} if once else {}
    headers |= {"Dormouse-Agent": agent} if agent else {}
    for last in (False, True):
        try:
            if long:
                _send(home, "GET", HEALTH, None, {}, ANSWER_S)
            status, answer = _send(home, method, where, body, headers, LONG_S if long else ANSWER_S)
        except errors.Down:
            if last or not autostart:
                raise
            start(home)
            continue
        if status >= 400:
            raise errors.FromDaemon(status, answer)
        return answer
    raise AssertionError("unreachable")


def none_here(folder: str | None, nothing: str) -> str:
    """Why a folder's list is empty: *nothing*, or that Dormouse is off there."""
    if folder is None or not ask("GET", route("place", project=folder)).get("off"):
        return nothing
    return SWITCHED_OFF


def verify(proof: Mapping[str, str]) -> None:
    """Try an owner's passphrase, for what the daemon does without asking for one. Or Refused."""
    if not proof:
        return
    tried = {"kind": "passphrase", "secret": proof["passphrase"]}
    if not ask("POST", route("keys", "check"), tried, long=True).get("ok"):
        raise errors.Refused(what="the passphrase does not open this memory")


def health(home: Home) -> dict[str, Any] | None:
    """The status object, or None where no daemon runs.

    Raises NotAnswering, Sandboxed, and FromDaemon where the daemon has no status to give.
    """
    try:
        status, answer = _send(home, "GET", HEALTH, None, {}, ANSWER_S)
    except errors.Down:
        return None
    if status >= 400:
        raise errors.FromDaemon(status, answer)
    return answer if isinstance(answer, dict) else {}


def why_closed() -> errors.CliError | None:
    """What the running daemon answers while its memory is locked, damaged or foreign; else None."""
    try:
        ask("GET", route("projects"), autostart=False)
    except errors.CliError as error:
        return error
    return None


def _send(
    home: Home,
    method: str,
    where: str,
    body: Mapping[str, Any] | None,
    headers: Mapping[str, str],
    timeout_s: float,
) -> tuple[int, Any]:
    try:
        return client.call(home.socket, method, where, body, headers=headers, timeout_s=timeout_s)
    except client.NotAnswering as error:
        raise errors.NotAnswering(socket=home.socket) from error
    except client.Sandboxed as error:
        raise errors.Sandboxed(socket=home.socket) from error
    except client.Unreachable as error:
        raise errors.Down(socket=home.socket, why="") from error
    except json.JSONDecodeError as error:
        raise errors.NotAnswering(
            f"Something else owns this socket. {errors.NotAnswering.hint}", socket=home.socket
        ) from error


def may_start(home: Home) -> None:
    """Raise where nothing may be started, saying why: never set up, stopped, or switched off."""
    if not home.exists():
        raise errors.NotSetUp(socket=home.socket, home=home.root)
    if not home.bin.is_dir():
        raise errors.Down(socket=home.socket, why=f": Dormouse was uninstalled from {home.root}")
    if home.stopped.exists():
        raise errors.Down(socket=home.socket, why=": it was stopped with `dormouse down`")
    if home.noautostart.exists():
        why = f": autostart is off ({home.noautostart}, setting hooks.autostart)"
        raise errors.Down(socket=home.socket, why=why)
    if os.environ.get("DORMOUSE_AUTOSTART") == "0":
        raise errors.Down(socket=home.socket, why=": autostart is off (DORMOUSE_AUTOSTART=0)")


def start(home: Home) -> dict[str, Any]:
    """Start the daemon like a hook would, and wait until it answers."""
    may_start(home)
    return start_now(home)


def start_now(home: Home, *, launched: bool = False) -> dict[str, Any]:
    """Start the daemon whatever the marks in bin/ say, and wait until it answers.

    *launched*: a service manager starts it; asking it is enough.
    """
    if not launched:
        launch.start(home, sys.executable)
    answer = _until(lambda: _health_of_new(home), START_S)
    if answer is None:
        raise errors.StartFailed(socket=home.socket, seconds=f"{START_S:.0f}")
    return answer


def _health_of_new(home: Home) -> dict[str, Any] | None:
    """The status of a daemon that may have its socket, but is still putting itself together."""
    try:
        return health(home)
    except errors.NotAnswering:
        return None


def stop(home: Home) -> bool:
    """Stop the daemon and wait until its socket and its lock are free; whether one was running."""
    try:
        status, answer = _send(home, "POST", "/v1/stop", None, {}, ANSWER_S)
    except errors.Down:
        return False
    if status >= 400:
        raise errors.FromDaemon(status, answer)
    if not _until(lambda: not _listens(home) and _lock_is_free(home), STOP_S):
        raise errors.NotStopped(socket=home.socket)
    return True


def _connect(home: Home, connection: socket.socket) -> None:
    with client.reachable_name(home.socket) as name:
        connection.settimeout(1.0)
        connection.connect(name)


def _listens(home: Home) -> bool:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            _connect(home, connection)
    except TimeoutError:
        return True
    except OSError:
        return False
    return True


def _lock_is_free(home: Home) -> bool:
    try:
        lock = os.open(home.lock, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


def peer_pid(home: Home) -> int | None:
    """The process that listens on the home's socket, as the kernel says."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            _connect(home, connection)
            raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    except OSError:
        return None
    return int(struct.unpack("3i", raw)[0]) or None


def _until(look: Callable[[], Seen], seconds: float) -> Seen:
    """Look again and again until something is there or the time is up; the last look."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if seen or time.monotonic() >= deadline:
            return seen
        time.sleep(POLL_S)
