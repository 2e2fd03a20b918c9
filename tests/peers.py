"""MCP clients for tests: they speak line by line, in a cut environment, as an agent starts them."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.machine import Machine

CLIENT = {"name": "codex-mcp-client", "version": "1"}


class Peer:
    """An MCP client that speaks line by line, in a cut environment."""

    def __init__(
        self, machine: Machine, cwd: Path | None = None, *, client: Any = CLIENT, **more: Any
    ) -> None:
        self.process = subprocess.Popen(
            [str(machine.home / "bin" / "dormouse-mcp")],
            cwd=cwd or machine.work,
            env={"HOME": str(machine.user)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.number = 0
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client, **more}
        self.hello = self.ask("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: Any) -> None:
        assert self.process.stdin
        line = message if isinstance(message, str) else json.dumps(message)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def next(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, params: Any = None) -> Any:
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}})
        answer = self.next()
        assert answer["id"] == self.number
        return answer.get("result", answer.get("error"))

    def call(self, name: str, **arguments: Any) -> Any:
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def value(self, name: str, **arguments: Any) -> Any:
        result = self.call(name, **arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refused(self, name: str, **arguments: Any) -> Any:
        result = self.call(name, **arguments)
        assert result.get("isError"), result
        return result["structuredContent"]["error"]

    def close(self) -> int:
        """End the connection; the server's exit status."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        code = self.process.wait(10)
        self.process.stdout.close()
        return code


Peers = Callable[..., Peer]
