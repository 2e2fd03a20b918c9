"""The meaning leg at work: what a prompt means, which facts are near to it, what status says.

Nobody waits for it: a prompt takes the words alone where its vector is late, where no model is
installed and while facts are embedded anew. It decides nothing about facts.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from dormouse.errors import DormouseError
from dormouse.facts import Look
from dormouse.ledger import Ledger, Lying, Reader, place_keys
from dormouse.recall.fuse import NEAREST, Sense
from dormouse.recall.words import LONGEST, gist

if TYPE_CHECKING:  # numpy is heavy: it is imported by the worker's thread, after the start
    from dormouse.embedding.holder import Holder
    from dormouse.embedding.index import Near
    from dormouse.work.vectors import Vectors

log = logging.getLogger("dormouse")
DEPTH = 50  # of the nearest facts, where nobody says how many
PROMPT_S = 0.15  # how long a prompt waits for its vector before it goes by words alone
SEARCH_S = 5.0  # how long a person's own search does: it may load the model
LOOK_S = 60.0  # how often the worker looks although nothing moved: whether to unload an idle model
YIELD_S = 0.05  # how long the worker stays away when a prompt wants its vector
IN_STEP = 4  # steps of the worker that settling waits for: enough for facts told in one breath
GIVE_BACK_S = 10.0  # between two times that memory of prompts' vectors is given back
NO_MODEL = (
    "no model for recall by meaning is installed: words only"
    ' (`pip install "dormouse-memory[meaning]"`)'
)

SWITCHED_OFF = "recall by meaning is switched off (recall.meaning): words only"


class Asked(NamedTuple):
    """A prompt's vector, and whether it is like prompts that ask a memory (> 0) or like others."""

    vector: Any
    lean: float


