"""Where a home's files lie. It only names places; it makes and changes nothing."""

import os
from pathlib import Path


class Home:
    """The data folder of one store (``DORMOUSE_HOME``, default ``~/.dormouse``) and its files."""

    __slots__ = ("root",)

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def from_environment(cls) -> "Home":
        """The home this process is meant to use; always an absolute path."""
        named = os.environ.get("DORMOUSE_HOME")
        return cls(Path(named).expanduser().absolute() if named else Path.home() / ".dormouse")

    @property
    def ledger(self) -> Path:
        return self.root / "memory.db"

    @property
    def keyslots(self) -> Path:
        return self.root / "keyslots.json"

    @property
    def settings(self) -> Path:
        return self.root / "config.toml"

    @property
    def socket(self) -> Path:
        return self.root / "dormouse.sock"

    @property
    def lock(self) -> Path:
        """Held (flock) by the daemon for as long as it runs, and by whoever is starting it."""
        return self.root / "dormouse.lock"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def ballast(self) -> Path:
        """8 MB that are released when the disk is full, so that facts can still be retired."""
        return self.root / "ballast"

    @property
    def backups(self) -> Path:
        """The encrypted copies of the last nights."""
        return self.root / "backups"

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def undelivered(self) -> Path:
        """One letter for each event that no daemon took (dormouse_wire.hosts names the letters)."""
        return self.bin / "undelivered"

    @property
    def stopped(self) -> Path:
        """Present after ``dormouse down``: hooks and CLI start nothing until ``up``."""
        return self.bin / "stopped"

    @property
    def noautostart(self) -> Path:
        """Present while ``hooks.autostart`` is false: hooks start nothing."""
        return self.bin / "noautostart"

    def exists(self) -> bool:
        """Whether anything of a store is here. Such a home is never set up again."""
        return self.keyslots.exists() or any(self.root.glob("memory.db*"))


def key_folder() -> Path:
    """Where new key files go: ``DORMOUSE_KEYDIR``, default ``~/.config/dormouse``."""
    named = os.environ.get("DORMOUSE_KEYDIR")
    return Path(named).expanduser().absolute() if named else Path.home() / ".config" / "dormouse"
