"""The one door to any model outside the daemon. It holds no ledger and can change no fact.

``Door.think`` gives an answer that fits its schema, or None. Levels, caps and the breaker are
enforced here and nowhere else; what leaves is a redacted copy.
"""

from dormouse.thinking.caps import Caps, Usage
from dormouse.thinking.door import Door
from dormouse.thinking.levels import Level
from dormouse.thinking.values import Answer, CallLog, CallRow, Result, Said, Stop, Thinker, Thought

__all__ = [
    "Answer",
    "CallLog",
    "CallRow",
    "Caps",
    "Door",
    "Level",
    "Result",
    "Said",
    "Stop",
    "Thinker",
    "Thought",
    "Usage",
]
