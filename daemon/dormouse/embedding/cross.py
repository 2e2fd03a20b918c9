"""A cross-encoder: reads two texts together and says how likely each of three answers is.

The lower layers are the embedder's own, so is the word table; what was trained is in a file beside
this module (``training/judge``). It knows nothing of facts and calls nobody.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dormouse.embedding.encoder import Encoder, Layer, Matrix, alike, gelu
from dormouse.embedding.tokens import Tokenizer
from dormouse.embedding.weights import SHA256, Floats, Weights
from dormouse.errors import ModelRefused

LONGEST = 96  # tokens of a pair
_TOGETHER = 512  # tokens in one pass


class Trained:
    """The trained file, read and checked. Raises ModelRefused for anything else."""

    def __init__(self, path: Path, sha256: str) -> None:
        raw = path.read_bytes()
        if hashlib.sha256(raw).hexdigest() != sha256:
            raise ModelRefused(path=path, why="its checksum differs")
        with np.load(path, allow_pickle=False) as data:
            self.arrays: dict[str, NDArray[Any]] = {name: data[name] for name in data.files}
        self.about = json.loads(str(self.arrays["about"]))
        if self.about["base"] != SHA256:
            raise ModelRefused(path=path, why="it was trained on another base")


class CrossEncoder:
    """Gives probabilities, in the order of the labels it was trained with."""

    def __init__(self, encoder: Encoder, trained: Trained) -> None:
        self._encoder, arrays = encoder, trained.arrays
        self._lower = int(trained.about["lower"])
        self._temperature = np.float32(trained.about["temperature"])
        count = 1 + max(int(n.split(".")[1]) for n in arrays if n.startswith("layers."))
        self._layers = [Layer.of_arrays(arrays, f"layers.{at}") for at in range(count)]
        self._segment = arrays["segment"]
        self._head = [_matrix(arrays, "head.1"), _matrix(arrays, "head.3")]

    @classmethod
    def load(cls, encoder: Encoder, path: Path, sha256: str) -> Self:
        """On top of *encoder*. Raises ModelRefused."""
        return cls(encoder, Trained(path, sha256))

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Shape (pairs, 3); pairs of like length are worked on together."""
        rows = [self._ids(*pair) for pair in pairs]
        found = np.zeros((len(rows), 3), np.float32)
        for batch in alike([len(ids) for ids, _ in rows], _TOGETHER):
            found[batch] = self._forward([rows[at] for at in batch])
        return found

    def _ids(self, first: str, second: str) -> tuple[list[int], int]:
        return pair_ids(self._encoder.weights, self._encoder.tokens, first, second)

    def _forward(self, rows: Sequence[tuple[list[int], int]]) -> Floats:
        x, mask, bias = self._encoder.run([ids for ids, _ in rows], self._lower)
        starts = np.array([start for _, start in rows])
        side = (np.arange(mask.shape[1])[None, :] >= starts[:, None]) & (mask > 0)
        x = x + self._segment[side.astype(np.int64)]
        for layer in self._layers:
            x = layer(x, bias, self._encoder.heads, self._encoder.eps)
        second = side.astype(np.float32)
        a, b = (
            (x * part[..., None]).sum(1) / np.maximum(part.sum(1, keepdims=True), 1.0)
            for part in (mask - second, second)
        )
        seen = np.concatenate([x[:, 0], a, b, np.abs(a - b)], -1)
        z = self._head[1](gelu(self._head[0](seen))) / self._temperature
        z = np.exp(z - z.max(-1, keepdims=True))
        answer: Floats = z / z.sum(-1, keepdims=True)
        return answer


def pair_ids(weights: Weights, tokens: Tokenizer, first: str, second: str) -> tuple[list[int], int]:
    """``<s> first </s></s> second </s>``, the longer one cut; and where the second begins."""
    a, b = tokens.encode(first), tokens.encode(second)
    room = LONGEST - 4
    if len(a) + len(b) > room:
        half = room // 2
        a, b = a[: max(half, room - len(b))], b[: max(room - half, room - len(a))]
    bos, eos = weights.bos, weights.eos
    return [bos, *a, eos, eos, *b, eos], len(a) + 2


def _matrix(arrays: dict[str, NDArray[Any]], name: str) -> Matrix:
    packed = arrays[f"{name}.weight|q"], arrays[f"{name}.weight|s"]
    return Matrix(*packed, arrays[f"{name}.bias"])
