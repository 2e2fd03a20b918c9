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
from dormouse.work.settle import Nominated, nominated
from training.judge.pairs import DATA, Pair
from training.judge.stream import Said, read

BEGAN = datetime(2024, 1, 8, 8, 0, tzinfo=UTC)
FAR = 4  # of the pairs that share no more than words or meaning: so many for each fact


def pairs_of(name: str, lines: Sequence[Said]) -> Iterator[Pair]:
    """What a judge is asked of each line; every change, whether it was drawn or not."""
    ended: set[int] = set()
    for at, fact, found, ids in asked(lines):
        line, language = lines[at], fact.language or "en"
        near_first = [*found.close, *found.far[:FAR]]
        drawn = [ids[older.id] for older, newer in near_first if newer == fact]
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


def asked(lines: Sequence[Said]) -> Iterator[tuple[int, Fact, Nominated, dict[str, int]]]:
    """Each line as it is remembered: its number, its fact, what the daemon draws for that (nothing
    if it was known), and which line each fact before it was."""
    with Inside() as memory:
        ids: dict[str, int] = {}
        for at, line in enumerate(lines):
            fact = memory.say(line.text, line.at, line.project)
            memory.embed()
            yield at, fact, Nominated(fact) if fact.id in ids else draw(memory, fact), ids
            ids.setdefault(fact.id, at)


def draw(memory: Inside, fact: Fact) -> Nominated:
    """What the daemon would put before a judge for *fact*."""
    means = Asked(memory.holder.get().embed([fact.text], query=False)[0], 0.0)
    found: Nominated = memory.read(lambda r: nominated(r, memory.memory, fact, means, far=True))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="+", help="streams in data/streams")
    for name in parser.parse_args().names:
        for pair in pairs_of(name, read(DATA / "streams" / f"{name}.jsonl", BEGAN)):
            print(json.dumps(asdict(pair), ensure_ascii=False))


if __name__ == "__main__":
    main()
