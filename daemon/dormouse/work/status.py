"""What ``status`` says. Reads only, counts only, no text."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from dormouse.errors import DamagedPages, DormouseError
from dormouse.ledger import AgentRow, Reader, RunRow
from dormouse.thinking import Usage
from dormouse.times import parse, stamp
from dormouse.work import rem, task, undelivered
from dormouse.work.memory import Memory
from dormouse.work.thinkers import calls_since, level
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


def blank(home: Home, state: State, error: DormouseError | None = None) -> dict[str, Any]:
    """The status of a daemon whose memory is not open, or can't be read because of *error*."""
    troubles = [state.trouble] if state.trouble else []
    troubles += [f"{error} {error.hint}"] if error is not None else []
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
        "thinker": _thinker(None),
        "rem": {"last_success": None, "pending": None},
        "index": {"words": None, "vectors": 0, "pending": 0, "model": None},
        "agents": {},
        "warnings": [*state.warnings, *troubles],
    }


def _usage(r: Reader, memory: Memory) -> Usage | None:
    if memory.door is None:
        return None
    caps = memory.door.caps
    return caps.usage_of(calls_since(r, caps.began()))


def _thinker(usage: Usage | None) -> dict[str, Any]:
    """What thinking has cost today, of how much, and when the day ends."""
    if usage is None:
        nothing = {"used": None, "cap": None}
        return {"calls": nothing, "tokens": nothing, "resets_at": None}
    return {
        "calls": {"used": usage.calls, "cap": usage.calls_cap},
        "tokens": {"used": usage.tokens, "cap": usage.tokens_cap},
        "resets_at": usage.resets_at,
    }


def status(r: Reader, memory: Memory, state: State) -> dict[str, Any]:
    """The whole status object of the contract."""
    counts, agents, runs = r.counts(), r.agents(), r.runs(limit=200)
    pending = counts["pending"]
    success, to_do = r.last_good_sleep(), rem.waiting(r)
    waiting = undelivered_waiting(memory.home)
    late = _late(to_do, success, runs, memory.now())
    serious = _serious(memory, runs, late, rem.given_up(r))
    facts = counts["facts_current"] + counts["facts_retired"]
    index, meaning = _meaning(r, memory, facts)
    return {
        "state": "degraded" if serious else "consolidating" if state.consolidating else "ok",
        "version": __version__,
        "facts": {"current": counts["facts_current"], "retired": counts["facts_retired"]},
        "candidates": counts["candidates"],
        "proposals": counts["proposals"],
        "questions": counts["questions"],
        "pending": pending,
        "undelivered": sum(agent.undelivered for agent in agents) + waiting,
        "privacy": str(level(r)),
        "key": state.key,
        "thinker": _thinker(_usage(r, memory)),
        "rem": {"last_success": success, "pending": to_do},
        "index": {"words": facts, **index},
        "agents": {agent.id: _agent(agent) for agent in agents},
        "warnings": [
            *state.warnings,
            *memory.settings.warnings,
            *([meaning] if meaning else []),
            *_of_agents(agents, waiting),
            *task.warnings(r, memory.now()),
            *serious,
        ],
    }


def _meaning(r: Reader, memory: Memory, facts: int) -> tuple[dict[str, Any], str | None]:
    if memory.meaning is None:
        return {"vectors": 0, "pending": 0, "model": None}, None
    return memory.meaning.status(r, facts)


def _agent(row: AgentRow) -> dict[str, Any]:
    return {
        "connected": row.connected,
        "last_event": row.last_event_at,
        "trusted": row.last_event is not None,
    }


def _of_agents(agents: Sequence[AgentRow], waiting: int) -> list[str]:
    """What a person should know of the agents; the state stays ok."""
    found = [
        f"{HOSTS[row.id].title} is waiting for your approval: type /hooks in it"
        for row in agents
        if row.id in HOSTS and row.connected
        if HOSTS[row.id].needs_approval and row.last_event is None
    ]
    if not any(row.connected for row in agents):
        found.append("no agent is connected: run `dormouse connect`")
    missing = undelivered.warning(agents, waiting)
    if missing is not None:
        found.append(missing)
    return found


def _serious(
    memory: Memory, runs: Sequence[RunRow], late: bool, given_up: Sequence[str]
) -> list[str]:
    """What makes the state degraded."""
    found = [
        f"run {run.id} was stopped by the fuse: look with `dormouse rem show {run.id[:6]}`, then"
        " `rem approve` or `rem undo` it"
        for run in runs
        if run.state == "stopped"
    ][:1]
    found += [
        f"sleep's step {step} failed three times and waits for you: see `dormouse rem log`, then"
        " `dormouse rem run` tries it again"
        for step in given_up
    ]
    if late:
        found.append("no successful sleep for three days, and there is work pending")
    if memory.ledger.trouble == "integrity":
        error = DamagedPages(path=memory.ledger.path)
        found.append(f"{error} {error.hint}")
    elif memory.ledger.trouble:
        step = f" at the step {memory.ledger.step}" if memory.ledger.step else ""
        found.append(f"writes are refused: {memory.ledger.trouble}{step}")
    return found


def _late(pending: int, success: str | None, runs: Sequence[RunRow], now: str) -> bool:
    since = success or (runs[-1].started_at if runs else None)
    return bool(pending and since and since < stamp(parse(now) - NO_SUCCESS))
