"""Carrying out what was judged, and taking it back. A judge is never asked here, and never trusted
to say more than one of three words."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dormouse.errors import BadRequest, Conflict, NotFound
from dormouse.facts import Because, Fact, NewFact, Slot
from dormouse.judgments import Decision, Outcome, Ruling, Verdict
from dormouse.ledger.folding import FoldWrites
from dormouse.ledger.ids import new_id
from dormouse.ledger.judgment_reads import OWNER, JudgmentReads
from dormouse.ledger.rows import Captured, CarriedOut

UNDO = "undo"  # stands as the judge of a pair whose run was taken back
_ENDED = ("done", "stopped", "paused", "failed", "undone")


class JudgmentWrites(JudgmentReads, FoldWrites):
    """Every carry-out belongs to a run; judgments and outcomes only grow."""

    def open_run(self, kind: str) -> str:
        """Begin a run of kind settle, rem or owner; its id."""
        id = new_id()
        self._run(
            "INSERT INTO runs (id, kind, state, started_at, facts_before)"
            " VALUES (?, ?, 'running', ?, (SELECT count(*) FROM current_facts))",
            id, kind, self._now(),
        )  # fmt: skip
        return id

    def close_run(self, run_id: str, *, state: str, report: Mapping[str, Any]) -> None:
        """End a run with its report (counts and ids, no texts). Raises NotFound."""
        if state not in _ENDED:
            raise ValueError(f"a run doesn't end as {state}")
        done = self._run(
            "UPDATE runs SET state = ?, ended_at = ?, report = ?,"
            " facts_after = (SELECT count(*) FROM current_facts) WHERE id = ?",
            state, self._now(), json.dumps(dict(report)), run_id,
        )  # fmt: skip
        if done.rowcount != 1:
            raise NotFound(what="run", id=run_id)

    def stop_run(self, run_id: str, decisions: Sequence[Decision]) -> None:
        """Carry nothing of a plan out: keep it for the owner, and its retirements as questions."""
        plan = [[d.older_id, d.newer_id, *_plain(d.ruling)] for d in decisions]
        done = self._run(
            "UPDATE runs SET state = 'stopped', plan = ? WHERE id = ?", json.dumps(plan), run_id
        )
        if done.rowcount != 1:
            raise NotFound(what="run", id=run_id)
        for decision in decisions:
            if decision.ruling.verdict is not Verdict.KEEP and self._open(decision):
                judgment = self._judge(decision, run_id, level="local")
                self._note_outcome(judgment, Outcome.ASKED, decision.ruling.judge)

    def carry_out(self, decisions: Sequence[Decision], *, run_id: str, level: str) -> CarriedOut:
        """Do what was decided, after looking again: both current, and no word of the owner on it.

        A plan that had been stopped is carried out on the owner's word. Raises NotFound (run).
        """
        state = self._scalar("SELECT state FROM runs WHERE id = ?", run_id)
        if state is None:
            raise NotFound(what="run", id=run_id)
        retired: list[tuple[str, str]] = []
        kept = asked = skipped = 0
        for decision in decisions:
            if not self._open(decision):
                skipped += 1
                continue
            judgment = self._judge(decision, run_id, level)
            by = OWNER if state == "stopped" else decision.ruling.judge
            if decision.ruling.verdict is Verdict.SUPERSEDE:
                self._supersede(decision, judgment, run_id, by)
                retired.append((decision.older_id, decision.newer_id))
            elif decision.ruling.verdict is Verdict.KEEP:
                kept += 1
            else:
                self._note_outcome(judgment, Outcome.ASKED, by)
                asked += 1
        return CarriedOut(retired, kept, asked, skipped)

    def split_fact(
        self, decision: Decision, parts: Sequence[NewFact], *, run_id: str, level: str
    ) -> list[Fact]:
        """Keep what still holds of the older fact as *parts*, then supersede it by the newer.

        Nothing happens, and the list is empty, if the pair is no longer open. Raises NotFound.
        """
        if not self._open(decision):
            return []
        made = self._capture_parts(decision.older_id, parts)
        judgment = self._judge(decision, run_id, level)
        self._supersede(decision, judgment, run_id, decision.ruling.judge)
        return made

    def restore(self, id: str, *, by: str) -> Fact:
        """Take a retirement back. The owner's keep then stands for it and its successor, for good.

        Raises NotFound, or Conflict if the fact is current.
        """
        fact = self.fact(id)
        if fact.current:
            raise Conflict(what=f"fact {id} is not retired")
        successor = fact.superseded_by
        self._overrule(id, by, Outcome.OVERRULED)
        restored = self._bring_back(id, by)
        self._take_parts_back(id, by)
        self._unfold(id, successor)
        if successor is not None:
            ruling = Ruling(Verdict.KEEP, OWNER, reason="restored")
            self._judge(Decision(id, successor, ruling), None, level=OWNER)
        return restored

    def correct(self, id: str, new: NewFact) -> Captured:
        """Put *new* in the place of a current fact, whose text isn't learnt again by itself.

        Raises NotFound, Conflict if the fact is retired or *new* says the same.
        """
        old = self.fact(id)
        if not old.current:
            raise Conflict(what=f"fact {id} is retired already")
        # Not left to capture: where another value began since, it would be one that returns.
        if self.hash_of(new.text) == self.hash_of(old.text):
            raise Conflict("Nothing was changed.", what=f"fact {id} says that already")
        captured = self.capture(new)
        run = self.open_run(OWNER)
        ruling = Ruling(Verdict.SUPERSEDE, OWNER, reason="corrected")
        judgment = self._judge(Decision(id, captured.fact.id, ruling), run, level=OWNER)
        self.retire(
            id, because=Because.CORRECTED, by=OWNER, run_id=run, superseded_by=captured.fact.id
        )
        self._note_outcome(judgment, Outcome.CARRIED_OUT, OWNER)
        self.suppress(
            text_hash=self.hash_of(old.text), slot=old.slot, project_id=old.project_id, by=OWNER
        )
        self.close_run(run, state="done", report={"retired": [id]})
        return captured

    def undo_run(self, run_id: str, *, by: str) -> list[str]:
        """Restore every fact that a run retired; its pairs wait as questions. The restored ids.

        Raises NotFound, or Conflict if there is nothing to undo.
        """
        run = self.run(run_id)
        if run.state in ("running", "undone", "stopped"):
            raise Conflict(what=f"run {run_id} can't be undone, it is {run.state}")
        rows = self._all(
            "SELECT fact_id, superseded_by FROM retirements WHERE run_id = ? AND ended_at IS NULL"
            " ORDER BY nr DESC",
            run_id,
        )
        for fact_id, successor in rows:
            self._overrule(fact_id, by, Outcome.UNDONE)
            self._bring_back(fact_id, by)
            self._take_parts_back(fact_id, by)
            self._unfold(fact_id, successor)
            if successor is not None:
                ruling = Ruling(Verdict.UNSURE, UNDO, reason="undone")
                judgment = self._judge(Decision(fact_id, successor, ruling), run_id, level=OWNER)
                self._note_outcome(judgment, Outcome.ASKED, by)
        self._run(
            "UPDATE runs SET state = 'undone',"
            " facts_after = (SELECT count(*) FROM current_facts) WHERE id = ?",
            run_id,
        )
        return [row[0] for row in rows]

    def answer_question(self, judgment_id: str, verdict: Verdict) -> Fact:
        """The owner's word on an open pair; the older fact as it is then.

        Raises NotFound, Conflict if the question is no longer open, BadRequest for unsure.
        """
        if verdict is Verdict.UNSURE:
            raise BadRequest(what="a question is answered with supersede or keep")
        asked = self.judgment(judgment_id)
        if self._one("SELECT 1 FROM open_questions WHERE id = ?", judgment_id) is None:
            raise Conflict(what=f"question {judgment_id} is no longer open")
        run = self.open_run(OWNER)
        decision = Decision(asked.older_id, asked.newer_id, Ruling(verdict, OWNER))
        judgment = self._judge(decision, run, level=OWNER)
        retired = []
        if verdict is Verdict.SUPERSEDE:
            self._supersede(decision, judgment, run, OWNER)
            retired = [asked.older_id]
        self.close_run(run, state="done", report={"retired": retired})
        return self.fact(asked.older_id)

    def suppress(self, *, text_hash: str, slot: Slot, project_id: str | None, by: str) -> None:
        """Keep a statement from being learnt again until a person states it anew."""
        self._run(
            "INSERT INTO suppressions (text_hash, subject, attribute, value, project_id, by, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            text_hash, slot.subject or None, slot.attribute or None, slot.value or None,
            project_id, by, self._now(),
        )  # fmt: skip

    def lift_suppression(self, *, text_hash: str, slot: Slot, project_id: str | None) -> None:
        """A person stated it anew: it may be learnt again, here and for the user."""
        self._run(
            "DELETE FROM suppressions WHERE (text_hash = ? OR (subject = ? AND attribute = ?"
            " AND (value IS NULL OR value = ?))) AND (project_id IS NULL OR project_id IS ?)",
            text_hash, slot.subject, slot.attribute, slot.value, project_id,
        )  # fmt: skip

    def _open(self, decision: Decision) -> bool:
        """Whether both facts are current still and nobody said the last word on them."""
        (current,) = self._one(
            "SELECT count(*) FROM current_facts WHERE id IN (?, ?)",
            decision.older_id, decision.newer_id,
        )  # fmt: skip
        if current != 2:
            return False
        return decision.ruling.judge == OWNER or not self.is_final(
            decision.older_id, decision.newer_id
        )

    def _supersede(self, decision: Decision, judgment: str, run_id: str, by: str) -> None:
        self.retire(
            decision.older_id,
            because=Because.SUPERSEDED,
            by=decision.ruling.judge,
            run_id=run_id,
            superseded_by=decision.newer_id,
        )
        self._note_outcome(judgment, Outcome.CARRIED_OUT, by)

    def _judge(self, decision: Decision, run_id: str | None, level: str) -> str:
        ruling = decision.ruling
        id = new_id()
        reason = self._prepared(ruling.reason).text if ruling.reason else None
        self._run(
            "INSERT INTO judgments (id, older_id, newer_id, verdict, probability, judge, level,"
            " run_id, reason, vetoed_by, prompt_hash, asked_at, took_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            id, decision.older_id, decision.newer_id, str(ruling.verdict), ruling.probability,
            ruling.judge, level, run_id, reason,
            str(ruling.vetoed_by) if ruling.vetoed_by is not None else None,
            ruling.prompt_hash, self._now(), ruling.took_ms,
        )  # fmt: skip
        return id

    def _note_outcome(self, judgment_id: str, outcome: Outcome, by: str) -> None:
        self._run(
            "INSERT INTO outcomes (judgment_id, outcome, by, at) VALUES (?, ?, ?, ?)",
            judgment_id, str(outcome), by, self._now(),
        )  # fmt: skip

    def _overrule(self, older_id: str, by: str, outcome: Outcome) -> None:
        """Write down what becomes of the judgment that retired a fact, if one did."""
        judgment_id = self._scalar(
            "SELECT j.id FROM judgments AS j JOIN facts AS f ON f.id = j.older_id"
            " AND f.superseded_by = j.newer_id WHERE j.older_id = ? AND (SELECT outcome"
            " FROM outcomes WHERE judgment_id = j.id ORDER BY nr DESC LIMIT 1) = 'carried_out'"
            " ORDER BY j.nr DESC LIMIT 1",
            older_id,
        )
        if judgment_id is not None:
            self._note_outcome(judgment_id, outcome, by)


def _plain(ruling: Ruling) -> list[Any]:
    """A ruling as JSON; judgment_reads makes it a ruling again."""
    vetoed = str(ruling.vetoed_by) if ruling.vetoed_by is not None else None
    return [
        str(ruling.verdict), ruling.judge, ruling.probability, ruling.reason, vetoed,
        ruling.prompt_hash, ruling.took_ms,
    ]  # fmt: skip
