"""The MCP server: this process becomes it. Agents start it from the home's bin instead."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dormouse_cli.options import example, whole
from dormouse_wire.paths import Home

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog=example("dormouse mcp", "dormouse mcp --agent openclaw"))
def mcp(
    home: Annotated[
        Path | None,
        typer.Option("--home", metavar="DIR", help="The data folder (default: DORMOUSE_HOME)."),
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="AGENT", help="Who asks, if it does not say.")
    ] = None,
) -> None:
    """Serve the memory's tools over stdin and stdout, for any agent that speaks MCP."""
    root = whole(home) if home is not None else str(Home.from_environment().root)
    command = [sys.executable, "-I", "-m", "dormouse_plugins.mcp", "--home", root]
    if agent:
        command += ["--agent", agent]
    sys.stdout.flush()
    os.execv(sys.executable, command)  # noqa: S606  (no shell: the very same interpreter)
