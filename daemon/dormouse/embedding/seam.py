"""What recall needs of a model: one method and four facts about it. Small, so that it can go."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from dormouse.embedding.weights import Floats


class Prompts(NamedTuple):
    """What is known of prompts' vectors: some that no memory answers (small talk, general
    knowledge), some that ask one for something, either perhaps without rows; and the map, shapes
    (dim, dim) and (dim,), that brings a prompt nearer to the fact that answers it."""

    foreign: Floats
    asking: Floats
    matrix: Floats | None = None
    shift: Floats | None = None

    @property
    def examples(self) -> tuple[Floats, Floats]:
        """Of both kinds, the foreign ones first."""
        return self.foreign, self.asking

    def adapted(self, vector: Floats) -> Floats:
        """A prompt's *vector* as it is held against facts; of length 1."""
        if self.matrix is None or self.shift is None:
            return vector
        moved = vector + vector @ self.matrix + self.shift
        found: Floats = moved / max(float(np.linalg.norm(moved)), 1e-9)
        return found


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
