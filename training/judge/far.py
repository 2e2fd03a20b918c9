"""How sure a judge has to be of far pairs: `python -m training.judge.far NAME…`.

Far pairs share no more than words or meaning; among what the daemon draws for a fact nine of ten
pairs are far, and hardly one of them is a change. It prints, for pairs drawn from streams that the
judge was not trained on, how many changes would be carried out rightly and wrongly from each
probability on, by what the newer fact says and what the gate has read.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dormouse.judging import as_fact, gate, nominate
from dormouse.judging.embedded import EmbeddedJudge, tells_a_change
from dormouse.work.model import Models
from training.judge.pairs import Pair, derived

THRESHOLDS = (0.7, 0.8, 0.85, 0.88, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98)


class Scored(NamedTuple):
    """A drawn pair and what the embedded judge makes of it; *p* is 0 where it abstains."""

    pair: Pair
    near: bool
    told: bool
    vetoed: bool
    p: float

    @property
    def group(self) -> tuple[str, str, str]:
        return (
            "near" if self.near else "far",
            "told" if self.told else "bare",
            "vetoed" if self.vetoed else "",
        )


def scored(pairs: Sequence[Pair], models: Models) -> list[Scored]:
    """Each of *pairs* with its probability, as the daemon would read it."""
    facts = [
        (as_fact(pair.older, pair.older_time, id="a"), as_fact(pair.newer, pair.newer_time, id="b"))
        for pair in pairs
    ]
    rulings = EmbeddedJudge(models.scores).judge_many(facts)
    return [
        Scored(
            pair,
            bool(nominate.near(newer, [older])),
            tells_a_change(newer),
            gate.veto(older, newer) is not None,
            (ruling.probability or 0.0) if older.language == newer.language else 0.0,
        )
        for pair, (older, newer), ruling in zip(pairs, facts, rulings, strict=True)
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
    parser.add_argument("names", nargs="+", help="streams whose drawn pairs stand in data")
    rows = scored(derived(parser.parse_args().names), Models(Path("models")))
    for group in sorted({row.group for row in rows}):
        name = " ".join(part for part in group if part)
        print(f"{name:18} {told([row for row in rows if row.group == group])}")


if __name__ == "__main__":
    main()
