"""What recall needs of a model: one method and four facts about it. Small, so that it can go."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from dormouse.embedding.weights import Floats


class Prompts(NamedTuple):
    """Vectors of prompts that no memory answers (small talk, general knowledge), and of prompts
    that ask one for something. Either may have no rows."""

    foreign: Floats
    asking: Floats


class Embedder(Protocol):
    """Texts to vectors. Another model or revision means that every vector is made again."""

    @property
    def model(self) -> str: ...
    @property
    def revision(self) -> str: ...
    @property
    def dim(self) -> int: ...
    @property
    def prompts(self) -> Prompts: ...

    def embed(self, texts: Sequence[str], *, query: bool) -> Floats:
        """One row of length 1 for each text; *query* for prompts, else for facts."""
        ...
