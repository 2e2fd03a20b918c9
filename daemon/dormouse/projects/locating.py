"""From a working directory to its place, for each prompt: a few lstat calls and small reads.

Nothing in a folder can name another project: a ``.git`` that points elsewhere is believed only
where the repository points back at this very folder; otherwise the folder is a project of its own.
"""

# ruff: noqa: PTH116, PTH117, PTH118, PTH119, PTH120
# Strings throughout: this runs for each prompt, and making a Path costs more than the lstat.

import contextlib
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dormouse.projects import gitfiles
from dormouse.projects.values import Place

MARKER = ".dormouse-off"
_MODULE_OF_WORKTREE = re.compile(r"(.*?)/worktrees/[^/]+/(modules/.+)")


class _Repository(NamedTuple):
    git_dir: str
    common_dir: str
    name: str


class _NotBelieved(Exception):
    """Why a ``.git`` is not followed."""


class _Ground(NamedTuple):
    """What *locate* was told about this machine, with links resolved."""

    home: str
    temp: tuple[str, ...]
    uid: int

    def is_project(self, folder: str) -> bool:
        """Whether a folder without a repository is a project by itself."""
        if folder in ("/", self.home) or not gitfiles.is_folder_of(self.uid, folder):
            return False
        return not any(folder == temp or folder.startswith(f"{temp}/") for temp in self.temp)


def locate(cwd: str, *, home: Path, temp: Sequence[Path], uid: int) -> Place:
    """Find the project *cwd* belongs to. Never raises, waits or writes.

    *home* is the person's home folder, *temp* the temp folders; *uid* must own what is believed.
    """
    try:
        path, gone = _resolve(cwd)
    except (OSError, ValueError):
        return _no_project(None, off=False, trouble="the working directory can't be read")
    levels = _levels(path)
    ground: _Ground | None = None
    trouble = "the working directory no longer exists" if gone else None
    for depth, level in enumerate(levels):
        try:
            if repository := _repository(level, uid):
                inside = any(map(_marked, levels[: depth + 1]))
                off = inside or _off_around(levels[depth + 1 :], uid)
                return _in_repository(level, repository, off, path, gone, uid, trouble)
        except _NotBelieved as why:
            trouble = trouble or str(why)
            ground = ground or _ground(home, temp, uid)
            if ground.is_project(level):
                return _folder(level, path, gone, _off_outside(levels, ground), trouble)
        except OSError:
            continue  # vanished while we looked
    ground = ground or _ground(home, temp, uid)
    off = _off_outside(levels, ground)
    if not gone and ground.is_project(path):
        return _folder(path, path, gone, off, trouble)
    return _no_project(path, off=off, gone=gone, trouble=trouble)


def _resolve(cwd: str) -> tuple[str, bool]:
    """The folder with links resolved, and whether it is gone. Raises OSError, ValueError."""
    if not os.path.isabs(cwd):
        raise ValueError
    path = os.path.realpath(cwd)
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return path, True
    return (path if stat.S_ISDIR(mode) else os.path.dirname(path)), False


def _levels(path: str) -> list[str]:
    levels = [path]
    while (parent := os.path.dirname(path)) != path:
        levels.append(path := parent)
    return levels


def _ground(home: Path, temp: Sequence[Path], uid: int) -> _Ground:
    return _Ground(os.path.realpath(home), tuple(map(os.path.realpath, temp)), uid)


def _marked(level: str) -> bool:
    return os.path.lexists(f"{level}/{MARKER}")


def _off_around(levels: list[str], uid: int) -> bool:
    """Whether a work tree around this one has the marker, at its root or on the way to it."""
    marked = False
    for level in levels:
        with contextlib.suppress(OSError):
            marked = marked or os.lstat(f"{level}/{MARKER}").st_uid in (uid, 0)
        try:
            if marked and _repository(level, uid):
                return True
        except (_NotBelieved, OSError):
            continue
    return False


def _off_outside(levels: list[str], ground: _Ground) -> bool:
    """Outside a work tree the marker counts up to the home folder, or the file system's root."""
    upto = levels.index(ground.home) + 1 if ground.home in levels else len(levels)
    return any(map(_marked, levels[:upto]))


def _repository(level: str, uid: int) -> _Repository | None:
    """The repository whose work tree (or bare folder) *level* is. Raises _NotBelieved, OSError."""
    dot = f"{level}/.git"
    try:
        found = os.lstat(dot)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return _bare(level, uid)
    if stat.S_ISREG(found.st_mode):
        return _pointed(level, dot, uid)
    if not stat.S_ISDIR(found.st_mode):
        raise _NotBelieved("its .git is a link or no file at all")
    if not gitfiles.is_git_dir(dot):
        return _bare(level, uid)  # git passes over such a folder too
    _check_common(dot, uid)
    return _Repository(dot, dot, os.path.basename(level))


