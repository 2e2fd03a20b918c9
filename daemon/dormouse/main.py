"""Starting and stopping the daemon, and setting up a new home. It decides nothing about facts."""

import argparse
import fcntl
import gc
import json
import logging
import os
import signal
import socket
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from dormouse import hygiene, notify
from dormouse.errors import AlreadyRunning, BadRequest, DormouseError
from dormouse.times import Clock, parse, system_clock
from dormouse_wire import __version__
from dormouse_wire.client import reachable_name
from dormouse_wire.launch import LOCK_FD
from dormouse_wire.paths import Home, key_folder

if TYPE_CHECKING:
    from dormouse.api.server import QuietServer
    from dormouse.api.service import Service
    from dormouse.work.memory import Memory

log = logging.getLogger("dormouse")
FIRST_PASSED_FD = 3  # systemd's first socket
# A thread that reads the ledger gives the interpreter away at each step of SQL, and waits so long
# to have it back while sleep computes. Of 5 ms, the default, questions wait for 25: p95 6.6 times
# that of an idle memory on two cores, 1.4 to 2.0 times with this (bench/night).
SWITCH_S = 0.0005
GARBAGE = 20_000  # objects made until a look through the youngest; 700 is several times a prompt


def clock_from_environment() -> Clock:
    """The wall clock, or one that starts at ``DORMOUSE_NOW`` and runs on from there (tests)."""
    named = os.environ.get("DORMOUSE_NOW")
    if not named:
        return system_clock
    offset: timedelta = parse(named) - system_clock()

    def clock() -> datetime:
        return system_clock() + offset

    return clock


def take_lock(home: Home) -> int:
    """Own this home, or raise AlreadyRunning. The lock may have been handed on by the starter."""
    handed = os.environ.pop(LOCK_FD, "")
    lock = _open_lock(home)
    if handed.isdigit() and _same_file(int(handed), lock):
        os.close(lock)
        lock = int(handed)
        os.set_inheritable(lock, False)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise AlreadyRunning(path=home.root) from None
    return lock


def _same_file(one: int, other: int) -> bool:
    try:
        return os.path.sameopenfile(one, other)
    except OSError:
        return False


