"""What ``doctor`` looks at outside the ledger: swap, disk, keys, hooks. Changes nothing."""

import contextlib
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from dormouse.errors import Damaged, Locked
from dormouse.hygiene import on_network_filesystem
from dormouse.keys import KeySlots
from dormouse.ledger import AgentRow
from dormouse.ledger.ballast import SIZE
from dormouse.work.checks import Check
from dormouse.work.undelivered import WHAT_TO_DO
from dormouse_wire.hosts import HOSTS
from dormouse_wire.paths import Home

LOW_DISK = 200 * 1024 * 1024  # bytes
HOOK = b"dormouse-hook"
DUE = 3  # the events of each host's table that ring in every turn come first in it
OFTEN = 3  # so often another one rang before one that never did is missed
Seen = Mapping[str, tuple[str, int]]
SWAPS, CGROUP = Path("/proc/swaps"), Path("/proc/self/cgroup")


def disk(home: Home) -> Check:
    free = shutil.disk_usage(home.root).free
    detail = f"{free // (1024 * 1024)} MB free"
    return Check("disk", free > LOW_DISK, detail, None if free > LOW_DISK else "Free some space.")


def network(home: Home) -> Check:
    kind = on_network_filesystem(home.root)
    detail = f"the home is on {kind}" if kind else "the home is on a local disk"
    fix = "Move it: SQLite's locks can't be trusted over a network." if kind else None
    return Check("file system", kind is None, detail, fix)


def ballast(home: Home) -> Check:
    """The eight megabytes that let facts be retired on a full disk."""
    there = home.ballast.exists() and home.ballast.stat().st_size >= SIZE
    detail = "8 MB are kept back for a full disk" if there else "nothing is kept for a full disk"
    fix = None if there else "Free some space, then run `dormouse restart`."
    return Check("ballast", there, detail, fix)


def swap(swaps: Path = SWAPS, cgroup: Path = CGROUP) -> Check:
    """Whether the daemon's memory may reach a disk in clear. Never a failure: it is a choice."""
    open_ones = clear_swaps(swaps)
    if not open_ones:
        return Check("swap", True, "no swap space that is not encrypted is in use")
    if _kept_out_of_swap(cgroup):
        return Check("swap", True, "swap is on, but the service keeps the daemon out of it")
    return Check(
        "swap",
        True,
        f"swap is on ({', '.join(open_ones)}): parts of the daemon's memory may reach the disk in"
        " clear; encrypt the swap space, or run `dormouse service install`",
    )


def clear_swaps(swaps: Path = SWAPS) -> list[str]:
    """Swap spaces that are neither compressed memory nor a device that may be encrypted."""
    try:
        names = [line.split()[0] for line in swaps.read_text().splitlines()[1:] if line.split()]
    except OSError:
        return []
    return [name for name in names if not name.startswith(("/dev/zram", "/dev/dm-", "/dev/mapper"))]


def _kept_out_of_swap(cgroup: Path) -> bool:
    with contextlib.suppress(OSError, IndexError):
        own = cgroup.read_text().strip().splitlines()[-1].split("::", 1)[1]
        limit = Path("/sys/fs/cgroup") / own.lstrip("/") / "memory.swap.max"
        return limit.read_text().strip() == "0"
    return False


def keys(slots: KeySlots | None) -> list[Check]:
    """That the slots open, where the key lies and how a backup leaves it out, the way back in."""
    if slots is None:
        return [Check("keys", False, "no key slots", "Run `dormouse key check`.")]
    found = []
    file = slots.key_file
    fix = _key_file_trouble(slots)
    found.append(Check("keys", fix is None, slots.protects(), fix))
    if file is not None:
        found.append(
            Check(
                "key in backups",
                True,
                f"a backup of the home is safe only without the key: add --exclude="
                f"{shlex.quote(str(file))} to your backup tool (borg, restic, rsync, tar), and"
                " keep a copy of it elsewhere",
            )
        )
    has = "recovery" in slots.kinds
    detail = "a recovery code opens it" if has else "no recovery code was made"
    hint = "" if has else "; `dormouse key add recovery` makes one, for paper"
    found.append(Check("recovery", True, detail + hint))
    return found


def _key_file_trouble(slots: KeySlots) -> str | None:
    """What to do about a key file that would not open the memory at the next start."""
    if "keyfile" not in slots.kinds:
        return None
    try:
        slots.open_with_keyfile()
    except Locked as error:
        return error.hint  # its message says that the memory is locked, which it may not be yet
    except Damaged as error:
        return f"{error} {error.hint}"
    return None


def agent(row: AgentRow, seen: Seen | None = None) -> Check:
    """Whether our hooks stand in the agent's settings, may run, and each of them did.

    *seen*: by event when it last rang, and how often since the agent was connected.
    """
    host = HOSTS[row.id]
    if not host.events:
        return Check(row.id, True, "it has the tools; it has no hooks that could fire")
    start = f"Start {host.title} and say something; if it stays so, `dormouse connect {row.id}`."
    if row.settings_path is not None and host.events and not _mentions_us(row.settings_path):
        detail = f"our hooks no longer stand in {row.settings_path}"
        return Check(row.id, False, detail, f"Run `dormouse connect {row.id}`.")
    if row.last_event_at is not None:
        return _fired(row, seen or {})
    if host.needs_approval:
        detail = "installed, never fired: its hooks wait for your approval"
        return Check(row.id, False, detail, host.notes[0] if host.notes else start)
    return Check(row.id, False, "installed, never fired", start)


def _fired(row: AgentRow, seen: Seen) -> Check:
    """When each event last rang; one that is due and never did is told."""
    host = HOSTS[row.id]
    detail = f"last event {row.last_event_at} ({row.last_event})"
    if seen:
        told = [f"{e.name} {seen[e.name][0] if e.name in seen else 'never'}" for e in host.events]
        detail = f"last seen: {', '.join(told)}"
    due = [event.name for event in host.events[:DUE]]
    often = max((seen[name][1] for name in due if name in seen), default=0)
    silent = [name for name in due if name not in seen or not seen[name][1]]
    if often < OFTEN or not silent:
        return Check(row.id, True, detail)
    detail = f"{', '.join(silent)} never fired, others did {often} times; {detail}"
    fix = f"Run `dormouse connect {row.id}`."
    if host.needs_approval:
        fix = f"{' '.join(host.notes)} Each event is approved by itself."
    return Check(row.id, False, detail, fix)


def _mentions_us(path: str) -> bool:
    try:
        return HOOK in Path(path).read_bytes()
    except OSError:
        return False


def undelivered(agents: list[AgentRow], waiting: int) -> Check:
    """Events that no daemon took and that nothing has made up for so far."""
    lost = {row.id: row.undelivered for row in agents if row.undelivered}
    number = sum(lost.values()) + waiting
    if not number:
        return Check(
            "undelivered", True, "none in the last three days that a transcript did not make up for"
        )
    named = ", ".join(f"{name} {count}" for name, count in lost.items()) or f"{waiting} not counted"
    detail = f"{number} event(s) came while no daemon ran ({named}) and stand in no transcript read"
    fix = (
        "Run `dormouse rem run --wait`: it reads on in the transcripts. What is counted then is"
        f" lost: {WHAT_TO_DO}. It is told for three days after the last one."
    )
    return Check("undelivered", False, detail, fix)
