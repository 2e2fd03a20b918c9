"""The whole reader and the whole writer, put together from their parts."""

from dormouse.ledger.focus_rows import FocusReads, FocusWrites
from dormouse.ledger.handoff_rows import HandoffReads, HandoffWrites
from dormouse.ledger.judgment_reads import JudgmentReads
from dormouse.ledger.judgment_writes import JudgmentWrites
from dormouse.ledger.record_reads import RecordReads
from dormouse.ledger.search_reads import SearchReads
from dormouse.ledger.session_reads import SessionReads
from dormouse.ledger.session_writes import SessionWrites
from dormouse.ledger.step_rows import StepReads, StepWrites
from dormouse.ledger.thinking_rows import ThinkingReads, ThinkingWrites
from dormouse.ledger.vector_writes import VectorWrites
from dormouse.ledger.waiting_reads import WaitingReads
from dormouse.ledger.waiting_writes import WaitingWrites


class Reader(
    WaitingReads,
    SessionReads,
    SearchReads,
    ThinkingReads,
    StepReads,
    HandoffReads,
    FocusReads,
    RecordReads,
    JudgmentReads,
):
    """Looks, on a connection that can't change anything."""


class Writer(
    JudgmentWrites,
    WaitingWrites,
    SessionWrites,
    ThinkingWrites,
    VectorWrites,
    StepWrites,
    HandoffWrites,
    FocusWrites,
    Reader,
):
    """Looks and writes, inside the transaction of one request."""
