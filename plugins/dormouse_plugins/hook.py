"""What an agent runs on every event: carries stdin to the daemon and prints what it answers.

A guest in its host: standard library only, one round trip, a deadline of its own, never an error.
It reads no event, and writes nothing but one byte where no daemon took the event. Run as
``python -I -S <home>/bin/hook_start.py AGENT EVENT``, which imports it compiled: the socket lies in
the home, found by that path.
"""

import sys
import time

# os, socket and signal cost more than the whole round trip (3.5 times the bare interpreter, against
# 1.3), so their C parts are taken where they exist.
try:
    import _signal as signal  # type: ignore[import-not-found]
    import _socket as socket
    import posix as os
except ImportError:  # another Python than CPython
    import os  # type: ignore[no-redef]
    import signal
    import socket  # type: ignore[no-redef]

MAX_EVENT = 8 * 2**20  # bytes; the daemon takes no more
MAX_ANSWER = 2**20
CONNECT_S = 0.2
DEADLINE_S = 1.0
PROMPT_S = 1.5
DEADLINES_S = {
    "SessionStart": 3.0,
    "UserPromptSubmit": PROMPT_S,
    "session.created": 3.0,
    "chat.message": PROMPT_S,
    "BeforeAgent": PROMPT_S,
    "pre_llm_call": PROMPT_S,
}
# What is printed on these makes a host's agent go on by itself: nothing is, whatever is answered.
SILENT = ("Stop", "StopFailure", "SubagentStop", "SessionEnd", "PreCompact", "PostCompact")
LETTERS = {  # as in dormouse_wire.hosts
    "claude-code": b"c",
    "codex": b"x",
    "gemini": b"g",
    "opencode": b"o",
    "hermes": b"h",
    "openclaw": b"l",
}
UNDELIVERED_LIMIT = 64 * 1024
NOBODY_LISTENS = (2, 61, 111)  # ENOENT, ECONNREFUSED on macOS and on Linux
KEPT = ("HOME", "PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_RUNTIME_DIR")  # as in launch
LOCK_FD = "DORMOUSE_LOCK_FD"


class Visit:
    """One event on its way. ``delivered`` turns true with the daemon's word that it has it."""

    def __init__(self, home: str, agent: str, event: str) -> None:
        self.home = home
        self.agent = agent
        self.event = event
        self.delivered = False
        self.end = time.monotonic() + DEADLINES_S.get(event, DEADLINE_S)
        # The timer cuts off whatever blocks: stdin that stays open, a daemon that says nothing.
        signal.signal(signal.SIGALRM, self.leave)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
        signal.setitimer(signal.ITIMER_REAL, self.left())

    def left(self) -> float:
        return max(0.001, self.end - time.monotonic())

    def leave(self, *_: object) -> None:
        """End here and now, in success; count the event if nobody has it."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        if not self.delivered:
            count_undelivered(LETTERS[self.agent])
        os._exit(0)

    def run(self) -> None:
        event = read_event()
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        answer = b""
        try:
            if not self.connect(connection):
                start_daemon(self.home)
            elif len(event) <= MAX_EVENT:
                answer = self.ask(connection, event)
        finally:
            connection.close()
        while answer and self.event not in SILENT:
            answer = answer[os.write(1, answer) :]

    def connect(self, connection: socket.socket) -> bool:
        """Whether a daemon took the connection; False where nobody listens. Raises OSError."""
        end = time.monotonic() + CONNECT_S
        connection.settimeout(CONNECT_S)
        while True:
            try:
                connection.connect("../dormouse.sock")
                return True
            except BlockingIOError:  # its queue is full, so many hooks ring at once
                if time.monotonic() > end:
                    raise
                time.sleep(0.005)
            except OSError as error:
                if error.errno in NOBODY_LISTENS:
                    return False
                raise

    def ask(self, connection: socket.socket, event: bytearray) -> bytes:
        """Send the event; return the body of a whole answer with status 200, else nothing."""
        head = (
            f"POST /hooks/{self.agent}/{self.event} HTTP/1.1\r\nHost: dormouse\r\n"
            "Connection: close\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(event)}\r\n\r\n"
        )
        connection.settimeout(self.left())
        try:  # noqa: SIM105  (contextlib takes as long to import as the round trip)
            connection.sendall(head.encode() + event)  # in one: two wake the daemon twice
        except OSError:
            pass  # it may have answered without having read everything
        answer = bytearray()
        while len(answer) <= MAX_ANSWER:
            connection.settimeout(self.left())
            data = connection.recv(65536)
            answer += data
            status, body = parse(bytes(answer))
            if not data or body is not None:
                break
        # Locked, or no room to write: the daemon answered, but it has not got the event.
        self.delivered = 200 <= status < 500 and status != 423
        return body if body and status == 200 else b""


def parse(answer: bytes) -> tuple[int, bytes | None]:
    """The status (0 for none) and the body (None while it is not whole) of an HTTP answer."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end or not head.startswith(b"HTTP/1."):
        return 0, None
    first, *headers = head.lower().split(b"\r\n")
    try:
        status = int(first.split()[1])
        lengths = [int(line[15:]) for line in headers if line.startswith(b"content-length:")]
    except (ValueError, IndexError):
        return 0, None
    whole = len(lengths) == 1 and len(body) == lengths[0]
    return status, body if whole else None


