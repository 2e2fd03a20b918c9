"""Whether an agent has come to the end of what its vendor gives it. Reads words and figures only.

It asks nobody and spends nothing. A text about rate limits in somebody's code is not a limit: only
a short message of the host's own kind is.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from dormouse.times import parse, stamp

LONGEST = 400  # characters: a longer text is an answer, not a host's message
FULL = 100.0  # per cent
NEAR = 90.0
UNSAID = timedelta(hours=5)  # how long a limit is believed in that says no end

# How the hosts say it (their own texts; an agent's answer about a limit is longer, or lacks these).
_SAYS = re.compile(
    r"^(?:api error:?\s*)?(?:\W*\d{3}\W*)?\W*(?:"
    r"claude(?: ai)?(?: pro| max)? usage limit reached"
    r"|you(?:'|’)?ve (?:hit|reached) (?:your|the) (?:\w+[ -]){0,3}limit"
    r"|(?:5-hour|five-hour|daily|weekly|session|usage|opus|sonnet)(?: weekly| usage)? limit reached"
    r"|you have (?:hit|reached|exceeded) (?:your|the) (?:\w+[ -]){0,3}(?:limit|quota)"
    r"|(?:request )?rate limit (?:reached|exceeded)"
    r"|quota (?:exceeded|exhausted)"
    r"|you exceeded your current quota"
    r"|(?:this request would exceed|number of request tokens has exceeded) your .{0,60}rate limit"
    r"|usage limit (?:has been )?(?:reached|exceeded)"
    r"|resource has been exhausted"
    r"|rate_limit_error|rate_limit|usage_limit_reached|usage_limit_exceeded|insufficient_quota"
    r")",
    re.IGNORECASE,
)
_AT = re.compile(r"\|(\d{10})\b")  # "Claude AI usage limit reached|1757000000"


@dataclass(frozen=True, slots=True)
class Limit:
    """What is known of one agent's limit: reached or not, per cent used, when it is given anew."""

    agent: str
    session_id: str | None
    reached: bool
    used: float | None = None
    resets_at: str | None = None
    at: str = ""


def says_limit(text: str) -> bool:
    """Whether *text* is a host's message that a limit was reached."""
    flat = " ".join(text.split())
    return len(flat) <= LONGEST and bool(_SAYS.match(flat))


def read_text(text: str, agent: str, session_id: str | None, at: str) -> Limit | None:
    """The limit that *text* reports, if it does."""
    if not says_limit(text):
        return None
    named = _AT.search(text)
    resets = _epoch(int(named[1])) if named else None
    return Limit(agent, session_id, True, None, resets, at)


def read_figures(
    rate_limits: Mapping[str, Any], agent: str, session_id: str | None, at: str
) -> Limit | None:
    """The limit in Codex's ``rate_limits``: the fuller of its two windows; None where it has none.

    A window is {"used_percent", "resets_at" (seconds) or "resets_in_seconds"}.
    """
    windows = [rate_limits.get(name) for name in ("primary", "secondary")]
    known = [
        window
        for window in windows
        if isinstance(window, dict) and isinstance(window.get("used_percent"), int | float)
    ]
    kind = rate_limits.get("rate_limit_reached_type")
    if not known:
        return Limit(agent, session_id, True, None, None, at) if kind else None
    fullest = max(known, key=lambda window: float(window["used_percent"]))
    used = float(fullest["used_percent"])
    return Limit(agent, session_id, used >= FULL or bool(kind), used, _resets(fullest, at), at)


def _resets(window: Mapping[str, Any], at: str) -> str | None:
    absolute, relative = window.get("resets_at"), window.get("resets_in_seconds")
    if isinstance(absolute, int | float) and not isinstance(absolute, bool):
        return _epoch(int(absolute))
    if isinstance(relative, int | float) and not isinstance(relative, bool):
        try:
            return stamp(parse(at) + timedelta(seconds=float(relative)))
        except (ValueError, OverflowError):
            return None
    return None


def _epoch(seconds: int) -> str | None:
    try:
        return stamp(parse("1970-01-01") + timedelta(seconds=seconds))
    except OverflowError:
        return None


def holds(limit: Limit, now: str) -> bool:
    """Whether an agent still stands at the limit that it reached."""
    if not limit.reached:
        return False
    end = limit.resets_at or stamp(parse(limit.at) + UNSAID)
    return now < end


def told(limit: Limit, title: str, now: str) -> str | None:
    """What a person is told of it; None where there is nothing to tell."""
    if holds(limit, now):
        again = f", again at {limit.resets_at[:16]}Z" if limit.resets_at else ""
        return f"{title} has reached its limit{again}"
    if limit.used is not None and limit.used >= NEAR and (limit.resets_at or now) >= now:
        return f"{title} has used {limit.used:.0f} % of its limit"
    return None
