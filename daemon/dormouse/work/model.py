"""Which model recall by meaning uses: the default one, where its weights are installed."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dormouse.embedding.holder import Holder


def installed(models: Path) -> "Holder | None":
    """The default model, checked but not loaded; None where there is none. Raises ModelRefused.

    *models* may hold the weights where their package can't be installed.
    """
    from dormouse.embedding import weights  # noqa: PLC0415  numpy is heavy, and not needed to start

    path = weights.find(models)
    if path is None:
        return None
    weights.check(path)
    from dormouse.embedding.e5 import E5, Space  # noqa: PLC0415
    from dormouse.embedding.holder import Holder  # noqa: PLC0415

    space = Space.load()
    return Holder(E5.model, E5.revision, E5.dim, space.foreign, lambda: E5(path, space))
