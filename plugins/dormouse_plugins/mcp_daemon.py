"""The MCP server's way to the daemon: one request at a time, started first where that is allowed.

It stamps every request with the agent that asks; the daemon decides what an agent may.
"""

import os
import time
from collections.abc import Mapping
from json import JSONDecodeError
from typing import Any
from urllib.parse import quote, urlencode

from dormouse_wire import client, launch
from dormouse_wire.paths import Home

ANSWER_S = 30.0
START_S = 10.0
POLL_S = 0.05
NOT_UTF8 = "The name of the folder you work in is not UTF-8, so the daemon can't be told of it."


class Failed(Exception):
    """A tool that could not be carried out; ``hint`` says what to do."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        self.code, self.hint = code, hint
        super().__init__(message)


class Daemon:
    """The daemon as one connection of one agent sees it."""

    def __init__(self, home: Home, agent: str, session: str, project: str | None) -> None:
        self._home = home
        self.agent, self.session, self.project = agent, session, project
        self.tokens: dict[str, int] = {}  # of the handoffs taken here, by id

    @property
    def _here(self) -> str | None:
        """The project's folder; None while it is gone, as for a server that started in none."""
        return self.project if self.project and os.path.isdir(self.project) else None  # noqa: PTH112

    def get(self, *parts: str, **query: str | None) -> Any:
        """GET below /v1, with the project among the query. Raises Failed."""
        asked = {"project": self._here, "session": self.session, **query}
        given = {name: value for name, value in asked.items() if value is not None}
        try:
            told = urlencode(given)
        except UnicodeEncodeError:
            raise Failed("bad_request", NOT_UTF8, "Ask your person to rename it.") from None
        return self._ask("GET", f"{_route(parts)}?{told}", None)

    def post(self, *parts: str, body: Mapping[str, Any]) -> Any:
        """POST below /v1, in this session and project. Raises Failed."""
        sent = {**body, "session_id": self.session}
        if (here := self._here) is not None:
            sent["project"] = here
        return self._ask("POST", _route(parts), sent)

    def _ask(self, method: str, route: str, body: Any) -> Any:
        try:
            return self._once(method, route, body)
        except (client.NotAnswering, client.Sandboxed) as error:
            raise Failed("down", str(error), "Tell your person: `dormouse doctor`.") from error
        except client.Unreachable:
            self._start()
        try:
            return self._once(method, route, body)
        except client.Unreachable as error:
            raise Failed("down", str(error), "Tell your person: `dormouse up`.") from error

    def _once(self, method: str, route: str, body: Any) -> Any:
        headers = {"Dormouse-Agent": self.agent}
        try:
            status, answer = client.call(
                self._home.socket, method, route, body, headers=headers, timeout_s=ANSWER_S
            )
        except JSONDecodeError as error:
            raise client.NotAnswering(self._home.socket) from error
        if status < 400:
            return answer
        told = answer.get("error") if isinstance(answer, dict) else None
        told = told if isinstance(told, dict) else {}
        raise Failed(
            str(told.get("code") or "failed"),
            str(told.get("message") or f"the daemon answered with status {status}"),
            str(told.get("hint") or ""),
        )

    def _start(self) -> None:
        """Start the daemon as a hook would, and wait for it. Raises Failed where none may start."""
        home = self._home
        off = os.environ.get("DORMOUSE_AUTOSTART") == "0" or home.noautostart.exists()
        if not home.exists() or not home.bin.is_dir() or home.stopped.exists() or off:
            raise Failed("down", "No daemon is running.", "Tell your person: `dormouse up`.")
        launch.start(home)
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            try:
                client.call(home.socket, "GET", "/v1/health")
            except (client.Unreachable, JSONDecodeError):
                time.sleep(POLL_S)
            else:
                return
        raise Failed("down", "The daemon does not start.", "Tell your person: `dormouse doctor`.")


def _route(parts: tuple[str, ...]) -> str:
    try:
        return "/v1/" + "/".join(quote(part, safe="") for part in parts)
    except UnicodeEncodeError:  # half a surrogate pair: JSON allows it, no id has it
        raise Failed("bad_request", "Invalid arguments: the id is no text.") from None
