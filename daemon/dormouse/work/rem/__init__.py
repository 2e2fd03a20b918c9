"""Sleep, as a list of steps that each leave a checkpoint. It judges nothing by itself."""

from dormouse.work.rem.cycle import begin, given_up, not_before, sleep
from dormouse.work.rem.night import Night, Sleeping, Step
from dormouse.work.rem.reports import report_of, waiting
from dormouse.work.rem.steps import STEPS
from dormouse.work.rem.undoing import approve, undo, undo_since

__all__ = [
    "STEPS",
    "Night",
    "Sleeping",
    "Step",
    "approve",
    "begin",
    "given_up",
    "not_before",
    "report_of",
    "sleep",
    "undo",
    "undo_since",
    "waiting",
]