def _open_lock(home: Home) -> int:
    return os.open(home.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def was_passed() -> bool:
    """Whether systemd passed us the socket, which is then its to make and to remove."""
    named = os.environ.get("LISTEN_PID"), os.environ.get("LISTEN_FDS")
    return named == (str(os.getpid()), "1")


def listen(home: Home) -> socket.socket:
    """The socket that systemd passed, or our own: 0600 from the start, put in place by a rename.

    uvicorn would make a socket that it binds itself reachable by everyone.
    """
    if was_passed():
        return socket.socket(fileno=FIRST_PASSED_FD)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    fresh = home.socket.with_name(f".sock.{os.getpid()}")
    with reachable_name(fresh) as name:
        bound.bind(name)
    fresh.chmod(0o600)
    bound.listen(256)
    fresh.rename(home.socket)
    return bound


def open_memory(home: Home, data_key: bytes, clock: Clock) -> "Memory":
    """Open the ledger and put a memory together around it."""
    from dormouse.judging.embedded import EmbeddedJudge  # noqa: PLC0415  after the lock
    from dormouse.judging.ladder import Ladder  # noqa: PLC0415
    from dormouse.judging.slot import SlotJudge  # noqa: PLC0415
    from dormouse.ledger import Ledger  # noqa: PLC0415
    from dormouse.settings import read  # noqa: PLC0415
    from dormouse.work.meaning import SWITCHED_OFF, Meaning  # noqa: PLC0415
    from dormouse.work.memory import Memory  # noqa: PLC0415
    from dormouse.work.model import Models  # noqa: PLC0415
    from dormouse.work.places import Places  # noqa: PLC0415
    from dormouse.work.prepare import prepare  # noqa: PLC0415
    from dormouse.work.thinkers import make_door  # noqa: PLC0415

    settings = read(home.settings)
    warm_rules()
    ledger = Ledger(home.ledger, data_key, prepare=prepare, now=clock)
    places = Places(
        ledger, Path.home(), settings.capture_off_patterns, settings.capture_mode == "opt-in"
    )
    door = make_door(ledger, settings, clock)
    models = Models(home.root / "models")
    meaning = (
        Meaning(ledger, models.embedder)
        if settings.recall_meaning
        else Meaning(ledger, lambda: None, SWITCHED_OFF)
    )
    ladder = Ladder([SlotJudge(), *([EmbeddedJudge(models.scores)] if models.can_judge() else [])])
    return Memory(home, ledger, settings, clock, ladder, places, door, meaning, models)


def warm_rules() -> None:
    """Read the pattern files now: the first prompt has a deadline, a start has none (0.3 s)."""
    from dormouse import slots  # noqa: PLC0415
    from dormouse.capture import implicit  # noqa: PLC0415
    from dormouse.capture.commands import read_prompt  # noqa: PLC0415
    from dormouse.recall.words import query_terms  # noqa: PLC0415

    for rules in (read_prompt, implicit.read, slots.read, query_terms):
        rules("remember that we decided to use this at 10.0.0.5")


def make_service(home: Home, clock: Clock) -> "Service":
    """A service with its memory open if a key is at hand; locked or failed otherwise."""
    from dormouse.api.opening import open_from_disk  # noqa: PLC0415
    from dormouse.api.service import Service  # noqa: PLC0415

    service = Service(home, lambda key: open_memory(home, key, clock), clock)
    open_from_disk(service)
    return service


def serve(home: Home) -> None:
    """Own the home and serve it until a signal or a stop request comes."""
    if not home.exists():
        raise BadRequest(what=f"there is no memory in {home.root}", hint="Run `dormouse up`.")
    hygiene.make_private_folders(home)
    take_lock(home)  # held to the process's very end: a free lock means that it is gone
    sys.setswitchinterval(SWITCH_S)
    listener, passed, manager = listen(home), was_passed(), notify.address()
    hygiene.set_up_log(home.log)
    _mirror_autostart(home)
    # uvicorn raises the signal again once it is done; ours then ends the process in good order.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    service = make_service(home, clock_from_environment())
    server = make_server(service)
    service.stop = server.end
    service.started = lambda: notify.notify(manager, notify.READY)
    gc.freeze()  # what stands now is not looked through again in the middle of a prompt
    gc.set_threshold(GARBAGE, 20, 20)
    log.info("started, version %s", __version__)
    try:
        server.run(sockets=[listener])
    finally:
        notify.notify(manager, notify.STOPPING)
        if not passed:
            home.socket.unlink(missing_ok=True)


def make_server(service: "Service") -> "QuietServer":
    """uvicorn with our protocol, and nothing in between that a socket has no use for."""
    import uvicorn  # noqa: PLC0415  after the lock: of many starters only one pays for it

    from dormouse.api.app import Application  # noqa: PLC0415
    from dormouse.api.protocol import PeerChecked  # noqa: PLC0415
    from dormouse.api.server import QuietServer  # noqa: PLC0415

    config = uvicorn.Config(
        Application(service),
        http=PeerChecked,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=5,
    )
    return QuietServer(config)


def _mirror_autostart(home: Home) -> None:
    """Hooks read no settings: a flag file tells them that autostart is off."""
    from dormouse.settings import read  # noqa: PLC0415

    if read(home.settings).hooks_autostart:
        home.noautostart.unlink(missing_ok=True)
    else:
        home.noautostart.touch(0o600)


def set_up(home: Home, wanted: dict[str, object]) -> dict[str, object]:
    """Make a new store in *home*; one that is there already is left alone."""
    from dormouse.keys import KeySlots  # noqa: PLC0415
    from dormouse.ledger import Ledger, new_id  # noqa: PLC0415
    from dormouse.settings import write_default  # noqa: PLC0415
    from dormouse.work.prepare import prepare  # noqa: PLC0415

    hygiene.make_private_folders(home)
    lock = None if home.exists() else take_lock(home)
    if lock is None or home.exists():
        slots = KeySlots.load(home.keyslots)
        return {"created": False, "store_id": slots.store_id, "slots": list(slots.kinds)}
    kinds = wanted.get("slots") or ["keyfile"]
    folder, passphrase = wanted.get("key_folder"), wanted.get("passphrase")
    if not isinstance(kinds, list) or not set(kinds) <= {"keyfile", "passphrase"}:
        raise BadRequest(what="slots must be keyfile, passphrase or both")
    store_id, data_key = new_id(), os.urandom(32)
    slots = KeySlots.create(
        home.keyslots,
        store_id=store_id,
        data_key=data_key,
        slots=[str(kind) for kind in kinds],
        key_folder=Path(str(folder)) if folder else key_folder(),
        passphrase=str(passphrase) if passphrase else None,
    )
    now = clock_from_environment()
    try:
        Ledger.create(home.ledger, data_key, store_id=store_id, prepare=prepare, now=now)
    except BaseException:
        home.keyslots.unlink()  # nothing is wrapped by them: the next try begins anew
        raise
    write_default(home.settings)
    os.close(lock)
    return {"created": True, "store_id": store_id, "slots": list(slots.kinds)}


def main() -> None:
    """The program ``dormoused``."""
    parser = argparse.ArgumentParser(prog="dormoused", description="The daemon of Dormouse.")
    parser.add_argument("--version", action="version", version=f"dormoused {__version__}")
    parser.add_argument("--setup", action="store_true", help="make a new home, then exit")
    options = parser.parse_args()
    hygiene.harden_process()
    hygiene.scrub_environment()
    home = Home.from_environment()
    try:
        if options.setup:
            wanted = json.loads(sys.stdin.read() or "{}")
            json.dump(set_up(home, wanted), sys.stdout)
        else:
            serve(home)
    except DormouseError as error:
        sys.stderr.write(f"dormoused: {error} {error.hint}\n")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
