"""Draws pairs that belong to nobody's record: `python -m training.judge.derive WRITER… > FILE`.

All notes of one writer are taken as one stream. For each newer note the notes before it that share
the rarest words with it are drawn, as the daemon's nominator would: most can stand side by side,
and what looks alike is what a judge has to keep apart. Restatements are drawn from the notes too,
and newer notes on one older note are held against one another. The pairs carry no label where
reading is needed; a labeller gives it (the data card).
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
BESIDE = ("different_subject", "different_scope", "adversarial_overlap")  # kinds: another matter
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


def turned(pairs: Sequence[Pair], chance: random.Random) -> Iterator[Pair]:
    """Of several newer notes on one older note: the older one in the words of another, and others.

    A change ends a restatement of the older note as well, and it leaves alone what it left alone.
    """
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair.older, []).append(pair)
    for group in groups.values():
        changes = [pair for pair in group if pair.label == "supersede"]
        same = [pair for pair in group if pair.label == "keep" and pair.kind == "restatement"]
        others = [pair for pair in group if pair.label == "keep" and pair.kind in BESIDE]
        if changes and same:
            yield _held(chance.choice(same), chance.choice(changes), "s")
        if changes and others:
            newer = chance.choice(changes)
            yield _held(chance.choice(others), replace(newer, label="keep"), "o")


def _held(older: Pair, newer: Pair, mark: str) -> Pair:
    """*newer*, held against what *older* said newly; they keep the time between them."""
    kind = newer.kind if newer.label == "supersede" else older.kind
    return replace(newer, id=f"{newer.id}-{mark}", kind=kind, older=older.newer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("writers", nargs="+")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--restated", action="store_true", help="notes said again instead")
    how.add_argument("--turned", action="store_true", help="newer notes against one another")
    args = parser.parse_args()
    for name in args.writers:
        pairs = hand_written([name])
        chance = random.Random(name)
        if args.turned:
            made = turned(pairs, chance)
        else:
            made = restated(pairs, chance) if args.restated else nominated(pairs)
        for pair in made:
            print(json.dumps(asdict(pair), ensure_ascii=False))


if __name__ == "__main__":
    main()
