"""How sure a judge has to be of far pairs: `python -m training.judge.far NAME…`.

Far pairs share no more than words or meaning; of all that the daemon draws for a fact nine of ten
are far, and hardly one of them is a change. It prints, for streams that the judge was not trained
on, how many changes would be carried out rightly and wrongly from each probability on: by what the
newer fact says, what the gate has read, and how near the two are in meaning.
"""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from dormouse.judging import gate, nominate
from dormouse.judging.embedded import MEASURED, EmbeddedJudge, tells_a_change
from dormouse.work.model import Models
from dormouse.work.settle import FAR
from training.judge import stream
from training.judge.drawn import BEGAN, pairs_of
from training.judge.exam import cosines, facts_of
from training.judge.pairs import DATA, Pair

THRESHOLDS = (0.8, 0.88, 0.9, 0.92, 0.93, 0.94, 0.96, 0.98)
COSINES = (-1.0, 0.3, 0.4, 0.5, 0.55, 0.6)


class Scored(NamedTuple):
    """A drawn pair and what the embedded judge makes of it; *p* is 0 where it abstains."""

    pair: Pair
    near: bool
    told: bool
    vetoed: bool
    p: float
    cosine: float

    @property
    def group(self) -> tuple[str, str, str]:
        return (
            "near" if self.near else "far",
            "told" if self.told else "bare",
            "vetoed" if self.vetoed else "",
        )


def scored(pairs: Sequence[Pair], models: Models) -> list[Scored]:
    """Each of *pairs* with its probability, as the daemon would read it."""
    facts = [facts_of(asdict(pair)) for pair in pairs]
    rulings = EmbeddedJudge(models.scores).judge_many(facts)
    return [
        Scored(
            pair,
            bool(nominate.near(b, [a])),
            tells_a_change(b),
            gate.veto(a, b) is not None,
            (ruling.probability or 0.0) if a.language == b.language in MEASURED else 0.0,
            float(cosine),
        )
        for pair, (a, b), ruling, cosine in zip(
            pairs, facts, rulings, cosines(models, facts), strict=True
        )
    ]


def told(rows: Sequence[Scored]) -> str:
    """Changes among *rows*, then right/wrong from each threshold on."""
    changes = [row for row in rows if row.pair.label == "supersede"]
    others = [row for row in rows if row.pair.label != "supersede"]
    counts = (
        f"{least:.2f}: {sum(row.p >= least for row in changes)}"
        f"/{sum(row.p >= least for row in others)}"
        for least in THRESHOLDS
    )
    return f"{len(changes):3} of {len(rows):4} are changes · {' · '.join(counts)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="+", help="streams: n10, s1 …")
    pairs: list[Pair] = []
    for name in parser.parse_args().names:
        folders = (DATA / "streams", stream.DATA)
        path = next(found for folder in folders if (found := folder / f"{name}.jsonl").exists())
        pairs += pairs_of(name, stream.read(path, BEGAN), FAR)
    rows = scored(pairs, Models(Path("models")))
    for group in sorted({row.group for row in rows}):
        print(" ".join(part for part in group if part))
        for cosine in COSINES:
            near = [row for row in rows if row.group == group and row.cosine >= cosine]
            print(f"  cosine {cosine:5.2f} {told(near)}")


if __name__ == "__main__":
    main()
