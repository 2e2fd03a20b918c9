"""Pairs that nobody was sure of: in sleep they are put before a thinker, a few in each call.

Nothing is asked while nothing waits. It retires nothing but through ``settle.carry_out``.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from dormouse import slots
from dormouse.capture.language import detect
from dormouse.facts import Fact, How, NewFact, Source
from dormouse.judging.split import Split, compound, split
from dormouse.judging.thinker import AT_ONCE, NAME, Pair, ThinkerJudge
from dormouse.judgments import Decision, Ruling, Verdict
from dormouse.ledger import Reader, UnsurePair, Writer, new_id
from dormouse.thinking import Door, Thought
from dormouse.thinking.levels import TABLE, Level
from dormouse.times import parse, stamp
from dormouse.work import thinkers
from dormouse.work.memory import Memory
from dormouse.work.settle import Settled, carry_out, same_slot, too_much

log = logging.getLogger("dormouse")
STEP = 4 * AT_ONCE  # pairs looked at between two looks at the clock of the agents
SPLITS = 5  # facts cut in one night: each costs two calls
LONGEST_WAIT = 6  # 2 ** 6 days: how far the intervals grow in which a pair is asked again


@dataclass(slots=True)
class ThoughtOver:
    """What a night's thinking came to. ``refused`` says why no (further) call was made."""

    settled: Settled = field(default_factory=Settled)
    calls: int = 0
    split: list[str] = field(default_factory=list)
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class _Waiting:
    pair: UnsurePair
    older: Fact
    newer: Fact
    prefers: str | None


async def think_over(
    memory: Memory, run_id: str | None = None, go_on: Callable[[], bool] = lambda: True
) -> ThoughtOver:
    """Put what waits before a thinker, until nothing waits, nobody may be asked, or not *go_on*."""
    done = ThoughtOver()
    door = memory.door
    await memory.write(lambda w: w.forget_settled_pairs())
    if door is None or not await memory.read(lambda r: r.count_unsure_pairs(due=memory.now())):
        return done
    before = (await asyncio.to_thread(door.usage)).calls
    night = _Night(memory, door, done, run_id, go_on)
    while go_on():
        done.refused = await asyncio.to_thread(door.why_not)
        waiting = [] if done.refused else await night.next()
        if not waiting or not await night.ask(waiting):
            break
    done.calls = (await asyncio.to_thread(door.usage)).calls - before
    return done


