"""What ``doctor`` finds out: each check says what is so, and how to mend it. Changes nothing."""

import stat
from collections.abc import Callable
from dataclasses import asdict

from dormouse.capture.redaction import redact
from dormouse.errors import DormouseError
from dormouse.keys import KeySlots
from dormouse.ledger import Reader
from dormouse.work import machine, rem
from dormouse.work.checks import Check
from dormouse.work.memory import Memory
from dormouse.work.status import undelivered_waiting
from dormouse_wire.hosts import HOSTS
from dormouse_wire.paths import Home


def doctor(memory: Memory, slots: KeySlots | None) -> list[dict[str, object]]:
    """All checks that the daemon can do for itself. Reads the whole file: takes a while."""
    looks: list[tuple[str, Callable[[], Check | list[Check]]]] = [
        ("integrity", lambda: _integrity(memory)),
        ("secrets", lambda: _secrets(memory)),
        ("permissions", lambda: _permissions(memory.home)),
        ("disk", lambda: machine.disk(memory.home)),
        ("file system", lambda: machine.network(memory.home)),
        ("ballast", lambda: machine.ballast(memory.home)),
        ("swap", machine.swap),
        ("keys", lambda: machine.keys(slots)),
        ("sleep", lambda: memory.ledger.read(_sleep)),
        ("agents", lambda: _agents(memory)),
        ("ignored", lambda: _ignored(memory)),
    ]
    return [asdict(check) for name, look in looks for check in _survived(name, look)]


def _survived(name: str, look: Callable[[], Check | list[Check]]) -> list[Check]:
    """What *look* found; that it could not look is a finding, too, and the others go on."""
    try:
        found = look()
    except DormouseError as error:
        return [Check(name, False, str(error), error.hint)]
    except OSError as error:
        return [Check(name, False, f"it could not be looked at: {error.strerror}")]
    return found if isinstance(found, list) else [found]


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


def _agents(memory: Memory) -> list[Check]:
    rows, seen = memory.ledger.read(
        lambda r: (r.agents(), {row.id: r.agent_events(row.id) for row in r.agents()})
    )
    checks = [machine.agent(row, seen[row.id]) for row in rows if row.connected and row.id in HOSTS]
    return [*checks, machine.undelivered(rows, undelivered_waiting(memory.home))]


def _sleep(r: Reader) -> Check:
    """Whether nights end well."""
    given_up, last = rem.given_up(r), r.last_good_sleep()
    if given_up:
        detail = f"the step {', '.join(given_up)} failed three times"
        return Check("sleep", False, detail, "Run `dormouse rem run --wait`, then `rem show`.")
    detail = f"the last good one ended {last}" if last else "there was none so far"
    return Check("sleep", True, detail)


def _ignored(memory: Memory) -> Check:
    parts = [f"{name} {number}" for name, number in sorted(memory.counted.items())]
    return Check("ignored", True, ", ".join(parts) if parts else "nothing was ignored")
