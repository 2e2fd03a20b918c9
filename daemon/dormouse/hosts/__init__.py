"""The agents' formats: their events and transcripts become our values, our answers become theirs.

Nothing here writes, decides what is kept, or trusts a path or a name that a payload holds.
"""

from dormouse.hosts.claude_code import ClaudeCode
from dormouse.hosts.codex import Codex
from dormouse.hosts.generic import Generic
from dormouse.hosts.seam import HostReader, TranscriptReader
from dormouse_wire.hosts import HOSTS

READERS: dict[str, HostReader] = {id_: Generic(id_) for id_ in HOSTS} | {
    "claude-code": ClaudeCode(),
    "codex": Codex(),
}

__all__ = ["READERS", "HostReader", "TranscriptReader"]
