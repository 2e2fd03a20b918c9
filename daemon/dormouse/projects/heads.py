"""Which commit a branch stands at, read from git's own small files. It starts no program."""

import re

from dormouse.projects import gitfiles
from dormouse.projects.values import Place

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_DETACHED = "detached at "


def head_commit(place: Place, uid: int) -> str | None:
    """The commit that *place*'s branch names; None where it can't be read."""
    if place.branch is None or place.common_dir is None:
        return None
    if place.branch.startswith(_DETACHED):
        return place.branch.removeprefix(_DETACHED)
    name = f"refs/heads/{place.branch}"
    loose = gitfiles.read(f"{place.common_dir}/{name}", uid)
    found = (loose or b"").decode("ascii", "replace").strip()
    if _COMMIT.fullmatch(found):
        return found
    packed = gitfiles.read(f"{place.common_dir}/packed-refs", uid) or b""
    for line in packed.decode("utf-8", "replace").splitlines():
        commit, _, ref = line.partition(" ")
        if ref == name and _COMMIT.fullmatch(commit):
            return commit
    return None
