"""Settling contradictions: nominate, judge, plan, then carry out in one transaction of one run.

Capture and sleep both come here. Nothing is retired by any other path than ``carry_out``.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from dormouse.errors import NotFound
from dormouse.facts import Fact, Look, Scope
from dormouse.judging import nominate
from dormouse.judging.ladder import Ladder
from dormouse.judging.order import ordered
from dormouse.judgments import Decision, Ruling, Verdict, Veto
from dormouse.ledger import Reader, Writer
from dormouse.recall.words import query_terms
from dormouse.times import parse, stamp
from dormouse.work.meaning import Asked
from dormouse.work.memory import Memory
from dormouse.work.weigh import Drawn, weigh

log = logging.getLogger("dormouse")
NEAR = 20  # facts near in words that are looked at for each new fact
FAR = 12  # facts that share only words or meaning, looked at by a model
ALIKE = 0.4  # cosine from which on a fact is near in meaning
WORTH_A_THOUGHT = 0.3  # so likely a supersede that a thinker should be asked
WORTH_A_QUESTION = 0.8  # … and the owner
MAX_BY_ONE = 3  # more retirements by one new fact than this stop the plan
WINDOW = timedelta(hours=24)
LEVEL = "local"
UNCLEAR = Ruling(Verdict.UNSURE, "nominate:1", reason="it corrects one of several facts")


@dataclass(slots=True)
class Settled:
    """What settling came to; ``state`` is the run's, or None where none was opened."""

    supersede: int = 0
    keep: int = 0
    unsure: int = 0
    retired: list[str] = field(default_factory=list)
    looked_at: int = 0
    state: str | None = None
    run_id: str | None = None

    def add(self, other: "Settled") -> None:
        """Count *other* in."""
        self.supersede += other.supersede
        self.keep += other.keep
        self.unsure += other.unsure
        self.looked_at += other.looked_at
        self.retired += other.retired
        if other.state == "stopped" or self.state is None:
            self.state = other.state
        self.run_id = self.run_id or other.run_id


def look_of(fact: Fact) -> Look:
    """What *fact* may contradict: its own project's, branch's, session's and the user's facts."""
    session = fact.session_id if fact.scope is Scope.SESSION else None
    project = fact.project_id if fact.scope is not Scope.USER else None
    return Look(project, fact.branch if fact.scope is Scope.BRANCH else None, session)


@dataclass(frozen=True, slots=True)
class Nominated:
    """What *fact* is to be judged with: pairs in their order, and what can't be judged.

    *close* are the pairs that the rules call near: about one slot, or nearly one sentence. *far*
    share words or meaning only: a judge's SUPERSEDE counts, but nobody is asked about them.
    *cosines*: how near *fact* is in meaning to the others, by id, where that is known.
    """

    fact: Fact
    close: list[tuple[Fact, Fact]] = field(default_factory=list)
    far: list[tuple[Fact, Fact]] = field(default_factory=list)
    unclear: list[Decision] = field(default_factory=list)
    cosines: dict[str, float] = field(default_factory=dict)

    def cosine(self, older: Fact, newer: Fact) -> float:
        """How near the other one of a pair is in meaning; 0 where that is not known."""
        other = older if newer.id == self.fact.id else newer
        return self.cosines.get(other.id, 0.0)

    def among(self, ids: Collection[str]) -> "Nominated":
        """The same with nothing but the pairs whose other fact is one of *ids*."""
        close, far = (
            [pair for pair in pairs if {pair[0].id, pair[1].id} - {self.fact.id} <= set(ids)]
            for pairs in (self.close, self.far)
        )
        return replace(self, close=close, far=far, unclear=[])

    def drawn(self) -> list[Drawn]:
        """All pairs, near ones first."""
        near = [Drawn(*pair, near=True, cosine=self.cosine(*pair)) for pair in self.close]
        return near + [Drawn(*pair, near=False, cosine=self.cosine(*pair)) for pair in self.far]


def nominated(
    r: Reader, memory: Memory, fact: Fact, meant: Asked | None = None, *, far: bool
) -> Nominated:
    """Every pair of *fact* that is worth a judge's look; *meant* is what it means, if known.

    Without *far* only those that are close: a judge without a model says nothing of the others.
    """
    found = Nominated(fact)
    if not fact.current:
        return found
    look = look_of(fact)
    near: dict[str, Fact] = {}
    for subject, attribute in nominate.slots(fact):
        near.update((f.id, f) for f in r.by_slot(subject, attribute, look))
    terms = query_terms(" ".join([fact.text, *nominate.terms(fact)]), explicit=True)
    by_words = r.search(terms, look, limit=NEAR) if terms else []
    hits = r.whole([hit.fact for hit in by_words])
    near.update((f.id, f) for f in nominate.near(fact, hits))
    near.pop(fact.id, None)
    for other in nominate.unclear(fact, hits):
        if not r.settled_pairs(other.id, fact.id) and other.id not in near:
            found.unclear.append(Decision(other.id, fact.id, UNCLEAR))
    found.close.extend(_pairs(r, memory, fact, near.values()))
    if far:
        alike = _alike(r, memory, meant, look)
        lost = {fact.id, *near, *(decision.older_id for decision in found.unclear)}
        both = nominate.beside(fact, [*hits, *alike.values()])
        others = {f.id: f for f in both if f.id not in lost}
        found.far.extend(_pairs(r, memory, fact, list(others.values())[:FAR]))
        numbers = {hit.nr: hit.fact.id for hit in by_words} | {nr: f.id for nr, f in alike.items()}
        wanted = {nr: id for nr, id in numbers.items() if id in others or id in near}
        found.cosines.update(_cosines(r, memory, meant, wanted))
    return found


