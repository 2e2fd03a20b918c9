"""A scripted stand-in for the daemon: answers over a Unix socket, and notes what it was asked.

Run as a program it plays ``python -I -m dormouse.main``: set-up with --setup, else it serves
DORMOUSE_HOME until it is told to stop.
"""

import json
import os
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

VERSION = "9.9.9"
FACT_ID = "7k3f2a4b5c6d7e2f"
OTHER_ID = "9m2q4c5b5c6d7e2f"


def fact(text: str = "the staging server is at 10.0.0.5", **changes: Any) -> dict[str, Any]:
    """A fact as the contract has it."""
    made: dict[str, Any] = {
        "id": FACT_ID,
        "text": text,
        "kind": "project",
        "layer": "semantic",
        "scope": "project",
        "project": {"id": "p" * 16, "name": "api"},
        "branch": "main",
        "subject": "staging server",
        "attribute": "address",
        "value": "10.0.0.5",
        "confidence": 0.99,
        "importance": 0.5,
        "trust": "user",
        "pinned": False,
        "stated_at": "2026-06-01T10:00:00.000+00:00",
        "captured_at": "2026-06-01T10:00:00.000+00:00",
        "valid_from": "2026-06-01T10:00:00.000+00:00",
        "valid_to": None,
        "current": True,
        "retired_at": None,
        "because": None,
        "superseded_by": None,
        "sources": [
            {
                "agent": "codex",
                "session": "s1",
                "how": "explicit",
                "at": "2026-06-01T10:00:00.000+00:00",
            }
        ],
    }
    return made | changes


def status(**changes: Any) -> dict[str, Any]:
    """A status object as the contract has it."""
    made: dict[str, Any] = {
        "state": "ok",
        "version": VERSION,
        "facts": {"current": 12, "retired": 3},
        "candidates": 2,
        "proposals": 0,
        "questions": 1,
        "pending": 0,
        "undelivered": 0,
        "privacy": "local",
        "key": "key file: protects copies of the folder",
        "thinker": {
            "calls": {"used": 0, "cap": 40},
            "tokens": {"used": 0, "cap": 200000},
            "resets_at": None,
        },
        "rem": {"last_success": None, "pending": 0},
        "index": {"words": 15, "vectors": 0, "pending": 0, "model": None},
        "agents": {},
        "warnings": [],
    }
    return made | changes


def run_report(**changes: Any) -> dict[str, Any]:
    """A run as the contract has it."""
    made: dict[str, Any] = {
        "run": "r" * 16,
        "kind": "rem",
        "settled": {"supersede": 1, "keep": 0, "unsure": 2},
        "facts_before": 12,
        "facts_after": 11,
        "retired": [FACT_ID],
        "thinker_calls": 0,
        "took_ms": 12.0,
        "state": "done",
    }
    return made | changes


@dataclass
class Asked:
    """One request as it came in."""

    method: str
    path: str
    body: Any
    headers: dict[str, str]


@dataclass
class Dummy:
    """Answers by "METHOD path"; what is not scripted is a 404 of the daemon's kind."""

    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def script(self, route: str, answer: Any, status: int = 200) -> None:
        self.answers[route] = (status, answer)

    def fail(self, route: str, status: int, code: str, message: str, hint: str = "Hint.") -> None:
        self.script(route, {"error": {"code": code, "message": message, "hint": hint}}, status)

    def answer(self, asked: Asked) -> tuple[int, Any]:
        self.asked.append(asked)
        unknown = {"error": {"code": "not_found", "message": "No such route.", "hint": ""}}
        return self.answers.get(f"{asked.method} {asked.path}", (404, unknown))

    def bodies(self, route: str) -> list[Any]:
        """The bodies of all requests to one "METHOD path"."""
        return [each.body for each in self.asked if f"{each.method} {each.path}" == route]


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


def _handler(dummy: Dummy, server_stops: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            body = json.loads(raw) if raw else None
            asked = Asked(self.command, self.path, body, dict(self.headers.items()))
            status, answer = dummy.answer(asked)
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            if self.path == "/v1/stop":
                server_stops.set()

        do_GET = do_POST = handle_any

        def address_string(self) -> str:
            return "local"

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    return Handler


@contextmanager
def serving(path: Path, dummy: Dummy) -> Iterator[threading.Event]:
    """Serve *dummy* at *path*; the event is set once it was told to stop. /v1/stop closes it."""
    stops = threading.Event()
    server = _Server(str(path), _handler(dummy, stops))
    thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
    thread.start()

    def close() -> None:
        stops.wait()
        server.shutdown()
        server.server_close()
        path.unlink(missing_ok=True)

    closer = threading.Thread(target=close, daemon=True)
    closer.start()
    try:
        yield stops
    finally:
        stops.set()
        closer.join(5)


def _set_up(home: Path) -> None:
    wish = json.loads(sys.stdin.read())
    (home / "wish.json").write_text(json.dumps(wish))
    if (home / "fail").exists():
        error = {"code": "damaged", "message": "It can't be opened.", "hint": "Look."}
        print(json.dumps({"error": error}))
        raise SystemExit(7)
    slots = [{"kind": kind} for kind in wish["slots"]]
    (home / "keyslots.json").write_text(json.dumps({"slots": slots}))
    print(json.dumps({"created": True, "store_id": "s", "slots": wish["slots"]}))


def _serve(home: Path) -> None:
    dummy = Dummy()
    with (home / "starts").open("a") as starts:
        starts.write("x")
    dummy.script("GET /v1/health", status(pid=os.getpid()))
    dummy.script("POST /v1/stop", {"stopping": True})
    dummy.script("POST /v1/facts", fact(state="new", redacted=[]), 201)
    with serving(home / "dormouse.sock", dummy) as stops:
        stops.wait(30)


if __name__ == "__main__":
    if "--setup" in sys.argv:
        _set_up(Path(os.environ["DORMOUSE_HOME"]))
    else:
        _serve(Path(os.environ["DORMOUSE_HOME"]))
