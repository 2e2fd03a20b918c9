"""Makes the vectors of facts off the write path and holds them in memory, in step with the ledger.

One thread steps it; any thread may look through ``index``. It is asked nothing by a prompt.
"""

import logging

from dormouse.embedding.holder import Holder
from dormouse.embedding.index import Index, pack
from dormouse.embedding.room import give_back
from dormouse.ledger import Ledger, Lying, Reader, Unembedded, Vector
from dormouse.work.model import IDLE_S

log = logging.getLogger("dormouse")
ACTIVE = "index.embedder"  # the setting that names the embedder whose vectors are looked through
BATCH = 8  # facts embedded at once: about 0.2 s, after which a prompt's vector comes first
AT_ONCE = 2_000  # vectors read in one transaction


class Vectors:
    """The vectors of one model. ``active``: every fact had one once, so they may be looked through.

    Raises what the ledger and the model raise; then a step has changed nothing.
    """

    def __init__(self, ledger: Ledger, holder: Holder, idle_s: float = IDLE_S) -> None:
        self._ledger, self.holder, self._idle_s = ledger, holder, idle_s
        self.key = f"{holder.model} {holder.revision}"
        self.active = ledger.read(lambda r: r.setting(ACTIVE)) == self.key
        self.embedder: int | None = None
        self._others_gone = False
        self._worked = False
        self._read_all()

    def _read_all(self) -> None:
        model, revision = self.holder.model, self.holder.revision
        self._done = 0  # facts up to this number have their vectors
        self._seen = self._ledger.read(lambda r: r.last_move())
        self.embedder = self._ledger.read(lambda r: r.embedder(model, revision))
        index, after = Index(self.holder.dim, self.holder.prompts), 0
        while rows := self._next(after):
            index.add(rows)
            after = rows[-1].nr
        self.index = index

    def _next(self, after: int) -> list[Lying]:
        return self._ledger.read(lambda r: r.vectors(self.embedder or 0, after, AT_ONCE))

    def step(self) -> bool:
        """Do the next thing that is to be done; whether there may be more at once."""
        self._follow()
        if self._embed():
            self._worked = True
            return True
        if self._worked:
            self._worked = False
            give_back()
        if not self.active:
            self._activate()
            return True
        self.holder.let_go(self._idle_s)
        return self._drop_others()

    def _follow(self) -> None:
        """Bring the index in step with what was captured, retired, restored and erased."""
        seen = self._seen

        def look(r: Reader) -> tuple[int, list[int] | None, list[Lying]]:
            last = r.last_move()
            moved = r.moves(seen) if last != seen else []
            rows = r.vectors_of(self.embedder or 0, moved) if moved else []
            return last, moved, rows

        last, moved, rows = self._ledger.read(look)
        if moved is None:
            self._read_all()
            return
        if moved:
            self.index.change(moved, rows)
            if len(rows) < len(moved):  # something was erased: its number may be used again
                self._done = 0
        self._seen = last

    def _embed(self) -> bool:
        """Make the vectors of the next facts; whether there were any."""
        done, model, revision = self._done, self.holder.model, self.holder.revision

        def look(r: Reader) -> tuple[int, list[Unembedded]]:
            last = r.last_fact()
            return last, r.unembedded(self.embedder, done, BATCH) if last > done else []

        last, waiting = self._ledger.read(look)
        if not waiting:
            self._done = min(done, last) if done else last
            return False
        blobs = pack(self.holder.get().embed([each.text for each in waiting], query=False))
        made = [Vector(each.nr, each.id, blob) for each, blob in zip(waiting, blobs, strict=True)]
        self._ledger.write(lambda w: w.keep_vectors(model, revision, made)).result()
        if self.embedder is None:
            self.embedder = self._ledger.read(lambda r: r.embedder(model, revision))
        self._done = waiting[-1].nr
        self._follow()
        return True

    def _activate(self) -> None:
        """Every fact has its vector: from now on this model is looked through, in one switch."""
        self._ledger.write(lambda w: w.set_setting(ACTIVE, self.key)).result()
        self.active = True
        log.info("recall by meaning is on: %s", self.key)

    def _drop_others(self) -> bool:
        """Let go of some vectors of an older model; whether there may be more."""
        embedder = self.embedder
        if embedder is None or self._others_gone:
            return False
        dropped = self._ledger.write(lambda w: w.drop_other_vectors(embedder)).result()
        self._others_gone = not dropped
        return bool(dropped)
