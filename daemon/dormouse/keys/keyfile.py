"""The key file: one for each store, outside its data folder. Never replaced, never removed.

Who has it and a copy of the data folder can read the memory, so it is only used while nobody else
can read it.
"""

import os
import re
import stat
from pathlib import Path

from dormouse.errors import Damaged, Locked, Refused
from dormouse.hygiene import sync_folder
from dormouse.keys.wrapping import KEY_BYTES

_LONGEST = 4096
_KEY_LINE = re.compile(r"[0-9a-f]{64}")
_TEXT = """\
# The key of the Dormouse memory {store_id}.
# Whoever has this file and a copy of the memory can read it: keep it out of shared backups.
# Without this file (or a passphrase or recovery code) nobody can: keep a copy in a safe place.
{key}
"""


def make(
    folder: Path, store_id: str, data_folder: Path, *, again: bool = False
) -> tuple[Path, bytes]:
    """Make a new key file in *folder*; returns its absolute path and its key. Raises Refused.

    *again*: beside the one that is there, under a name with a number.
    """
    folder = folder.absolute()
    _prepare(folder, data_folder)
    path = _free(folder, store_id) if again else folder / f"{store_id}.key"
    key = os.urandom(KEY_BYTES)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        file = os.open(path, flags, 0o600)
    except FileExistsError:
        hint = "It may be the only key of a memory. Move it to a safe place first."
        raise Refused(what=f"the key file {path} exists already", hint=hint) from None
    with os.fdopen(file, "w") as out:
        os.fchmod(out.fileno(), 0o600)
        out.write(_TEXT.format(store_id=store_id, key=key.hex()))
        out.flush()
        os.fsync(out.fileno())
    sync_folder(folder)
    return path, key


def _free(folder: Path, store_id: str) -> Path:
    number = 2
    while os.path.lexists(path := folder / f"{store_id}-{number}.key"):
        number += 1
    return path


def _prepare(folder: Path, data_folder: Path) -> None:
    inside, outside = Path(os.path.realpath(folder)), Path(os.path.realpath(data_folder))
    if inside == outside or outside in inside.parents:
        hint = (
            "Set DORMOUSE_KEYDIR to a folder elsewhere: who copies the data must not get the key."
        )
        raise Refused(what=f"the key folder {folder} lies in the data folder", hint=hint)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
        return
    except FileExistsError:
        found = folder.stat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise Refused(what=f"{folder} is no folder of yours", hint="Set DORMOUSE_KEYDIR to one.")
    if found.st_mode & 0o077 and not any(folder.iterdir()):
        folder.chmod(0o700)
    elif found.st_mode & 0o022:
        hint = f"Run `chmod go-w {folder}`: others could put a file of theirs there."
        raise Refused(what=f"others may write to the key folder {folder}", hint=hint)


def read(path: Path, home: Path, other_ways: str) -> bytes:
    """The key in the file at *path*. Raises Locked (missing or unsafe), Damaged (no key file)."""
    try:
        if stat.S_ISLNK(path.lstat().st_mode):
            raise Locked(f"Its key file {path} is a link; put the file itself there.", path=home)
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        file = os.open(path, flags)
    except FileNotFoundError:
        hint = f"Its key file {path} is missing: put it back there from a copy{other_ways}."
        raise Locked(hint, path=home) from None
    except OSError as error:
        hint = f"Its key file {path} can't be read ({error.strerror}): mend that{other_ways}."
        raise Locked(hint, path=home) from None
    try:
        _check(os.fstat(file), path, home)
        content = os.read(file, _LONGEST)
    finally:
        os.close(file)
    return _parse(content, path)


def _check(found: os.stat_result, path: Path, home: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Locked(f"Its key file {path} is no regular file.", path=home)
    if found.st_uid != os.getuid():
        raise Locked(f"Its key file {path} belongs to another user.", path=home)
    if found.st_mode & 0o077:
        mode = f"{stat.S_IMODE(found.st_mode):04o}"
        # Repaired silently, nobody would learn that the key may already be known to others.
        hint = (
            f"Others may read or change its key file {path} (mode {mode}), so it is not used. "
            f"Ask yourself who did, then run `chmod 600 {path}`."
        )
        raise Locked(hint, path=home)
    if found.st_size > _LONGEST:
        raise Damaged(path=path, why="it is too large for a key file")


def _parse(content: bytes, path: Path) -> bytes:
    lines = content.decode("ascii", "replace").splitlines()
    keys = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if len(keys) != 1 or not _KEY_LINE.fullmatch(keys[0]):
        raise Damaged("Put the key file back from a copy.", path=path, why="it holds no key")
    return bytes.fromhex(keys[0])
