"""Whether a newer fact contradicts an older one: supersede, keep, or unsure. It can retire nothing.

``order`` says which is the older one, ``gate`` vetoes, ``slot`` decides where the texts are read to
the last word, ``ladder`` joins them. A false supersede loses something true: when in doubt, unsure.
"""

from dormouse.judging.bare import as_fact
from dormouse.judging.ladder import Ladder
from dormouse.judging.order import ordered
from dormouse.judging.slot import SlotJudge

__all__ = ["Ladder", "SlotJudge", "as_fact", "ordered"]
