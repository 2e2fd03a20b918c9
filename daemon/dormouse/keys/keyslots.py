"""``keyslots.json``: which ways open a store. It holds no key in clear and forgets no slot.

Slots of a kind this version does not know (keyring, systemd-creds) are kept as they are.
"""

import base64
import json
import os
import re
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from dormouse.errors import BadRequest, Conflict, Damaged, Locked, NotFound, WrongSecret
from dormouse.hygiene import atomic_write
from dormouse.keys import keyfile, recovery, wrapping
from dormouse_wire.paths import key_folder as default_key_folder

FORMAT = 1
KINDS = ("keyfile", "passphrase", "recovery")

_LIMIT = 1 << 20
_STORE_ID = re.compile(r"[a-z0-9][a-z0-9-]{3,63}")  # it becomes a file's name
_Slot = dict[str, Any]


def new_data_key() -> bytes:
    """A random key for a new store."""
    return os.urandom(wrapping.KEY_BYTES)


def new_store_id() -> str:
    """16 random characters, base32 in lower case."""
    return base64.b32encode(os.urandom(10)).decode().lower()


class KeySlots:
    """The slots of one store, in memory as in the file; ``add`` writes the file anew."""

    def __init__(self, path: Path, document: dict[str, Any]) -> None:
        self._path, self._document = path, document

    def __repr__(self) -> str:
        return f"KeySlots({self.store_id}: {', '.join(self.kinds)})"

    @classmethod
    def create(
        cls,
        path: Path,
        *,
        store_id: str,
        data_key: bytes,
        slots: Sequence[str] = ("keyfile",),
        passphrase: str | None = None,
        key_folder: Path | None = None,
    ) -> Self:
        """Make the file for a new store. Raises Conflict if there is one, Refused, BadRequest."""
        if os.path.lexists(path):  # a dangling link is one, too
            raise Conflict(what=f"{path} exists already")
        if not _STORE_ID.fullmatch(store_id):
            raise ValueError("a store's id has 4 to 64 characters of a-z, 0-9 and -")
        if not slots or not set(slots) <= {"keyfile", "passphrase"}:
            raise BadRequest(what="a new memory opens with a keyfile, a passphrase, or both")
        made = cls(path, {"format": FORMAT, "store_id": store_id, "slots": []})
        # The passphrase first: if it is refused, no key file is left behind.
        for kind in sorted(set(slots), reverse=True):
            slot, _ = made.make(kind, data_key, passphrase, key_folder)
            made._document["slots"].append(slot)
        made._write(made._document)
        return made

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the file. Raises Damaged for anything that is no such file of ours."""
        document = _parse(_read(path), path)
        return cls(path, document)

    @property
    def store_id(self) -> str:
        """Whose slots these are."""
        return str(self._document["store_id"])

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self._path

    @property
    def document(self) -> dict[str, Any]:
        """What stands in the file; to be looked at only."""
        return self._document

    def replace(self, document: dict[str, Any]) -> None:
        """Write the file anew, whole or not at all."""
        self._write(document)
        self._document = document

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the slots, also those this version does not know."""
        return tuple(dict.fromkeys(slot["kind"] for slot in self._document["slots"]))

    @property
    def key_file(self) -> Path | None:
        """Where the key file is, if there is one."""
        paths = [_path_of(slot, self._path) for slot in self._of("keyfile")]
        return paths[0] if paths else None

    def named(self) -> str:
        """The slots' kinds, for a message."""
        return ", ".join(self.kinds)

    def described(self) -> str:
        """Which slots there are and what they protect against: what ``status`` says of the key."""
        return f"it opens with: {self.named()}. {self.protects()}"

    def unlocking(self) -> str:
        """The commands that open the memory with a secret; empty if none does."""
        ways = {"passphrase": "`dormouse unlock`", "recovery": "`dormouse unlock --recovery`"}
        return " or ".join(way for kind, way in ways.items() if kind in self.kinds)

    def open_with_keyfile(self) -> bytes:
        """The data key. Raises Locked (no slot, no file, unsafe file) or Damaged."""
        others = f" or, without it, run {self.unlocking()}" if self.unlocking() else ""
        slots = self._slots_to_open("keyfile")
        file = _path_of(slots[0], self._path)
        under = keyfile.read(file, self._path.parent, others)
        try:
            return self._unseal("keyfile", lambda slot: under)
        except wrapping.DoesNotFit:
            why = f"its key file {file} belongs to another memory, or one of both was changed"
            raise Damaged(path=self._path, why=why) from None

    def open_with_passphrase(self, passphrase: str) -> bytes:
        """The data key, after some 0.3 s of one core. Raises WrongSecret, Locked, Damaged."""
        self._slots_to_open("passphrase")
        _check_passphrase(passphrase)
        try:
            return self._unseal(
                "passphrase", lambda slot: wrapping.stretch(passphrase, slot.get("kdf"))
            )
        except wrapping.DoesNotFit:
            raise WrongSecret(what="passphrase") from None

    def open_with_recovery(self, code: str) -> bytes:
        """The data key. Raises WrongSecret (a typo is told in its hint), Locked, Damaged."""
        self._slots_to_open("recovery")
        try:
            under = recovery.from_code(code)
            return self._unseal("recovery", lambda slot: under)
        except recovery.Typo as typo:
            raise WrongSecret(f"There is a typo: {typo}.", what="recovery code") from None
        except wrapping.DoesNotFit:
            hint = "It is well written, but it belongs to another memory."
            raise WrongSecret(hint, what="recovery code") from None

    def add(
        self,
        kind: str,
        data_key: bytes,
        secret: str | None = None,
        *,
        key_folder: Path | None = None,
    ) -> str | None:
        """Add a slot; *secret* is the passphrase. For ``recovery`` the code, this once.

        Raises Conflict if there is a slot of that kind, BadRequest, Refused.
        """
        if kind not in KINDS:
            raise BadRequest(what=f"a key slot is one of {', '.join(KINDS)}")
        if self._of(kind):
            raise Conflict(what=f"there is a {kind} slot already", hint="It was left as it is.")
        slot, code = self.make(kind, data_key, secret, key_folder)
        self.replace(self._document | {"slots": [*self._document["slots"], slot]})
        return code

    def check(self, kind: str, secret: str | None = None) -> bool:
        """Whether the slot opens (with *secret*). Raises NotFound if there is none of that kind."""
        if kind not in KINDS or not self._of(kind):
            raise NotFound(what="key slot", id=kind, hint="`dormouse status` says which there are.")
        try:
            if kind == "keyfile":
                self.open_with_keyfile()
            elif kind == "passphrase":
                self.open_with_passphrase(secret or "")
            else:
                self.open_with_recovery(secret or "")
        except (BadRequest, Damaged, Locked, WrongSecret):
            return False
        return True

    def protects(self) -> str:
        """What these slots protect against, and what not, in one sentence."""
        kinds = self.kinds
        if "keyfile" in kinds:
            beside = " (the passphrase beside it is one more way in, no more protection)"
            return (
                "Other users, and whoever copies the data folder without the key file, can't read"
                " the memory; a program of your own, or whoever copies both, can"
                f"{beside if 'passphrase' in kinds else ''}."
            )
        ways = {"passphrase": "the passphrase", "recovery": "the recovery code"}
        named = [ways.get(kind, f"what the slot {kind} asks for") for kind in kinds]
        return (
            f"Nobody can read the memory on the disk without {' or '.join(named)};"
            " while it is unlocked, a program of your own can ask for it."
        )

    def _of(self, kind: str) -> list[_Slot]:
        return [slot for slot in self._document["slots"] if slot["kind"] == kind]

    def _slots_to_open(self, kind: str) -> list[_Slot]:
        slots = self._of(kind)
        if not slots:
            raise Locked(self._hint_without(kind), path=self._path.parent)
        return slots

    def _hint_without(self, kind: str) -> str:
        """What opens the memory where there is no slot of *kind*."""
        if kind == "keyfile" and self.unlocking():  # nobody asked for it: a start tries it first
            return f"Run {self.unlocking()}."
        ways = [f"run {self.unlocking()}"] if self.unlocking() else []
        if self.key_file is not None:
            ways.insert(0, f"put its key file {self.key_file} in place and run `dormouse up`")
        lacks = f"It has no {kind} slot; it opens with: {self.named()}"
        return f"{lacks}: {' or '.join(ways)}." if ways else f"{lacks}."

    def _unseal(self, kind: str, under: Callable[[_Slot], bytes]) -> bytes:
        """Try the slots of a kind. Raises DoesNotFit, Damaged."""
        slots = self._of(kind)
        for slot in slots:
            try:
                return wrapping.unseal(slot, under(slot), store_id=self.store_id, kind=kind)
            except wrapping.BrokenSlot:
                raise Damaged(path=self._path, why=f"its {kind} slot is broken") from None
            except wrapping.DoesNotFit:
                if slot is slots[-1]:
                    raise
        raise wrapping.DoesNotFit

    def make(
        self, kind: str, data_key: bytes, secret: str | None, key_folder: Path | None = None
    ) -> tuple[_Slot, str | None]:
        """A new slot, and the code of a recovery slot."""
        slot: _Slot = {"kind": kind}
        code = None
        if kind == "keyfile":
            folder = key_folder or default_key_folder()
            path, under = keyfile.make(folder, self.store_id, self._path.parent)
            slot["path"] = str(path)
        elif kind == "passphrase":
            _check_passphrase(secret)
            slot["kdf"] = wrapping.new_costs()
            under = wrapping.stretch(secret or "", slot["kdf"])
        else:
            under = os.urandom(wrapping.KEY_BYTES)
            code = recovery.to_code(under)
        return slot | wrapping.seal(data_key, under, store_id=self.store_id, kind=kind), code

    def _write(self, document: dict[str, Any]) -> None:
        atomic_write(self._path, json.dumps(document, indent=1).encode() + b"\n")


