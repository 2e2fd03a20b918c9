"""The encoder of multilingual-e5-small on plain numpy: rows of token ids to states.

BERT, twelve layers, after Wang et al., "Multilingual E5 Text Embeddings" (2024). Cosine to the
package's own engine >= 0.999; 32 ms of one core for 32 tokens, the engine takes 40. The embedder
uses all layers; the judge has layers of its own and shares the word table.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dormouse.embedding.room import give_back
from dormouse.embedding.tokens import Tokenizer
from dormouse.embedding.weights import Floats, Weights

LONGEST = 128  # tokens of one row
_MASKED = np.float32(-1e4)
_HALF = np.float32(np.sqrt(0.5))


class States(NamedTuple):
    """What a number of layers gave: rows x tokens x hidden, which tokens are there, and what the
    attention adds for those that are not."""

    x: Floats
    mask: Floats
    bias: Floats


def alike(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Which rows to work on together: those of like length, at most *most* tokens in one pass."""
    order = sorted(range(len(lengths)), key=lambda at: lengths[at])
    while order:
        batch = order[-max(1, most // lengths[order[-1]]) :]
        order = order[: -len(batch)]
        yield batch


class Encoder:
    """Making one unpacks its layers: 0.3 s, 25 MB."""

    def __init__(self, path: Path) -> None:
        self.weights = weights = Weights(path)
        self.tokens = Tokenizer(weights)
        shape = weights.shape
        self.heads, self.eps = shape.heads, np.float32(shape.eps)
        kinds = weights.vector("emb.type")[: shape.hidden]
        self._places = weights.vector("emb.pos").reshape(-1, shape.hidden)[:LONGEST] + kinds
        self._start = weights.vector("emb.ln.w"), weights.vector("emb.ln.b")
        self._layers = [Layer.of_file(weights, at) for at in range(shape.layers)]
        weights.rest()
        give_back()

    def run(self, rows: Sequence[Sequence[int]], layers: int | None = None) -> States:
        """The states of *rows* after the lowest *layers* (None: after all)."""
        longest = max(len(row) for row in rows)
        ids = np.full((len(rows), longest), self.weights.pad, np.int64)
        mask = np.zeros((len(rows), longest), np.float32)
        for at, row in enumerate(rows):
            ids[at, : len(row)], mask[at, : len(row)] = row, 1.0
        x = normed(self.weights.words(ids) + self._places[:longest], *self._start, self.eps)
        bias = ((1.0 - mask) * _MASKED)[:, None, None, :]
        for layer in self._layers[:layers]:
            x = layer(x, bias, self.heads, self.eps)
        return States(x, mask, bias)


class Matrix:
    """A weight matrix, in x out, with its bias. Held in 8 bits, unpacked for each product.

    Four bits do not need more: 21 MB instead of 85, for 2 ms a text. The room to unpack into is
    each thread's own.
    """

    _room = threading.local()

    def __init__(self, packed: NDArray[np.int8], scale: Floats, bias: Floats) -> None:
        self._packed, self._scale, self._bias = np.ascontiguousarray(packed.T), scale, bias

    @classmethod
    def pack(cls, out_by_in: Floats, bias: Floats) -> Self:
        """Of a matrix that is not packed yet."""
        scale = np.maximum(np.abs(out_by_in).max(1), 1e-9) / np.float32(127)
        return cls(np.rint(out_by_in / scale[:, None]).astype(np.int8), scale, bias)

    def __call__(self, x: Floats) -> Floats:
        size = self._packed.size
        room = getattr(self._room, "held", None)
        if room is None or room.size < size:
            room = self._room.held = np.empty(size, np.float32)
        unpacked = room[:size].reshape(self._packed.shape)
        np.copyto(unpacked, self._packed)
        y: Floats = x @ unpacked
        y *= self._scale
        y += self._bias
        return y


Norm = tuple[Floats, Floats]


class Layer(NamedTuple):
    """One encoder layer."""

    attend: Matrix
    out: Matrix
    wide: Matrix
    narrow: Matrix
    after_attention: Norm
    after: Norm

    @classmethod
    def of_file(cls, weights: Weights, at: int) -> Self:
        """Layer *at* of the base."""
        hidden, ff = weights.shape.hidden, weights.shape.ff

        def pair(name: str, columns: int) -> tuple[Floats, Floats]:
            name = f"l{at}.{name}"
            return weights.matrix(f"{name}.w", columns), weights.vector(f"{name}.b")

        def norm(name: str) -> Norm:
            return weights.vector(f"l{at}.{name}.w"), weights.vector(f"l{at}.{name}.b")

        parts = [pair(name, hidden) for name in ("q", "k", "v")]
        rows, biases = (np.concatenate(each) for each in zip(*parts, strict=True))
        return cls(
            Matrix.pack(rows, biases),
            Matrix.pack(*pair("ao", hidden)),
            Matrix.pack(*pair("fi", hidden)),
            Matrix.pack(*pair("fo", ff)),
            norm("aln"),
            norm("oln"),
        )

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Self:
        """A layer out of a file of packed matrices (``training/judge/train.py`` writes it)."""

        def joined(*names: str) -> Matrix:
            parts = [f"{prefix}.{name}" for name in names]
            return Matrix(
                np.concatenate([arrays[f"{part}.weight|q"] for part in parts]),
                np.concatenate([arrays[f"{part}.weight|s"] for part in parts]),
                np.concatenate([arrays[f"{part}.bias"] for part in parts]),
            )

        def norm(name: str) -> Norm:
            return arrays[f"{prefix}.{name}.weight"], arrays[f"{prefix}.{name}.bias"]

        matrices = joined("q", "k", "v"), joined("ao"), joined("fi"), joined("fo")
        return cls(*matrices, norm("aln"), norm("oln"))

    def __call__(self, x: Floats, bias: Floats, heads: int, eps: np.float32) -> Floats:
        batch, length, hidden = x.shape
        flat = x.reshape(-1, hidden)
        parts = self.attend(flat).reshape(batch, length, 3, heads, -1)
        q, k, v = parts.transpose(2, 0, 3, 1, 4)
        scores = q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(hidden // heads)) + bias
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        attended = (scores @ v).transpose(0, 2, 1, 3).reshape(-1, hidden)
        flat = normed(flat + self.out(attended), *self.after_attention, eps)
        flat = normed(flat + self.narrow(gelu(self.wide(flat))), *self.after, eps)
        return flat.reshape(batch, length, hidden)


def normed(x: Floats, scale: Floats, shift: Floats, eps: np.float32) -> Floats:
    """Layer normalisation."""
    x = x - x.mean(-1, keepdims=True)
    x /= np.sqrt(np.square(x).mean(-1, keepdims=True) + eps)
    x *= scale
    x += shift
    return x


def gelu(x: Floats) -> Floats:
    """x times the normal distribution; erf by Abramowitz and Stegun 7.1.26, off by 1.5e-7."""
    z = np.abs(x) * _HALF
    t = 1.0 / (1.0 + np.float32(0.3275911) * z)
    poly = np.float32(1.061405429) * t
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        poly += np.float32(factor)
        poly *= t
    poly *= np.exp(-z * z)
    erf: NDArray[np.float32] = np.copysign(1.0 - poly, x)
    half: Floats = np.float32(0.5) * x * (1.0 + erf)
    return half
