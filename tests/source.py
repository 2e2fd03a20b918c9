"""Where the project's own files lie, for tests about the source tree itself. It imports nothing."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOTS = ("daemon", "cli", "plugins")

# The suite also runs against the built wheel, in a tree without the source roots.
needs_source = pytest.mark.skipif(
    not (ROOT / "daemon").is_dir(), reason="about the source tree, which is not here"
)


def modules(*folders: str) -> list[Path]:
    """Every Python file below the named folders of the project."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
