"""A memory without a daemon, on a clock that a test holds: for what a night does, step by step."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from dormouse.facts import Fact, How, Kind, Look, Scope, Trust
from dormouse.judging.ladder import Ladder
from dormouse.judging.slot import SlotJudge
from dormouse.ledger import Ledger, RunRow, StepRow, new_id
from dormouse.sessions import Role, Turn
from dormouse.settings import Settings
from dormouse.times import parse
from dormouse.work import rem
from dormouse.work.memory import Memory
from dormouse.work.places import NOWHERE, Places
from dormouse.work.prepare import prepare
from dormouse.work.remember import Speaker, Wish, remember
from dormouse_wire.paths import Home

KEY = bytes(range(32))
EVERYTHING = Look(everything=True)
EVENING = "2026-06-01T21:00:00+00:00"


class Clock:
    """Each look at it is a millisecond later."""

    def __init__(self, start: str = EVENING) -> None:
        self.now = parse(start)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def go_on(self, **by: float) -> None:
        self.now += timedelta(**by)


class Bed:
    """One store and what is done with it: opened anew for each sleep, as after a kill."""

    def __init__(self, folder: Path, clock: Clock | None = None, **settings: Any) -> None:
        self.home, self.clock = Home(folder / "home"), clock or Clock()
        self.settings = Settings(**settings)
        for made in (self.home.root, self.home.log, self.home.bin):
            made.mkdir(mode=0o700, exist_ok=True)
        if not self.home.ledger.exists():
            Ledger.create(
                self.home.ledger, KEY, store_id="nightnightnight1", prepare=prepare, now=self.clock
            )
        self.memory = self.open()

    def open(self) -> Memory:
        """A memory as a starting daemon makes one; must be called inside no loop's task."""
        ledger = Ledger(self.home.ledger, KEY, prepare=prepare, now=self.clock)
        places = Places(ledger, self.home.root)
        ladder = Ladder([SlotJudge()])
        return Memory(self.home, ledger, self.settings, self.clock, ladder, places)

    def close(self) -> None:
        self.memory.close()

    def again(self) -> None:
        """The daemon ends and starts again."""
        self.close()
        self.memory = self.open()

    def sleep(self, *, asked: bool = True, steps: Sequence[rem.Step] = rem.STEPS) -> RunRow:
        """Sleep once; the run as it then stands."""
        self.memory.heard = asyncio.Event()
        run_id = asyncio.run(rem.sleep(self.memory, rem.Night(), asked=asked, steps=steps))
        return self.memory.ledger.read(lambda r: r.run(run_id))

    # -- what a day brings ------------------------------------------------------------------------
    def say(
        self, text: str, *, scope: Scope = Scope.USER, session: str | None = None, **wish: Any
    ) -> Fact:
        """A person has something remembered; it is not settled yet."""
        who = Speaker("claude-code", session, None, Trust.USER, How.EXPLICIT)
        if session is None:
            who = Speaker()
        kind = wish.pop("kind", Kind.PROJECT)
        kept = self.memory.ledger.write(
            lambda w: remember(
                w, Wish(text, kind, scope=scope, **wish), who, NOWHERE, self.memory.now()
            )
        ).result()
        assert kept.fact is not None
        return kept.fact

    def prompt(self, text: str, session: str = "s1", agent: str = "claude-code") -> str:
        """A turn of a person in the journal; its id."""
        turn = Turn(Role.PERSON, text, session, host_turn_id=new_id())
        return self.memory.ledger.write(
            lambda w: w.journal(
                agent, turn, project_id=None, branch=None, at=self.memory.now(), state="done"
            )[0]
        ).result()

    def candidate(self, text: str, *turns: str) -> None:
        """A statement that was seen in each of *turns* and is no fact yet."""
        for turn in turns:
            self._sight(text, turn)

    def _sight(self, text: str, turn: str) -> None:
        self.memory.ledger.write(lambda w: w.add_candidate(text, turn_id=turn)).result()

    # -- what there is ----------------------------------------------------------------------------
    def facts(self) -> dict[str, Fact]:
        """The current facts, by text."""
        return {f.text: f for f in self.memory.ledger.read(lambda r: r.facts(EVERYTHING))}

    def every(self) -> set[str]:
        """The ids of all facts ever."""
        facts = self.memory.ledger.read(lambda r: r.facts(EVERYTHING, which="all"))
        return {fact.id for fact in facts}

    def candidates(self) -> list[str]:
        return [row.text for row in self.memory.ledger.read(lambda r: r.candidates())]

    def runs(self) -> list[RunRow]:
        """The nights, newest first."""
        return [run for run in self.memory.ledger.read(lambda r: r.runs()) if run.kind == "rem"]

    def steps(self, run: RunRow) -> list[StepRow]:
        return self.memory.ledger.read(lambda r: r.run_steps(run.id))

    def undo(self, run: RunRow) -> RunRow:
        return self.memory.ledger.write(lambda w: rem.undo(w, run.id)).result()

    def state(self) -> Any:
        """Everything that a night may change and an undo must give back."""
        facts = self.memory.ledger.read(lambda r: r.facts(EVERYTHING))
        return (
            sorted(
                (f.id, f.layer, round(f.confidence, 6), f.valid_to, len(f.sources)) for f in facts
            ),
            sorted(self.candidates()),
        )
