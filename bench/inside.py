"""A memory inside this process: the daemon's own ledger, recall and settling, without a socket.

For what the daemon can't be told from outside: another model for recall by meaning, or what it
draws before a judge. Nothing is settled by itself, and nothing is kept.
"""

import shutil
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from dormouse.embedding.holder import Holder
from dormouse.facts import Fact, Look
from dormouse.judging.ladder import Ladder
from dormouse.judging.slot import SlotJudge
from dormouse.ledger import Ledger, Reader, Writer, new_id
from dormouse.recall.words import gist
from dormouse.settings import Settings
from dormouse.times import stamp, system_clock
from dormouse.work.meaning import Meaning, meant
from dormouse.work.memory import Memory
from dormouse.work.model import Models
from dormouse.work.places import NOWHERE, Places, Where
from dormouse.work.prepare import prepare
from dormouse.work.recalls import find
from dormouse.work.remember import Speaker, Wish, remember
from dormouse_wire.paths import Home

KEY = bytes(32)


class Inside:
    """Facts are remembered at the time they name, and found again by words and by meaning."""

    def __init__(self, holder: Holder | None = None) -> None:
        """*holder* of another model than the default one. Raises RuntimeError without any."""
        self._folder = Path(tempfile.mkdtemp(prefix="dormouse-inside-"))
        self.now = system_clock()
        path, clock = self._folder / "memory.db", self._clock
        Ledger.create(path, KEY, store_id=new_id(), prepare=prepare, now=clock)
        self._ledger = Ledger(path, KEY, prepare=prepare, now=clock)
        found = holder or Models(self._folder / "models").embedder()
        if found is None:
            raise RuntimeError("no model for recall by meaning is installed")
        self.holder = found
        meaning = Meaning(self._ledger, lambda: self.holder)
        self.memory = Memory(
            Home(self._folder), self._ledger, Settings(), clock, Ladder([SlotJudge()]),
            Places(self._ledger, self._folder, (), False), None, meaning,
        )  # fmt: skip
        self._meaning = meaning

    def _clock(self) -> datetime:
        return self.now

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ledger.close()
        shutil.rmtree(self._folder)

    def say(
        self, text: str, at: datetime, project: str | None = None, session: str | None = None
    ) -> Fact:
        """Remember *text* in *project* (None: of the person), said at *at*."""
        self.now = at
        where = Where(project, project, "main") if project else NOWHERE
        speaker = Speaker(session_id=session)
        wish = Wish(text, at=stamp(at))

        def keep(w: Writer) -> Fact:
            kept = remember(w, wish, speaker, where, stamp(at))
            if kept.fact is None:
                raise ValueError(f"not kept: {text!r} ({kept.state})")
            if session is not None:
                w.follow(kept.fact, session)
            return kept.fact

        return self._ledger.write(keep).result()

    def embed(self) -> None:
        """Give every fact its vector."""
        while self._meaning.step():
            pass

    def read(self, do: Callable[[Reader], Any]) -> Any:
        return self._ledger.read(do)

    def find(self, text: str, project: str | None, limit: int) -> list[str]:
        """The facts for *text*, best first, with silence off; their ids."""
        asked = meant(self.holder, gist(text) or text)
        look = Look(project_id=project)
        found = self.read(
            lambda r: find(r, self.memory, text, look, limit=limit, floor=0.0, asked=asked)
        )
        return [ranked.fact.id for ranked in found.ranked]
