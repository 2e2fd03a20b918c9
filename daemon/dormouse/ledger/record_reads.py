"""How the agents did, counted from what is held: sessions, handoffs, facts. It rates nobody."""

from dataclasses import dataclass

from dormouse.ledger.base import Connected

TESTS = ("pytest", "jest", "vitest", "tox", "nox", "rspec", "phpunit", "ctest", "mocha")


@dataclass(frozen=True, slots=True)
class Record:
    """One agent's figures; docs/agents.md says how each is counted."""

    agent: str
    sessions: int = 0
    tasks: int = 0
    finished: int = 0
    first_time_right: int = 0
    given: int = 0
    taken: int = 0
    facts_held: int = 0
    facts_corrected: int = 0


class RecordReads(Connected):
    """The track record."""

    def records(self) -> list[Record]:
        """One record for every agent that was ever connected or heard, by id."""
        rows = self._all(
            "SELECT id FROM agents UNION SELECT DISTINCT agent FROM sessions"
            " UNION SELECT DISTINCT agent FROM handoff_events WHERE what = 'taken' ORDER BY 1"
        )
        return [self._record(row[0]) for row in rows]

    def _record(self, agent: str) -> Record:
        sessions = self._all(
            "SELECT s.id, s.ended_at IS NOT NULL FROM sessions AS s WHERE s.agent = ?1 AND EXISTS"
            " (SELECT 1 FROM turns AS t WHERE t.session_id = s.id AND t.agent = ?1"
            " AND t.role = 'person')",
            agent,
        )
        taken = self._all(
            "SELECT DISTINCT h.id, h.state = 'finished' AND h.taken_by = ?1, h.taken_session"
            " FROM handoffs AS h JOIN handoff_events AS e ON e.handoff_id = h.id"
            " WHERE e.what = 'taken' AND e.agent = ?1",
            agent,
        )
        ended = [id for id, over in sessions if over and not self._was_given(agent, id)]
        right = [id for id in ended if self._was_right(agent, id)]
        done = [(id, session) for id, finished, session in taken if finished]
        done_right = [
            id
            for id, session in done
            if not self._had_before(agent, id) and self._was_right(agent, session)
        ]
        held, corrected = self._facts(agent)
        return Record(
            agent,
            self._count("SELECT count(*) FROM sessions WHERE agent = ?", agent),
            len(sessions) + len(taken),
            len(ended) + len(done),
            len(right) + len(done_right),
            self._count("SELECT count(*) FROM handoffs WHERE from_agent = ?", agent),
            len(taken),
            held,
            corrected,
        )

    def _was_given(self, agent: str, session_id: str) -> bool:
        sql = "SELECT 1 FROM handoffs WHERE from_agent = ? AND from_session = ?"
        return self._one(sql, agent, session_id) is not None

    def _had_before(self, agent: str, handoff_id: str) -> bool:
        """Whether *agent* gave a handoff back, or let it lapse, before it finished it."""
        sql = (
            "SELECT 1 FROM handoff_events WHERE handoff_id = ? AND agent = ?"
            " AND what IN ('returned', 'lapsed')"
        )
        return self._one(sql, handoff_id, agent) is not None

    def _was_right(self, agent: str, session_id: str | None) -> bool:
        """Nobody corrected a fact in it or reopened it, and the tests that ran last passed."""
        if self._one(
            "SELECT 1 FROM sessions WHERE agent = ? AND id = ? AND reopened = 1", agent, session_id
        ):
            return False
        corrected = self._one(
            "SELECT 1 FROM sources AS s JOIN facts AS o ON o.superseded_by = s.fact_id"
            " WHERE s.agent = ? AND s.session_id = ? AND o.retired_because = 'corrected'",
            agent, session_id,
        )  # fmt: skip
        last = self._one(
            "SELECT ok FROM touched WHERE agent = ? AND session_id = ? AND what = 'command'"
            f" AND name IN ({', '.join('?' * len(TESTS))}) ORDER BY at DESC LIMIT 1",
            agent, session_id, *TESTS,
        )  # fmt: skip
        return corrected is None and (last is None or last[0] != 0)

    def _facts(self, agent: str) -> tuple[int, int]:
        """Facts that first came through this agent: current ones, and those put right."""
        row = self._one(
            "SELECT count(*) FILTER (WHERE f.retired_at IS NULL), count(*) FILTER (WHERE"
            " f.retired_because IN ('corrected', 'forgotten', 'owner')) FROM facts AS f"
            " JOIN sources AS s ON s.fact_id = f.id AND s.agent = ?1 WHERE s.nr ="
            " (SELECT min(nr) FROM sources WHERE fact_id = f.id)",
            agent,
        )
        return int(row[0]), int(row[1])

    def _count(self, sql: str, *values: object) -> int:
        return int(self._scalar(sql, *values) or 0)