@dataclass(slots=True)
class _Night:
    memory: Memory
    door: Door
    done: ThoughtOver
    run_id: str | None
    go_on: Callable[[], bool]
    seen: set[tuple[str, str]] = field(default_factory=set)

    async def next(self) -> list[_Waiting]:
        """Pairs not looked at in this night; those that nobody new could judge wait on."""
        now = self.memory.now()
        names = {f"{NAME}:{who}" for who in await asyncio.to_thread(self._who)}

        def do(r: Reader) -> tuple[list[_Waiting], list[UnsurePair]]:
            found, later = [], []
            for pair in r.unsure_pairs(due=now, limit=STEP + len(self.seen)):
                key = (pair.older_id, pair.newer_id)
                if key in self.seen:
                    continue
                self.seen.add(key)
                spoken = {row.ruling.judge for row in r.settled_pairs(*key)}
                if r.is_final(*key) or names <= spoken:
                    later.append(pair)
                    continue
                facts = r.facts_by_id(key)
                agent = thinkers.seen_by(r, *key)
                found.append(_Waiting(pair, facts[key[0]], facts[key[1]], agent))
            return found[:STEP], later

        while True:
            found, later = await self.memory.read(do)
            await self.memory.write(lambda w, late=later: self._postpone(w, late))  # type: ignore[misc]
            if found or not later:
                return found

    def _who(self) -> list[str]:
        return [
            who
            for last in (False, True)
            for who in self.door.who(Thought("judge", "", "", {}, 0, None, last))
        ]

    def _postpone(self, w: Writer, pairs: Sequence[UnsurePair]) -> None:
        for pair in pairs:
            final = w.is_final(pair.older_id, pair.newer_id)
            w.asked_thinker(
                pair.older_id, pair.newer_id, again_at=None if final else self._again(pair)
            )

    def _again(self, pair: UnsurePair) -> str:
        days = 2 ** min(pair.asked, LONGEST_WAIT)
        return stamp(parse(self.memory.now()) + timedelta(days=days))

    async def ask(self, waiting: list[_Waiting]) -> bool:
        """Have *waiting* judged and carry out what was decided; whether to go on."""
        agents = {(one.older.id, one.newer.id): one.prefers for one in waiting}
        judge = ThinkerJudge(self.door.think, lambda a, b: agents.get((a.id, b.id)))
        pairs: list[Pair] = [(one.older, one.newer) for one in waiting]
        rulings = await asyncio.to_thread(judge.judge_many, pairs)
        answered = [
            (one, ruling)
            for one, ruling in zip(waiting, rulings, strict=True)
            if ruling.reason is not None  # else nobody said anything that fits
        ]
        for one, ruling in answered:
            await self._settle(one, ruling, judge)
        silent = len(waiting) - len(answered)
        if silent and self.go_on() and await asyncio.to_thread(self.door.why_not) is None:
            rest = [one.pair for one in waiting if one not in {a for a, _ in answered}]
            await self.memory.write(lambda w: self._postpone(w, rest))
        return bool(answered) or not silent

    async def _settle(self, one: _Waiting, ruling: Ruling, judge: ThinkerJudge) -> None:
        if ruling.verdict is Verdict.UNSURE and ruling.prompt_hash is not None:
            cut = await self._split(one, judge)
            if cut is not None:
                await self.memory.write(lambda w: self._carry_out_split(w, one, cut))
                return
        await self.memory.write(lambda w: self._carry_out(w, one, ruling))

    def _carry_out(self, w: Writer, one: _Waiting, ruling: Ruling) -> None:
        """Carry one ruling out, in a transaction that looks again at both facts."""
        unsure = ruling.verdict is Verdict.UNSURE
        ask_owner = unsure and same_slot(one.older, one.newer) and not _vetoed(ruling)
        older, newer = one.older.id, one.newer.id
        if not unsure or ask_owner:
            decision = [Decision(older, newer, ruling)]
            level = str(level_of(ruling))
            settled = carry_out(w, self.memory, decision, one.newer, self.run_id, level)
            self.done.settled.add(settled)
        w.asked_thinker(older, newer, again_at=self._again(one.pair) if ask_owner else None)

    async def _split(self, one: _Waiting, judge: ThinkerJudge) -> Split | None:
        if len(self.done.split) >= SPLITS or not compound(one.older.text):
            return None
        return await asyncio.to_thread(
            split, one.older, one.newer, self.door.think, judge.judge_many
        )

    def _carry_out_split(self, w: Writer, one: _Waiting, cut: Split) -> None:
        decision = Decision(one.older.id, one.newer.id, cut.ruling)
        if too_much(w, self.memory, [decision], one.newer) is not None:
            carry_out(w, self.memory, [decision], one.newer, self.run_id)  # stops it whole
            return
        run = self.run_id or w.open_run("settle")
        parts = [part_of(one.older, text, self.memory.now()) for text in cut.holds]
        made = w.split_fact(decision, parts, run_id=run, level=str(level_of(cut.ruling)))
        if self.run_id is None:
            w.close_run(run, state="done", report={"retired": [one.older.id] if made else []})
        if made:
            self.done.split.append(one.older.id)
            self.done.settled.add(Settled(supersede=1, retired=[one.older.id], looked_at=1))
        w.asked_thinker(one.older.id, one.newer.id, again_at=None)


def _vetoed(ruling: Ruling) -> bool:
    return (ruling.reason or "").startswith("gate:")


def level_of(ruling: Ruling) -> Level:
    """The level at which a thinker's ruling was given."""
    part = TABLE.get(ruling.judge.rpartition(":")[2])
    return part.least if part is not None else Level.LOCAL


def part_of(whole: Fact, text: str, now: str) -> NewFact:
    """A clause of *whole* as a fact of its own: whose word it is, and since when, stays."""
    first = whole.sources[0] if whole.sources else Source(None, None, None, How.REM, now)
    return NewFact(
        id=new_id(),
        text=text,
        source=Source(first.agent, first.session_id, first.turn_id, How.REM, now),
        kind=whole.kind,
        layer=whole.layer,
        scope=whole.scope,
        project_id=whole.project_id,
        branch=whole.branch,
        session_id=whole.session_id,
        slot=slots.read(text).slot,
        language=detect(text),
        trust=whole.trust,
        confidence=whole.confidence,
        importance=whole.importance,
        weight=whole.weight,
        pinned=whole.pinned,
        stated_at=whole.stated_at,
        valid_from=whole.valid_from,
    )
