"""From a working directory to the project, branch and view it stands for. Never runs a program."""

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dormouse.facts import Look
from dormouse.ledger import Ledger, Writer, new_id
from dormouse.projects import Known, Place, fingerprint, locate, match

ON_FILE = ".dormouse-on"  # in opt-in mode a folder takes part only below such a file
REMEMBERED_S = 2.0  # how long a folder's place is taken for granted: a branch may be switched


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


class Places:
    """Knows the projects of one ledger. Thread-safe: its cache is replaced, never changed."""

    def __init__(
        self, ledger: Ledger, home: Path, off_patterns: tuple[str, ...] = (), opt_in: bool = False
    ) -> None:
        self._ledger, self._home = ledger, home
        self._off_patterns, self._opt_in = off_patterns, opt_in
        self._seen: dict[str, tuple[float, Where]] = {}
        self._temp = _temp_folders()

    def where(self, cwd: str | None) -> Where:
        """The place of *cwd*; a new project is made known. Reads files: call it off the loop."""
        if not cwd:
            return NOWHERE
        at, found = self._seen.get(cwd, (0.0, NOWHERE))
        if time.monotonic() - at < REMEMBERED_S and at:
            return found
        found = self._find(cwd)
        if len(self._seen) > 500:
            self._seen = {}
        self._seen[cwd] = (time.monotonic(), found)
        return found

    def forget(self) -> None:
        """Look at every folder again, after projects were joined."""
        self._seen = {}

    def _find(self, cwd: str) -> Where:
        place = locate(cwd, home=self._home, temp=self._temp, uid=os.getuid())
        off = place.off or self._off_by_settings(cwd, place.root)
        if place.root is None:
            return Where(off=off, trouble=place.trouble)
        known = self._ledger.read(lambda r: r.known_projects())
        found = match(place, known)
        if found.project_id is None or found.alias_to_add:
            project = self._ledger.write(_make_known(place)).result()
        else:
            project = next(k for k in known if k.id == found.project_id)
        return Where(project.id, project.name, place.branch, off, place.trouble)

    def _off_by_settings(self, cwd: str, root: Path | None) -> bool:
        path = Path(cwd)
        folders = (path, *path.parents)
        if any(f.match(p) or str(f) == p for p in self._off_patterns for f in folders):
            return True
        if not self._opt_in:
            return False
        inside = [f for f in folders if root is None or f == root or root in f.parents]
        return not any((folder / ON_FILE).is_file() for folder in inside or (path,))


def _make_known(place: Place) -> Callable[[Writer], Known]:
    """Make *place* a known project, looking again inside the transaction: two may come at once."""
    first_commit, remote = fingerprint(place)

    def do(w: Writer) -> Known:
        known = w.known_projects()
        again = match(place, known, first_commit=first_commit, remote=remote)
        root = str(place.root)
        if again.project_id is not None:
            old = next(k for k in known if k.id == again.project_id)
            paths = tuple(dict.fromkeys((*old.paths, again.alias_to_add or root)))
            common = str(place.common_dir) if place.common_dir else old.common_dir
            project = Known(
                old.id,
                old.name,
                old.kind,
                common,
                place.common_id or old.common_id,
                paths,
                old.first_commit or first_commit,
                old.remote or remote,
            )
        else:
            project = Known(
                new_id(),
                place.root.name if place.root else "",
                place.kind or "folder",
                str(place.common_dir) if place.common_dir else None,
                place.common_id,
                (root,),
                first_commit,
                remote,
            )
        w.keep_project(project)
        return project

    return do


def _temp_folders() -> tuple[Path, ...]:
    named = {"/tmp", "/var/tmp", tempfile.gettempdir()}  # noqa: S108
    return tuple({Path(folder) for folder in named} | {Path(f).resolve() for f in named})
