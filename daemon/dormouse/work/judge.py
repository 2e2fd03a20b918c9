"""Judging bare texts, for ``dormouse judge``: gate and ladder as at capture. Changes nothing."""

import time
from collections.abc import Mapping
from typing import Any

from dormouse.errors import BadRequest, NotFound
from dormouse.facts import Fact
from dormouse.judging import as_fact
from dormouse.judging.ladder import Ladder
from dormouse.judgments import Judge, Ruling
from dormouse.times import parse, stamp

MOST = 10_000  # pairs in one request
LONGEST = 4_000  # characters of one text
THEN, LATER = "2026-01-01T00:00:00.000+00:00", "2026-06-01T00:00:00.000+00:00"


def judge_pairs(ladder: Ladder, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Judge each of ``fields["pairs"]``; ``judge`` names one that is asked alone, ungated."""
    pairs = fields.get("pairs")
    if not isinstance(pairs, list) or len(pairs) > MOST:
        raise BadRequest(what=f"pairs must be a list of at most {MOST}")
    alone = _named(ladder, fields.get("judge"))
    return [_judge(ladder, alone, number, pair) for number, pair in enumerate(pairs, 1)]


def _named(ladder: Ladder, name: object) -> Judge | None:
    if name is None:
        return None
    for judge in ladder.judges:
        if name in (judge.name, judge.name.partition(":")[0]):
            return judge
    names = ", ".join(judge.name for judge in ladder.judges)
    raise NotFound(what="judge", id=str(name)[:40], hint=f"There are: {names}.")


def _judge(ladder: Ladder, alone: Judge | None, number: int, pair: object) -> dict[str, Any]:
    if not isinstance(pair, dict):
        raise BadRequest(what=f"pair {number} is not an object")
    first = _fact(pair, "older", THEN, number)
    second = _fact(pair, "newer", LATER, number)
    began = time.perf_counter()
    ruling = _ask(ladder, alone, first, second)
    return {
        "id": str(pair.get("id", number)),
        "verdict": ruling.verdict,
        "probability": ruling.probability,
        "judge": ruling.judge,
        "vetoed_by": ruling.vetoed_by,
        "took_ms": round((time.perf_counter() - began) * 1000, 3),
    }


def _ask(ladder: Ladder, alone: Judge | None, first: Fact, second: Fact) -> Ruling:
    return alone(first, second) if alone is not None else ladder(first, second)


def _fact(pair: Mapping[str, Any], role: str, default: str, number: int) -> Fact:
    text, at = pair.get(role), pair.get(f"{role}_time") or default
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise BadRequest(what=f"pair {number}: {role} must be a text of 1 to {LONGEST} characters")
    try:
        return as_fact(text, stamp(parse(str(at))), id=f"{role}{number}")
    except (ValueError, OverflowError):
        raise BadRequest(what=f"pair {number}: {role}_time is not an ISO 8601 time") from None
