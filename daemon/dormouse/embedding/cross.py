"""Cross-encoders: they read two texts together and say how likely each of three answers is.

The word table is the embedder's own, and the lower layers may be; what was trained is in a file
beside this module (``training/judge``). It knows nothing of facts and calls nobody.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dormouse.embedding.encoder import Encoder, Layer, Matrix, States, alike, gelu
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
        if not self.about.get("seeds"):
            raise ModelRefused(path=path, why="it names no members")


class CrossEncoder:
    """Gives probabilities, in the order of the labels it was trained with.

    The file may hold several members, trained alike from different seeds; theirs are averaged.
    """

    def __init__(self, encoder: Encoder, trained: Trained) -> None:
        self._encoder, about = encoder, trained.about
        self._lower = int(about["lower"])
        self._temperature = np.float32(about["temperature"])
        self._members = [Member(trained.arrays, f"{seed}/") for seed in about["seeds"]]

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
        states = self._encoder.run([ids for ids, _ in rows], self._lower)
        starts = np.array([start for _, start in rows])
        side = (np.arange(states.mask.shape[1])[None, :] >= starts[:, None]) & (states.mask > 0)
        told = [each.logits(self._encoder, states, side) for each in self._members]
        answer: Floats = np.mean([softmax(z / self._temperature) for z in told], axis=0)
        return answer


class Member:
    """One trained encoder: its layers and its head, of the arrays that begin with *name*."""

    def __init__(self, arrays: dict[str, NDArray[Any]], name: str) -> None:
        own = {
            key.removeprefix(name): value for key, value in arrays.items() if key.startswith(name)
        }
        count = 1 + max(int(key.split(".")[1]) for key in own if key.startswith("layers."))
        self._layers = [Layer.of_arrays(own, f"layers.{at}") for at in range(count)]
        self._segment = own["segment"]
        self._head = [_matrix(own, "head.1"), _matrix(own, "head.3")]

    def logits(self, encoder: Encoder, states: States, side: NDArray[np.bool_]) -> Floats:
        """Shape (pairs, 3); *side* is true for the tokens of the second text."""
        x, mask, bias = states
        x = x + self._segment[side.astype(np.int64)]
        for layer in self._layers:
            x = layer(x, bias, encoder.heads, encoder.eps)
        second = side.astype(np.float32)
        a, b = (
            (x * part[..., None]).sum(1) / np.maximum(part.sum(1, keepdims=True), 1.0)
            for part in (mask - second, second)
        )
        seen = np.concatenate([x[:, 0], a, b, np.abs(a - b)], -1)
        found: Floats = self._head[1](gelu(self._head[0](seen)))
        return found


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


def softmax(z: Floats) -> Floats:
    """Logits to probabilities, along the last axis."""
    e = np.exp(z - z.max(-1, keepdims=True))
    found: Floats = e / e.sum(-1, keepdims=True)
    return found
