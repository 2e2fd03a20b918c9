"""Capturing, retiring and restoring facts. It never changes a text and never removes a fact."""

from collections.abc import Iterable

from dormouse.errors import BadRequest, Conflict, NotFound
from dormouse.facts import NO_DETAIL, Because, Fact, NewFact, Scope, Slot, Source, Trust
from dormouse.ledger.base import as_list, clean
from dormouse.ledger.detail_rows import DetailWrites
from dormouse.ledger.fact_reads import COLUMNS, FactReads
from dormouse.ledger.rows import Captured, Prepared

LONGEST = 4_000  # characters of a fact's text
SUPPORT = 0.5  # how much of the remaining doubt a new source takes away
SUREST = 0.999
_BEGAN_NOTHING = "('forgotten', 'owner', 'corrected', 'duplicate', 'merged', 'erased')"


def safe_slot(slot: Slot, prepared: Prepared) -> Slot:
    """*slot*, which may have been read from a text before its secrets were taken out of it.

    A part with a word that the redacted text no longer holds is dropped.
    """
    if not prepared.types or slot == Slot():
        return slot
    folded = prepared.text.casefold()

    def keep(part: str | None, longest: int) -> str | None:
        if part is None:
            return None
        words = part.casefold().split()
        return None if any(len(w) > longest and w not in folded for w in words) else part

    # Subjects and attributes have canonical names, maybe not in the text; secrets are long.
    return Slot(keep(slot.subject, 11), keep(slot.attribute, 11), keep(slot.value, 0))


