"""Scores gate and slot judge on labelled pairs: `python bench/judge_rules.py PAIRS.jsonl`.

It prints counts with 95 % Wilson intervals and never a pair's text unless asked for with --show.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from math import sqrt
from pathlib import Path
from typing import Any

from dormouse.judging import Ladder, SlotJudge, as_fact, ordered
from dormouse.judgments import Ruling, Verdict

Row = tuple[dict[str, Any], Ruling]


def wilson(k: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of k out of n (Wilson 1927)."""
    if n == 0:
        return 0.0, 1.0
    p = k / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def rule(pair: dict[str, Any], ladder: Ladder) -> Ruling:
    """Judge one pair as capture does: in the order of validity."""
    said = as_fact(pair["older"], pair["older_time"], id="a")
    later = as_fact(pair["newer"], pair["newer_time"], id="b")
    older, newer = ordered(said, later)
    if older is later:  # the newer note was dated before the older one: the roles are swapped
        return Ruling(Verdict.KEEP, "order")
    return ladder(older, newer)


def share(name: str, k: int, n: int) -> str:
    low, high = wilson(k, n)
    return f"{name} {k}/{n} [{100 * low:.1f}, {100 * high:.1f}] %"


def summary(rows: list[Row]) -> str:
    must = [r for p, r in rows if p["gold"] == "supersede"]
    not_to = [r for p, r in rows if p["gold"] != "supersede"]
    right = sum(r.verdict is Verdict.SUPERSEDE for r in must)
    wrong = sum(r.verdict is Verdict.SUPERSEDE for r in not_to)
    return " · ".join(
        (
            share("false supersede", wrong, len(not_to)),
            share("recall", right, len(must)),
            share("precision", right, right + wrong),
        )
    )


def by(rows: Iterable[Row], key: Callable[[dict[str, Any]], str]) -> None:
    groups: dict[str, list[Row]] = defaultdict(list)
    for pair, ruling in rows:
        groups[key(pair)].append((pair, ruling))
    for name in sorted(groups):
        print(f"  {name:22} {summary(groups[name])}")


def main(argv: list[str]) -> int:
    paths = [arg for arg in argv if not arg.startswith("--")]
    if len(paths) != 1:
        print(__doc__)
        return 2
    ladder = Ladder([SlotJudge()])
    lines = Path(paths[0]).read_text("utf-8").splitlines()
    pairs = [json.loads(line) for line in lines if line.strip()]
    rows = [(pair, rule(pair, ladder)) for pair in pairs]
    print(f"{len(rows)} pairs: {summary(rows)}")
    by(rows, lambda pair: str(pair.get("category", "-")))
    by(rows, lambda pair: str(pair.get("lang", "-")))
    if "--show" in argv:
        for pair, ruling in rows:
            if (pair["gold"] == "supersede") != (ruling.verdict is Verdict.SUPERSEDE):
                why = ruling.vetoed_by or ruling.reason
                print(f"{ruling.verdict}: {why} | {pair['older']} | {pair['newer']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