def _pairs(
    r: Reader, memory: Memory, fact: Fact, others: Iterable[Fact]
) -> list[tuple[Fact, Fact]]:
    """*fact* with each of *others* that may still be judged, older ones first."""
    pairs = [ordered(other, fact) for other in sorted(others, key=lambda f: (f.valid_from, f.id))]
    return [
        pair
        for pair in pairs
        if not r.is_final(pair[0].id, pair[1].id) and not _asked_before(r, memory, *pair)
    ]


def _alike(r: Reader, memory: Memory, meant: Asked | None, look: Look) -> dict[int, Fact]:
    """The facts nearest in meaning, by number."""
    if meant is None or memory.meaning is None:
        return {}
    near = [
        each.nr
        for each in memory.meaning.near(r, meant, look, retired=False)
        if each.cosine >= ALIKE
    ]
    held = r.facts_by_number(near[:FAR], look)
    numbers = [nr for nr in near[:FAR] if nr in held]
    return dict(zip(numbers, r.whole([held[nr][0] for nr in numbers]), strict=True))


def _cosines(
    r: Reader, memory: Memory, meant: Asked | None, numbers: dict[int, str]
) -> dict[str, float]:
    """How near in meaning the facts of *numbers* are, by id; of some it may not be known yet."""
    if meant is None or memory.meaning is None:
        return {}
    sense = memory.meaning.sense(r, meant, [], numbers)
    return {id: cosine for id, (cosine, _) in sense.facts.items()}


def rule(ladder: Ladder, found: Nominated) -> tuple[list[Decision], list[tuple[str, str]]]:
    """Have the pairs judged; what is worth writing, and the pairs that nobody was sure of.

    Those may be put before a thinker, in sleep. It may take a second where a model is asked.
    """
    decisions, unsure = list(found.unclear), []
    drawn = found.drawn()
    rulings = ladder.judge_many([(pair.older, pair.newer) for pair in drawn])
    for pair, ruling in zip(drawn, weigh(ladder, drawn, rulings), strict=True):
        older, newer, close = pair.older, pair.newer, pair.near
        likely = (ruling.probability or 0.0) >= WORTH_A_THOUGHT
        if ruling.verdict is Verdict.UNSURE and ruling.vetoed_by is None and (close or likely):
            unsure.append((older.id, newer.id))
        if _worth_writing(ruling, older, newer) and (close or _worth_a_question(ruling)):
            decisions.append(Decision(older.id, newer.id, ruling))
    return decisions, unsure


def _asked_before(r: Reader, memory: Memory, older: Fact, newer: Fact) -> bool:
    """Whether there is nothing new to hear: no judge at hand is better than those who spoke."""
    names = [judge.name for judge in memory.ladder.judges]
    for row in r.settled_pairs(older.id, newer.id):
        decided = row.ruling.judge in names and row.ruling.verdict is not Verdict.UNSURE
        if decided or row.ruling.judge in (*names[-1:], "gate:trust"):
            return True
    return False


def _worth_writing(ruling: Ruling, older: Fact, newer: Fact) -> bool:
    """Vetoes are not written, but for trust; a judge that can't read a pair has not spoken."""
    if ruling.vetoed_by is not None:
        return ruling.vetoed_by is Veto.TRUST and same_slot(older, newer)
    if ruling.verdict is Verdict.UNSURE:
        return same_slot(older, newer) or _worth_a_question(ruling)
    return True


def _worth_a_question(ruling: Ruling) -> bool:
    """Of pairs that only share words or meaning: a retirement, or one that nearly was one."""
    if ruling.verdict is Verdict.UNSURE:
        return (ruling.probability or 0.0) >= WORTH_A_QUESTION
    return ruling.verdict is Verdict.SUPERSEDE


def same_slot(older: Fact, newer: Fact) -> bool:
    """Both are about one attribute of one subject, and say something different of it."""
    a, b = older.slot, newer.slot
    known = a.subject is not None and a.attribute is not None
    return known and (a.subject, a.attribute) == (b.subject, b.attribute) and a.value != b.value


