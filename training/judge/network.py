"""The network in torch: the frozen part, the trained part, and pairs as rows of it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from dormouse.embedding.cross import LONGEST, pair_ids
from dormouse.embedding.tokens import Tokenizer
from dormouse.embedding.weights import Weights
from training.judge.pairs import LABELS, Pair


class Layer(nn.Module):
    """One encoder layer of BERT."""

    def __init__(self, hidden: int = 384, heads: int = 12, ff: int = 1536) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.ao = (nn.Linear(hidden, hidden) for _ in range(4))
        self.fi, self.fo = nn.Linear(hidden, ff), nn.Linear(ff, hidden)
        self.aln, self.oln = nn.LayerNorm(hidden, eps=1e-12), nn.LayerNorm(hidden, eps=1e-12)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        b, n, h = x.shape
        q, k, v = (
            m(x).view(b, n, self.heads, -1).transpose(1, 2) for m in (self.q, self.k, self.v)
        )
        a = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = self.aln(x + self.drop(self.ao(a.transpose(1, 2).reshape(b, n, h))))
        return self.oln(x + self.drop(self.fo(functional.gelu(self.fi(x)))))

    def read(self, weights: Weights, at: int) -> None:
        """Take over layer *at* of the file."""
        state = {}
        for name in ("q", "k", "v", "ao", "fi", "fo"):
            columns = weights.shape.ff if name == "fo" else weights.shape.hidden
            state[f"{name}.weight"] = torch.tensor(weights.matrix(f"l{at}.{name}.w", columns))
            state[f"{name}.bias"] = torch.tensor(weights.vector(f"l{at}.{name}.b"))
        for name in ("aln", "oln"):
            state[f"{name}.weight"] = torch.tensor(weights.vector(f"l{at}.{name}.w"))
            state[f"{name}.bias"] = torch.tensor(weights.vector(f"l{at}.{name}.b"))
        self.load_state_dict(state)


class Upper(nn.Module):
    """The trained part: from what the lower layers give to three logits."""

    def __init__(self, layers: int, hidden: int = 384) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(hidden) for _ in range(layers))
        self.segment = nn.Parameter(torch.zeros(2, hidden))
        self.head = nn.Sequential(
            nn.Dropout(0.1), nn.Linear(4 * hidden, 128), nn.GELU(), nn.Linear(128, len(LABELS))
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor, side: torch.Tensor) -> torch.Tensor:
        bias = ((1.0 - mask) * -1e4)[:, None, None, :]
        x = x + self.segment[side]
        for layer in self.layers:
            x = layer(x, bias)
        new = side.to(x.dtype) * mask
        a, b = (
            (x * m[..., None]).sum(1) / m.sum(1, keepdim=True).clamp(min=1.0)
            for m in (mask - new, new)
        )
        return self.head(torch.cat([x[:, 0], a, b, (a - b).abs()], -1))


class Base:
    """The frozen part: a pair's texts to what the lower layers give."""

    def __init__(self, path: Path, lower: int) -> None:
        self.weights = weights = Weights(path)
        self.tokens = Tokenizer(weights)
        self.lower = nn.ModuleList(Layer() for _ in range(lower))
        for at, layer in enumerate(self.lower):
            layer.read(weights, at)
        self.lower.eval()
        hidden = weights.shape.hidden
        kinds = weights.vector("emb.type")[:hidden]
        self.places = weights.vector("emb.pos").reshape(-1, hidden)[:LONGEST] + kinds
        self.scale, self.shift = weights.vector("emb.ln.w"), weights.vector("emb.ln.b")

    def ids(self, older: str, newer: str) -> tuple[list[int], list[int]]:
        """The tokens of a pair as the daemon reads it, and the side of each."""
        ids, start = pair_ids(self.weights, self.tokens, older, newer)
        return ids, [int(at >= start) for at in range(len(ids))]

    @torch.inference_mode()
    def lowered(self, rows: Sequence[list[int]]) -> list[torch.Tensor]:
        """What the lower layers give for rows of token ids, in half precision."""
        found: list[torch.Tensor] = [torch.empty(0)] * len(rows)
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        for start in range(0, len(order), 64):
            part = order[start : start + 64]
            longest = len(rows[part[-1]])
            ids = np.full((len(part), longest), self.weights.pad, np.int64)
            mask = torch.zeros(len(part), longest)
            for at, n in enumerate(part):
                ids[at, : len(rows[n])] = rows[n]
                mask[at, : len(rows[n])] = 1
            x = torch.tensor(self.weights.words(ids) + self.places[:longest])
            x = functional.layer_norm(
                x, x.shape[-1:], torch.tensor(self.scale), torch.tensor(self.shift), 1e-12
            )
            bias = ((1.0 - mask) * -1e4)[:, None, None, :]
            for layer in self.lower:
                x = layer(x, bias)
            for at, n in enumerate(part):
                found[n] = x[at, : len(rows[n])].half().clone()
        return found


Row = tuple[torch.Tensor, list[int], int]


def rows_of(base: Base, pairs: Sequence[Pair]) -> list[Row]:
    """The frozen part's answer to *pairs*, made once."""
    ids = [base.ids(*pair.sides()) for pair in pairs]
    given = base.lowered([each for each, _ in ids])
    return [
        (x, side, LABELS.index(pair.label))
        for x, (_, side), pair in zip(given, ids, pairs, strict=True)
    ]


def batch(rows: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    longest = max(len(side) for _, side, _ in rows)
    x = torch.zeros(len(rows), longest, rows[0][0].shape[-1])
    mask = torch.zeros(len(rows), longest)
    sides = torch.zeros(len(rows), longest, dtype=torch.long)
    for at, (given, side, _) in enumerate(rows):
        x[at, : len(side)] = given.float()
        mask[at, : len(side)] = 1
        sides[at, : len(side)] = torch.tensor(side)
    return x, mask, sides


@torch.inference_mode()
def logits(upper: Upper, rows: Sequence[Row]) -> np.ndarray:
    """Shape (pairs, 3), in the order of LABELS."""
    upper.eval()
    found = np.zeros((len(rows), len(LABELS)), np.float32)
    order = sorted(range(len(rows)), key=lambda at: len(rows[at][1]))
    for start in range(0, len(order), 64):
        part = order[start : start + 64]
        found[part] = upper(*batch([rows[at] for at in part])).numpy()
    return found
