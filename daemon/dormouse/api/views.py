"""How values look as JSON. Every text is masked once more: an older program may have kept more."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from dormouse.facts import NO_DETAIL, Detail, Fact
from dormouse.handoffs import Handoff, HandoffEvent
from dormouse.ledger import (
    CandidateRow,
    JudgmentRow,
    Link,
    ProposalRow,
    Question,
    RunRow,
    StepRow,
    TurnRow,
)
from dormouse.work.prepare import mask
from dormouse.work.remember import detail_of


def fact_view(fact: Fact) -> dict[str, Any]:
    """The fact object of the contract."""
    return {
        "id": fact.id,
        "text": mask(fact.text),
        "kind": fact.kind,
        "layer": fact.layer,
        "scope": fact.scope,
        "project": {"id": fact.project_id, "name": fact.project_name} if fact.project_id else None,
        "branch": fact.branch,
        "subject": fact.slot.subject,
        "attribute": fact.slot.attribute,
        "value": mask(fact.slot.value) if fact.slot.value else None,
        "confidence": round(fact.confidence, 4),
        "importance": fact.importance,
        "trust": fact.trust,
        "pinned": fact.pinned,
        "stated_at": fact.stated_at,
        "captured_at": fact.captured_at,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "current": fact.current,
        "retired_at": fact.retired_at,
        "because": fact.retired_because,
        "superseded_by": fact.superseded_by,
        "sources": [
            {"agent": s.agent, "session": s.session_id, "how": s.how, "at": s.at}
            for s in fact.sources
        ],
        "detail": _detail_view(fact.detail),
    }


def _detail_view(said: Detail) -> dict[str, Any] | None:
    """What was said beside the statement; None where nothing was."""
    if said == NO_DETAIL:
        return None
    return {
        "steps": [mask(step) for step in said.steps],
        "tools": [mask(tool) for tool in said.tools],
        "outcome": mask(said.outcome) if said.outcome else None,
        "context": mask(said.context) if said.context else None,
        "source": said.origin,
        "trust": said.by,
    }


def judgment_view(row: JudgmentRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "older": row.older_id,
        "newer": row.newer_id,
        "verdict": row.ruling.verdict,
        "judge": row.ruling.judge,
        "probability": row.ruling.probability,
        "reason": row.ruling.reason,
        "level": row.level,
        "run": row.run_id,
        "asked_at": row.asked_at,
        "outcomes": [{"outcome": o, "by": by, "at": at} for o, by, at in row.outcomes],
    }


def link_view(link: Link) -> dict[str, Any]:
    return {
        "fact": fact_view(link.fact),
        "judgment": judgment_view(link.judgment) if link.judgment else None,
        "outcome": link.outcome,
    }


def retired_view(fact: Fact, row: JudgmentRow | None) -> dict[str, Any]:
    return {
        "id": fact.id,
        "text": mask(fact.text),
        "retired_at": fact.retired_at,
        "because": fact.retired_because,
        "superseded_by": fact.superseded_by,
        "judge": row.ruling.judge if row else None,
        "run": row.run_id if row else None,
    }


def candidate_view(row: CandidateRow, projects: Mapping[str, str]) -> dict[str, Any]:
    project = (
        {"id": row.project_id, "name": projects.get(row.project_id)} if row.project_id else None
    )
    return {
        "id": row.id,
        "text": mask(row.text),
        "kind": row.kind,
        "scope": row.scope,
        "project": project,
        "sightings": row.sightings,
        "confidence": row.confidence,
    }


def proposal_view(row: ProposalRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "what": row.what,
        "text": mask(str(row.payload.get("text", ""))),
        "fact": row.payload.get("fact"),  # the one to correct or to pin
        "by": row.by,
        "at": row.at,
        "detail": _detail_view(detail_of(row.payload.get("detail") or {})),
    }


def question_view(row: Question) -> dict[str, Any]:
    return {
        "id": row.id,
        "older": fact_view(row.older),
        "newer": fact_view(row.newer),
        "why": row.why,
        "asked_at": row.asked_at,
    }


def handoff_row(item: Handoff) -> dict[str, Any]:
    """One line of the list."""
    return {
        "id": item.id,
        "state": item.state,
        "token": item.token,
        "attempt": item.attempt,
        "taken_by": item.taken_by,
        "until": item.until,
        "to": item.to_agent,
        "from": {"agent": item.from_agent, "session": item.from_session},
        "branch": item.branch,
        "goal": mask(item.content.goal),
        "at": item.at,
        "offered_at": item.offered_at,
        "closed_at": item.closed_at,
    }


def handoff_view(
    item: Handoff, events: Sequence[HandoffEvent], missing: Collection[str], text: str
) -> dict[str, Any]:
    """One handoff whole. *text* is what its taker is shown."""
    content = item.content
    return handoff_row(item) | {
        "done": [mask(each) for each in content.done],
        "open": [mask(each) for each in content.open],
        "decisions": [mask(each) for each in content.decisions],
        "files": [{"path": path, "exists": path not in missing} for path in content.files],
        "commit": content.commit,
        "focus": [mask(each) for each in content.focus],
        "turns": [{"role": role, "text": mask(said)} for role, said in content.turns],
        "reason": content.reason,
        "checksum": item.checksum,
        "history": [
            {
                "what": e.what,
                "agent": e.agent,
                "session": e.session_id,
                "token": e.token,
                "at": e.at,
            }
            for e in events
        ],
        "text": text,
    }


def turn_view(row: TurnRow) -> dict[str, Any]:
    return {
        "session": row.session_id,
        "agent": row.agent,
        "role": row.role,
        "at": row.at,
        "text": mask(row.text),
    } | ({"original_length": row.original_length} if row.original_length else {})


def run_view(row: RunRow) -> dict[str, Any]:
    settled = {"supersede": 0, "keep": 0, "unsure": 0} | row.report.get("settled", {})
    return {
        "run": row.id,
        "kind": row.kind,
        "settled": settled,
        "facts_before": row.facts_before,
        "facts_after": row.facts_after,
        "retired": row.report.get("retired", []),
        "thinker_calls": row.report.get("thinker_calls", 0),
        "took_ms": row.report.get("took_ms", 0),
        "state": row.state,
        "started_at": row.started_at,
        "why": row.report.get("why"),
        "by": row.report.get("by", {}),
        "came_in": {name: row.report.get(name, 0) for name in ("turns", "read", "facts")},
        "made": row.report.get("made", 0),
        "folded": row.report.get("folded", 0),
        "raised": row.report.get("raised", 0),
        "read": {name: row.report.get(f"new_{name}", 0) for name in ("facts", "candidates")},
        "waits": row.report.get("waits", {}),
        "thinker_tokens": row.report.get("thinker_tokens", 0),
        "no_thinker": row.report.get("no_thinker"),
        "backup": row.report.get("backup"),
    }


def step_view(row: StepRow) -> dict[str, Any]:
    noted = {
        name: len(value) if isinstance(value, list) else value for name, value in row.report.items()
    }
    return {
        "step": row.step,
        "state": row.state,
        "started_at": row.started_at,
        "ended_at": row.ended_at,
        "facts_before": row.before,
        "facts_after": row.after,
        "noted": noted,
    }