def too_much(w: Reader, memory: Memory, decisions: Sequence[Decision], fact: Fact) -> str | None:
    """Why carrying *decisions* out would be a runaway, or None (docs/architecture.md, fuse)."""
    by_newer: dict[str, int] = {}
    for decision in decisions:
        if decision.ruling.verdict is Verdict.SUPERSEDE:
            by_newer[decision.newer_id] = by_newer.get(decision.newer_id, 0) + 1
    if not by_newer:
        return None
    if max(by_newer.values()) > MAX_BY_ONE:
        return f"one new fact would retire {max(by_newer.values())}"
    since = stamp(parse(memory.now()) - WINDOW)
    key = fact.project_id
    before = w.retired_by_judges_since(since, scope_key=key)
    current, _ = w.count(Look(project_id=key))
    limit = max(memory.settings.fuse_facts, int(memory.settings.fuse_share * current))
    total = before + sum(by_newer.values())
    return f"{total} retirements within 24 hours, the limit is {limit}" if total > limit else None


def carry_out(
    w: Writer,
    memory: Memory,
    decisions: Sequence[Decision],
    fact: Fact,
    run_id: str | None,
    level: str = LEVEL,
) -> Settled:
    """Carry a plan out in this transaction, or stop it whole; opens a run if none is given."""
    done = Settled(looked_at=1)
    if not decisions:
        return done
    own = run_id is None
    why = too_much(w, memory, decisions, fact)
    if why is not None:
        stopped = w.open_run("settle")
        w.stop_run(stopped, decisions)
        w.close_run(stopped, state="stopped", report={"why": why, "pairs": len(decisions)})
        return Settled(state="stopped", run_id=stopped, unsure=len(decisions), looked_at=1)
    run = w.open_run("settle") if run_id is None else run_id
    result = w.carry_out(decisions, run_id=run, level=level)
    done.supersede, done.keep, done.unsure = len(result.retired), result.kept, result.asked
    done.retired = [older for older, _ in result.retired]
    done.state, done.run_id = "done", run
    if own:
        w.close_run(run, state="done", report=report(done))
    return done


def report(done: Settled) -> dict[str, object]:
    """What a run's row keeps: counts and ids, no text."""
    return {
        "settled": {"supersede": done.supersede, "keep": done.keep, "unsure": done.unsure},
        "retired": done.retired,
        "thinker_calls": 0,
    }


Plan = tuple[Fact, list[Decision], list[tuple[str, str]]]
"""A fact, what to carry out, and the pairs that nobody is sure of."""


async def plan_for(
    memory: Memory, fact_id: str, among: Collection[str] | None = None
) -> Plan | None:
    """Nominate on a reader, judge away from it; only the pairs with one of *among*, if given.

    None: the fact was erased since.
    """
    meant, far = None, bool(memory.ladder.readers)
    try:
        if far and memory.meaning is not None:
            await memory.meaning.in_step()
            text = await memory.read(lambda r: r.fact(fact_id).text)
            meant = await memory.meaning.ask_of_fact(text)
        found = await memory.read(lambda r: nominated(r, memory, r.fact(fact_id), meant, far=far))
    except NotFound:
        return None
    if among is not None:
        found = found.among(among)
    decisions, unsure = await memory.aside(lambda: rule(memory.ladder, found))
    return found.fact, decisions, unsure


def unchanged(w: Reader, fact: Fact) -> bool:
    """Whether *fact* is still what was judged; if not, it has to be looked at again."""
    held = w.facts_by_id([fact.id]).get(fact.id)
    return held is not None and (held.current, held.trust) == (fact.current, fact.trust)


def write_down(w: Writer, memory: Memory, plan: Plan, run_id: str | None) -> Settled:
    """Carry *plan* out, if its fact is still so; else it waits for another look."""
    fact, decisions, unsure = plan
    if not unchanged(w, fact):
        return Settled()
    settled = carry_out(w, memory, decisions, fact, run_id)
    w.wait_for_thinker(unsure)
    w.mark_settled([fact.id])
    return settled


async def settle_fact(memory: Memory, fact_id: str, run_id: str | None = None) -> Settled:
    """Settle one captured fact; the plan is carried out in a transaction that looks again."""
    plan = await plan_for(memory, fact_id)
    if plan is None:
        return Settled()
    settled = await memory.write(lambda w: write_down(w, memory, plan, run_id))
    if settled.state == "stopped":
        log.warning("settling stopped by the fuse, run %s", settled.run_id)
    return settled


async def settle_pending(memory: Memory, run_id: str | None = None) -> Settled:
    """Settle whatever was captured and not yet looked at, oldest first."""
    total = Settled()
    while pending := await memory.read(lambda r: r.pending_settle()):
        for fact_id in pending:
            total.add(await settle_fact(memory, fact_id, run_id))
    return total