def _check_passphrase(passphrase: str | None) -> None:
    if passphrase is None or not passphrase.strip():
        raise BadRequest(what="the passphrase is empty", hint="Give one that nobody can guess.")
    try:
        passphrase.encode()
    except UnicodeEncodeError:
        raise BadRequest(what="the passphrase is no text") from None


def _path_of(slot: _Slot, keyslots: Path) -> Path:
    path = slot.get("path")
    if not isinstance(path, str) or not path.startswith("/") or "\0" in path:
        raise Damaged(path=keyslots, why="its keyfile slot names no file")
    return Path(path)


def _read(path: Path) -> bytes:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        file = os.open(path, flags)
    except FileNotFoundError:
        why = "the file with its key slots is missing"
        raise Damaged("Put it back from a backup.", path=path, why=why) from None
    except OSError as error:
        raise Damaged(path=path, why=f"it can't be read ({error.strerror})") from None
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid():
            raise Damaged(path=path, why="it is no regular file of yours")
        if found.st_size > _LIMIT:
            raise Damaged(path=path, why="it is too large for a file with key slots")
        return os.read(file, _LIMIT)
    finally:
        os.close(file)


def _parse(content: bytes, path: Path) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise Damaged(path=path, why="it is no file with key slots") from None
    if not isinstance(document, dict) or type(document.get("format")) is not int:
        raise Damaged(path=path, why="it is no file with key slots")
    if document["format"] != FORMAT:
        why = f"it has format {document['format']}, this version knows only {FORMAT}"
        raise Damaged("Install the newer version again.", path=path, why=why)
    store_id, slots = document.get("store_id"), document.get("slots")
    if not isinstance(store_id, str) or not _STORE_ID.fullmatch(store_id):
        raise Damaged(path=path, why="it names no store")
    if not isinstance(slots, list) or not slots:
        raise Damaged(path=path, why="it holds no key slot")
    if not all(isinstance(slot, dict) and isinstance(slot.get("kind"), str) for slot in slots):
        raise Damaged(path=path, why="one of its key slots is broken")
    return document
