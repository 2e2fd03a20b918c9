"""Connecting agents: which are here, and our hook entries in or out of their settings files.

One way in and one way out for every agent of dormouse_wire.hosts. It never touches an entry that is
not ours, switches nothing of the host off, and keeps no copy of a settings file.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

from dormouse_plugins.bin import write_bin
from dormouse_wire.hosts import HOSTS, Host
from dormouse_wire.paths import Home

__all__ = ["Change", "connect", "disconnect", "find", "write_bin"]


@dataclass(frozen=True, slots=True)
class Change:
    """What connecting or disconnecting one agent came to."""

    agent: str
    state: str  # connected | waiting_for_approval | failed | removed
    files: list[str] = field(default_factory=list)
    note: str | None = None


def find(agents: Sequence[str] | None = None) -> list[Host]:
    """The agents on this machine: all that hooks can be written for, or those of *agents*."""
    wanted = [host for host in HOSTS.values() if (host.id in agents if agents else host.events)]
    return [host for host in wanted if host.settings_folder().is_dir() or which(host.program)]
