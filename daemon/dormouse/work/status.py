"""What ``status`` says. Reads only, counts only, no text."""

import contextlib
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from dormouse.ledger import Reader
from dormouse.times import parse, stamp
from dormouse.work.memory import Memory
from dormouse_wire import __version__
from dormouse_wire.hosts import HOSTS
from dormouse_wire.paths import Home

NO_SUCCESS = timedelta(days=3)  # pending work that long without a good run is degraded


@dataclass(slots=True)
class State:
    """What the daemon knows about itself beside the ledger."""

    locked: bool = False
    trouble: str | None = None
    key: str | None = None
    consolidating: bool = False
    warnings: list[str] = field(default_factory=list)


def undelivered_waiting(home: Home) -> int:
    """How many events hooks could not deliver since the daemon last took the count."""
    with contextlib.suppress(OSError):
        return home.undelivered.stat().st_size
    return 0


def blank(home: Home, state: State) -> dict[str, Any]:
    """The status of a daemon whose memory is not open."""
    return {
        "state": "locked" if state.locked else "degraded",
        "version": __version__,
        "facts": {"current": None, "retired": None},
        "candidates": None,
        "proposals": None,
        "questions": None,
        "pending": None,
        "undelivered": undelivered_waiting(home),
        "privacy": "local",
        "key": state.key,
        "thinker": _thinker(),
        "rem": {"last_success": None, "pending": None},
        "index": {"words": None, "vectors": 0, "pending": 0, "model": None},
        "agents": {},
        "warnings": [*state.warnings, *([state.trouble] if state.trouble else [])],
    }


def _thinker() -> dict[str, Any]:
    return {
        "calls": {"used": 0, "cap": 0},
        "tokens": {"used": 0, "cap": 0},
        "resets_at": None,
    }


def status(r: Reader, memory: Memory, state: State) -> dict[str, Any]:
    """The whole status object of the contract."""
    counts = r.counts()
    agents = {row.id: row for row in r.agents()}
    runs = r.runs(limit=200)
    success = next((x.ended_at for x in runs if x.kind == "rem" and x.state == "done"), None)
    waiting = undelivered_waiting(memory.home)
    pending = counts["pending"]
    warnings = [*state.warnings, *memory.settings.warnings]
    warnings += [
        f"{HOSTS[a.id].title} is waiting for your approval: type /hooks in it"
        for a in agents.values()
        if a.id in HOSTS and a.connected and HOSTS[a.id].needs_approval and a.last_event is None
    ]
    if not any(a.connected for a in agents.values()):
        warnings.append("no agent is connected: run `dormouse connect`")
    stopped = [run.id for run in runs if run.state == "stopped"]
    if stopped:
        warnings.append(f"run {stopped[0]} was stopped by the fuse: `dormouse rem show` it")
    lost = sum(a.undelivered for a in agents.values()) + waiting
    if lost:
        warnings.append(f"{lost} event(s) could not be delivered while no daemon ran")
    late = _late(pending, success, runs[-1].started_at if runs else None, memory.now())
    if late:
        warnings.append("no successful sleep for three days, and there is work pending")
    trouble = memory.ledger.trouble
    if trouble:
        warnings.append(f"writes are refused: {trouble}")
    degraded = bool(trouble or stopped or late)
    return {
        "state": "degraded" if degraded else "consolidating" if state.consolidating else "ok",
        "version": __version__,
        "facts": {"current": counts["facts_current"], "retired": counts["facts_retired"]},
        "candidates": counts["candidates"],
        "proposals": counts["proposals"],
        "questions": counts["questions"],
        "pending": pending,
        "undelivered": lost,
        "privacy": "local",
        "key": state.key,
        "thinker": _thinker(),
        "rem": {"last_success": success, "pending": pending},
        "index": {
            "words": counts["facts_current"] + counts["facts_retired"],
            "vectors": 0,
            "pending": 0,
            "model": None,
        },
        "agents": {
            a.id: {
                "connected": a.connected,
                "last_event": a.last_event_at,
                "trusted": a.last_event is not None,
            }
            for a in agents.values()
        },
        "warnings": warnings,
    }


def _late(pending: int, success: str | None, first: str | None, now: str) -> bool:
    since = success or first
    return bool(pending and since and since < stamp(parse(now) - NO_SUCCESS))
