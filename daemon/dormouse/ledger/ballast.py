"""Eight megabytes that are given back when the disk is full, so that facts can still be retired."""

import contextlib
import os
import shutil
from pathlib import Path

SIZE = 8 * 1024 * 1024
ENOUGH = 4 * SIZE  # free bytes at which the ballast is taken again


class Ballast:
    """A file of random bytes (a sparse one would hold no space)."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def take(self) -> bool:
        """Write the file if it is missing and there is room; True if it is there."""
        with contextlib.suppress(OSError):
            if self.path.exists() and self.path.stat().st_size >= SIZE:
                return True
            if free(self.path) < ENOUGH:
                return False
            fd = os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(fd, "wb") as file:
                file.write(os.urandom(SIZE))
                file.flush()
                os.fsync(file.fileno())
            return True
        return False

    def release(self) -> bool:
        """Give the space back; True if there was some."""
        try:
            self.path.unlink()
        except OSError:
            return False
        return True


def free(path: Path) -> int:
    """Free bytes on the file system that *path* would lie on."""
    return shutil.disk_usage(path.parent).free
