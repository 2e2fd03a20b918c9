"""What thinking cost, call by call, and the pairs that wait for a thinker. No text of any call."""

from collections.abc import Iterable
from typing import Any

from dormouse.ledger.base import Connected, as_list
from dormouse.ledger.ids import new_id
from dormouse.ledger.rows import ThinkerCall, TurnRow, UnsurePair
from dormouse.ledger.session_reads import TURN, turn_of

_CALL = "id, at, who, level, task, sent, estimated, result, received, tokens, took_ms"


class ThinkingReads(Connected):
    """Calls since a time, pairs that wait."""

    def thinker_calls(self, *, since: str) -> list[ThinkerCall]:
        """The calls begun at or after *since*, oldest first."""
        sql = f"SELECT {_CALL} FROM thinker_calls WHERE at >= ? ORDER BY nr"
        return [ThinkerCall(*row) for row in self._all(sql, since)]

    def unsure_pairs(self, *, due: str, limit: int = 200) -> list[UnsurePair]:
        """Pairs of current facts that a thinker may be asked about at *due*, oldest first."""
        rows = self._all(
            "SELECT a.id, b.id, p.asked, p.next_at FROM unsure_pairs AS p"
            " JOIN current_facts AS a ON a.nr = p.older_nr"
            " JOIN current_facts AS b ON b.nr = p.newer_nr"
            " WHERE p.next_at <= ? ORDER BY p.next_at, p.older_nr, p.newer_nr LIMIT ?",
            due, limit,
        )  # fmt: skip
        return [UnsurePair(*row) for row in rows]

    def turns_after(
        self, nr: int, *, since: str, roles: Iterable[str], limit: int
    ) -> list[tuple[int, TurnRow]]:
        """Turns of projects that came in after the turn *nr* and were said since, with numbers."""
        rows = self._all(
            f"SELECT nr, {TURN} FROM turns WHERE nr > ? AND at >= ? AND state = 'done'"
            " AND project_id IS NOT NULL AND role IN (SELECT value FROM json_each(?))"
            " ORDER BY nr LIMIT ?",
            nr, since, as_list(roles), limit,
        )  # fmt: skip
        return [(row[0], turn_of(row[1:])) for row in rows]

    def agents_that_saw(self, one: str, other: str) -> list[str]:
        """The agents that were shown or told both facts, whoever saw them last first."""
        seen = (
            "SELECT agent, max(at) AS at FROM (SELECT agent, at FROM uses WHERE fact_id = ?"
            " UNION ALL SELECT agent, at FROM sources WHERE fact_id = ?) GROUP BY agent"
        )
        rows = self._all(
            f"SELECT a.agent FROM ({seen}) AS a JOIN ({seen}) AS b ON a.agent = b.agent"
            " ORDER BY max(a.at, b.at) DESC, a.agent",
            one, one, other, other,
        )  # fmt: skip
        return [row[0] for row in rows]

    def count_unsure_pairs(self, *, due: str) -> int:
        """How many pairs wait for a thinker at *due*."""
        return len(self.unsure_pairs(due=due, limit=10_000))


class ThinkingWrites(ThinkingReads):
    """A call is noted before it is made, and again when it ended."""

    def begin_thinker_call(
        self, *, who: str, level: str, task: str, sent: int, estimated: int
    ) -> str:
        """Note that a call is about to be made: *sent* bytes, *estimated* tokens. Its id."""
        id = new_id()
        self._run(
            "INSERT INTO thinker_calls (id, at, who, level, task, sent, estimated)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            id, self._now(), who, level, task, sent, estimated,
        )  # fmt: skip
        return id

    def end_thinker_call(
        self, id: str, *, result: str, received: int, tokens: int | None, took_ms: float
    ) -> None:
        """Note how a call ended; *received* bytes, *tokens* where they were told."""
        self._run(
            "UPDATE thinker_calls SET result = ?, received = ?, tokens = ?, took_ms = ?"
            " WHERE id = ?",
            result, received, tokens, took_ms, id,
        )  # fmt: skip

    def set_unlogged(self, name: str, value: str) -> None:
        """Set a value of which no copy stays in the settings' log: a secret."""
        self._run(
            "INSERT INTO settings (name, value) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            name, value,
        )  # fmt: skip

    def wait_for_thinker(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Let pairs (older, newer) that the judges at hand are not sure of wait; once each."""
        for older, newer in pairs:
            self._run(
                "INSERT OR IGNORE INTO unsure_pairs (older_nr, newer_nr, next_at)"
                " SELECT a.nr, b.nr, ? FROM facts AS a, facts AS b WHERE a.id = ? AND b.id = ?",
                self._now(), older, newer,
            )  # fmt: skip

    def asked_thinker(self, older: str, newer: str, *, again_at: str | None) -> None:
        """A thinker has spoken on a pair: it waits until *again_at*, or no longer."""
        pair = (
            "older_nr = (SELECT nr FROM facts WHERE id = ?)"
            " AND newer_nr = (SELECT nr FROM facts WHERE id = ?)"
        )
        values: tuple[Any, ...] = (older, newer)
        if again_at is None:
            self._run(f"DELETE FROM unsure_pairs WHERE {pair}", *values)
            return
        sql = f"UPDATE unsure_pairs SET asked = asked + 1, next_at = ? WHERE {pair}"
        self._run(sql, again_at, *values)

    def forget_settled_pairs(self) -> int:
        """Drop the waiting pairs of which one fact is retired; how many."""
        return int(
            self._run(
                "DELETE FROM unsure_pairs WHERE older_nr NOT IN (SELECT nr FROM current_facts)"
                " OR newer_nr NOT IN (SELECT nr FROM current_facts)"
            ).rowcount
        )
