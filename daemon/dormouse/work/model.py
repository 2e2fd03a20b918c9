"""The models that recall and judging share: found once, checked, loaded on first use."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dormouse.embedding import files

if TYPE_CHECKING:  # numpy is heavy, and not needed to start
    from dormouse.embedding.cross import CrossEncoder
    from dormouse.embedding.holder import Holder
    from dormouse.embedding.seam import Embedder

JUDGE = Path(files.__file__).with_name("judge.npz")  # made by ``python -m training.judge.train``
IDLE_S = 300.0  # a model that was not used for so long is let go of
JUDGE_SHA256 = "888178d6768d970fb56f91735b2b1ec399dc0e57c047c8f86598549bac31257a"


class Models:
    """Any thread may ask. *folder* may hold the weights where their package can't be installed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._finding, self._reading = threading.Lock(), threading.Lock()
        self._found: tuple[Holder | None] | None = None
        self._cross: CrossEncoder | None = None
        self._of: Embedder | None = None
        self._read_at = 0.0

    def can_judge(self) -> bool:
        """Whether the embedded judge's files are there; they are read and checked on first use."""
        return JUDGE.is_file() and files.find(self._folder) is not None

    def embedder(self) -> "Holder | None":
        """The default embedder, checked but not loaded; None where none is installed.

        Raises ModelRefused.
        """
        with self._finding:
            if self._found is None:
                self._found = (self._find(),)
            return self._found[0]

    def _find(self) -> "Holder | None":
        path = files.find(self._folder)
        if path is None:
            return None
        files.check(path)
        from dormouse.embedding.e5 import E5, Space  # noqa: PLC0415
        from dormouse.embedding.holder import Holder  # noqa: PLC0415

        space = Space.load()
        return Holder(E5.model, E5.revision, E5.dim, space.prompts, lambda: E5(path, space))

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        """What the judge's model says of two texts each: shape (pairs, 3). Raises ModelRefused."""
        from dormouse.embedding.cross import CrossEncoder  # noqa: PLC0415
        from dormouse.embedding.e5 import E5  # noqa: PLC0415

        with self._reading:
            holder = self.embedder()
            model = holder.get() if holder is not None else None
            if not isinstance(model, E5):
                return [[0.0, 0.0, 1.0]] * len(pairs)
            if self._cross is None or self._of is not model:
                self._cross = CrossEncoder.load(model.encoder, JUDGE, JUDGE_SHA256)
                self._of = model
            self._read_at = time.monotonic()
            rows: list[list[float]] = self._cross(pairs).tolist()
            return rows

    def let_go(self, idle_s: float) -> None:
        """Unload the judge's part if it was not used for so long, then the embedder likewise."""
        with self._reading:
            if self._cross is not None and time.monotonic() - self._read_at >= idle_s:
                self._cross = self._of = None
        if self._found is not None and self._found[0] is not None:
            self._found[0].let_go(idle_s)