class Meaning:
    """The second leg of recall. *find* says, once, which model there is; None: words only."""

    def __init__(
        self, ledger: Ledger, find: "Callable[[], Holder | None]", without: str = NO_MODEL
    ) -> None:
        self._ledger, self._find, self._without = ledger, find, without
        self.vectors: Vectors | None = None
        self.trouble: str | None = None
        self._looked = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._moved = asyncio.Event()
        self._asking = 0
        self._asked_since, self._gave_back = False, 0.0
        self._prompts = ThreadPoolExecutor(1, thread_name_prefix="prompt-vector")
        self._facts = ThreadPoolExecutor(1, thread_name_prefix="fact-vectors")

    # -- a prompt ---------------------------------------------------------------------------------

    async def ask(
        self, text: str, within_s: float = PROMPT_S, *, explicit: bool = False
    ) -> Asked | None:
        """What *text* means, if that is known in time; if not, the model is loaded for the next.

        *explicit*: somebody searches for these very words, so that small talk is looked at too.
        """
        job = self.begin(text, explicit=explicit)
        return None if job is None else await self.wait(job, within_s)

    def begin(self, text: str, *, explicit: bool = False) -> "Future[Asked] | None":
        """Have *text* read, so that other things can be done meanwhile; None: by words alone."""
        vectors = self.vectors
        if vectors is None or not vectors.active:
            return None
        short = gist(text) or (text[:LONGEST] if explicit else "")
        if not short:
            return None
        self._asking += 1
        self._asked_since = True
        job: Future[Asked] = self._prompts.submit(meant, vectors.holder, short)
        job.add_done_callback(self._answered)
        return job

    async def wait(self, job: "Future[Asked]", within_s: float = PROMPT_S) -> Asked | None:
        """What *job* found out, if it does in time."""
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(job)), within_s)
        except TimeoutError:
            return None
        except Exception as error:
            self._failed(error)
            return None

    async def in_step(self) -> None:
        """Embed what was just captured, a few facts at most: those told in one breath are then
        found by what they mean as well."""
        for _ in range(IN_STEP):
            if not await self._stepped():
                return

    async def ask_of_fact(self, text: str) -> Asked | None:
        """What a fact means, for finding others like it; None where that can't be said."""
        vectors = self.vectors
        if vectors is None or not vectors.active:
            return None
        job = self._facts.submit(lambda: vectors.holder.get().embed([text], query=False)[0])
        try:
            return Asked(await asyncio.wrap_future(job), 0.0)
        except Exception as error:
            self._failed(error)
            return None

    def _answered(self, _: Future[Asked]) -> None:
        self._asking -= 1

    def warm(self) -> None:
        """Load the model: a session has just begun, its first prompt is near."""
        vectors = self.vectors
        if vectors is not None and vectors.active and not vectors.holder.loaded:
            self._prompts.submit(vectors.holder.get)

    def near(
        self, r: Reader, asked: Asked, look: Look, *, retired: bool, limit: int = DEPTH
    ) -> "list[Near]":
        """The facts nearest to what is asked; the ledger has to say which of them may be shown."""
        vectors = self.vectors
        if vectors is None:
            return []
        return vectors.index.search(
            asked.vector,
            _reading(r, vectors),
            places=place_keys(look),
            retired=retired,
            limit=limit,
        )

    def sense(self, r: Reader, asked: Asked, near: "Sequence[Near]", ids: dict[int, str]) -> Sense:
        """What this leg says of the facts *ids* (by number), also of those that words found."""
        known = {each.nr: each for each in near}
        missing = [nr for nr in ids if nr not in known]
        if missing and (vectors := self.vectors) is not None:
            found = vectors.index.compare(asked.vector, missing, _reading(r, vectors))
            known.update((each.nr, each) for each in found)
        facts = {id: known[nr][1:] for nr, id in ids.items() if nr in known}
        return Sense(facts, asked.lean)

    # -- the worker -------------------------------------------------------------------------------

    async def run(self) -> None:
        """Embed what waits, keep the index in step, let go of an idle model; until cancelled."""
        self._loop = asyncio.get_running_loop()
        self._ledger.on_move = self._wake
        while True:
            self._moved.clear()
            if await self._stepped():
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._moved.wait(), LOOK_S)

    async def _stepped(self) -> bool:
        """A step in the worker's thread, then room for prompts; whether there may be more to do."""
        try:
            more = await asyncio.wrap_future(self._facts.submit(self.step))
        except Exception as error:
            self._failed(error)
            return False
        if more:
            await asyncio.sleep(YIELD_S if self._asking else 0)
        return more

    def _wake(self) -> None:
        """Facts were captured, moved or erased; called in the writer's thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits any more
                self._loop.call_soon_threadsafe(self._moved.set)

    def step(self) -> bool:
        """One step of the worker, in its own thread. Whether there is more to do at once."""
        if not self._looked:
            self._looked = True
            self._look()
            return True
        if self.vectors is None or self._ledger.trouble is not None:
            return False
        more = self.vectors.step()
        self.trouble = None
        if not more and self._asked_since and time.monotonic() - self._gave_back > GIVE_BACK_S:
            self._give_back()
        return more

    def _give_back(self) -> None:
        from dormouse.embedding.room import give_back  # noqa: PLC0415

        self._asked_since, self._gave_back = False, time.monotonic()
        give_back()

    def _look(self) -> None:
        holder = self._find()
        if holder is None:
            self.trouble = self._without
            return
        from dormouse.work.vectors import Vectors  # noqa: PLC0415

        self.vectors = Vectors(self._ledger, holder)

    def _failed(self, error: BaseException) -> None:
        log.error("recall by meaning failed: %s", type(error).__name__)
        known = isinstance(error, DormouseError)
        self.trouble = str(error) if known else "recall by meaning failed: words only"

    # -- what status says -------------------------------------------------------------------------

    def status(self, r: Reader, facts: int) -> tuple[dict[str, Any], str | None]:
        """Vectors, pending and model, and what a person has to know."""
        vectors = self.vectors
        if vectors is None:
            return {"vectors": 0, "pending": 0, "model": None}, self.trouble
        held = r.embedded(vectors.embedder)
        told = {
            "vectors": held,
            "pending": max(facts - held, 0),
            "model": f"{vectors.holder.model} ({vectors.holder.revision})",
        }
        if self.trouble is None and not vectors.active:
            return told, f"recall goes by words until all facts are embedded: {held} of {facts}"
        return told, self.trouble

    def close(self) -> None:
        """Stop both threads; a vector that was being made is made again after the next start."""
        self._prompts.shutdown(wait=True, cancel_futures=True)
        self._facts.shutdown(wait=True, cancel_futures=True)


def meant(holder: "Holder", text: str) -> Asked:
    """What a prompt's *text* means; the model is loaded if need be."""
    from dormouse.embedding.index import nearness  # noqa: PLC0415

    model = holder.get()
    vector, known = model.embed([text], query=True), model.prompts
    foreign, asking = (float(nearness(vector, rows, NEAREST)[0]) for rows in known.examples)
    return Asked(known.adapted(vector[0]), asking - foreign)


def _reading(r: Reader, vectors: "Vectors") -> "Callable[[Sequence[int]], list[Lying]]":
    embedder = vectors.embedder or 0
    return lambda numbers: r.vectors_of(embedder, numbers)
