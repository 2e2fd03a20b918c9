"""Scores judges on labelled pairs: `python -m training.judge.exam PAIRS.jsonl`.

False supersedes come first: they lose something true. Counts come with 95 % Wilson intervals, all
judges in the same run. Every scoring of a file named ``judge_exam_dev.jsonl`` is appended to
``exam-log.md``, so that tuning on it can be seen.
"""

import argparse
import json
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import share
from dormouse.embedding.files import find
from dormouse.facts import Fact, Scope
from dormouse.judging import Ladder, SlotJudge, as_fact, ordered
from dormouse.judging.embedded import EmbeddedJudge
from dormouse.judgments import Ruling, Verdict
from dormouse.work.model import Models

LOG = Path(__file__).with_name("exam-log.md")
NOTHING = Ruling(Verdict.KEEP, "order")  # the newer note was dated before the older one
Pair = tuple[Fact, Fact]
Many = Callable[[Sequence[Pair]], list[Ruling]]


@dataclass(frozen=True, slots=True)
class Row:
    """One pair: what it is, what is right, what was said."""

    id: str
    kind: str
    lang: str
    gold: str
    ruling: Ruling


def counted(rows: Sequence[Row]) -> str:
    """All figures of *rows* in one line."""
    must = [r for r in rows if r.gold == "supersede"]
    not_to = [r for r in rows if r.gold != "supersede"]
    hit = sum(r.ruling.verdict is Verdict.SUPERSEDE for r in must)
    wrong = sum(r.ruling.verdict is Verdict.SUPERSEDE for r in not_to)
    right = hit + sum(
        r.ruling.verdict is not Verdict.SUPERSEDE for r in not_to if r.gold == "unsure"
    )
    right += sum(r.ruling.verdict is Verdict.KEEP for r in not_to if r.gold == "keep")
    sure = sum(r.ruling.verdict is not Verdict.UNSURE for r in rows)
    return " · ".join(
        (
            share("false supersede", wrong, len(not_to)),
            share("recall", hit, len(must)),
            share("precision", hit, hit + wrong),
            share("right action", right, len(rows)),
            share("coverage", sure, len(rows)),
        )
    )


def facts_of(row: dict[str, Any]) -> Pair:
    """The two notes as facts, in the order they were said."""
    said = as_fact(row["older"], row["older_time"], id="a")
    later = as_fact(row["newer"], row["newer_time"], id="b")
    if row.get("older_scope", "") != row.get("newer_scope", ""):
        said, later = (
            replace(fact, scope=Scope.PROJECT, project_id=f"scope:{row.get(f'{role}_scope', '')}")
            for fact, role in ((said, "older"), (later, "newer"))
        )
    return said, later


def judged(pairs: Sequence[Pair], many: Many) -> list[Ruling]:
    """Judge as capture does, in the order of validity."""
    put = [ordered(*pair) for pair in pairs]
    asked = [n for n, (older, _) in enumerate(put) if older.id == "a"]
    rulings = [NOTHING] * len(pairs)
    for n, ruling in zip(asked, many([put[n] for n in asked]), strict=True):
        rulings[n] = ruling
    return rulings


def each(judge: Callable[[Fact, Fact], Ruling]) -> Many:
    """A judge of one pair, asked about many."""
    return lambda pairs: [judge(*pair) for pair in pairs]


def cosine(models: Models, least: float) -> Many:
    """The baseline of a common design: a newer fact so near to an older one replaces it."""

    def many(pairs: Sequence[Pair]) -> list[Ruling]:
        holder = models.embedder()
        assert holder is not None
        a, b = (
            holder.get().embed([pair[side].text for pair in pairs], query=False) for side in (0, 1)
        )
        near = (np.asarray(a) * np.asarray(b)).sum(-1)
        said = (Verdict.SUPERSEDE if each >= least else Verdict.KEEP for each in near)
        return [Ruling(verdict, "cosine") for verdict in said]

    return many


def judges(models: Models) -> dict[str, Many]:
    """Who is scored, by name."""
    embedded = EmbeddedJudge(models.scores)
    found: dict[str, Many] = {
        "always keep": each(lambda older, newer: Ruling(Verdict.KEEP, "keep")),
        "slot": each(SlotJudge()),
    }
    if models.can_judge():
        found["cosine >= 0.8"] = cosine(models, 0.8)
        found["embedded alone"] = embedded.judge_many
        found["ladder (level local)"] = Ladder([SlotJudge(), embedded]).judge_many
    return found


def by(rows: Sequence[Row], name: str, key: Callable[[Row], str]) -> None:
    """Print the figures for each value of *key*."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    for value in sorted(groups):
        print(f"    {name} {value:20} {counted(groups[value])}")


def log(file: Path, name: str, line: str, note: str) -> None:
    """Keep a scoring of the dev exam."""
    commit = subprocess.run(
        ["git", "-C", str(LOG.parent), "rev-parse", "--short", "HEAD"],
        capture_output=True, text=True, check=False,
    ).stdout.strip()  # fmt: skip
    if not LOG.exists():
        LOG.write_text("# Every scoring of the dev exam\n\n", "utf-8")
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    with LOG.open("a", encoding="utf-8") as out:
        out.write(f"- {when} · after {commit} · {note} · {name} · {file.name}: {line}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("pairs", type=Path, nargs="+")
    parser.add_argument("--note", default="as shipped", help="the configuration, for the log")
    parser.add_argument("--only", default="", help="the names of judges, with commas between")
    parser.add_argument("--show", action="store_true", help="print the pairs that went wrong")
    args = parser.parse_args()
    rows = [
        json.loads(line)
        for path in args.pairs
        for line in path.read_text("utf-8").splitlines()
        if line.strip()
    ]
    pairs = [facts_of(row) for row in rows]
    models = Models(Path("models"))
    if find() is None:
        print("the model's package is not installed: only plain code is scored")
    only = [name for name in args.only.split(",") if name]
    for name, many in judges(models).items():
        if only and name not in only:
            continue
        many(pairs[:1])  # loading is not counted
        began = time.process_time()
        rulings = judged(pairs, many)
        took = 1000 * (time.process_time() - began) / max(len(pairs), 1)
        found = [
            Row(
                str(row.get("id", n)),
                str(row.get("kind") or row.get("category", "-")),
                str(row.get("lang", "-")),
                str(row.get("label") or row["gold"]),
                ruling,
            )
            for n, (row, ruling) in enumerate(zip(rows, rulings, strict=True))
        ]
        print(f"{name}: {len(found)} pairs · {counted(found)} · {took:.1f} ms CPU a pair")
        if name not in ("always keep", "cosine >= 0.8"):
            by(found, "lang", lambda row: row.lang)
            by(found, "kind", lambda row: row.kind)
        for path in args.pairs:
            if path.name == "judge_exam_dev.jsonl":
                log(path, name, counted(found), args.note)
        if args.show:
            for row, pair in zip(found, pairs, strict=True):
                if row.ruling.verdict is Verdict.SUPERSEDE and row.gold != "supersede":
                    p = row.ruling.probability
                    print(f"  false: {row.id} {row.kind} {p} | {pair[0].text} | {pair[1].text}")


if __name__ == "__main__":
    main()
