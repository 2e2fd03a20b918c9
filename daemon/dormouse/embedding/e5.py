"""multilingual-e5-small on plain numpy: texts to vectors. It keeps no text and calls nobody.

BERT, twelve layers, after Wang et al., "Multilingual E5 Text Embeddings" (2024). Cosine to the
package's own engine >= 0.999; 32 ms of one core for 32 tokens, the engine takes 40.
"""

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dormouse.embedding.room import give_back
from dormouse.embedding.tokens import Tokenizer
from dormouse.embedding.weights import SHA256, Floats, Weights

LONGEST = {True: 64, False: 128}  # tokens of a query and of a fact that are read
_PREFIX = {True: "query: ", False: "passage: "}  # what the model was trained with
_TOGETHER = 256  # tokens in one pass, so that a batch needs no more than some MB
_MASKED = np.float32(-1e4)
_HALF = np.float32(np.sqrt(0.5))
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
    """The embedder of this version. Making one unpacks its layers: 0.3 s, 25 MB."""

    model, dim = "multilingual-e5-small", 384
    revision = f"q4i8-{SHA256[:8]}-{hashlib.sha256(SPACE.read_bytes()).hexdigest()[:8]}"

    def __init__(self, path: Path, space: Space | None) -> None:
        self._space = space
        self.foreign = np.zeros((0, self.dim), np.float32) if space is None else space.foreign
        self._weights = weights = Weights(path)
        self._tokens = Tokenizer(weights)
        shape = weights.shape
        self._heads, self._eps = shape.heads, np.float32(shape.eps)
        kinds = weights.vector("emb.type")[: shape.hidden]
        self._places = weights.vector("emb.pos").reshape(-1, shape.hidden)[: max(LONGEST.values())]
        self._places = self._places + kinds
        self._start = weights.vector("emb.ln.w"), weights.vector("emb.ln.b")
        self._layers = [_Layer(weights, at) for at in range(shape.layers)]
        weights.rest()
        give_back()

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
        ids = self._tokens.encode(_PREFIX[query] + text)[: LONGEST[query] - 2]
        return [self._weights.bos, *ids, self._weights.eos]

    def _forward(self, rows: Sequence[Sequence[int]], longest: int) -> Floats:
        ids = np.full((len(rows), longest), self._weights.pad, np.int64)
        mask = np.zeros((len(rows), longest), np.float32)
        for at, row in enumerate(rows):
            ids[at, : len(row)], mask[at, : len(row)] = row, 1.0
        x = self._weights.words(ids) + self._places[:longest]
        x = _normed(x, *self._start, self._eps)
        bias = ((1.0 - mask) * _MASKED)[:, None, None, :]
        for layer in self._layers:
            x = layer(x, bias, self._heads, self._eps)
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return _unit(mean)


class _Matrix:
    """A weight matrix, in x out, with its bias. Held in 8 bits, unpacked for each product.

    Four bits do not need more: 21 MB instead of 85, for 2 ms a text. The room to unpack into is
    each thread's own.
    """

    _room = threading.local()

    def __init__(self, out_by_in: Floats, bias: Floats) -> None:
        self._scale = np.maximum(np.abs(out_by_in).max(1), 1e-9) / np.float32(127)
        packed = np.rint(out_by_in / self._scale[:, None]).astype(np.int8)
        self._packed, self._bias = np.ascontiguousarray(packed.T), bias

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


class _Layer:
    """One encoder layer."""

    def __init__(self, weights: Weights, at: int) -> None:
        hidden, ff = weights.shape.hidden, weights.shape.ff

        def pair(name: str, columns: int) -> tuple[Floats, Floats]:
            name = f"l{at}.{name}"
            return weights.matrix(f"{name}.w", columns), weights.vector(f"{name}.b")

        def norm(name: str) -> tuple[Floats, Floats]:
            return weights.vector(f"l{at}.{name}.w"), weights.vector(f"l{at}.{name}.b")

        parts = [pair(name, hidden) for name in ("q", "k", "v")]
        rows, biases = (np.concatenate(each) for each in zip(*parts, strict=True))
        self._attend, self._out = _Matrix(rows, biases), _Matrix(*pair("ao", hidden))
        self._wide, self._narrow = _Matrix(*pair("fi", hidden)), _Matrix(*pair("fo", ff))
        self._after_attention, self._after = norm("aln"), norm("oln")

    def __call__(self, x: Floats, bias: Floats, heads: int, eps: np.float32) -> Floats:
        batch, length, hidden = x.shape
        flat = x.reshape(-1, hidden)
        parts = self._attend(flat).reshape(batch, length, 3, heads, -1)
        q, k, v = parts.transpose(2, 0, 3, 1, 4)
        scores = q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(hidden // heads)) + bias
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        attended = (scores @ v).transpose(0, 2, 1, 3).reshape(-1, hidden)
        flat = _normed(flat + self._out(attended), *self._after_attention, eps)
        flat = _normed(flat + self._narrow(_gelu(self._wide(flat))), *self._after, eps)
        return flat.reshape(batch, length, hidden)


def _unit(rows: NDArray[Any]) -> Floats:
    made: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return made


def _normed(x: Floats, scale: Floats, shift: Floats, eps: np.float32) -> Floats:
    x = x - x.mean(-1, keepdims=True)
    x /= np.sqrt(np.square(x).mean(-1, keepdims=True) + eps)
    x *= scale
    x += shift
    return x


def _gelu(x: Floats) -> Floats:
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
