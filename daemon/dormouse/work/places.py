"""From a working directory to the project, branch and view it stands for. Never runs a program."""

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from dormouse.facts import Look
from dormouse.ledger import Ledger, Writer, new_id
from dormouse.projects import Known, Place, adopt, fingerprint, head_commit, locate, match
from dormouse.work.prepare import mask

ON_FILE = ".dormouse-on"  # in opt-in mode a folder takes part only below such a file
REMEMBERED_S = 2.0  # how long the ledger's answer holds; what lies on disk is never remembered


@dataclass(frozen=True, slots=True)
class Where:
    """What a folder stands for. ``off``: nothing is read, kept or shown there."""

    project_id: str | None = None
    project_name: str | None = None
    branch: str | None = None
    off: bool = False
    trouble: str | None = None

    def look(self, session_id: str | None = None) -> Look:
        """What may be seen from here."""
        return Look(self.project_id, self.branch, session_id)


NOWHERE = Where()


class _Seen(NamedTuple):
    """A folder as it lay on disk, and what the ledger made of it."""

    at: float
    place: Place
    where: Where

    def holds(self, place: Place, off: bool) -> bool:
        """Whether nothing has changed there, and the ledger was asked just now."""
        fresh = time.monotonic() - self.at < REMEMBERED_S
        return fresh and (self.place, self.where.off) == (place, off)


class Folders:
    """What can be said of a folder without any ledger: where it lies, and whether it is off."""

    def __init__(
        self, home: Path, off_patterns: tuple[str, ...] = (), opt_in: bool = False
    ) -> None:
        self._home, self._off_patterns, self._opt_in = home, off_patterns, opt_in
        self._temp = _temp_folders()

    def off(self, cwd: str | None) -> bool:
        """Whether Dormouse is switched off in *cwd*."""
        return bool(cwd) and self.is_off(self.locate(str(cwd)), str(cwd))

    def locate(self, cwd: str) -> Place:
        """*cwd* as it lies on the disk now."""
        return locate(cwd, home=self._home, temp=self._temp, uid=os.getuid())

    def is_off(self, place: Place, cwd: str) -> bool:
        """Whether *place*, which was found for *cwd*, is off by a file or by the settings."""
        return place.off or self._off_by_settings(str(place.path or cwd), place.root)

    def _off_by_settings(self, cwd: str, root: Path | None) -> bool:
        path = Path(cwd)
        folders = (path, *path.parents)
        if any(f.match(p) or str(f) == p for p in self._off_patterns for f in folders):
            return True
        if not self._opt_in:
            return False
        inside = [f for f in folders if root is None or f == root or root in f.parents]
        return not any((folder / ON_FILE).is_file() for folder in inside or (path,))


class Places:
    """Knows the projects of one ledger. Thread-safe: its cache is replaced, never changed."""

    def __init__(
        self, ledger: Ledger, home: Path, off_patterns: tuple[str, ...] = (), opt_in: bool = False
    ) -> None:
        self._ledger, self.folders = ledger, Folders(home, off_patterns, opt_in)
        self._seen: dict[str, _Seen] = {}

    def where(self, cwd: str | None) -> Where:
        """The place of *cwd*; a new project is made known. Reads files: call it off the loop.

        The folder is looked at each time (0.1 ms): a branch that was switched or a folder that
        was switched off just now must count. Only what the ledger knows of it is remembered.
        """
        if not cwd:
            return NOWHERE
        place = self.folders.locate(cwd)
        off = self.folders.is_off(place, cwd)
        seen = self._seen.get(cwd)
        if seen and seen.holds(place, off):
            return seen.where
        found = self._find(place, off)
        if len(self._seen) > 500:
            self._seen = {}
        self._seen[cwd] = _Seen(time.monotonic(), place, found)
        return found

    def head(self, cwd: str | None) -> tuple[str | None, str | None]:
        """Branch and commit that are checked out in *cwd*; None for what can't be read."""
        if not cwd:
            return None, None
        place = self.folders.locate(cwd)
        return _fit(place.branch), head_commit(place, os.getuid())

    def forget(self) -> None:
        """Look at every folder again, after projects were joined."""
        self._seen = {}

    def _find(self, place: Place, off: bool) -> Where:
        known = self._ledger.read(lambda r: r.known_projects())
        found = match(place, known)
        if found.project_id is None and place.root is None:
            return Where(off=off, trouble=place.trouble)
        if off and found.project_id is None:
            return Where(off=True, trouble=place.trouble)  # nothing is kept of such a folder
        if found.project_id is None or adopt(place, found, known, new_id="") is not None:
            first_commit, remote = fingerprint(place)
            project = self._ledger.write(_make_known(place, first_commit, remote)).result()
        else:
            project = next(k for k in known if k.id == found.project_id)
        return Where(project.id, _fit(project.name), _fit(place.branch), off, place.trouble)


def _fit(name: str | None) -> str | None:
    """A branch's or a project's name as it is kept and shown: a secret can stand in it too."""
    return mask(name) if name else name


def _make_known(
    place: Place, first_commit: str | None, remote: str | None
) -> Callable[[Writer], Known]:
    """Make *place* a known project, looking again inside the transaction: two may come at once."""

    def do(w: Writer) -> Known:
        known = w.known_projects()
        found = match(place, known, first_commit=first_commit, remote=remote)
        project = adopt(place, found, known, new_id=new_id())
        if project is None:
            return next(k for k in known if k.id == found.project_id)
        project = replace(
            project,
            name=mask(project.name),
            first_commit=project.first_commit or first_commit,
            remote=project.remote or remote,
        )
        w.keep_project(project)
        for other in found.proposals_to_join if found.project_id is None else ():
            _propose_to_join(w, project, next(k for k in known if k.id == other))
        return project

    return do


def _propose_to_join(w: Writer, project: Known, other: Known) -> None:
    """A clone or a fork, or an archive that claims to be one: only the owner may join them."""
    text = f"{project.name} ({project.paths[0]}) looks like {other.name} ({other.paths[0]})"
    w.propose("join", {"join": [other.id, project.id], "text": text}, by="projects")


def _temp_folders() -> tuple[Path, ...]:
    named = {"/tmp", "/var/tmp", tempfile.gettempdir()}  # noqa: S108
    return tuple({Path(folder) for folder in named} | {Path(f).resolve() for f in named})
