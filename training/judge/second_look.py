"""Fits the second look at pairs: `python -m training.judge.second_look NAME…` names streams.

The streams must be new to the judge. Of each fact the pairs are drawn as the daemon draws them;
those that are worth a second look are read again, and a logistic regression (L2, by Newton's
method) parts the changes from the rest. It prints what each stream would come to with weights that
were fitted on the others, and the weights of all.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dormouse.judging import second_look
from dormouse.judging.embedded import EmbeddedJudge
from dormouse.judgments import Verdict
from dormouse.work.model import Models
from dormouse.work.weigh import LOOKED_AT_AGAIN, Drawn, worth_a_second_look
from training.judge import stream
from training.judge.drawn import BEGAN, asked
from training.judge.pairs import DATA

RIDGE = 1.0  # weight of the L2 penalty, on standardised evidence
WRONG = (0, 1, 2, 3, 5, 8)


class Asked(NamedTuple):
    """A pair as the daemon draws it, and whether it is a change."""

    drawn: Drawn
    change: bool


class Row(NamedTuple):
    """What was found out about a pair that was worth a second look."""

    stream: str
    older: str
    newer: str
    change: bool
    evidence: dict[str, float]


def pairs_of(lines: Sequence[stream.Said]) -> Iterator[list[Asked]]:
    """The pairs of each line; nothing is retired meanwhile but what the stream says ended."""
    ended: set[str] = set()
    for at, fact, found, ids in asked(lines):
        if fact.id in ids:
            continue
        ends = lines[at].ends
        yield [
            Asked(each, ids[each.older.id] in ends)
            for each in found.drawn()
            if each.newer.id == fact.id and each.older.id not in ended
        ]
        ended |= {id for id, number in ids.items() if number in ends}


def rows(name: str, judge: EmbeddedJudge) -> tuple[list[Row], list[bool]]:
    """The pairs of one stream that are worth a second look, and what comes of it; and whether those
    that are settled at first sight are changes."""
    folders = (DATA / "streams", stream.DATA)
    path = next(at for folder in folders if (at := folder / f"{name}.jsonl").exists())
    found: list[Row] = []
    settled: list[bool] = []
    for pairs in pairs_of(stream.read(path, BEGAN)):
        rulings = judge.judge_many([(each.drawn.older, each.drawn.newer) for each in pairs])
        settled += [
            each.change
            for ruling, each in zip(rulings, pairs, strict=True)
            if each.drawn.near and ruling.verdict is Verdict.SUPERSEDE
        ]
        worth = [
            (ruling.probability or 0.0, each)
            for ruling, each in zip(rulings, pairs, strict=True)
            if worth_a_second_look(each.drawn, ruling)
        ]
        worth.sort(key=lambda one: -one[0])
        for likely, (drawn, change) in worth[:LOOKED_AT_AGAIN]:
            pair = drawn.older, drawn.newer
            again = judge.likely(second_look.readings(*pair))
            seen = second_look.Seen(likely, drawn.near, drawn.cosine)
            evidence = second_look.evidence(pair, seen, again)
            found.append(Row(name, drawn.older.text, drawn.newer.text, change, evidence))
    return found, settled


def fitted(values: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Weights (features,) of standardised *values* (rows, features), the last one constant."""
    weights = np.zeros(values.shape[1])
    ridge = np.eye(values.shape[1]) * RIDGE
    ridge[-1, -1] = 0.0
    for _ in range(60):
        p = 1 / (1 + np.exp(-values @ weights))
        slope = (values * (p * (1 - p) + 1e-6)[:, None]).T @ values + ridge
        weights -= np.linalg.solve(slope, values.T @ (p - change) + ridge @ weights)
    return weights


def standardised(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """*values* with mean 0 and deviation 1, but for the last column; mean and deviation."""
    mean, deviation = values.mean(0), values.std(0)
    mean[-1], deviation[-1] = 0.0, 1.0
    return (values - mean) / deviation, mean, deviation


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="+", help="streams: n12, s1 …")
    parser.add_argument("--show", action="store_true", help="print every pair and its log odds")
    args = parser.parse_args()
    judge = EmbeddedJudge(Models(Path("models")).scores)
    found: list[Row] = []
    for name in args.names:
        more, settled = rows(name, judge)
        found += more
        print(f"{name}: at first sight {sum(settled)} right, {len(settled) - sum(settled)} wrong")
    report(found, show=args.show)


def report(found: Sequence[Row], *, show: bool) -> None:
    """Print what second looks come to, and the weights."""
    names = list(found[0].evidence)
    values = np.array([[row.evidence[name] for name in names] for row in found])
    change = np.array([float(row.change) for row in found])
    of = np.array([row.stream for row in found])
    scaled, mean, deviation = standardised(values)
    odds = np.zeros(len(found))
    for name in sorted(set(of)):
        odds[of == name] = scaled[of == name] @ fitted(scaled[of != name], change[of != name])
    near = values[:, names.index("near")] > 0
    least = np.where(near, second_look.CLEAR_IF_NEAR, second_look.CLEAR)
    clear = values[:, names.index("sight")] >= least
    odds = np.where(clear, odds, np.minimum(odds, 0.0))
    print(f"{len(found)} pairs were looked at again, {int(change.sum())} are changes")
    print("by weights of the other streams, wrong: right (log odds from)")
    order = odds.argsort()[::-1]
    right, wrong = np.cumsum(change[order]), np.cumsum(1 - change[order])
    for most in WRONG:
        last = int((wrong <= most).sum()) - 1
        if last >= 0:
            print(f"  {most}: {int(right[last])} ({odds[order[last]]:.2f})")
    weights = fitted(scaled, change) / deviation
    weights[-1] -= float(weights[:-1] @ mean[:-1])
    for name, weight in zip(names, weights, strict=True):
        print(f'    "{name}": {weight:.3f},')
    if show:
        for at in order:
            row = found[at]
            word = "change" if row.change else "other"
            print(f"{odds[at]:6.2f} {word:6} {row.stream} {row.older}  ->  {row.newer}")


if __name__ == "__main__":
    main()
