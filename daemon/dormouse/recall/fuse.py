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

# Share of meaning in the order, against that of words. Of facts (second set R@5 / mean reciprocal
# rank; the 76 later prompts' rank): .45 .953/.880 .849 · .55 .960/.887 .883 · .70 .947/.884 .892.
# Of turns (LoCoMo TUNE 26, 30, 41, R@5/R@10): .33 .731/.811 · .38 .728/.811 · .45 .731/.810
MEANING = 0.55
MEANING_OF_TURNS = 0.45
# Of a stored conversation: what the better of the two turns beside a turn adds to its place, and
# that the prompt names who speaks in it. LoCoMo TUNE as above: neither .671/.777, turns at .2
# .695/.793, speaker at .1 .700/.793, at .2 .710/.795; both at .2 .731/.810, speaker at .3 .737/.814
BESIDE = 0.2
SPEAKER = 0.2
# Relevance by words at which their order counts in full; below, a weak best is no best. Second set
# R@1: never .780, .3 .787, .5 .800, .7 .813; LoCoMo does not move.
ENOUGH = 0.7
# Evidence = cosine + WORDS x relevance + LEAN x how much nearer the prompt is to prompts that ask a
# memory than to those that none answers - PULL x how near the fact is to prompts of both kinds.
# Answered where at most 2 of 60 unanswerable prompts of the second set get anything; at the same
# threshold the later prompts (76 / 20), answered / disturbed. With the map of prompts:
# LEAN 1.5, NEAREST 8 .933, .882 / 0; 2.5, 16 .960, .908 / 0; 2.0, 16 .967, .908 / 0. Without it
# 1.5, 8 .927, .895 / 0; 2.5, 16 .953, .908 / 0. 400 and 1,200 further examples of each kind of
# prompt: .940 to .953, and 1 to 3 of the later ones disturbed. A logistic regression over pairs (4
# to 15 features, cross-validated) came to .867 at best: it learns which fact answers, not whether.
WORDS = 0.35
LEAN = 2.0
PULL = 0.7
THRESHOLD = 0.28
SPREAD = 0.1  # evidence that moves a fit from .39 to .63: for people only, it orders nothing
# Where one fact is worth showing, another may fall short of the threshold by COMPANY, and one that
# words alone do not carry of the best by GAP. Second set and later prompts, recall@5 /
# share of what is shown that is right (nothing of it disturbs a prompt more):
# COMPANY 0, GAP .25 .900/.504 .895/.500 · .1, .2 .893/.536 .895/.507 · .1, .3 .927/.420 .895/.370
# · any, .35 .927/.351 .895/.315
COMPANY = 0.1
GAP = 0.3
NEAREST = 16  # prompts of either kind whose nearness to a prompt is averaged


class Sense(NamedTuple):
    """What the meaning leg knows: of each fact its cosine and its pull; of the prompt, how much
    more it is like prompts that ask a memory than like those that none answers."""

    facts: Mapping[str, tuple[float, float]]
    lean: float


def fit(relevance: float, cosine: float, pull: float, lean: float) -> float:
    """How well a fact answers by both legs, 0..1, to be held against the same floor as words."""
    evidence = cosine + WORDS * relevance + LEAN * lean - PULL * pull
    odds = (evidence - THRESHOLD) / SPREAD + math.log(FLOOR / (1.0 - FLOOR))
    return 1.0 / (1.0 + math.exp(-max(min(odds, 50.0), -50.0)))


def in_company(floor: float) -> float:
    """The floor of a fact that stands beside one worth showing."""
    odds = math.log(floor / (1.0 - floor)) - COMPANY / SPREAD
    return 1.0 / (1.0 + math.exp(-odds))


def falls_short(good: float, best: float) -> bool:
    """Whether a fit is so far below the best one that showing it would only disturb."""
    least = 1e-9
    low, high = (min(max(each, least), 1.0 - least) for each in (good, best))
    return math.log(high / (1 - high)) - math.log(low / (1 - low)) > GAP / SPREAD


Turn = tuple[str, int]  # a conversation, and a place in it


def orders(
    words: Sequence[float],
    best: float,
    cosines: Sequence[float | None],
    turns: Sequence[Turn | None] = (),
) -> list[float]:
    """Where each hit stands, 0..1: its share of the best BM25 and of the range of cosines.

    *best* is the highest relevance by words of all hits; a fact without a vector stands by its
    words alone.
    """
    turns = turns or [None] * len(words)
    most = max(words, default=0.0)
    trusted = min(1.0, best / ENOUGH)
    known = [cosine for cosine in cosines if cosine is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    found = []
    for score, cosine, turn in zip(words, cosines, turns, strict=True):
        meaning = MEANING if turn is None else MEANING_OF_TURNS
        by_words = trusted * score / most if most > 0 else 0.0
        if cosine is None:
            found.append(by_words)
            continue
        by_meaning = (cosine - low) / (high - low) if high > low else 1.0
        found.append((1.0 - meaning) * by_words + meaning * by_meaning)
    return found


def in_talk(
    places: Sequence[float], turns: Sequence[Turn | None], named: Sequence[bool]
) -> list[float]:
    """*places* of turns raised by the turns beside them and where the prompt names who speaks.

    What answers often stands beside what resembles the question.
    """
    at = {turn: place for turn, place in zip(turns, places, strict=True) if turn is not None}
    if not at:
        return list(places)
    raised = []
    for place, turn, speaker in zip(places, turns, named, strict=True):
        if turn is not None:
            beside = [at.get((turn[0], turn[1] + step), 0.0) for step in (-1, 1)]
            place += BESIDE * max(beside) + SPEAKER * speaker
        raised.append(place)
    most = max(1.0, *raised)
    return [place / most for place in raised]
