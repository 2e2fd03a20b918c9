"""What a session is busy with, what its tools touched, and which agents reached a limit.

Names and paths only of tools, never what they printed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dormouse.facts import Look
from dormouse.layers import Focus, FocusKind
from dormouse.ledger.base import Connected, visible
from dormouse.quota import Limit

KEPT = 100  # names a session's tools touched; the oldest go


@dataclass(frozen=True, slots=True)
class TouchedRow:
    """A file or a program that a session's tools touched; ``ok`` is how it last ended."""

    what: str
    name: str
    ok: bool | None
    at: str


class FocusReads(Connected):
    """Working memory, touched names, limits, counts by layer."""

    def focus(self, agent: str, session_id: str, project_id: str | None) -> tuple[Focus, ...]:
        """One session's working memory in one project, oldest first: sessions move about."""
        rows = self._all(
            "SELECT kind, text, at, quoted FROM focus WHERE agent = ? AND session_id = ?"
            " AND project_id IS ? ORDER BY at, text",
            agent, session_id, project_id,
        )  # fmt: skip
        return tuple(Focus(FocusKind(row[0]), row[1], row[2], bool(row[3])) for row in rows)

    def project_focus(self, project_id: str) -> list[tuple[str, str, Focus]]:
        """(agent, session, focus) of every session of a project, oldest first."""
        rows = self._all(
            "SELECT agent, session_id, kind, text, at, quoted FROM focus WHERE project_id = ?"
            " ORDER BY at, text",
            project_id,
        )
        return [
            (row[0], row[1], Focus(FocusKind(row[2]), row[3], row[4], bool(row[5]))) for row in rows
        ]

    def touched(self, agent: str, session_id: str, what: str) -> list[TouchedRow]:
        """What a session's tools touched, oldest first."""
        rows = self._all(
            "SELECT what, name, ok, at FROM touched WHERE agent = ? AND session_id = ?"
            " AND what = ? ORDER BY at, name",
            agent, session_id, what,
        )  # fmt: skip
        return [TouchedRow(r[0], r[1], None if r[2] is None else bool(r[2]), r[3]) for r in rows]

    def limits(self) -> list[Limit]:
        """What is known of each agent's limit."""
        rows = self._all(
            "SELECT agent, session_id, reached, used, resets_at, at FROM limits ORDER BY agent"
        )
        return [Limit(row[0], row[1], bool(row[2]), row[3], row[4], row[5]) for row in rows]

    def count_by_layer(self, look: Look) -> dict[str, int]:
        """Current facts that *look* may see, by layer."""
        condition, values = visible(look)
        rows: Sequence[Any] = self._all(
            f"SELECT f.layer, count(*) FROM current_facts AS f WHERE {condition} GROUP BY f.layer",
            *values,
        )
        return dict(rows)


class FocusWrites(FocusReads):
    """Keeping them."""

    def set_focus(
        self,
        agent: str,
        session_id: str,
        project_id: str | None,
        before: Iterable[Focus],
        after: Iterable[Focus],
    ) -> None:
        """A session's working memory, *before* a while ago, is now *after*: only what differs."""
        old, new = set(before), set(after)
        for place in old - new:
            self._run(
                "DELETE FROM focus WHERE agent = ? AND session_id = ? AND kind = ?"
                " AND text_hash = ?",
                agent, session_id, str(place.kind), self.hash_of(place.text),
            )  # fmt: skip
        for place in new - old:
            prepared = self._prepared(place.text)
            if prepared.text.strip():
                self._run(
                    "INSERT OR REPLACE INTO focus (agent, session_id, kind, text_hash, project_id,"
                    " at, text, quoted) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    agent, session_id, str(place.kind), prepared.hash, project_id, place.at,
                    prepared.text, int(place.quoted),
                )  # fmt: skip

    def note_touched(
        self, agent: str, session_id: str, what: str, name: str, ok: bool | None, at: str
    ) -> None:
        """A session's tool touched a file, or ran a program that ended so."""
        self._run(
            "INSERT INTO touched (agent, session_id, what, name, ok, at) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET ok = excluded.ok, at = excluded.at",
            agent, session_id, what, self._prepared(name).text,
            None if ok is None else int(ok), at,
        )  # fmt: skip
        self._run(
            "DELETE FROM touched WHERE agent = ?1 AND session_id = ?2 AND what = ?3 AND name IN"
            " (SELECT name FROM touched WHERE agent = ?1 AND session_id = ?2 AND what = ?3"
            " ORDER BY at DESC, name LIMIT -1 OFFSET ?4)",
            agent, session_id, what, KEPT,
        )  # fmt: skip

    def note_limit(self, limit: Limit) -> None:
        """What is now known of an agent's limit."""
        self._run(
            "INSERT OR REPLACE INTO limits (agent, session_id, reached, used, resets_at, at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            limit.agent, limit.session_id, int(limit.reached), limit.used, limit.resets_at,
            limit.at,
        )  # fmt: skip
