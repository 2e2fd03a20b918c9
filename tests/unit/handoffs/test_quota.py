"""Limits: the hosts' own messages and figures, and nothing that merely speaks of limits."""

import json
from pathlib import Path

import pytest

from dormouse.hosts import READERS
from dormouse.quota import Limit, holds, read_figures, read_text, says_limit, told

AT = "2026-06-01T09:00:00.000+00:00"


@pytest.mark.parametrize(
    "text",
    [
        "Claude AI usage limit reached|1780318800",
        "You've hit your session limit · resets 3pm (UTC)",
        "You’ve reached your usage limit. Try again later.",
        "5-hour limit reached ∙ resets 2pm",
        "Weekly limit reached",
        "API Error: 429 rate_limit_error: This request would exceed your account's rate limit.",
        "You've hit your usage limit. Upgrade to Pro or try again in 3 hours 12 minutes.",
        "rate_limit",
        "usage_limit_reached",
        "You exceeded your current quota, please check your plan",
        "Quota exceeded for metric requests",
    ],
)
def test_a_hosts_own_message_is_a_limit(text: str) -> None:
    assert says_limit(text)


@pytest.mark.parametrize(
    "text",
    [
        "I added a rate limit of 5 requests a second to the API.",
        "The rate limiter is done. You've hit your limit is what users see.",
        "Rate limiting: reached a decision, we use a token bucket.",
        "You've hit the nail on the head.",
        "You've reached your usage limit " + "and here is how to handle that in code " * 12,
        "",
        "Weekly report reached",
    ],
)
def test_speaking_of_limits_is_none(text: str) -> None:
    assert not says_limit(text)


def test_the_end_of_a_limit_is_read_where_it_is_said() -> None:
    limit = read_text("Claude AI usage limit reached|1780318800", "claude-code", "s", AT)
    assert limit is not None
    assert limit.resets_at == "2026-06-01T13:00:00.000+00:00"
    assert holds(limit, AT)
    assert not holds(limit, limit.resets_at)
    assert told(limit, "Claude Code", AT) == (
        "Claude Code has reached its limit, again at 2026-06-01T13:00Z"
    )


def test_one_without_an_end_is_believed_for_five_hours() -> None:
    limit = read_text("rate_limit", "claude-code", "s", AT)
    assert limit is not None
    assert holds(limit, "2026-06-01T13:59:00.000+00:00")
    assert not holds(limit, "2026-06-01T14:00:00.000+00:00")
    assert told(limit, "Claude Code", "2026-06-02") is None


def test_codex_says_it_in_figures() -> None:
    window = {"used_percent": 100.0, "window_minutes": 300, "resets_in_seconds": 600}
    full = read_figures({"primary": window, "secondary": {"used_percent": 20}}, "codex", "s", AT)
    assert full == Limit("codex", "s", True, 100.0, "2026-06-01T09:10:00.000+00:00", AT)
    near = read_figures(
        {"primary": {"used_percent": 93.4, "resets_at": 1780318800}}, "codex", "s", AT
    )
    assert near is not None
    assert told(near, "Codex", AT) == "Codex has used 93 % of its limit"
    assert read_figures({"primary": None, "secondary": None}, "codex", "s", AT) is None
    odd = {"primary": {"used_percent": 100, "resets_at": 10**30}}
    assert read_figures(odd, "codex", "s", AT) == Limit("codex", "s", True, 100.0, None, AT)


def test_a_rollout_without_limits_says_none_and_one_with_a_full_window_does() -> None:
    path = Path(__file__).parents[2] / "samples/codex/rollouts/tools-0.jsonl"
    lines = path.read_bytes().splitlines()
    reader = READERS["codex"].transcript(lines[0])
    for line in lines[1:]:
        reader.read(line)
    assert reader.limits == []
    counted = json.loads(next(line for line in lines if b"token_count" in line))
    counted["payload"]["rate_limits"]["primary"] = {"used_percent": 100, "resets_in_seconds": 60}
    reader.read(json.dumps(counted).encode())
    error = {"type": "error", "message": "You've hit your usage limit."}
    reader.read(json.dumps({**counted, "payload": error}).encode())
    assert [limit.reached for limit in reader.limits] == [True, True]


def test_claudes_transcript_says_it_in_a_line_of_the_client() -> None:
    reader = READERS["claude-code"].transcript(b"")
    said = {"type": "text", "text": "Claude AI usage limit reached|1780318800"}
    line = {
        "type": "assistant", "sessionId": "s", "uuid": "u", "timestamp": AT,
        "isApiErrorMessage": True,
        "message": {"model": "<synthetic>", "role": "assistant", "content": [said]},
    }  # fmt: skip
    assert reader.read(json.dumps(line).encode()) is None
    assert [limit.session_id for limit in reader.limits] == ["s"]


def test_a_failed_turn_says_why() -> None:
    body = json.dumps({"session_id": "s", "error": "rate_limit", "hook_event_name": "StopFailure"})
    event = READERS["claude-code"].read_event("StopFailure", body.encode())
    assert event.failure == "rate_limit"
