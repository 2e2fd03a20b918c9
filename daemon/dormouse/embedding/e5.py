"""The embedder: texts to vectors by multilingual-e5-small. It keeps no text and calls nobody."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dormouse.embedding.encoder import Encoder
from dormouse.embedding.weights import SHA256, Floats

LONGEST = {True: 64, False: 128}  # tokens of a query and of a fact that are read
_PREFIX = {True: "query: ", False: "passage: "}  # what the model was trained with
_TOGETHER = 256  # tokens in one pass, so that a batch needs no more than some MB
SPACE = Path(__file__).with_name("space.npz")  # made by ``python -m bench.space``


class Space(NamedTuple):
    """What all raw vectors have in common and is taken out of each: means and directions.

    Raw cosines of this model lie between .75 and .95 whatever is compared, and follow the language
    more than the matter. Second set, by meaning alone: R@5 .847 raw, .947 turned. ``foreign`` are
    the vectors of prompts that no memory answers.
    """

    facts: Floats
    prompts: Floats
    directions: Floats
    foreign: Floats

    @classmethod
    def load(cls, path: Path = SPACE) -> Self:
        with np.load(path, allow_pickle=False) as data:
            return cls(*(np.asarray(data[name], np.float32) for name in cls._fields))

    def turn(self, rows: Floats, *, query: bool) -> Floats:
        """*rows* without what they have in common, of length 1 again."""
        rows = _unit(rows - (self.prompts if query else self.facts))
        return _unit(rows - rows @ self.directions.T @ self.directions)


class E5:
    """The embedder of this version."""

    model, dim = "multilingual-e5-small", 384
    revision = f"q4i8-{SHA256[:8]}-{hashlib.sha256(SPACE.read_bytes()).hexdigest()[:8]}"

    def __init__(self, path: Path, space: Space | None) -> None:
        self._space = space
        self.foreign = np.zeros((0, self.dim), np.float32) if space is None else space.foreign
        self.encoder = Encoder(path)

    def embed(self, texts: Sequence[str], *, query: bool) -> Floats:
        """One row of length 1 for each text; texts of like length are worked on together."""
        rows = [self._ids(text, query) for text in texts]
        found = np.zeros((len(rows), self.dim), np.float32)
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        while order:
            longest = len(rows[order[-1]])
            batch = order[-max(1, _TOGETHER // longest) :]
            order = order[: -len(batch)]
            found[batch] = self._forward([rows[at] for at in batch], longest)
        return found if self._space is None else self._space.turn(found, query=query)

    def _ids(self, text: str, query: bool) -> list[int]:
        weights = self.encoder.weights
        ids = self.encoder.tokens.encode(_PREFIX[query] + text)[: LONGEST[query] - 2]
        return [weights.bos, *ids, weights.eos]

    def _forward(self, rows: Sequence[Sequence[int]], longest: int) -> Floats:
        x, mask, _ = self.encoder.run(rows, longest)
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return _unit(mean)


def _unit(rows: NDArray[Any]) -> Floats:
    made: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return made
