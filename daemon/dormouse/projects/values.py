"""What is known of a folder and of the projects so far. Plain values."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Ground = Literal["git", "folder"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a working directory stands.

    ``root`` is None where there is no project (``/``, the home folder, temp folders, another user's
    folder). ``common_id`` names the repository's common folder: ``dev:inode``, with ``:birth`` in
    nanoseconds where the file system tells it, because an inode number is given out again.
    ``branch`` is ``detached at <first 12>`` for a detached HEAD, None where it can't be read.
    ``off`` means that a ``.dormouse-off`` lies here. ``trouble`` says why a ``.git`` was not
    believed. ``name`` is for showing only. ``path`` is the resolved working directory; ``gone``
    means that it no longer exists.
    """

    root: Path | None
    kind: Ground | None
    common_dir: Path | None
    common_id: str | None
    branch: str | None
    off: bool
    trouble: str | None
    name: str | None = None
    path: Path | None = None
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """A project as it is remembered. A joined project may stand in the list several times."""

    id: str
    name: str
    kind: Ground
    common_dir: str | None
    common_id: str | None
    paths: tuple[str, ...]
    first_commit: str | None = None
    remote: str | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """Which project a place is.

    ``project_id`` None (and a place with a root) means a new project of its own;
    ``proposals_to_join`` are projects that claim to be the same: only the owner may join them.
    """

    project_id: str | None
    alias_to_add: str | None = None
    proposals_to_join: tuple[str, ...] = ()
