"""The only owner of the database. Nothing else opens the file, and nothing here thinks."""

from dormouse.ledger.access import Reader, Writer
from dormouse.ledger.ids import new_id
from dormouse.ledger.ledger import Ledger
from dormouse.ledger.rows import (
    AgentRow,
    CandidateRow,
    Captured,
    CarriedOut,
    Erased,
    Hit,
    JudgmentRow,
    Link,
    Prepared,
    ProposalRow,
    Question,
    Retirement,
    RunRow,
    SessionRow,
    StepRow,
    ThinkerCall,
    TranscriptRow,
    TurnRow,
    UnsurePair,
    UseRow,
)
from dormouse.ledger.vector_reads import Lying, Unembedded, place_keys
from dormouse.ledger.vector_writes import Vector

__all__ = [
    "AgentRow",
    "CandidateRow",
    "Captured",
    "CarriedOut",
    "Erased",
    "Hit",
    "JudgmentRow",
    "Ledger",
    "Link",
    "Lying",
    "Prepared",
    "ProposalRow",
    "Question",
    "Reader",
    "Retirement",
    "RunRow",
    "SessionRow",
    "StepRow",
    "ThinkerCall",
    "TranscriptRow",
    "TurnRow",
    "Unembedded",
    "UnsurePair",
    "UseRow",
    "Vector",
    "Writer",
    "new_id",
    "place_keys",
]
