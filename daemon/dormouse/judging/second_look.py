"""A second look: whether a model's "supersede" is to be believed where it is not sure enough.

Of what a model takes for a change, where two facts share no more than some words, most is wrong:
what says more about a thing looks like a change of it. But such a pair gives itself away. Said
minutes later, in lower case or the other way round, the model doubts; most of the older fact's
words do not come back in the newer one; the two lie far apart in meaning. So the pair is read again
in these ways, and a logistic regression weighs what comes out; `training.judge.second_look` fits it
on streams of facts that the model was not trained on (docs/judging.md).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from dormouse.facts import Fact
from dormouse.judging import gate
from dormouse.judgments import Veto
from dormouse.recall.words import query_terms
from dormouse.times import parse, stamp

LOOKS: Final = 0.5  # at least so likely at first sight, and a pair is looked at again
SOON: Final = timedelta(minutes=20)
WEIGHTS: Final[Mapping[str, float]] = {  # fitted on n12, n13 and n16 to n23
    "sight": 0.847,
    "turned": 0.265,
    "near": 0.706,
    "cosine": 5.273,
    "of_older": 7.176,
    "of_newer": -4.166,
    "other_attribute": -1.483,
    "digits_alike": 1.364,
    "always": -5.402,
}
# Log odds from which on it is believed, and what its readings must come to besides. By weights of
# the other streams: 59 of 165 changes, 2 of 249 others (CLEAR keeps out 3 of 5).
SURE: Final = 2.0
CLEAR: Final = 1.5
CLEAR_IF_NEAR: Final = 1.0
# Log odds below which a far pair is not worth a question: 16 of the changes, 189 of the others.
UNLIKELY: Final = -1.0

Pair = tuple[Fact, Fact]
Likely = Callable[[Sequence[Pair]], Sequence[float]]
"""How likely each newer fact makes its older one untrue, 0..1; raises DormouseError."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a pair at first sight: how likely it is a change, whether the rules call it
    near, and how near its facts are in meaning (cosine)."""

    likely: float
    near: bool
    cosine: float


def believed(likely: Likely, pair: Pair, seen: Seen) -> float | None:
    """The log odds that *pair* is a change, 0 at most for one that the model does not read clearly,
    however alike the two are; None where it answers rubbish.

    Raises DormouseError where it can't read.
    """
    asked = readings(*pair)
    again = likely(asked)
    if len(again) != len(asked) or not all(0.0 <= each <= 1.0 for each in again):
        return None
    found = evidence(pair, seen, again)
    odds = sum(weight * found[name] for name, weight in WEIGHTS.items())
    clear = found["sight"] >= (CLEAR_IF_NEAR if seen.near else CLEAR)
    return odds if clear else min(odds, 0.0)


def readings(older: Fact, newer: Fact) -> list[Pair]:
    """The ways in which a pair is read again: soon after, in lower case, the other way round."""
    soon = stamp(parse(older.valid_from) + SOON)
    return [
        (older, replace(newer, valid_from=soon)),
        (replace(older, text=_lower(older.text)), replace(newer, text=_lower(newer.text))),
        (replace(older, text=newer.text), replace(newer, text=older.text)),
    ]


def evidence(pair: Pair, seen: Seen, again: Sequence[float]) -> dict[str, float]:
    """What speaks for and against a change, by name; *again*: what came of ``readings``.

    Likelihoods are log odds; *of_older* and *of_newer* are the shares of words that both have.
    """
    older, newer = pair
    soon, lower, turned = (_log_odds(each) for each in again)
    a, b = (set(query_terms(fact.text, explicit=True)) for fact in pair)
    return {
        "sight": (_log_odds(seen.likely) + soon + lower) / 3,
        "turned": turned,
        "near": float(seen.near),
        "cosine": seen.cosine,
        "of_older": len(a & b) / max(1, len(a)),
        "of_newer": len(a & b) / max(1, len(b)),
        "other_attribute": float(gate.veto(older, newer) is Veto.ATTRIBUTE),
        "digits_alike": float(_has_digits(older.text) == _has_digits(newer.text)),
        "always": 1.0,
    }


def _lower(text: str) -> str:
    return text.lower().rstrip(".")


def _log_odds(p: float) -> float:
    return math.log((p + 0.001) / (1.001 - p))


def _has_digits(text: str) -> bool:
    return any(sign.isdigit() for sign in text)
