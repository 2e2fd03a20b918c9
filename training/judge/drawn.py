"""Pairs as the daemon itself draws them from streams: `… -m training.judge.drawn NAME… > FILE`.

A stream (data/streams) is what one person told their memory over months, each change marked with
the lines it ends. Every line is remembered in its order, and what the daemon would put before a
judge then becomes a pair: near in the rules' sense, or sharing no more than words or meaning. Most
of them can stand side by side, which is what a judge is asked nine times of ten.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from bench.inside import Inside
from dormouse.facts import Fact
from dormouse.times import stamp
from dormouse.work.meaning import Asked
from dormouse.work.settle import nominated
from training.judge.pairs import DATA, Pair
from training.judge.stream import Said, read

BEGAN = datetime(2024, 1, 8, 8, 0, tzinfo=UTC)
FAR = 4  # of the pairs that share no more than words or meaning: so many for each fact


def pairs_of(name: str, lines: Sequence[Said], far: int = FAR) -> Iterator[Pair]:
    """What a judge is asked of each line, *far* far ones at most; every change, drawn or not."""
    ended: set[int] = set()
    for at, (line, language, drawn) in enumerate(asked(lines, far)):
        wanted = [each for each in drawn if each not in ended or each in line.ends]
        for older in sorted(line.ends | line.partly):
            if older not in wanted and lines[older].text != line.text:
                wanted.append(older)
        for older in wanted:
            label = "supersede" if older in line.ends else "keep"
            label = "unsure" if older in line.partly else label
            kind = {"supersede": "single_value_change", "unsure": "partial_supersede"}.get(
                label, "adversarial_overlap"
            )
            yield Pair(
                f"{name}-{older + 1:03}-{at + 1:03}", name, kind, language,
                lines[older].text, stamp(lines[older].at), line.text, stamp(line.at), label,
            )  # fmt: skip
        ended |= line.ends


def asked(lines: Sequence[Said], far: int = FAR) -> Iterator[tuple[Said, str, list[int]]]:
    """Each line as it is remembered: its language, and the earlier lines it is judged with."""
    with Inside() as memory:
        ids: dict[str, int] = {}
        for at, line in enumerate(lines):
            fact = memory.say(line.text, line.at, line.project)
            memory.embed()
            drawn = [] if fact.id in ids else draw(memory, fact, ids, far)
            ids.setdefault(fact.id, at)
            yield line, fact.language or "en", drawn


def draw(memory: Inside, fact: Fact, ids: dict[str, int], far: int = FAR) -> list[int]:
    """The lines that the daemon draws for a fact, near ones first."""
    means = Asked(memory.holder.get().embed([fact.text], query=False)[0], 0.0)
    found = memory.read(lambda r: nominated(r, memory.memory, fact, means, far=True))
    return [ids[older.id] for older, newer in [*found.close, *found.far[:far]] if newer == fact]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="+", help="streams in data/streams")
    for name in parser.parse_args().names:
        for pair in pairs_of(name, read(DATA / "streams" / f"{name}.jsonl", BEGAN)):
            print(json.dumps(asdict(pair), ensure_ascii=False))


if __name__ == "__main__":
    main()