def read_event() -> bytearray:
    """All of stdin, of which no more than one byte over MAX_EVENT is kept."""
    event = bytearray()
    while True:
        try:
            data = os.read(0, 65536)
        except OSError:  # no stdin at all
            data = b""
        if not data:
            return event
        event += data[: MAX_EVENT + 1 - len(event)]


def count_undelivered(letter: bytes) -> None:
    """Append the agent's letter to ``undelivered``: the one thing a hook ever writes."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open("undelivered", flags, 0o600)
        about = os.fstat(file)
        if about.st_mode & 0o170000 == 0o100000 and about.st_size < UNDELIVERED_LIMIT:
            os.write(file, letter)
    except OSError:
        pass  # no room, or a sandbox


def environment() -> dict[str, str]:
    """This process's environment as text; posix has it as bytes."""
    raw: dict[bytes, bytes] = dict(getattr(os, "environb", os.environ))
    return {
        name.decode("utf-8", "surrogateescape"): value.decode("utf-8", "surrogateescape")
        for name, value in raw.items()
    }


def exists(name: str) -> bool:
    return os.access(name, os.F_OK)


def start_daemon(home: str) -> None:
    """Start a daemon, as dormouse_wire.launch does, unless one is starting or none is wanted."""
    outer = environment()
    if outer.get("DORMOUSE_AUTOSTART") == "0" or exists("stopped") or exists("noautostart"):
        return
    if not exists("../keyslots.json") or not sys.executable:  # no store: nothing to serve
        return
    import fcntl  # noqa: PLC0415  (the rare path alone pays for these)

    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    lock = os.open("../dormouse.lock", flags, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    import subprocess  # noqa: PLC0415

    inner = {
        name: value for name, value in outer.items() if name in KEPT or name.startswith("DORMOUSE_")
    }
    subprocess.Popen(
        [sys.executable, "-I", "-m", "dormouse.main"],
        env=inner | {"DORMOUSE_HOME": home, LOCK_FD: str(lock)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        pass_fds=(lock,),
        start_new_session=True,
    )


def main(arguments: list[str]) -> None:
    """Bring one event; whatever happens, the agent goes on."""
    try:
        program, agent, event = arguments
        named = event.replace("_", "").replace(".", "").isalnum() and event.isascii()
        if agent not in LETTERS or not named or "DORMOUSE_THINKER" in environment():
            return
        # From here on every name is short: a socket's address holds 107 bytes (macOS 103).
        folder = program.rpartition("/")[0]
        os.chdir(folder)
        visit = Visit(folder.rpartition("/")[0], agent, event)
        try:
            visit.run()
        finally:
            visit.leave()
    except BaseException:
        return


if __name__ == "__main__":
    main(sys.argv)
    os._exit(0)
