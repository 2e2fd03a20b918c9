"""How much thinking a day may cost. It counts what the ledger of calls holds, so a restart or a
crash in the middle of a call makes nothing free. It asks nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from dormouse.thinking.levels import TABLE, Level
from dormouse.thinking.values import CallLog, CallRow, Result
from dormouse.times import Clock, stamp

FAILURES = 3  # in a row: then this thinker rests until the next day


@dataclass(frozen=True, slots=True)
class Usage:
    """What the day has cost so far, its caps, and when it ends (UTC)."""

    calls: int
    calls_cap: int
    tokens: int
    tokens_cap: int
    resets_at: str


def midnight(now: datetime, days: int = 0) -> datetime:
    """The local midnight that began the day of *now*; *days* later if given. Knows of DST."""
    day = now.astimezone().date() + timedelta(days=days)
    return datetime.combine(day, time.min).astimezone()


def estimate(sent: int, largest_answer: int, today: Sequence[CallRow]) -> int:
    """Tokens a call may cost: bytes / 4 and the largest answer, or the day's largest whole call."""
    largest = max((row.spent for row in today), default=0)
    return max(-(-sent // 4) + largest_answer, largest)


class Caps:
    """The caps of one store. They are hard: a call that might pass one is not made."""

    def __init__(self, log: CallLog, clock: Clock, *, calls: int, tokens: int) -> None:
        self._log, self._clock = log, clock
        self._calls, self._tokens = calls, tokens

    def today(self) -> Sequence[CallRow]:
        """The calls since local midnight, those of a clock that ran ahead too."""
        return self._log.since(self.began())

    def began(self) -> str:
        """When this day began: the last local midnight, in UTC."""
        return stamp(midnight(self._clock()))

    def usage(self) -> Usage:
        """What was used today, and of how much."""
        return self.usage_of(self.today())

    def usage_of(self, rows: Sequence[CallRow]) -> Usage:
        """What the calls of a day come to."""
        made = _made(rows)
        return Usage(
            len(made),
            self._calls,
            sum(row.spent for row in made),
            self._tokens,
            stamp(midnight(self._clock(), 1)),
        )

    def exhausted(self) -> str | None:
        """Why not even a call of no size may be made today, or None."""
        return self._over(_made(self.today()), 1)

    def refuses(self, sent: int, largest_answer: int) -> str | None:
        """Why a call of *sent* bytes may not be made now, or None."""
        made = _made(self.today())
        return self._over(made, estimate(sent, largest_answer, made))

    def estimate(self, sent: int, largest_answer: int) -> int:
        """What such a call is counted as until its thinker tells."""
        return estimate(sent, largest_answer, _made(self.today()))

    def _over(self, made: Sequence[CallRow], tokens: int) -> str | None:
        if len(made) + 1 > self._calls:
            return f"the cap of {self._calls} thinker calls a day forbids it"
        if sum(row.spent for row in made) + tokens > self._tokens:
            return f"the cap of {self._tokens} thinker tokens a day forbids it"
        return None

    def resting(self, who: str) -> str | None:
        """Why *who* is left alone until the next day, or None.

        A quota answer from a vendor ends the day for everything that leaves the machine: to spend
        the next subscription instead would be no better.
        """
        rows = self.today()
        leaves = TABLE[who].least is not Level.LOCAL
        for row in rows:
            same = row.who == who or (leaves and TABLE[row.who].least is not Level.LOCAL)
            if same and row.result is Result.QUOTA:
                return f"{row.who} said that its quota is used up"
        last = [row.result for row in rows if row.who == who and row.result is not Result.STOPPED]
        failed = (Result.FAILED, Result.TIMEOUT, Result.RUBBISH, Result.STARTED)
        if len(last) >= FAILURES and all(result in failed for result in last[-FAILURES:]):
            return f"{who} failed {FAILURES} times in a row"
        return None


def _made(rows: Sequence[CallRow]) -> list[CallRow]:
    """Calls that count: what was never sent does not."""
    return [row for row in rows if row.result is not Result.UNAVAILABLE]
