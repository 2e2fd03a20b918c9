"""Receipts: what was recalled to a session and is not used yet; a use counts for it alone."""

from dormouse.ledger import Ledger, Writer
from tests.unit.ledger.store import say


def test_only_what_was_recalled_waits_to_be_used(ledger: Ledger) -> None:
    one, two, three = (say(ledger, f"port is {n}") for n in (1, 2, 3))

    def do(w: Writer) -> None:
        w.note_uses("codex", "s", [one.id, two.id], "recalled")
        w.note_uses("codex", "s", [three.id], "said")
        w.note_uses("codex", "other", [one.id], "recalled")
        w.mark_used("codex", "s", [one.id])

    ledger.write(do).result(10)
    assert ledger.read(lambda r: r.unused("codex", "s")) == [two.id]
    assert ledger.read(lambda r: r.unused("codex", "other")) == [one.id]
