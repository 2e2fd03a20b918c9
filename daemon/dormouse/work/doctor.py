"""What ``doctor`` finds out: each check says what is so, and how to mend it. Changes nothing."""

import shutil
import stat
from dataclasses import asdict, dataclass

from dormouse.capture.redaction import redact
from dormouse.hygiene import on_network_filesystem
from dormouse.work.memory import Memory
from dormouse_wire.hosts import HOSTS
from dormouse_wire.paths import Home

LOW_DISK = 200 * 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Check:
    check: str
    ok: bool
    detail: str
    fix: str | None = None


def doctor(memory: Memory, key_detail: str, key_ok: bool) -> list[dict[str, object]]:
    """All checks that the daemon can do for itself. Reads the whole file: takes a while."""
    checks = [
        _integrity(memory),
        _secrets(memory),
        _permissions(memory.home),
        _disk(memory.home),
        _network(memory.home),
        Check("keys", key_ok, key_detail, None if key_ok else "Run `dormouse key check`."),
        *_agents(memory),
        _ignored(memory),
    ]
    return [asdict(check) for check in checks]


def _integrity(memory: Memory) -> Check:
    problems = memory.ledger.integrity()
    detail = f"{len(problems)} problem(s)" if problems else "the file is whole"
    fix = "Restore a backup with `dormouse restore-backup FILE`." if problems else None
    return Check("integrity", not problems, detail, fix)


def _secrets(memory: Memory) -> Check:
    found = memory.ledger.count_secrets(lambda text: redact(text).text != text)
    detail = (
        f"{found} fact(s) hold a secret that an older version did not recognise"
        if found
        else "no secret stands in any fact"
    )
    fix = "Look with `dormouse facts --all` and `dormouse erase ID`." if found else None
    return Check("secrets", not found, detail, fix)


def _permissions(home: Home) -> Check:
    lax = [
        path.name
        for path in [home.root, *home.root.rglob("*")]
        if not path.is_symlink() and stat.S_IMODE(path.lstat().st_mode) & 0o077
    ]
    detail = (
        f"others may reach: {', '.join(sorted(lax))}" if lax else "only you can reach the files"
    )
    return Check("permissions", not lax, detail, f"chmod -R go= {home.root}" if lax else None)


def _disk(home: Home) -> Check:
    free = shutil.disk_usage(home.root).free
    detail = f"{free // (1024 * 1024)} MB free"
    return Check("disk", free > LOW_DISK, detail, None if free > LOW_DISK else "Free some space.")


def _network(home: Home) -> Check:
    kind = on_network_filesystem(home.root)
    detail = f"the home is on {kind}" if kind else "the home is on a local disk"
    fix = "Move it: SQLite's locks can't be trusted over a network." if kind else None
    return Check("file system", kind is None, detail, fix)


def _agents(memory: Memory) -> list[Check]:
    checks = []
    for row in memory.ledger.read(lambda r: r.agents()):
        if not row.connected or row.id not in HOSTS:
            continue
        host = HOSTS[row.id]
        fired = row.last_event_at is not None
        detail = f"last event {row.last_event_at}" if fired else "installed, never fired"
        fix = None
        if not fired:
            fix = host.notes[0] if host.notes else f"Start {host.title} and say something."
        checks.append(Check(host.id, fired, detail, fix))
    return checks


def _ignored(memory: Memory) -> Check:
    parts = [f"{name} {number}" for name, number in sorted(memory.counted.items())]
    return Check("ignored", True, ", ".join(parts) if parts else "nothing was ignored")
