"""Keeping the journal and what each session was shown. A turn counts once."""

import hashlib
from collections.abc import Iterable
from datetime import timedelta

from dormouse.ledger.base import as_list, clean
from dormouse.ledger.ids import new_id
from dormouse.ledger.rows import Prepared, SummedBy
from dormouse.ledger.session_reads import SessionReads
from dormouse.sessions import Turn
from dormouse.times import parse, stamp

TWICE = timedelta(seconds=5)  # two hooks of one agent deliver one event within this
MEGABYTE = 1_000_000
KEPT_DAYS = 7  # idempotency keys
_SOURCES = "(?1, coalesce((SELECT forked_from FROM sessions WHERE agent = ?2 AND id = ?1), ?1))"


def line_key(agent: str, line_id: str) -> int:
    """64 bits that stand for a transcript line whose turn was dropped."""
    digest = hashlib.blake2b(f"{agent}\0{line_id}".encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest(), signed=True)


class SessionWrites(SessionReads):
    """Turns, sessions, receipts, transcripts and agents."""

    def journal(
        self,
        agent: str,
        turn: Turn,
        *,
        project_id: str | None,
        branch: str | None,
        at: str,
        state: str = "pending",
        reason: str | None = None,
    ) -> tuple[str, bool]:
        """Keep a turn once; its id, and whether it was new.

        A turn that a hook brought is matched to its transcript line, which then is its key. The id
        is "" for a line whose turn was dropped before: it doesn't come back.
        """
        prepared = self._prepared(turn.text)
        if turn.line_id is not None:
            known = self._known_line(agent, turn, turn.line_id, prepared.hash)
        else:
            known = self._known_hook(agent, turn, prepared.hash, at)
        if known is not None:
            return known, False
        self._refuse_if_full(len(prepared.text))
        return self._insert_turn(agent, turn, prepared, project_id, branch, at, state, reason), True

    def _insert_turn(
        self,
        agent: str,
        turn: Turn,
        prepared: Prepared,
        project_id: str | None,
        branch: str | None,
        at: str,
        state: str,
        reason: str | None,
    ) -> str:
        id = new_id()
        self._run(
            "INSERT INTO turns (id, agent, session_id, role, text, text_hash, original_length, at,"
            " state, reason, line_id, host_turn_id, by_hook, project_id, branch)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            id, agent, turn.session_id, str(turn.role), prepared.text, prepared.hash,
            turn.original_length, at, state, reason or None, turn.line_id or None,
            turn.host_turn_id or None, int(turn.line_id is None), project_id, branch,
        )  # fmt: skip
        return id

    def _known_line(self, agent: str, turn: Turn, line_id: str, text_hash: str) -> str | None:
        """The turn of a transcript line: by its id wherever it stands, or as a hook brought it."""
        id = self._scalar("SELECT id FROM turns WHERE agent = ? AND line_id = ?", agent, line_id)
        if id is not None:
            return str(id)
        if self._one("SELECT 1 FROM dropped_lines WHERE key = ?", line_key(agent, line_id)):
            return ""
        id = self._scalar(
            "SELECT id FROM turns WHERE session_id IN " + _SOURCES + " AND agent = ?2"
            " AND role = ?3 AND text_hash = ?4 AND line_id IS NULL"
            " AND (host_turn_id IS ?5 OR host_turn_id IS NULL OR ?5 IS NULL OR session_id <> ?1)"
            " ORDER BY host_turn_id IS ?5 DESC, nr DESC LIMIT 1",
            turn.session_id, agent, str(turn.role), text_hash, turn.host_turn_id,
        )  # fmt: skip
        if id is None:
            return None
        self._run("UPDATE turns SET line_id = ? WHERE id = ?", line_id, id)
        return str(id)

    def _known_hook(self, agent: str, turn: Turn, text_hash: str, at: str) -> str | None:
        """The turn that a hook brings again, or that a transcript line brought before it."""
        rows = self._all(
            "SELECT id, host_turn_id, by_hook, line_id, at FROM turns"
            " WHERE session_id = ? AND agent = ? AND role = ? AND text_hash = ?"
            " ORDER BY nr DESC LIMIT 20",
            turn.session_id, agent, str(turn.role), text_hash,
        )  # fmt: skip
        said_in = turn.host_turn_id or None
        for id, host_turn_id, by_hook, line_id, then in rows:
            same_turn = said_in is not None and host_turn_id in (said_in, clean(said_in))
            either_unknown = said_in is None or host_turn_id is None
            if by_hook and (same_turn or (either_unknown and _within(then, at))):
                return str(id)
            if not by_hook and line_id is not None and (same_turn or either_unknown):
                self._run(
                    "UPDATE turns SET by_hook = 1, host_turn_id = coalesce(host_turn_id, ?)"
                    " WHERE id = ?",
                    turn.host_turn_id, id,
                )  # fmt: skip
                return str(id)
        return None

    def set_turn_state(self, id: str, state: str, reason: str | None = None) -> None:
        """Move a turn to pending, done or parked."""
        self._run("UPDATE turns SET state = ?, reason = ? WHERE id = ?", state, reason or None, id)

    def drop_turns(self, session_id: str) -> int:
        """Take a session's turns out of the journal, for good, and its summary; how many turns."""
        self._run("UPDATE sessions SET summary = NULL, summed_by = NULL WHERE id = ?", session_id)
        return self._drop("session_id = ?", session_id)

    def trim_journal(self, days: int, megabytes: int) -> int:
        """Drop turns older than *days*, and the oldest beyond *megabytes*; how many."""
        now = self._clock()
        dropped = self._drop("at < ?", stamp(now - timedelta(days=days)))
        # The window runs over lengths only where the journal may be too large at all.
        size = self._scalar("SELECT sum(length(text)) FROM turns") or 0
        if size > megabytes * MEGABYTE // 4:
            dropped += self._drop(
                "nr IN (SELECT nr FROM (SELECT nr, sum(octet_length(text))"
                " OVER (ORDER BY at DESC, nr DESC) AS above FROM turns) WHERE above > ?)",
                megabytes * MEGABYTE,
            )
        self._run("DELETE FROM kept_answers WHERE at < ?", stamp(now - timedelta(days=KEPT_DAYS)))
        return dropped

    def _drop(self, where: str, *values: object) -> int:
        """Delete turns, but remember their lines: a fork may copy them into a new file."""
        for agent, line_id in self._all(
            f"SELECT agent, line_id FROM turns WHERE line_id IS NOT NULL AND {where}", *values
        ):
            self._run(
                "INSERT OR IGNORE INTO dropped_lines (key) VALUES (?)", line_key(agent, line_id)
            )
        return int(self._run(f"DELETE FROM turns WHERE {where}", *values).rowcount)

    def touch_session(
        self,
        agent: str,
        session_id: str,
        *,
        project_id: str | None = None,
        branch: str | None = None,
        cwd: str | None = None,
        transcript_path: str | None = None,
        attended: bool | None = None,
        ended: bool = False,
        prompted: bool = False,
        forked_from: str | None = None,
    ) -> None:
        """Note that a session is alive (or *ended*), and what is newly known of it.

        *prompted*: somebody speaks in it; one that had ended is then a reopened one.
        """
        now = self._now()
        self._run(
            "INSERT INTO sessions (agent, id, project_id, branch, cwd, started_at, last_at,"
            " ended_at, ended_once, attended, transcript_path, forked_from)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, CASE WHEN ?7 THEN ?6 END, ?7, ?8, ?9, ?10)"
            " ON CONFLICT (agent, id) DO UPDATE SET"
            " project_id = coalesce(excluded.project_id, project_id),"
            " branch = coalesce(excluded.branch, branch), cwd = coalesce(excluded.cwd, cwd),"
            " last_at = excluded.last_at, ended_at = excluded.ended_at,"
            " reopened = max(reopened, ?11 AND ended_once), ended_once = max(ended_once, ?7),"
            " attended = coalesce(excluded.attended, attended),"
            " transcript_path = coalesce(excluded.transcript_path, transcript_path),"
            " forked_from = coalesce(excluded.forked_from, forked_from)",
            agent, session_id, project_id or None, branch or None, cwd or None, now, int(ended),
            None if attended is None else int(attended), transcript_path or None,
            forked_from or None, int(prompted),
        )  # fmt: skip

    def set_session_summary(
        self, agent: str, session_id: str, summary: str, by: SummedBy = "host"
    ) -> None:
        """Keep what a session came to so far; not the person's words, and no sign of life."""
        text, now = self._prepared(summary).text, self._now()
        self._run(
            "INSERT OR IGNORE INTO sessions (agent, id, started_at, last_at) VALUES (?, ?, ?, ?)",
            agent, session_id, now, now,
        )  # fmt: skip
        self._run(
            "UPDATE sessions SET summary = ?1, summed_by = ?2, summed_to = (SELECT max(nr)"
            " FROM turns WHERE session_id = ?4 AND agent = ?3) WHERE agent = ?3 AND id = ?4",
            text or None, by, agent, session_id,
        )  # fmt: skip

    def note_uses(self, agent: str, session_id: str, fact_ids: Iterable[str], how: str) -> None:
        """Note that a session was shown facts (recalled, acknowledged) or said them itself."""
        self._run(
            "INSERT INTO uses (agent, session_id, fact_id, at, how)"
            " SELECT ?, ?, id, ?, ? FROM facts WHERE id IN (SELECT value FROM json_each(?))"
            " ON CONFLICT (agent, session_id, fact_id) DO UPDATE SET at = excluded.at, shown = 1,"
            " how = CASE WHEN how = 'said' THEN how ELSE excluded.how END,"
            " told_current = 1, taken_back_at = NULL",
            agent, session_id, self._now(), how, as_list(fact_ids),
        )  # fmt: skip

    def mark_used(self, agent: str, session_id: str, fact_ids: Iterable[str]) -> None:
        """Note that a session made use of facts that it was shown."""
        self._run(
            "UPDATE uses SET used = 1 WHERE agent = ? AND session_id = ?"
            " AND fact_id IN (SELECT value FROM json_each(?))",
            agent, session_id, as_list(fact_ids),
        )  # fmt: skip

    def mark_told(
        self, agent: str, session_id: str, fact_ids: Iterable[str], *, current: bool
    ) -> None:
        """Note that a session was told that facts are no longer true, or are true again."""
        self._run(
            "UPDATE uses SET told_current = ?, taken_back_at = ? WHERE agent = ?"
            " AND session_id = ? AND fact_id IN (SELECT value FROM json_each(?))",
            int(current), None if current else self._now(), agent, session_id, as_list(fact_ids),
        )  # fmt: skip

    def forget_shown(self, agent: str, session_id: str) -> None:
        """After a compaction facts may be shown again; what ended is still taken back."""
        self._run("UPDATE uses SET shown = 0 WHERE agent = ? AND session_id = ?", agent, session_id)

    def inherit_uses(self, agent: str, from_session: str, to_session: str) -> None:
        """A fork knows what the session knew whose lines it copied."""
        if from_session == to_session:
            return
        self._run(
            "INSERT OR IGNORE INTO uses (agent, session_id, fact_id, at, how, shown, used,"
            " told_current, taken_back_at) SELECT agent, ?, fact_id, at, how, shown, 0,"
            " told_current, taken_back_at FROM uses WHERE agent = ? AND session_id = ?",
            to_session, agent, from_session,
        )  # fmt: skip
        self.touch_session(agent, to_session, forked_from=from_session)

    def set_transcript(
        self,
        path: str,
        agent: str,
        session_id: str | None,
        offset: int,
        inode: int,
        size: int,
        skipped: int = 0,
    ) -> None:
        """Note how far a transcript was read."""
        self._run(
            "INSERT OR REPLACE INTO transcripts (path, agent, session_id, offset, inode, size,"
            " skipped, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            path, agent, session_id, offset, inode, size, skipped, self._now(),
        )  # fmt: skip

    def set_agent(
        self,
        id: str,
        *,
        connected: bool | None = None,
        root: str | None = None,
        settings_path: str | None = None,
        last_event: str | None = None,
        undelivered: int | None = None,
    ) -> None:
        """Note what is newly known of an agent; what is None stays as it was."""
        now = self._now()
        self._run(
            "INSERT INTO agents (id, connected, root, settings_path, connected_at, last_event,"
            " last_event_at, undelivered) VALUES (?1, coalesce(?2, 0), ?3, ?4, ?5, ?6, ?7,"
            " coalesce(?8, 0)) ON CONFLICT (id) DO UPDATE SET connected = coalesce(?2, connected),"
            " root = coalesce(?3, root), settings_path = coalesce(?4, settings_path),"
            " connected_at = coalesce(?5, connected_at), last_event = coalesce(?6, last_event),"
            " last_event_at = coalesce(?7, last_event_at),"
            " undelivered = coalesce(?8, undelivered)",
            id, None if connected is None else int(connected), root or None,
            settings_path or None, now if connected else None, last_event or None,
            now if last_event else None, undelivered,
        )  # fmt: skip
        if connected:  # what rang before says nothing of the hooks that stand there now
            self._run("UPDATE agent_events SET times = 0 WHERE agent = ?", id)

    def note_event(self, agent: str, event: str) -> None:
        """An event that the agent's settings name did ring."""
        self._run(
            "INSERT INTO agent_events (agent, event, at, times) VALUES (?1, ?2, ?3, 1)"
            " ON CONFLICT (agent, event) DO UPDATE SET at = ?3, times = times + 1",
            agent, event, self._now(),
        )  # fmt: skip


def _within(then: str, now: str) -> bool:
    return abs(parse(now) - parse(then)) <= TWICE


__all__ = ["SessionWrites", "line_key"]
