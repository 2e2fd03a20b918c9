"""The official MCP client, talking to our server as an agent starts it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.machine import Machine


def with_official_client(machine: Machine, cwd: Path, do: Callable[[Any], Awaitable[Any]]) -> Any:
    """Run *do* with the official client's session; what it returns."""
    mcp = pytest.importorskip("mcp")

    async def run() -> Any:
        server = mcp.StdioServerParameters(
            command=str(machine.home / "bin" / "dormouse-mcp"),
            args=["--agent", "gemini"],
            env={"HOME": str(machine.user), "PATH": "/usr/bin:/bin"},
            cwd=str(cwd),
        )
        async with mcp.Client(server) as client:
            return await do(client)

    return asyncio.run(asyncio.wait_for(run(), 30))
