"""What the agents' own programs have in common as thinkers. It reads answers, it judges none."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dormouse.thinking.running import Ran
from dormouse.thinking.values import SIGNATURE, Result, Said, Thought

TIMEOUT_S = 120.0
# How vendors say that a plan or a budget is used up; "status" words of HTTP beside them.
_QUOTA = re.compile(
    r"usage limit|rate.?limit|quota|too many requests|limit reached|hit your limit"
    r"|credit balance|insufficient.{0,20}(?:credit|balance|funds)|\b429\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Account:
    """Where an agent's login lies: variables for its settings folder, if it was moved."""

    environment: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = TIMEOUT_S
    find: Callable[[str], Path | None] | None = None


def is_quota(message: str) -> bool:
    """Whether *message*, an error's, says that nothing is left for today."""
    return _QUOTA.search(message) is not None


def ended_badly(ran: Ran) -> Said | None:
    """What a run that gave no answer at all comes to; None if there is something to read."""
    results = {
        "missing": Result.UNAVAILABLE,
        "timeout": Result.TIMEOUT,
        "stopped": Result.STOPPED,
        "too_much": Result.RUBBISH,
    }
    return None if ran.ended == "done" else Said(results[ran.ended])


def signed(thought: Thought) -> str:
    """The data of *thought* behind our signature, by which we know our own thinking again."""
    return f"{SIGNATURE} {thought.task}\n{thought.user}"


def count(*numbers: object) -> int | None:
    """The sum of what a usage report tells; None if it tells nothing that can be read."""
    told = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and n >= 0]
    return sum(told) if told else None
