"""Looking at the journal, the sessions and what each of them was shown."""

from collections.abc import Iterable, Sequence
from typing import Any

from dormouse.ledger.base import Connected, as_list
from dormouse.ledger.rows import AgentRow, SessionRow, TranscriptRow, TurnRow, UseRow
from dormouse.sessions import Role

TURN = (
    "id, agent, session_id, role, text, at, state, reason, line_id, host_turn_id, project_id,"
    " branch, original_length"
)
_SESSION = (
    "agent, id, project_id, branch, cwd, started_at, last_at, ended_at, attended,"
    " transcript_path, forked_from, summary, summed_by"
)
_AGENT = "id, connected, root, settings_path, connected_at, last_event, last_event_at, undelivered"


def turn_of(row: Sequence[Any]) -> TurnRow:
    """The turn of one row of TURN."""
    return TurnRow(*(*row[:3], Role(row[3]), *row[4:]))


def _session(row: Sequence[Any]) -> SessionRow:
    attended = None if row[8] is None else bool(row[8])
    return SessionRow(*(*row[:8], attended, *row[9:]))


def _agent(row: Sequence[Any]) -> AgentRow:
    return AgentRow(row[0], bool(row[1]), *row[2:])


class SessionReads(Connected):
    """What was said, where, and what was shown to whom."""

    def turns(
        self,
        *,
        session_id: str | None = None,
        state: str | None = None,
        limit: int | None = None,
    ) -> list[TurnRow]:
        """The last *limit* turns (all, if None), oldest first."""
        wheres, values = ["1"], []
        for column, value in (("session_id", session_id), ("state", state)):
            if value is not None:
                wheres.append(f"{column} = ?")
                values.append(value)
        rows = self._all(
            f"SELECT {TURN} FROM turns WHERE {' AND '.join(wheres)}"
            " ORDER BY at DESC, nr DESC LIMIT ?",
            *values, -1 if limit is None else limit,
        )  # fmt: skip
        return [turn_of(row) for row in reversed(rows)]

    def turns_by_id(self, ids: Iterable[str]) -> list[TurnRow]:
        """Those of *ids* that are still held, oldest first."""
        rows = self._all(
            f"SELECT {TURN} FROM turns WHERE id IN (SELECT value FROM json_each(?))"
            " ORDER BY at, nr",
            as_list(ids),
        )
        return [turn_of(row) for row in rows]

    def turn_by_line(self, agent: str, line_id: str) -> TurnRow | None:
        """The turn that a transcript line stands for, if it is held."""
        row = self._one(f"SELECT {TURN} FROM turns WHERE agent = ? AND line_id = ?", agent, line_id)
        return None if row is None else turn_of(row)

    def session(self, agent: str, session_id: str) -> SessionRow | None:
        """One session of an agent."""
        row = self._one(
            f"SELECT {_SESSION} FROM sessions WHERE agent = ? AND id = ?", agent, session_id
        )
        return None if row is None else _session(row)

    def last_session(self, project_id: str, *, before_session: str) -> SessionRow | None:
        """The session that was last active in a project, other than *before_session*.

        One in which nobody said anything is passed over: it stopped nowhere.
        """
        row = self._one(
            f"SELECT {_SESSION} FROM sessions AS s WHERE project_id = ? AND id <> ? AND EXISTS"
            " (SELECT 1 FROM turns AS t WHERE t.session_id = s.id AND t.agent = s.agent"
            " AND t.role = 'person') ORDER BY last_at DESC, id LIMIT 1",
            project_id, before_session,
        )  # fmt: skip
        return None if row is None else _session(row)

    def unused(self, agent: str, session_id: str) -> list[str]:
        """Facts that were recalled to a session and not used in it so far."""
        rows = self._all(
            "SELECT fact_id FROM uses WHERE agent = ? AND session_id = ? AND how = 'recalled'"
            " AND used = 0 ORDER BY fact_id",
            agent,
            session_id,
        )
        return [row[0] for row in rows]

    def sessions_of(self, project_id: str, *, limit: int = 20) -> list[SessionRow]:
        """A project's sessions, last active first."""
        rows = self._all(
            f"SELECT {_SESSION} FROM sessions WHERE project_id = ?"
            " ORDER BY last_at DESC, id LIMIT ?",
            project_id, limit,
        )  # fmt: skip
        return [_session(row) for row in rows]

    def to_sum_up(self, *, since: str, silent: str, at_least: int, limit: int) -> list[SessionRow]:
        """Sessions since *since* that ended or were silent since *silent*, newest first, in which
        *at_least* turns were spoken after what a host or a thinker has summed up."""
        rows = self._all(
            f"SELECT {_SESSION} FROM sessions AS s WHERE project_id IS NOT NULL AND last_at >= ?"
            " AND (ended_at IS NOT NULL OR last_at <= ?) AND (SELECT count(*) FROM turns AS t"
            " WHERE t.session_id = s.id AND t.agent = s.agent AND t.role IN ('person', 'assistant')"
            " AND (s.summed_by IS NULL OR s.summed_by = 'rules' OR t.nr > coalesce(s.summed_to, 0))"
            ") >= ? ORDER BY last_at DESC, id LIMIT ?",
            since, silent, at_least, limit,
        )  # fmt: skip
        return [_session(row) for row in rows]

    def uses(self, agent: str, session_id: str) -> dict[str, UseRow]:
        """What a session was shown, by fact id."""
        rows = self._all(
            "SELECT fact_id, at, how, taken_back_at, told_current, shown FROM uses"
            " WHERE agent = ? AND session_id = ?",
            agent, session_id,
        )  # fmt: skip
        return {row[0]: UseRow(*(*row[:4], bool(row[4]), bool(row[5]))) for row in rows}

    def shown_to(self, agent: str, session_id: str, fact_ids: Iterable[str]) -> set[str]:
        """Which of these facts the session has been shown and may still have before it."""
        rows = self._all(
            "SELECT fact_id FROM uses WHERE agent = ? AND session_id = ? AND shown = 1"
            " AND fact_id IN (SELECT value FROM json_each(?))",
            agent, session_id, as_list(fact_ids),
        )  # fmt: skip
        return {row[0] for row in rows}

    def changed_for(self, agent: str, session_id: str) -> list[str]:
        """Facts that are no longer as the session was last told: retired since, or restored."""
        rows = self._all(
            "SELECT u.fact_id FROM uses AS u JOIN facts AS f ON f.id = u.fact_id"
            " WHERE u.agent = ? AND u.session_id = ? AND u.told_current <> (f.retired_at IS NULL)"
            " ORDER BY u.fact_id",
            agent, session_id,
        )  # fmt: skip
        return [row[0] for row in rows]

    def transcript(self, path: str) -> TranscriptRow | None:
        """How far a transcript was read."""
        row = self._one(
            "SELECT path, agent, session_id, offset, inode, size, skipped FROM transcripts"
            " WHERE path = ?",
            path,
        )
        return None if row is None else TranscriptRow(*row)

    def agent(self, id: str) -> AgentRow | None:
        """What is known of an agent, if it was ever connected or heard."""
        row = self._one(f"SELECT {_AGENT} FROM agents WHERE id = ?", id)
        return None if row is None else _agent(row)

    def agent_events(self, agent: str) -> dict[str, tuple[str, int]]:
        """By event: when it last rang, and how often since the agent was connected."""
        sql = "SELECT event, at, times FROM agent_events WHERE agent = ? ORDER BY event"
        return {row[0]: (row[1], row[2]) for row in self._all(sql, agent)}

    def agents(self) -> list[AgentRow]:
        """Every agent that was ever connected or heard, by id."""
        return [_agent(row) for row in self._all(f"SELECT {_AGENT} FROM agents ORDER BY id")]
