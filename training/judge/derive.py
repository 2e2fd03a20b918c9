"""Draws pairs that belong to nobody's record: `python -m training.judge.derive WRITER… > FILE`.

All notes of one writer are taken as one stream. For each newer note the notes before it that share
the rarest words with it are drawn, as the daemon's nominator would: most can stand side by side,
and what looks alike is what a judge has to keep apart. Restatements are drawn from the notes too.
The pairs carry no label where reading is needed; a labeller gives it (the data card).
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from math import log

from dormouse.recall.words import query_terms
from training.judge.pairs import Pair, hand_written

EACH = 1  # pairs drawn for a note
LEAST = 4.0  # summed rarity of the shared words
SPOKEN = {
    "en": ("note: {}", "as before, {}", "still true: {}", "{} (unchanged)", "just to repeat: {}"),
    "de": ("Notiz: {}", "wie gehabt: {}", "gilt weiter: {}", "{} (unverändert)", "nochmal: {}"),
    "zh": ("备注：{}", "照旧，{}", "再说一遍：{}", "{}（没变）"),
}  # fmt: skip


def nominated(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """For each newer note the older note, of another record, that shares the rarest words."""
    words = {pair.older: frozenset(query_terms(pair.older, explicit=True)) for pair in pairs}
    spread = Counter(word for found in words.values() for word in found)
    for pair in pairs:
        mine = frozenset(query_terms(pair.newer, explicit=True))
        scored = sorted(
            (
                (sum(log(len(words) / spread[w]) for w in mine & found), text)
                for text, found in words.items()
                if text not in (pair.older, pair.newer)
            ),
            reverse=True,
        )
        for score, text in scored[:EACH]:
            if score >= LEAST:
                older = next(each for each in pairs if each.older == text)
                kind = "adversarial_overlap"
                yield replace(
                    pair, id=f"{pair.id}-x", kind=kind, older=text, label="",
                    older_scope=older.older_scope,
                )  # fmt: skip


def restated(pairs: Sequence[Pair], chance: random.Random) -> Iterator[Pair]:
    """Notes said again, with hardly a word changed: what holds goes on to hold."""
    for pair in chance.sample(list(pairs), len(pairs) // 8):
        text = pair.older
        said = chance.choice((*SPOKEN.get(pair.lang, ("{}",)), "{}", "{}"))
        newer = said.format(text.rstrip(".。"))
        newer = newer.lower() if chance.random() < 0.3 else newer
        yield replace(
            pair, id=f"{pair.id}-r", kind="restatement", newer=newer, label="keep",
            older_scope="", newer_scope="",
        )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("writers", nargs="+")
    parser.add_argument("--restated", action="store_true")
    args = parser.parse_args()
    for name in args.writers:
        pairs = hand_written([name])
        made = restated(pairs, random.Random(name)) if args.restated else nominated(pairs)
        for pair in made:
            print(json.dumps(asdict(pair), ensure_ascii=False))


if __name__ == "__main__":
    main()