class FactWrites(DetailWrites, FactReads):
    """The facts' only way in, out of sight, and back."""

    def capture(self, new: NewFact) -> Captured:
        """Keep a statement: as a new fact, or as one more source of a fact of equal text.

        Raises BadRequest for a text that is empty or longer than 4,000 characters.
        """
        prepared = self._prepared(new.text)
        if not 1 <= len(prepared.text) <= LONGEST or not prepared.text.strip():
            raise BadRequest(what=f"a fact has 1 to {LONGEST} characters")
        now = self._now()
        stated_at = new.stated_at or now
        valid_from = new.valid_from or stated_at
        known = self._same_statement(prepared.hash, new, valid_from)
        if known is not None:
            return Captured(self._detailed(self._support(known, new), new), "known")
        self._refuse_if_full()
        fact = self._insert(new, prepared, now, stated_at, valid_from)
        return Captured(self._detailed(fact, new), "new")

    def _detailed(self, fact: Fact, new: NewFact) -> Fact:
        if new.detail == NO_DETAIL:
            return fact
        self.add_detail(fact.id, new.detail, new.trust)
        return self.fact(fact.id)

    def add_source(self, fact_id: str, source: Source) -> Fact:
        """Note that a fact was stated again; the same session counts once. Raises NotFound.

        Without a session (the owner's own program) each time it is said counts.
        """
        fact = self.fact(fact_id)
        said = (source.agent, source.session_id, None if source.session_id else source.at)
        if any(
            (s.agent, s.session_id, None if s.session_id else s.at) == said for s in fact.sources
        ):
            return fact
        self._insert_source(fact_id, self._next_source(fact_id), source)
        surer = min(SUREST, 1 - (1 - fact.confidence) * (1 - SUPPORT))
        surer = max(surer, fact.confidence)
        self._run("UPDATE facts SET confidence = ? WHERE id = ?", surer, fact_id)
        return self.fact(fact_id)

    def retire(
        self,
        id: str,
        *,
        because: Because,
        by: str,
        run_id: str | None,
        superseded_by: str | None = None,
    ) -> Fact:
        """Strike a current fact through. Raises NotFound, or Conflict if it is retired already."""
        row = self._one("SELECT retired_at, valid_from, valid_to FROM facts WHERE id = ?", id)
        if row is None:
            raise NotFound(what="fact", id=id)
        if row[0] is not None:
            raise Conflict(what=f"fact {id} is retired already")
        now, valid_to = self._now(), row[2]
        if superseded_by is not None and because in (Because.SUPERSEDED, Because.CORRECTED):
            successor = self._scalar("SELECT valid_from FROM facts WHERE id = ?", superseded_by)
            if successor is None:
                raise NotFound(what="fact", id=superseded_by)
            # A correction that reaches further back leaves an empty interval: it never held.
            valid_to = max(row[1], successor)
        self._run(
            "UPDATE facts SET retired_at = ?, retired_because = ?, superseded_by = ?, valid_to = ?"
            " WHERE id = ? AND retired_at IS NULL",
            now, str(because), superseded_by, valid_to, id,
        )  # fmt: skip
        self._run(
            "INSERT INTO retirements (fact_id, at, because, by, run_id, superseded_by,"
            " valid_to_before) VALUES (?, ?, ?, ?, ?, ?, ?)",
            id, now, str(because), by, run_id, superseded_by, row[2],
        )  # fmt: skip
        return self.fact(id)

    def _bring_back(self, id: str, by: str) -> Fact:
        """The exact inverse of ``retire``; what it left suppressed may be learnt again."""
        before = self._one(
            "SELECT valid_to_before FROM retirements WHERE fact_id = ? AND ended_at IS NULL", id
        )
        self._run(
            "UPDATE facts SET retired_at = NULL, retired_because = NULL, superseded_by = NULL,"
            " valid_to = ? WHERE id = ? AND retired_at IS NOT NULL",
            before[0] if before is not None else None, id,
        )  # fmt: skip
        self._run(
            "UPDATE retirements SET ended_at = ?, ended_by = ?"
            " WHERE fact_id = ? AND ended_at IS NULL",
            self._now(), by, id,
        )  # fmt: skip
        self._run(
            "DELETE FROM suppressions WHERE EXISTS (SELECT 1 FROM facts WHERE id = ?"
            " AND text_hash = suppressions.text_hash"
            " AND (suppressions.project_id IS NULL OR suppressions.project_id = project_id))",
            id,
        )
        return self.fact(id)

    def set_pinned(self, id: str, pinned: bool) -> Fact:
        """Pin or unpin a fact. Raises NotFound."""
        self._run("UPDATE facts SET pinned = ? WHERE id = ?", int(pinned), id)
        return self.fact(id)

    def mark_settled(self, fact_ids: Iterable[str]) -> None:
        """These facts were looked at for contradictions."""
        self._run(
            "DELETE FROM unsettled WHERE fact_nr IN (SELECT nr FROM facts WHERE id IN"
            " (SELECT value FROM json_each(?)))",
            as_list(fact_ids),
        )

    def _same_statement(self, text_hash: str, new: NewFact, valid_from: str) -> Fact | None:
        """The fact that *new* only states again: equal text, and it held at that time.

        Not if another value of its slot began in between: then it is a value that returns.
        """
        place, values = _same_place(new)
        rows = self._all(
            f"SELECT {COLUMNS} FROM facts AS f WHERE f.text_hash = ? AND {place}"
            " AND f.valid_from <= ? AND coalesce(f.valid_to, f.retired_at, '~') > ?"
            " AND NOT EXISTS (SELECT 1 FROM facts AS o WHERE o.subject = f.subject"
            " AND o.attribute = f.attribute AND o.value IS NOT f.value AND o.scope = f.scope"
            " AND o.project_id IS f.project_id AND o.valid_from > f.valid_from"
            " AND o.valid_from <= ? AND (f.scope <> 'branch' OR o.branch = f.branch)"
            " AND (f.scope <> 'session' OR o.session_id = f.session_id)"
            f" AND (o.retired_because IS NULL OR o.retired_because NOT IN {_BEGAN_NOTHING}))"
            " ORDER BY f.valid_from DESC, f.id LIMIT 1",
            text_hash, *values, valid_from, valid_from, valid_from,
        )  # fmt: skip
        return self._with_sources(rows)[0] if rows else None

    def _support(self, known: Fact, new: NewFact) -> Fact:
        """Add *new* as a source of *known*; a more trusted speaker vouches for it from now on."""
        at = new.source.at or new.stated_at or self._now()
        fact = self.add_source(known.id, _timed(new.source, at))
        trust: Trust = max(fact.trust, new.trust, key=lambda t: t.rank)
        if trust is fact.trust and (fact.pinned or not new.pinned):
            return fact
        self._run(
            "UPDATE facts SET trust = ?, pinned = max(pinned, ?) WHERE id = ?",
            str(trust), int(new.pinned), fact.id,
        )  # fmt: skip
        if trust is not fact.trust and fact.current:
            # What an agent's word could not retire, the person's may.
            self._run(
                "INSERT OR IGNORE INTO unsettled (fact_nr) SELECT nr FROM facts WHERE id = ?",
                fact.id,
            )
        return self.fact(fact.id)

    def _insert(
        self, new: NewFact, prepared: Prepared, now: str, stated_at: str, valid_from: str
    ) -> Fact:
        slot, words = safe_slot(new.slot, prepared), clean(prepared.words_of(prepared.text))
        place = (new.project_id or None, new.branch or None, new.session_id or None)
        named = (slot.subject or None, slot.attribute or None, slot.value or None)
        done = self._run(
            "INSERT INTO facts (id, scope, project_id, branch, session_id, kind, layer, trust,"
            " confidence, importance, weight, pinned, stated_at, valid_from, captured_at, language,"
            " subject, attribute, value, text_hash, text, words)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            new.id, str(new.scope), *place, str(new.kind), str(new.layer), str(new.trust),
            new.confidence, new.importance, new.weight, int(new.pinned), stated_at, valid_from,
            now, new.language or None, *named, prepared.hash, prepared.text, words,
        )  # fmt: skip
        nr = done.lastrowid
        self._run("INSERT INTO search (rowid, words, near) VALUES (?, ?, '')", nr, words)
        self._run("INSERT INTO unsettled (fact_nr) VALUES (?)", nr)
        source = _timed(new.source, new.source.at or stated_at)
        self._insert_source(new.id, 1, source)
        name = None
        if place[0] is not None:
            name = self._scalar("SELECT name FROM projects WHERE id = ?", place[0])
        # Put together here: reading the row back would cost as much as writing it.
        return Fact(
            new.id, prepared.text, new.kind, new.layer, new.scope, place[0], name, place[1],
            place[2], Slot(*named), new.language or None, new.trust, new.confidence,
            new.importance, new.weight, new.pinned, stated_at, now, valid_from, None, None, None,
            None, (source,),
        )  # fmt: skip

    def _next_source(self, fact_id: str) -> int:
        return 1 + int(
            self._scalar("SELECT coalesce(max(nr), 0) FROM sources WHERE fact_id = ?", fact_id)
        )

    def _insert_source(self, fact_id: str, nr: int, source: Source) -> None:
        self._run(
            "INSERT INTO sources (fact_id, nr, agent, session_id, turn_id, how, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            fact_id, nr, source.agent or None, source.session_id or None, source.turn_id or None,
            str(source.how), source.at,
        )  # fmt: skip


def _timed(source: Source, at: str) -> Source:
    if source.at == at:
        return source
    return Source(source.agent, source.session_id, source.turn_id, source.how, at)


def _same_place(new: NewFact) -> tuple[str, tuple[str | None, ...]]:
    """The condition for facts that hold for exactly the same as *new*."""
    if new.scope in (Scope.USER, Scope.ORGANISATION):
        return "f.scope = ?", (str(new.scope),)
    if new.scope is Scope.SESSION:
        return "f.scope = 'session' AND f.session_id = ?", (new.session_id,)
    if new.scope is Scope.BRANCH:
        place = "f.scope = 'branch' AND f.project_id = ? AND f.branch = ?"
        return place, (new.project_id, new.branch)
    return "f.scope = 'project' AND f.project_id = ?", (new.project_id,)