def _bare(level: str, uid: int) -> _Repository | None:
    name = os.path.basename(level)
    if name == ".git" or not gitfiles.is_git_dir(level):  # inside .git: the work tree is above
        return None
    _check_common(level, uid)
    return _Repository(level, level, name.removesuffix(".git"))


def _check_common(common: str, uid: int) -> None:
    """A common folder is whole and ours, and borrows no other repository's by a ``commondir``."""
    if not (gitfiles.is_folder_of(uid, common) and gitfiles.is_git_dir(common)):
        raise _NotBelieved("its repository is not whole or belongs to another user")
    if os.path.lexists(f"{common}/commondir"):
        raise _NotBelieved("its repository claims to be part of another one")


def _pointed(level: str, dot: str, uid: int) -> _Repository:
    """A ``.git`` file: a linked work tree, a submodule, or a git folder kept apart."""
    pointer = gitfiles.read_path(dot, uid)
    if pointer is None or not pointer.startswith("gitdir: "):
        raise _NotBelieved("its .git file can't be read or is not yours")
    target = gitfiles.real(os.path.join(level, pointer.removeprefix("gitdir: ")))
    if target is None or not gitfiles.is_folder_of(uid, target):
        raise _NotBelieved("the repository its .git file names is gone or not yours")
    if os.path.lexists(f"{target}/commondir"):
        return _linked_work_tree(dot, target, uid)
    _check_common(target, uid)
    kept_inside = os.path.dirname(target) == level and os.path.basename(target).startswith(".")
    if not kept_inside and _work_tree_of(target, uid) != level:
        raise _NotBelieved("the repository its .git file names does not point back here")
    return _Repository(target, _main_module(target, uid), os.path.basename(level))


def _linked_work_tree(dot: str, target: str, uid: int) -> _Repository:
    """Both ways must hold: the repository keeps *target*, and *target* names this ``.git`` file."""
    commondir = gitfiles.read_path(f"{target}/commondir", uid)
    common = gitfiles.real(os.path.join(target, commondir)) if commondir else None
    if common is None or os.path.dirname(target) != f"{common}/worktrees":
        raise _NotBelieved("its .git file leads to a repository that does not hold it")
    _check_common(common, uid)
    back = gitfiles.read_path(f"{target}/gitdir", uid)
    if back is None or gitfiles.real(os.path.join(target, back)) != dot:
        raise _NotBelieved("its repository names another folder; see `git worktree repair`")
    folder, name = os.path.split(common)
    hidden = name.startswith(".")
    return _Repository(
        target, common, os.path.basename(folder) if hidden else name.removesuffix(".git")
    )


def _work_tree_of(git_dir: str, uid: int) -> str | None:
    """The folder a git folder names as its work tree (``core.worktree``), resolved."""
    named = None
    for file in ("config", "config.worktree"):
        for section, key, value in gitfiles.config(f"{git_dir}/{file}", uid):
            if (section, key) == ("core", "worktree"):
                named = value
    return gitfiles.real(os.path.join(git_dir, gitfiles.unquote(named))) if named else None


def _main_module(git_dir: str, uid: int) -> str:
    """A submodule in a linked work tree has its own git folder: it is the main one's project."""
    parts = _MODULE_OF_WORKTREE.fullmatch(git_dir)
    if parts is None:
        return git_dir
    main = f"{parts[1]}/{parts[2]}"
    whole = gitfiles.real(main) == main and gitfiles.is_folder_of(uid, main)
    return main if whole and gitfiles.is_git_dir(main) else git_dir


def _in_repository(
    root: str, found: _Repository, off: bool, path: str, gone: bool, uid: int, trouble: str | None
) -> Place:
    return Place(
        root=Path(root),
        kind="git",
        common_dir=Path(found.common_dir),
        common_id=gitfiles.identity(found.common_dir),
        branch=None if gone else gitfiles.branch(found.git_dir, uid),
        off=off,
        trouble=trouble,
        name=found.name or None,
        path=Path(path),
        gone=gone,
    )


def _folder(root: str, path: str, gone: bool, off: bool, trouble: str | None) -> Place:
    name = os.path.basename(root)
    return Place(Path(root), "folder", None, None, None, off, trouble, name, Path(path), gone)


def _no_project(path: str | None, *, off: bool, trouble: str | None, gone: bool = False) -> Place:
    where = Path(path) if path else None
    return Place(None, None, None, None, None, off, trouble, None, where, gone)
