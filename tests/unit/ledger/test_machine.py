"""Whatever is done to a ledger, in whatever order: the facts only grow, and no text changes."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from dormouse.errors import Conflict
from dormouse.facts import Because, Fact
from dormouse.judgments import Verdict
from dormouse.ledger import Writer
from tests.unit.ledger import store
from tests.unit.ledger.store import EVERYTHING, decide, dump, new_fact

SUBJECTS = st.sampled_from(["port", "tea", "runner"])
VALUES = st.sampled_from(["1", "2", "3"])
DAYS = st.integers(1, 28)
TEMPLATE: list[Path] = []


def fresh_store() -> Path:
    """A folder with a new store; it is made once and copied."""
    if not TEMPLATE:
        TEMPLATE.append(store.make(Path(tempfile.mkdtemp(prefix="dormouse"))))
    folder = Path(tempfile.mkdtemp(prefix="dormouse"))
    os.link(TEMPLATE[0].with_name("ballast"), folder / "ballast")
    return Path(shutil.copy(TEMPLATE[0], folder))


class Life(RuleBasedStateMachine):
    """One ledger beside a model of it: what was captured, and which of it is current."""

    facts = Bundle("facts")
    runs = Bundle("runs")

    @initialize()
    def begin(self) -> None:
        self.path = fresh_store()
        self.clock = store.Clock()
        self.ledger = store.open_ledger(self.path, now=self.clock)
        self.texts: dict[str, str] = {}
        self.current: set[str] = set()
        self.final: set[tuple[str, str]] = set()

    def write(self, do: Any) -> Any:
        return self.ledger.write(do).result(10)

    @rule(target=facts, subject=SUBJECTS, value=VALUES, day=DAYS, session=st.sampled_from("abc"))
    def capture(self, subject: str, value: str, day: int, session: str) -> Fact:
        new = new_fact(f"{subject} is {value}", store.day(f"03-{day:02}"), session=session)
        captured = self.write(lambda w: w.capture(new))
        if captured.state == "new":
            assert captured.fact.id not in self.texts
            self.texts[captured.fact.id] = new.text
            self.current.add(captured.fact.id)
        assert captured.fact.text == new.text
        return captured.fact  # type: ignore[no-any-return]

    @rule(fact=facts, because=st.sampled_from([Because.FORGOTTEN, Because.OWNER]))
    def retire(self, fact: Fact, because: Because) -> None:
        def do(w: Writer) -> None:
            w.retire(fact.id, because=because, by="owner", run_id=None)

        if fact.id in self.current:
            self.write(do)
            self.current.remove(fact.id)
        else:
            self.refused(do)

    @rule(
        target=runs,
        pairs=st.lists(st.tuples(facts, facts, st.sampled_from(list(Verdict))), max_size=4),
        judge=st.sampled_from(["slot:1", "owner"]),
    )
    def carry_out(self, pairs: list[tuple[Fact, Fact, Verdict]], judge: str) -> str:
        pairs = [(a, b, v) for a, b, v in pairs if a.id != b.id]
        expected = set(self.current)
        for older, newer, verdict in pairs:
            open_still = {older.id, newer.id} <= expected
            if judge == "owner" and open_still:
                self.final.add((older.id, newer.id))
                if verdict is Verdict.SUPERSEDE:
                    expected.remove(older.id)
        decisions = [decide(a, b, verdict=v, judge=judge) for a, b, v in pairs]
        run, done = store.settle(self.ledger, *decisions)
        assert len(done.retired) + done.kept + done.asked + done.skipped == len(pairs)
        for older_id, newer_id in done.retired:
            assert {older_id, newer_id} <= self.current
            assert judge == "owner" or (older_id, newer_id) not in self.final
            self.current.remove(older_id)
        assert judge != "owner" or self.current == expected
        return run

    @rule(fact=facts)
    def restore(self, fact: Fact) -> None:
        if fact.id in self.current:
            self.refused(lambda w: w.restore(fact.id, by="owner"))
            return
        before = self.ledger.read(lambda r: r.fact(fact.id))
        restored = self.write(lambda w: w.restore(fact.id, by="owner"))
        assert (restored.current, restored.valid_to) == (True, None)
        self.current.add(fact.id)
        if before.superseded_by is not None:
            self.final.add((fact.id, before.superseded_by))

    @rule(run=consumes(runs))
    def undo(self, run: str) -> None:
        restored = self.write(lambda w: w.undo_run(run, by="owner"))
        assert not self.current & set(restored)
        self.current |= set(restored)
        self.refused(lambda w: w.undo_run(run, by="owner"))

    @rule(target=runs, fact=facts, subject=SUBJECTS, value=VALUES)
    def correct_and_undo_later(self, fact: Fact, subject: str, value: str) -> str:
        new = new_fact(f"{subject} is {value}", session="z")
        try:
            captured = self.write(lambda w: w.correct(fact.id, new))
        except Conflict:
            return store.settle(self.ledger)[0]
        assert fact.id in self.current
        self.current.remove(fact.id)
        if captured.state == "new":
            self.texts[captured.fact.id] = new.text
            self.current.add(captured.fact.id)
        return self.ledger.read(lambda r: r.runs(1)[0].id)

    @rule(verdict=st.sampled_from([Verdict.SUPERSEDE, Verdict.KEEP]))
    def answer(self, verdict: Verdict) -> None:
        questions = self.ledger.read(lambda r: r.questions(EVERYTHING))
        if not questions:
            return
        question = questions[0]
        self.write(lambda w: w.answer_question(question.id, verdict))
        self.final.add((question.older.id, question.newer.id))
        if verdict is Verdict.SUPERSEDE:
            self.current.remove(question.older.id)

    @rule()
    def crash_and_open_again(self) -> None:
        """What a copy of all files at this moment holds is what a killed daemon would find."""
        copy = Path(tempfile.mkdtemp(prefix="dormouse"))
        for file in self.path.parent.glob("memory.db*"):
            shutil.copy(file, copy)
        before = dump(self.ledger)
        self.ledger.close()
        shutil.rmtree(self.path.parent)
        self.path = copy / "memory.db"
        os.link(TEMPLATE[0].with_name("ballast"), copy / "ballast")
        self.ledger = store.open_ledger(self.path, now=self.clock)
        assert dump(self.ledger) == before

    def refused(self, do: Any) -> None:
        before = dump(self.ledger)
        try:
            self.write(do)
        except Conflict:
            assert dump(self.ledger) == before
        else:
            raise AssertionError("it was not refused")

    @invariant()
    def every_fact_is_there_with_its_text_and_only_current_ones_are_found(self) -> None:
        if not hasattr(self, "ledger"):
            return
        facts = self.ledger.read(lambda r: r.facts(EVERYTHING, which="all"))
        assert {f.id: f.text for f in facts} == self.texts
        assert {f.id for f in facts if f.current} == self.current
        hits = self.ledger.read(lambda r: r.search(["port", "tea", "runner"], EVERYTHING))
        assert {h.fact.id for h in hits} == self.current
        for f in facts:
            assert f.valid_to is None or f.valid_to >= f.valid_from
            assert f.current == (f.retired_because is None)
            assert f.superseded_by is None or not f.current
        assert self.ledger.read(lambda r: r.count(EVERYTHING)) == (
            len(self.current), len(self.texts) - len(self.current),
        )  # fmt: skip
        for older, newer in self.final:
            assert self.ledger.read(lambda r, o=older, n=newer: r.is_final(o, n))  # type: ignore[misc]
        for question in self.ledger.read(lambda r: r.questions(EVERYTHING)):
            assert question.older.current
            assert question.newer.current

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            problems = self.ledger.integrity()
            self.ledger.close()
            shutil.rmtree(self.path.parent)
            assert problems == []


Life.TestCase.settings = settings(max_examples=20, stateful_step_count=25, deadline=None)
TestLife = Life.TestCase
