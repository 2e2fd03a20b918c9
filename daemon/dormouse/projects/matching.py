"""Which known project a place is. It joins nothing: who merely looks alike becomes a proposal."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dormouse.projects.fingerprints import remote_of
from dormouse.projects.values import Known, Match, Place


def match(
    place: Place,
    known: Sequence[Known],
    *,
    first_commit: str | None = None,
    remote: str | None = None,
) -> Match:
    """Recognise *place* by its repository's identity, or a plain folder by its path.

    *first_commit* and *remote* (see ``fingerprint``) are what a clone, a fork or a hostile archive
    can copy: they only propose, except for a repository at the very path of the known one.
    """
    if place.gone and (id_ := _by_lost_path(place, known)):
        return Match(id_)
    if place.root is None:
        return Match(None)
    root = str(place.root)
    if place.kind == "folder":
        found = _first(k for k in known if k.kind == "folder" and root in k.paths)
        alike = [k for k in known if root in k.paths]
    else:
        found = _repository(place, known, first_commit, remote)
        alike = [k for k in known if k.kind == "git" and _alike(k, first_commit, remote)]
        if found is None:
            alike += [k for k in known if _at_its_path(place, k)]
    own = found.id if found else None
    aliases = {path for k in known if k.id == own for path in k.paths}
    proposals = tuple(dict.fromkeys(k.id for k in alike if k.id != own))
    return Match(own, None if root in aliases else root, proposals)


def adopt(place: Place, found: Match, known: Sequence[Known], *, new_id: str) -> Known | None:
    """The row to remember for *place* after *found*: a new one, one that changed, or None."""
    if place.root is None or place.kind is None or place.gone:
        return None
    common_dir = str(place.common_dir) if place.common_dir else None
    rows = [k for k in known if k.id == found.project_id]
    if not rows:
        name = place.name or place.root.name
        return Known(new_id, name, place.kind, common_dir, place.common_id, (str(place.root),))
    here = (common_dir, place.common_id)
    old = next((k for k in rows if k.common_id == place.common_id), None)
    old = old or next((k for k in rows if k.common_dir == common_dir), rows[0])
    paths = old.paths + ((found.alias_to_add,) if found.alias_to_add else ())
    if (old.common_dir, old.common_id) == here and paths == old.paths:
        return None
    return replace(old, kind=place.kind, common_dir=here[0], common_id=here[1], paths=paths)


def _first(rows: Iterable[Known]) -> Known | None:
    return next(iter(rows), None)


def _repository(
    place: Place, known: Sequence[Known], first_commit: str | None, remote: str | None
) -> Known | None:
    rows = [k for k in known if k.kind == "git"]
    if found := _first(k for k in rows if _same_folder(place, k)):
        return found
    for row in filter(lambda k: _at_its_path(place, k), rows):
        if first_commit and row.first_commit and first_commit != row.first_commit:
            continue
        if _alike(row, first_commit, remote or (remote_of(place) if row.remote else None)):
            return row
    # A plain folder that became a repository (`git init`) stays the project it was.
    return _first(k for k in known if k.kind == "folder" and str(place.root) in k.paths)


def _same_folder(place: Place, row: Known) -> bool:
    """The same common folder: wherever it lies if its birth is known, else in its old place."""
    if not (place.common_id and row.common_id):
        return False
    at_home = row.common_dir == str(place.common_dir)
    if place.common_id == row.common_id:
        return at_home or place.common_id.count(":") == 2
    # Some file systems get another device number with each boot.
    same_inode = place.common_id.split(":")[1:] == row.common_id.split(":")[1:]
    return at_home and same_inode


def _at_its_path(place: Place, row: Known) -> bool:
    if row.kind != "git":
        return False
    return row.common_dir == str(place.common_dir) or str(place.root) in row.paths


def _alike(row: Known, first_commit: str | None, remote: str | None) -> bool:
    if first_commit and row.first_commit:
        return first_commit == row.first_commit or (remote is not None and remote == row.remote)
    return remote is not None and remote == row.remote


def _by_lost_path(place: Place, known: Sequence[Known]) -> str | None:
    """A folder that is gone (a removed work tree): the project that lay there, nearest first."""
    if place.path is None:
        return None
    for path in (place.path, *place.path.parents):
        for row in known:
            if str(path) in row.paths and (row.kind == "git" or path == place.path):
                return row.id
    return None
