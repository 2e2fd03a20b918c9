"""Reads git's small files as data: it follows no link, waits for nothing and starts no program.

Whoever unpacks an archive gets files of our own uid, so a file's owner proves little: what a
pointer claims counts only where the other side points back (see ``locating``).
"""

# ruff: noqa: PTH115
# Strings throughout: this runs for each prompt, and making a Path costs more than the lstat.

import ctypes
import os
import re
import stat
import struct
import sys
from collections.abc import Iterator

LIMIT = 1 << 20  # git itself reads no more of a .git file
CONFIG_LIMIT = 1 << 18  # parsed line by line, so a hostile one may not be as long

_AT_FDCWD, _AT_SYMLINK_NOFOLLOW, _STATX_BTIME = -100, 0x100, 0x800
_BIRTH_OFFSET = 80  # of stx_btime in struct statx: seconds (8 bytes), nanoseconds (4 bytes)
_HEAD = re.compile(r"ref:[ \t]*refs/heads/(\S+)")
_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NO_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[]|\.\.|@\{|//|/\.|^[./]|[./]$|\.lock$")
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_PAIR = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)")


def read(path: str, uid: int, limit: int = LIMIT) -> bytes | None:
    """The bytes of a small regular file of *uid*, or None for anything else."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):  # merely opening a device can act on it
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        file = os.open(path, flags)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != uid or found.st_size > limit:
            return None
        return os.read(file, limit)
    except OSError:
        return None
    finally:
        os.close(file)


def read_path(path: str, uid: int) -> str | None:
    """The one path that a pointer file (``commondir``, ``gitdir``) holds."""
    content = read(path, uid)
    if content is None or b"\0" in content:
        return None
    return os.fsdecode(content).rstrip("\r\n") or None


def real(path: str) -> str | None:
    """*path* with all links resolved, or None if it does not exist."""
    try:
        return os.path.realpath(path, strict=True)
    except (OSError, ValueError):
        return None


def is_folder_of(uid: int, path: str) -> bool:
    """Whether *path* is a real folder (no link) that belongs to *uid*."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == uid


def is_git_dir(path: str) -> bool:
    """What git asks of a repository: HEAD, objects and refs."""
    return all(os.path.lexists(f"{path}/{name}") for name in ("HEAD", "objects", "refs"))


def identity(path: str) -> str:
    """``dev:inode[:birth]`` of a folder. Raises OSError."""
    found = os.lstat(path)
    born = _birth(path, found)
    return f"{found.st_dev}:{found.st_ino}" + (f":{born}" if born else "")


def _birth(path: str, found: os.stat_result) -> int:
    """When a folder was made, in nanoseconds, 0 where nobody knows.

    Without it a repository that is made after another was removed takes over its identity: ext4
    gives it the same inode number at once (three of three tries).
    """
    if sys.platform == "darwin":
        return int(found.st_birthtime * 1_000_000) * 1000
    if _statx is None:
        return 0
    answer = ctypes.create_string_buffer(256)
    flags, name = _AT_SYMLINK_NOFOLLOW, os.fsencode(path)
    if _statx(_AT_FDCWD, name, flags, _STATX_BTIME, answer) != 0:
        return 0
    if not struct.unpack_from("I", answer, 0)[0] & _STATX_BTIME:
        return 0
    seconds, nanoseconds = struct.unpack_from("qI", answer, _BIRTH_OFFSET)
    return int(seconds) * 1_000_000_000 + int(nanoseconds)


_statx = None if sys.platform == "darwin" else getattr(ctypes.CDLL(None), "statx", None)


def branch(git_dir: str, uid: int) -> str | None:
    """What HEAD names: a branch (born or not) or ``detached at <first 12>``; None if unreadable."""
    head = f"{git_dir}/HEAD"
    try:
        text = "ref: " + os.readlink(head)  # old repositories keep HEAD as a link
    except (OSError, ValueError):
        content = read(head, uid)
        if content is None:
            return None
        # A name may be any bytes; git allows no backslash in one, so no two names collide.
        text = content.decode("utf-8", "backslashreplace").rstrip()
    if _OBJECT.fullmatch(text):
        return f"detached at {text[:12]}"
    named = _HEAD.fullmatch(text)
    # A reftable repository keeps ".invalid" here and the truth in a binary file.
    if named is None or len(named[1]) > 255 or _NO_BRANCH.search(named[1]):
        return None
    return named[1]


def config(path: str, uid: int) -> Iterator[tuple[str, str, str]]:
    """The settings of one config file: section (``remote.origin``), key, value still quoted.

    Includes are not followed; what is not understood is left out.
    """
    content = read(path, uid, CONFIG_LIMIT) or b""
    text = content.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\\\n", "")
    section = ""
    for line in text.split("\n"):
        rest = line.strip()
        if header := _SECTION.match(rest):
            name = "" if header[2] is None else "." + re.sub(r"\\(.)", r"\1", header[2])
            section, rest = header[1].lower() + name, rest[header.end() :].strip()
        if pair := _PAIR.fullmatch(rest):
            yield section, pair[1].lower(), pair[2]


def unquote(value: str) -> str:
    """A config value without its quotes, escapes and comment."""
    out: list[str] = []
    quoted = False
    characters = iter(value)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            out.append({"n": "\n", "t": "\t", "b": "\b"}.get(escaped, escaped))
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            out.append(character)
    return "".join(out).strip()
