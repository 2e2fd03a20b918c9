"""Holds a model while it is used, and lets go of it when it is idle. Any thread may ask."""

import threading
import time
from collections.abc import Callable

from dormouse.embedding.room import give_back
from dormouse.embedding.seam import Embedder, Prompts


class Holder:
    """Loads on first use. What the seam says beside ``embed`` is known without loading."""

    def __init__(
        self, model: str, revision: str, dim: int, prompts: Prompts, load: Callable[[], Embedder]
    ) -> None:
        self.model, self.revision, self.dim, self.prompts = model, revision, dim, prompts
        self._load, self._lock = load, threading.Lock()
        self._held: Embedder | None = None
        self._used = time.monotonic()

    @property
    def loaded(self) -> bool:
        """Whether it would answer at once."""
        return self._held is not None

    def get(self) -> Embedder:
        """The model, loaded now if need be. Raises what loading raises."""
        self._used = time.monotonic()
        with self._lock:
            if self._held is None:
                self._held = self._load()
            return self._held

    def let_go(self, idle_s: float) -> bool:
        """Unload if it was not used for so long; whether it was unloaded."""
        with self._lock:
            if self._held is None or time.monotonic() - self._used < idle_s:
                return False
            self._held = None
        give_back()
        return True
