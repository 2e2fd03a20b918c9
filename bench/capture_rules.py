"""Scores the rules for what is said in passing: `python bench/capture_rules.py [--show] [--tuned]`.

The prompts are labelled in tests/data/prompts.jsonl. Those marked held_out were written before the
rules and are what the figures are about; --tuned takes the others. --show prints the misses.
"""

import json
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench.measure import share
from dormouse.capture import implicit
from dormouse.capture.commands import Correction, read_prompt
from dormouse.capture.normalise import fold
from dormouse.recall.words import index_text
from dormouse.settings import Settings

PROMPTS = Path(__file__).parents[1] / "tests" / "data" / "prompts.jsonl"
SAME = 0.75  # share of words (F1) from which two texts are the same statement


class Score(NamedTuple):
    """One prompt with what was read in it, and which of both belong together."""

    row: dict[str, Any]
    read: list[tuple[str, str, str]]  # is, how, text

    def right(self, what: str) -> int:
        """How many of the statements read as *what* are labelled so."""
        return sum(any(_matches(one, held) for held in self.row["holds"]) for one in self.of(what))

    def found(self, what: str, how: str | None = None) -> tuple[int, int]:
        """How many labelled statements there are, and how many were read as what they are."""
        held = [h for h in self.row["holds"] if h["is"] == what and how in (None, h["how"])]
        return sum(any(_matches(one, h) for one in self.read) for h in held), len(held)

    def of(self, what: str) -> list[tuple[str, str, str]]:
        return [one for one in self.read if one[0] == what]


def _matches(one: tuple[str, str, str], held: dict[str, str]) -> bool:
    return one[0] == held["is"] and same(one[2], held["text"])


def same(a: str, b: str) -> bool:
    """Whether two texts are one statement: equal, or nearly all of their words are."""
    if fold(a) == fold(b):
        return True
    left, right = index_text(a).split(), index_text(b).split()
    common = sum(min(left.count(w), right.count(w)) for w in set(left))
    return bool(common) and 2 * common / (len(left) + len(right)) >= SAME


def score(row: dict[str, Any], settings: Settings | None = None) -> Score:
    """Read one prompt as the daemon does: commands first, then what is said in passing."""
    settings = settings or Settings()
    read = [
        ("fact", "correction", command.text)
        for command in read_prompt(row["prompt"])
        if isinstance(command, Correction)
    ]
    for one in implicit.read(row["prompt"]):
        if any(same(one.text, text) or one.text in text for _, _, text in read):
            continue
        if one.confidence >= settings.capture_fact:
            read.append(("fact", one.how, one.text))
        elif one.confidence >= settings.capture_candidate:
            read.append(("candidate", one.how, one.text))
    return Score(row, read)


def rows(*, held_out: bool) -> list[dict[str, Any]]:
    """The labelled prompts of one half."""
    lines = PROMPTS.read_text("utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["held_out"] is held_out]


def precision(scores: Iterable[Score], what: str) -> tuple[int, int]:
    """Right ones among all statements that were read as *what*."""
    done = list(scores)
    return sum(s.right(what) for s in done), sum(len(s.of(what)) for s in done)


def report(scores: list[Score]) -> Iterator[str]:
    for what in ("fact", "candidate"):
        yield share(f"precision of {what}s", *precision(scores, what))
        found = [s.found(what) for s in scores]
        yield share(f"recall of {what}s", sum(f for f, _ in found), sum(n for _, n in found))
    for how in ("correction", "decision", "preference", "project_fact"):
        for what in ("fact", "candidate"):
            found = [s.found(what, how) for s in scores]
            if total := sum(n for _, n in found):
                yield "  " + share(f"recall of {how} as {what}", sum(f for f, _ in found), total)
    for name in sorted({s.row["language"] for s in scores}):
        of = [s for s in scores if s.row["language"] == name]
        found = [s.found("fact") for s in of]
        right, read = precision(of, "fact")
        yield f"  {name}: facts {right} right of {read} read, of {sum(n for _, n in found)} there"


def missed(scores: Iterable[Score]) -> Iterator[str]:
    for one in scores:
        held = [(h["is"], h["text"]) for h in one.row["holds"]]
        wrong = [r for r in one.read if not any(_matches(r, h) for h in one.row["holds"])]
        lost = [h for h in one.row["holds"] if not any(_matches(r, h) for r in one.read)]
        if wrong or lost:
            yield f"{one.row['id']} {one.row['prompt']!r}\n    held {held}\n    read {one.read}"


def per_prompt(prompts: list[dict[str, Any]]) -> float:
    """Milliseconds of CPU that reading one prompt takes: the best of five rounds, on average."""
    best = float("inf")
    for _ in range(5):
        begun = time.process_time()
        for row in prompts:
            implicit.read(row["prompt"])
        best = min(best, time.process_time() - begun)
    return best / len(prompts) * 1000


def main(argv: list[str]) -> int:
    prompts = rows(held_out="--tuned" not in argv)
    scores = [score(row) for row in prompts]
    print(f"{len(prompts)} prompts, {per_prompt(prompts):.2f} ms of CPU each")
    print("\n".join(report(scores)))
    if "--show" in argv:
        print("\n".join(missed(scores)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
