"""The embedder: texts to vectors by multilingual-e5-small. It keeps no text and calls nobody."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dormouse.embedding.encoder import Encoder, alike
from dormouse.embedding.seam import Prompts
from dormouse.embedding.weights import SHA256, Floats
from dormouse.recall.segments import Sort, pieces
from dormouse.recall.words import language

LONGEST = {True: 64, False: 128}  # tokens of a query and of a fact that are read
_PREFIX = {True: "query: ", False: "passage: "}  # what the model was trained with
_TOGETHER = 256  # tokens in one pass, so that a batch needs no more than some MB
LANGUAGES = ("en", "de", "zh", "other")  # of other ones too little is known for a mean
_NOT_CHINESE = (Sort.HIRAGANA, Sort.KATAKANA, Sort.HANGUL, Sort.OTHER)
_OTHER_LETTERS = re.compile("[\u0370-\u1fff]")  # Greek, Cyrillic and on to those without spaces
SPACE = Path(__file__).with_name("space.npz")  # made by ``python -m training.recall.space``


class Space(NamedTuple):
    """What all raw vectors of a language have in common and is taken out of each: their mean.

    Raw cosines of this model lie between .75 and .95 whatever is compared, and follow the language
    more than the matter. Second set, by meaning alone, R@5 / answered where at most 2 of 60 others
    get anything: raw .853 / .320, one mean .920 / .540, three directions taken out too .940 / .653,
    a mean for each language .947 / .707. ``foreign`` and ``asking`` are prompts' vectors,
    ``matrix`` and ``shift`` the map of a prompt (docs/decisions/0017).
    """

    of_facts: Floats  # a row for each of LANGUAGES
    of_prompts: Floats
    matrix: Floats
    shift: Floats
    foreign: Floats
    asking: Floats

    @classmethod
    def load(cls, path: Path = SPACE) -> Self:
        with np.load(path, allow_pickle=False) as data:
            return cls(*(np.asarray(data[name], np.float32) for name in cls._fields))

    @property
    def prompts(self) -> Prompts:
        """What it knows of prompts."""
        return Prompts(self.foreign, self.asking, self.matrix, self.shift)

    def turn(self, rows: Floats, texts: Sequence[str], *, query: bool) -> Floats:
        """*rows*, the vectors of *texts*, without what they have in common; of length 1 again."""
        means = self.of_prompts if query else self.of_facts
        return unit(rows - means[[LANGUAGES.index(spoken_in(text)) for text in texts]])


def spoken_in(text: str) -> str:
    """Which of LANGUAGES a text is in, by its script and its small words."""
    found = list(pieces(text))
    if any(piece.sort not in (Sort.WORD, Sort.WHOLE, Sort.PART) for piece in found):
        return "zh" if all(piece.sort not in _NOT_CHINESE for piece in found) else "other"
    if _OTHER_LETTERS.search(text):
        return "other"
    name = language(found) or "en"
    return name if name in LANGUAGES else "other"


class E5:
    """The embedder of this version."""

    model, dim = "multilingual-e5-small", 384
    revision = f"q4i8-{SHA256[:8]}-{hashlib.sha256(SPACE.read_bytes()).hexdigest()[:8]}"

    def __init__(self, path: Path, space: Space | None) -> None:
        self._space = space
        none = np.zeros((0, self.dim), np.float32)
        self.prompts = Prompts(none, none) if space is None else space.prompts
        self.encoder = Encoder(path)

    def embed(self, texts: Sequence[str], *, query: bool) -> Floats:
        """One row of length 1 for each text; texts of like length are worked on together."""
        rows = [self._ids(text, query) for text in texts]
        found = np.zeros((len(rows), self.dim), np.float32)
        for batch in alike([len(row) for row in rows], _TOGETHER):
            found[batch] = self._forward([rows[at] for at in batch])
        return found if self._space is None else self._space.turn(found, texts, query=query)

    def _ids(self, text: str, query: bool) -> list[int]:
        weights = self.encoder.weights
        ids = self.encoder.tokens.encode(_PREFIX[query] + text)[: LONGEST[query] - 2]
        return [weights.bos, *ids, weights.eos]

    def _forward(self, rows: Sequence[Sequence[int]]) -> Floats:
        x, mask, _ = self.encoder.run(rows)
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return unit(mean)


def unit(rows: NDArray[Any]) -> Floats:
    """*rows*, each of length 1."""
    made: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return made
