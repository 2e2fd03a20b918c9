"""Cuts a text into the pieces that the model knows. Control tokens in a text are only text.

A dict of the 250,000 pieces takes 40 MB; here each piece is a 64-bit hash in a sorted array (4 MB),
and all stretches of a text are looked up at once. Two stretches share a hash once in 10^14 looks.
"""

import numpy as np
from numpy.typing import NDArray

from dormouse.embedding.weights import Weights

_BASE = 0x9E3779B97F4A7C15  # odd, so that powers of it never become 0
_SPACE = "\u2581"  # what SentencePiece writes for a space
_UNKNOWN = 10.0  # below the worst score, as SentencePiece has it
_MASK = "<mask>"
_READ = 1_200  # characters: more than the model takes in


class Tokenizer:
    """SentencePiece unigram: the most likely way to cut a text."""

    def __init__(self, weights: Weights) -> None:
        self.unknown, self._normal = weights.unknown, weights.normal
        self._unknown_score = float(weights.scores.min()) - _UNKNOWN
        points, starts = _points(weights.pieces(), weights.offsets)
        lengths = np.diff(starts)
        self._longest = int(lengths.max())
        with np.errstate(over="ignore"):
            self._powers = np.cumprod(np.full(self._longest, _BASE, np.uint64), dtype=np.uint64)
        hashes = self._hashes(points, starts, lengths)
        control = {weights.bos, weights.eos, weights.pad, weights.unknown}
        control |= {len(lengths) - 1} if weights.piece(len(lengths) - 1) == _MASK else set()
        known = np.ones(len(lengths), bool)
        known[sorted(control)] = False
        known &= lengths > 0
        ids = np.flatnonzero(known).astype(np.int32)
        order = np.argsort(hashes[ids], kind="stable")
        self._ids = ids[order]
        self._known = hashes[self._ids]
        self._scores = np.asarray(weights.scores)[self._ids]

    def _hashes(
        self, points: NDArray[np.uint64], starts: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        """The sum of point x base^place over each piece, mod 2^64."""
        place = np.arange(len(points)) - np.repeat(starts[:-1], lengths)
        with np.errstate(over="ignore"):
            mixed = points * self._powers[place]
            total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
            found: NDArray[np.uint64] = total[starts[1:]] - total[starts[:-1]]
        return found

    def normalise(self, text: str) -> str:
        """*text* as the model has seen texts: NFKC by its own map, one space at a time."""
        text = text[:_READ].translate(self._normal)
        while "  " in text:
            text = text.replace("  ", " ")
        text = text.replace(" ", _SPACE)
        return text if text.startswith(_SPACE) else _SPACE + text

    def encode(self, text: str) -> list[int]:
        """The ids of the pieces of *text*; never a control token."""
        flat = self.normalise(text)
        ending: list[list[tuple[int, int, float]]] = [[] for _ in range(len(flat) + 1)]
        for start, end, id, score in self._found(flat):
            ending[end].append((start, id, score))
        best, back = [0.0], [(0, 0)]
        for end in range(1, len(flat) + 1):
            top = best[end - 1] + self._unknown_score
            via = (end - 1, self.unknown)
            for start, id, score in ending[end]:
                if best[start] + score > top:
                    top, via = best[start] + score, (start, id)
            best.append(top)
            back.append(via)
        ids, at = [], len(flat)
        while at:
            at, id = back[at]
            ids.append(id)
        return ids[::-1]

    def _found(self, flat: str) -> list[tuple[int, int, int, float]]:
        """Every stretch of *flat* that is a piece, as (start, end, id, score)."""
        points = np.frombuffer(flat.encode("utf-32-le", "replace"), "<u4").astype(np.uint64)
        count, longest = len(points), min(self._longest, len(points))
        found: list[tuple[int, int, int, float]] = []
        running = np.zeros(count, np.uint64)
        for length in range(1, longest + 1):
            here = count - length + 1
            with np.errstate(over="ignore"):
                running = running[:here] + points[length - 1 :] * self._powers[length - 1]
            at = np.minimum(np.searchsorted(self._known, running), len(self._known) - 1)
            starts = np.flatnonzero(self._known[at] == running)
            rows = at[starts]
            found += [
                (start, start + length, id, score)
                for start, id, score in zip(
                    starts.tolist(),
                    self._ids[rows].tolist(),
                    self._scores[rows].tolist(),
                    strict=True,
                )
            ]
        return found


def _points(
    blob: bytes, offsets: NDArray[np.uint32]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """All pieces' characters in one row, and where each piece starts in it."""
    units = np.frombuffer(blob, np.uint8)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum((units & 0xC0) != 0x80)])
    text = blob.decode("utf-8", "replace")
    points = np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.uint64)
    return points, before[offsets.astype(np.int64)]
