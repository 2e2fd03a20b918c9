"""Puts what words say and what meaning says of a fact together. Every constant of it stands here.

Chosen on the conversations of LoCoMo that are for tuning (orders) and on bench/data (silence); the
figures beside a constant are those that chose it. Knows no fact and no ledger: numbers in, out.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# The floor of the words leg (docs/decisions/0004); a fit of both legs is scaled so that it is one
# for both. Labelled set (99 questions, 96 prompts without an answer), in stores of 60, 560, 5,060
# and 100,060 facts: .98 .96 .94 .93 are answered among six, .98 .96 .98 .98 of the rest met with
# silence. At .30 one more of a hundred is answered and nine more are disturbed.
FLOOR = 0.39

# Share of meaning in the order, against that of words. LoCoMo TUNE R@5 / R@10 and second set R@5:
# .40 .685/.764 .940 · .45 .676/.764 .940 · .50 .670/.768 .947 · .55 .652/.766 .947
MEANING = 0.45
# Relevance by words at which their order counts in full; below, a weak best is no best. Second set
# R@1: never .780, .3 .787, .5 .800, .7 .813; LoCoMo does not move.
ENOUGH = 0.7
# Evidence = cosine + WORDS x relevance - ASIDE x how near the prompt is to prompts that no memory
# answers - ATTRACTION x how near the fact is to such prompts. Second set, recall@5 where at most 2
# of 60 unanswerable get anything: cosine alone .640, with words .693, with ASIDE .4 .800, as here
# .887. Labelled set (not tuned on), answered / silent: .98 / .865.
WORDS = 0.2
ASIDE = 1.2
ATTRACTION = 0.5
THRESHOLD = -0.078
SPREAD = 0.1  # evidence that moves a fit from .39 to .63: for people only, it orders nothing
# Evidence by which a hit that words alone do not carry may fall short of the best one. Second set,
# recall@5 / share of what is shown that is right: none .887/.397, .4 .887/.468, .25 .887/.552,
# .2 .880/.597, .1 .880/.698
GAP = 0.25
NEAREST_ASIDE = 8  # prompts that no memory answers whose nearness to a prompt is averaged


class Sense(NamedTuple):
    """What the meaning leg knows: of each fact its cosine and its attraction; of the prompt, how
    near it is to prompts that no memory answers."""

    facts: Mapping[str, tuple[float, float]]
    aside: float


def fit(relevance: float, cosine: float, attraction: float, aside: float) -> float:
    """How well a fact answers by both legs, 0..1, to be held against the same floor as words."""
    evidence = cosine + WORDS * relevance - ASIDE * aside - ATTRACTION * attraction
    odds = (evidence - THRESHOLD) / SPREAD + math.log(FLOOR / (1.0 - FLOOR))
    return 1.0 / (1.0 + math.exp(-max(min(odds, 50.0), -50.0)))


def falls_short(good: float, best: float) -> bool:
    """Whether a fit is so far below the best one that showing it would only disturb."""
    least = 1e-9
    low, high = (min(max(each, least), 1.0 - least) for each in (good, best))
    return math.log(high / (1 - high)) - math.log(low / (1 - low)) > GAP / SPREAD


def orders(words: Sequence[float], best: float, cosines: Sequence[float | None]) -> list[float]:
    """Where each hit stands, 0..1: its share of the best BM25 and of the range of cosines.

    *best* is the highest relevance by words of all hits; a fact without a vector stands by its
    words alone.
    """
    most = max(words, default=0.0)
    trusted = min(1.0, best / ENOUGH)
    known = [cosine for cosine in cosines if cosine is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    found = []
    for score, cosine in zip(words, cosines, strict=True):
        by_words = trusted * score / most if most > 0 else 0.0
        if cosine is None:
            found.append(by_words)
            continue
        by_meaning = (cosine - low) / (high - low) if high > low else 1.0
        found.append((1.0 - MEANING) * by_words + MEANING * by_meaning)
    return found
