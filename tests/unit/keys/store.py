"""A store's home with its key folder beside it."""

import json
import stat
from pathlib import Path
from typing import Any

from dormouse.keys import KeySlots, new_data_key

STORE = "abcd2345efgh6723"


class Store:
    """Where a store is made; nothing is there yet."""

    def __init__(self, root: Path) -> None:
        self.home, self.key_folder = root / "home", root / "config" / "dormouse"
        self.home.mkdir(mode=0o700)
        self.path = self.home / "keyslots.json"
        self.key = new_data_key()

    def create(self, *slots: str, passphrase: str | None = None) -> KeySlots:
        return KeySlots.create(
            self.path,
            store_id=STORE,
            data_key=self.key,
            slots=slots or ("keyfile",),
            passphrase=passphrase,
            key_folder=self.key_folder,
        )

    @property
    def key_file(self) -> Path:
        return self.key_folder / f"{STORE}.key"

    def document(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.path.read_text())
        return read


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
