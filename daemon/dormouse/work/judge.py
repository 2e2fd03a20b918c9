"""Judging bare texts, for ``dormouse judge``: gate and ladder as at capture. Changes nothing."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from dormouse.errors import BadRequest, NotFound, Refused
from dormouse.facts import Fact
from dormouse.judging import as_fact, ordered
from dormouse.judging.ladder import Ladder
from dormouse.judging.thinker import NAME, ThinkerJudge
from dormouse.judgments import Judge, Verdict
from dormouse.thinking import Door, Level
from dormouse.times import parse, stamp
from dormouse.work.prepare import mask

THINKER = "thinker"
MOST = 10_000  # pairs in one request
LONGEST = 4_000  # characters of one text
THEN, LATER = "2026-01-01T00:00:00.000+00:00", "2026-06-01T00:00:00.000+00:00"


def wants_thinker(fields: Mapping[str, Any]) -> bool:
    """Whether a request may end in a thinker's call: it names a level, or the thinker."""
    return fields.get("level") is not None or fields.get("judge") in (NAME, THINKER)


def judge_pairs(
    ladder: Ladder, fields: Mapping[str, Any], door: Door | None = None
) -> list[dict[str, Any]]:
    """Judge each of ``fields["pairs"]``; ``judge`` names one that is asked alone, ungated.

    With a ``level`` a thinker is asked about what the ladder is not sure of. Blocks. Raises
    BadRequest, NotFound, and Refused for a level above the owner's.
    """
    pairs = fields.get("pairs")
    if not isinstance(pairs, list) or len(pairs) > MOST:
        raise BadRequest(what=f"pairs must be a list of at most {MOST}")
    if door is not None and wants_thinker(fields):
        return _with_thinker(ladder, fields, pairs, door)
    return _judge_all(ladder, _named(ladder, fields.get("judge")), pairs)


def judge_mine(ladder: Ladder, answered: Sequence[tuple[Fact, Fact, Verdict]]) -> dict[str, Any]:
    """How often *ladder* says what the owner said of these pairs; counts, and where it differs.

    The facts are looked at as they were when they met: what came of them is left out.
    """
    rulings = ladder.judge_many([ordered(older, newer) for older, newer, _ in answered])
    rows: list[dict[str, Any]] = [
        {
            "older": older.id,
            "newer": newer.id,
            "owner": owner,
            "verdict": ruling.verdict,
            "judge": ruling.judge,
            "probability": ruling.probability,
        }
        for (older, newer, owner), ruling in zip(answered, rulings, strict=True)
    ]
    retire = [row for row in rows if row["owner"] is Verdict.SUPERSEDE]
    hold = [row for row in rows if row["owner"] is not Verdict.SUPERSEDE]
    return {
        "pairs": len(rows),
        "false_supersede": sum(row["verdict"] is Verdict.SUPERSEDE for row in hold),
        "must_hold": len(hold),
        "found": sum(row["verdict"] is Verdict.SUPERSEDE for row in retire),
        "must_go": len(retire),
        "differs": [row for row in rows if row["verdict"] is not row["owner"]],
    }


def _with_thinker(
    ladder: Ladder, fields: Mapping[str, Any], pairs: list[Any], door: Door
) -> list[dict[str, Any]]:
    allowed = door.level()
    level = level_field(fields) or allowed
    if level.rank > allowed.rank:
        raise Refused(
            what=f"the privacy level is {allowed}", hint="`dormouse privacy` shows and raises it."
        )
    only = fields.get("judge") in (NAME, THINKER)
    alone = None if only else _named(ladder, fields.get("judge"))
    rows = _judge_all(ladder, alone, pairs)
    open_ = [n for n, row in enumerate(rows) if row["verdict"] == "unsure" and not row["vetoed_by"]]
    asked = list(range(len(rows))) if only else open_ if alone is None else []
    judge = ThinkerJudge(door.think, at_most=level)
    rulings = judge.judge_many([_facts(pairs[n], n + 1) for n in asked])
    for n, ruling in zip(asked, rulings, strict=True):
        if only or ruling.prompt_hash is not None:
            said = {"verdict": ruling.verdict, "judge": ruling.judge, "took_ms": ruling.took_ms}
            rows[n] |= {**said, "probability": None, "vetoed_by": None}
    return rows


def level_field(fields: Mapping[str, Any]) -> Level | None:
    """The level that a request names. Raises BadRequest for a word that is none."""
    named = fields.get("level")
    try:
        return None if named is None else Level(named)
    except ValueError:
        raise BadRequest(what="level must be local, agents or hosted") from None


def _facts(pair: Mapping[str, Any], number: int) -> tuple[Fact, Fact]:
    return _fact(pair, "older", THEN, number), _fact(pair, "newer", LATER, number)


def _named(ladder: Ladder, name: object) -> Judge | None:
    if name is None:
        return None
    for judge in ladder.judges:
        if name in (judge.name, judge.name.partition(":")[0]):
            return judge
    names = ", ".join(judge.name for judge in ladder.judges)
    raise NotFound(what="judge", id=mask(str(name))[:40], hint=f"There are: {names}.")


def _judge_all(ladder: Ladder, alone: Judge | None, pairs: list[Any]) -> list[dict[str, Any]]:
    facts = [_checked(pair, number) for number, pair in enumerate(pairs, 1)]
    began = time.perf_counter()
    rulings = (Ladder([alone]).ungated if alone is not None else ladder.judge_many)(facts)
    took_ms = round((time.perf_counter() - began) * 1000 / max(len(facts), 1), 3)
    return [
        {
            "id": str(pair.get("id", number)),
            "verdict": ruling.verdict,
            "probability": ruling.probability,
            "judge": ruling.judge,
            "vetoed_by": ruling.vetoed_by,
            "took_ms": took_ms,
        }
        for number, (pair, ruling) in enumerate(zip(pairs, rulings, strict=True), 1)
    ]


def _checked(pair: object, number: int) -> tuple[Fact, Fact]:
    if not isinstance(pair, dict):
        raise BadRequest(what=f"pair {number} is not an object")
    return _facts(pair, number)


def _fact(pair: Mapping[str, Any], role: str, default: str, number: int) -> Fact:
    text, at = pair.get(role), pair.get(f"{role}_time") or default
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise BadRequest(what=f"pair {number}: {role} must be a text of 1 to {LONGEST} characters")
    try:
        return as_fact(text, stamp(parse(str(at))), id=f"{role}{number}")
    except (ValueError, OverflowError):
        raise BadRequest(what=f"pair {number}: {role}_time is not an ISO 8601 time") from None
