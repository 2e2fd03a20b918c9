"""Handoffs as rows. A step is written only over the very state it was made from."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from dormouse.errors import NotFound
from dormouse.handoffs import Content, Handoff, HandoffEvent, State, Step, What
from dormouse.ledger.base import Connected
from dormouse.ledger.ids import new_id

_HANDOFF = (
    "id, project_id, branch, from_agent, from_session, to_agent, state, token, attempt, taken_by,"
    " taken_session, until, at, offered_at, closed_at, told, checksum, content"
)
_EVENT = "nr, handoff_id, what, agent, session_id, token, at"


def _handoff(row: Sequence[Any]) -> Handoff:
    content = Content.from_dict(json.loads(row[17]))
    return Handoff(*(*row[:6], State(row[6]), *row[7:17], content))


def _event(row: Sequence[Any]) -> HandoffEvent:
    return HandoffEvent(row[0], row[1], What(row[2]), *row[3:])


class HandoffReads(Connected):
    """Handoffs and their histories."""

    def handoff(self, id: str) -> Handoff:
        """One handoff by its whole id. Raises NotFound."""
        row = self._one(f"SELECT {_HANDOFF} FROM handoffs WHERE id = ?", id)
        if row is None:
            raise NotFound(what="handoff", id=id, hint="See `dormouse handoff list`.")
        return _handoff(row)

    def handoffs(self, project_id: str | None) -> list[Handoff]:
        """All of one project (of every project, if None), newest first."""
        rows = self._all(
            f"SELECT {_HANDOFF} FROM handoffs WHERE ?1 IS NULL OR project_id = ?1 ORDER BY nr DESC",
            project_id,
        )
        return [_handoff(row) for row in rows]

    def open_handoffs(self, project_id: str | None = None) -> list[Handoff]:
        """Those that are offered or taken, oldest first."""
        rows = self._all(
            f"SELECT {_HANDOFF} FROM handoffs WHERE state IN ('offered', 'taken')"
            " AND (?1 IS NULL OR project_id = ?1) ORDER BY nr",
            project_id,
        )
        return [_handoff(row) for row in rows]

    def given_by(self, agent: str, project_id: str | None) -> list[Handoff]:
        """Those an agent gave whose last event it has not been told."""
        rows = self._all(
            f"SELECT {_HANDOFF} FROM handoffs AS h WHERE from_agent = ? AND project_id IS ?"
            " AND told < (SELECT max(nr) FROM handoff_events WHERE handoff_id = h.id) ORDER BY nr",
            agent, project_id,
        )  # fmt: skip
        return [_handoff(row) for row in rows]

    def handoff_events(self, id: str, *, after: int = 0) -> list[HandoffEvent]:
        """A handoff's history, oldest first."""
        rows = self._all(
            f"SELECT {_EVENT} FROM handoff_events WHERE handoff_id = ? AND nr > ? ORDER BY nr",
            id, after,
        )  # fmt: skip
        return [_event(row) for row in rows]

    def resolve_handoff(self, prefix: str) -> list[str]:
        """The ids that begin with *prefix*."""
        rows = self._all("SELECT id FROM handoffs WHERE substr(id, 1, ?) = ?", len(prefix), prefix)
        return [row[0] for row in rows]


class HandoffWrites(HandoffReads):
    """Giving, and steps by compare-and-set."""

    def give(
        self,
        content: Content,
        *,
        project_id: str,
        branch: str | None,
        from_agent: str | None,
        from_session: str | None,
        to_agent: str | None,
    ) -> Handoff:
        """Offer a task. Every text in it is prepared first, as a fact's is."""
        id, now = new_id(), self._now()
        text = json.dumps(self._fitted(content.as_dict()), ensure_ascii=False, sort_keys=True)
        checksum = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        self._run(
            "INSERT INTO handoffs (id, project_id, branch, from_agent, from_session, to_agent,"
            " state, token, attempt, at, offered_at, checksum, content)"
            " VALUES (?, ?, ?, ?, ?, ?, 'offered', 0, 1, ?, ?, ?, ?)",
            id, project_id, branch or None, from_agent, from_session, to_agent, now, now,
            checksum, text,
        )  # fmt: skip
        nr = self._note(id, What.GIVEN, from_agent, from_session, 0)
        self.told_giver(id, nr)
        return self.handoff(id)

    def _fitted(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._prepared(value).text
        if isinstance(value, dict):
            return {key: self._fitted(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._fitted(inner) for inner in value]
        return value

    def step(self, before: Handoff, step: Step) -> bool:
        """Write what follows *before*; False if somebody else was first, and nothing changed."""
        if not self._replace(before, step.after):
            return False
        token = step.after.token
        self._note(before.id, step.what, step.agent, step.session_id, token)
        return True

    def renew(self, before: Handoff, after: Handoff) -> bool:
        """Write a longer lease; False if the handoff is no longer as it was."""
        return self._replace(before, after)

    def _replace(self, before: Handoff, after: Handoff) -> bool:
        done = self._run(
            "UPDATE handoffs SET state = ?, token = ?, attempt = ?, taken_by = ?,"
            " taken_session = ?, until = ?, offered_at = ?, closed_at = ?"
            " WHERE id = ? AND state = ? AND token = ? AND attempt = ? AND until IS ?",
            str(after.state), after.token, after.attempt, after.taken_by, after.taken_session,
            after.until, after.offered_at, after.closed_at,
            before.id, str(before.state), before.token, before.attempt, before.until,
        )  # fmt: skip
        return bool(done.rowcount == 1)

    def _note(
        self, id: str, what: What, agent: str | None, session_id: str | None, token: int
    ) -> int:
        done = self._run(
            "INSERT INTO handoff_events (handoff_id, what, agent, session_id, token, at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            id, str(what), agent, session_id, token, self._now(),
        )  # fmt: skip
        return int(done.lastrowid)

    def told_giver(self, id: str, nr: int) -> None:
        """The giver knows the history up to event *nr*."""
        self._run("UPDATE handoffs SET told = max(told, ?) WHERE id = ?", nr, id)
