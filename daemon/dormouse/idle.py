"""Whether agents are idle and sleep makes sense now. The one loop that decides it by itself.

The decision is a pure function of what was seen; nothing is looked at more often than each minute.
"""

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from pathlib import Path

from dormouse.ledger import Reader
from dormouse.settings import Settings
from dormouse.times import parse
from dormouse.work import rem
from dormouse.work.memory import Memory

log = logging.getLogger("dormouse")
TICK_S = 60.0
LOW_LOAD = 0.7  # runnable programs for each processor, over the last minute
LOW_BATTERY = 30  # percent
LONG = 6  # times the idle minutes: so long a silence is worth a second sleep in a day
POWER = Path("/sys/class/power_supply")


@dataclass(frozen=True, slots=True)
class Battery:
    percent: int
    discharging: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """What the ledger says about the need for sleep; ``not_before`` is a failed step's back-off."""

    last_event: datetime | None
    pending: int
    last_success: datetime | None
    not_before: datetime | None = None


def should_sleep(
    now: datetime,
    last_event: datetime | None,
    pending: int,
    load: float,
    battery: Battery | None,
    last_success: datetime | None,
    preferred: str,
    settings: Settings,
    *,
    not_before: datetime | None = None,
    zone: tzinfo | None = None,
) -> str | None:
    """Why to sleep now, or None. All times have an offset; *load* is per processor.

    A time that lies ahead of *now* comes from a clock that was set back: it says nothing.
    """
    if not pending or load > LOW_LOAD or (not_before is not None and _known(not_before, now)):
        return None
    if battery is not None and battery.discharging and battery.percent < LOW_BATTERY:
        return None
    idle = timedelta(minutes=settings.rem_idle_minutes)
    event = last_event if last_event is not None and last_event <= now else None
    if event is not None and now - event < idle:
        return None
    night = last_night(now, preferred, zone)
    if last_success is None or last_success > now or last_success < night:
        return "night" if now - night < timedelta(hours=1) else "missed night"
    rested = now - max(last_success, event or last_success)
    return "long silence" if rested >= LONG * idle else None


def _known(not_before: datetime, now: datetime) -> bool:
    """Whether a back-off holds; one of more than a day comes from another clock."""
    return now < not_before < now + timedelta(days=1)


def last_night(now: datetime, preferred: str, zone: tzinfo | None = None) -> datetime:
    """The last moment in UTC at which local clocks showed *preferred*, or would have.

    The hour that a summer time leaves out counts as the one after it, one that comes twice once.
    """
    at = time.fromisoformat(preferred)
    day = now.astimezone(zone).date()
    for back in range(3):
        local = datetime.combine(day - timedelta(days=back), at, tzinfo=zone)
        then = local.astimezone(UTC)
        if then <= now:
            return then
    return now


async def watch(
    memory: Memory,
    night: rem.Night,
    *,
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
    look: Callable[[], tuple[float, Battery | None]] | None = None,
) -> None:
    """Once a minute of wall-clock time, sleep if it is time. A missed night is seen at waking."""
    if not night.busy:
        await memory.write(lambda w: w.cut_off_runs())
    while True:
        await wait(TICK_S)
        try:
            await tick(memory, night, look or machine)
        except Exception as error:  # the next minute is another try
            log.error("looking whether to sleep failed: %s", type(error).__name__)


async def tick(
    memory: Memory, night: rem.Night, look: Callable[[], tuple[float, Battery | None]]
) -> str | None:
    """Begin a night if there is a reason; the reason."""
    if night.busy or memory.ledger.trouble is not None:
        return None
    seen = await memory.read(lambda r: seen_by_ledger(r, memory))
    if not seen.pending:
        return None
    load, battery = await memory.aside(look)
    why = should_sleep(
        memory.clock(),
        seen.last_event,
        seen.pending,
        load,
        battery,
        seen.last_success,
        memory.settings.rem_preferred,
        memory.settings,
        not_before=seen.not_before,
    )
    if why is not None and not night.busy:
        log.info("going to sleep: %s", why)
        rem.begin(memory, night, asked=False)
    return why


def seen_by_ledger(r: Reader, memory: Memory) -> Seen:
    """Reads counts and times only."""
    events = [row.last_event_at for row in r.agents() if row.last_event_at]
    success, later = r.last_good_sleep(), rem.not_before(r)
    last = r.last_sleep()
    pending = rem.waiting(r) + (last is not None and last.state in ("paused", "failed"))
    if not pending and memory.door is not None and r.count_unsure_pairs(due=memory.now()):
        pending += memory.door.why_not() is None
    return Seen(
        parse(max(events)) if events else None,
        pending,
        parse(success) if success else None,
        parse(later) if later else None,
    )


def machine() -> tuple[float, Battery | None]:
    """The load for each processor and the battery, where there is one."""
    load = 0.0
    with contextlib.suppress(OSError):
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return load, _mac_battery() if sys.platform == "darwin" else linux_battery()


def linux_battery(folder: Path = POWER) -> Battery | None:
    """The fullest battery of the machine itself; those of mice and headsets don't count."""
    found = []
    for each in sorted(folder.glob("*")):
        with contextlib.suppress(OSError, ValueError):
            if (each / "type").read_text().strip() != "Battery":
                continue
            scope = each / "scope"
            if scope.exists() and scope.read_text().strip() == "Device":
                continue
            percent = int((each / "capacity").read_text())
            found.append(Battery(percent, (each / "status").read_text().strip() == "Discharging"))
    return max(found, key=lambda battery: battery.percent, default=None)


def _mac_battery() -> Battery | None:
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        said = subprocess.run(
            ["/usr/bin/pmset", "-g", "batt"], capture_output=True, text=True, timeout=2, check=True
        ).stdout
        return mac_battery(said)
    return None


def mac_battery(said: str) -> Battery | None:
    """What ``pmset -g batt`` says: ``-InternalBattery-0 (id=1)  83%; discharging; 5:12 …``."""
    for line in said.splitlines():
        before, percent, after = line.partition("%;")
        number = before.split()[-1:] if percent else []
        if number and number[0].isdigit():
            return Battery(int(number[0]), after.strip().startswith("discharging"))
    return None
