"""How the memory is: status and doctor. Neither starts a daemon, neither changes anything."""

import os
import stat
from typing import Any

import typer

from dormouse_cli import daemon, errors, managers
from dormouse_cli.options import Json, example
from dormouse_cli.output import counted, emit, pairs, say, when
from dormouse_wire import __version__
from dormouse_wire.hosts import HOSTS
from dormouse_wire.paths import Home

EXIT_CODES = {
    "ok": 0,
    "consolidating": 0,
    "degraded": 1,
    "down": 3,
    "not_answering": 3,
    "locked": 6,
}
STYLES = {"ok": "good", "consolidating": "good"}

CLOSED = "memory"  # the check that stands for all of the daemon's while the memory is closed

app = typer.Typer(rich_markup_mode=None)

Check = dict[str, Any]


@app.command(epilog=example("dormouse status", "dormouse status --json"))
def status(as_json: Json = False) -> None:
    """Say how the memory is. Starts nothing; exits 0 when all is well."""
    home = Home.from_environment()
    found, trouble = look(home)
    emit(found, as_json, lambda: _say(found))
    if trouble is not None:
        typer.echo(errors.one_line(trouble), err=True)
    code = EXIT_CODES.get(str(found.get("state")), 1)
    if code:
        raise typer.Exit(code)


@app.command(epilog=example("dormouse doctor"))
def doctor(as_json: Json = False) -> None:
    """Check everything and say how to mend it. Starts nothing."""
    home = Home.from_environment()
    found, trouble = look(home)
    below = _daemon_checks() if trouble is None else []
    checks = [_set_up(home), _private(home), _hook_program(home), _daemon(found, trouble, below)]
    checks += [_service(home), *below]
    emit(checks, as_json, lambda: _say_checks(checks))
    if trouble is not None:
        raise typer.Exit(trouble.exit_code)
    if found.get("state") == "locked":
        raise typer.Exit(6)
    if not all(check["ok"] for check in checks):
        raise typer.Exit(1)


def look(home: Home) -> tuple[dict[str, Any], errors.CliError | None]:
    """The status object, also where no daemon gives it; and why it didn't."""
    try:
        found = daemon.health(home)
        if found is not None:
            return found, None
        daemon.may_start(home)
        trouble: errors.CliError = errors.Down(socket=home.socket, why="")
    except (errors.NotAnswering, errors.Sandboxed) as error:
        return without_daemon(home, "not_answering", error), error
    except errors.FromDaemon as error:
        return without_daemon(home, "degraded", error), None
    except (errors.Down, errors.NotSetUp) as error:
        trouble = error
    return without_daemon(home, "down", trouble), trouble


def without_daemon(home: Home, state: str, why: errors.CliError) -> dict[str, Any]:
    """The contract's keys, with null for what only a daemon knows."""
    nobody = {"used": None, "cap": None}
    return {
        "state": state,
        "version": __version__,
        "facts": {"current": None, "retired": None},
        "candidates": None,
        "proposals": None,
        "questions": None,
        "pending": None,
        "undelivered": _size_of_undelivered(home),
        "privacy": None,
        "key": None,
        "thinker": {"calls": nobody, "tokens": nobody, "resets_at": None},
        "rem": {"last_success": None, "pending": None},
        "index": {"words": None, "vectors": None, "pending": None, "model": None},
        "agents": {},
        "warnings": [str(why)],
    }


def _size_of_undelivered(home: Home) -> int:
    try:
        return home.undelivered.stat().st_size
    except OSError:
        return 0


def _say(found: dict[str, Any]) -> None:
    state = str(found.get("state"))
    say(f"{state}  dormouse {found.get('version')}", STYLES.get(state, "bad"))
    pairs(_rows(found))


def _rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    facts = found.get("facts") or {}
    if facts.get("current") is not None:
        rows.append(("facts", f"{facts['current']} current, {facts.get('retired')} retired"))
    waiting = [
        counted(found[name], name[:-1])
        for name in ("questions", "proposals", "candidates")
        if found.get(name)
    ]
    rows += [("waiting for you", ", ".join(waiting))] if waiting else []
    rows += [("to be settled", str(found["pending"]))] if found.get("pending") else []
    rows.append(("undelivered", counted(found.get("undelivered"), "event")))
    rows += [(name, str(found[name])) for name in ("key", "privacy") if found.get(name)]
    rows += _thinking(found.get("thinker") or {})
    slept = (found.get("rem") or {}).get("last_success")
    rows += [("last sleep", when(slept))] if slept else []
    rows += [(name, _agent(name, about)) for name, about in (found.get("agents") or {}).items()]
    rows += [("warning", str(warning)) for warning in found.get("warnings") or ()]
    return rows


def _thinking(used: dict[str, Any]) -> list[tuple[str, str]]:
    """What thinking cost today; nothing where it cost nothing."""
    calls, tokens = used.get("calls") or {}, used.get("tokens") or {}
    if not calls.get("used"):
        return []
    said = f"{calls['used']} of {calls['cap']} calls, {tokens['used']} of {tokens['cap']} tokens"
    return [("thinking", f"{said}, anew {when(used.get('resets_at'))}")]


def _agent(name: str, about: dict[str, Any]) -> str:
    if not about.get("connected"):
        return "not connected"
    host = HOSTS.get(name)
    if not about.get("last_event"):
        asks = host is not None and host.needs_approval
        return "waiting for your approval" if asks else "connected, never heard of yet"
    return f"connected, last event {when(about['last_event'])}"


def _check(name: str, ok: bool, detail: str, fix: str | None = None) -> Check:
    return {"check": name, "ok": ok, "detail": detail, "fix": None if ok else fix}


def _set_up(home: Home) -> Check:
    if home.exists():
        return _check("set up", True, f"a memory is in {home.root}")
    return _check("set up", False, f"no memory is in {home.root} yet", "Run `dormouse up`.")


def _private(home: Home) -> Check:
    try:
        found = home.root.stat()
    except OSError:
        return _check("folder", False, f"{home.root} is not there", "Run `dormouse up`.")
    if found.st_uid != os.getuid():
        fix = "Set DORMOUSE_HOME to a folder of your own."
        return _check("folder", False, f"{home.root} belongs to somebody else", fix)
    closed = not stat.S_IMODE(found.st_mode) & 0o077
    detail = f"{home.root} is {'' if closed else 'not '}closed to other users"
    return _check("folder", closed, detail, f"Run chmod 700 {home.root}")


def _hook_program(home: Home) -> Check:
    program = home.bin / "dormouse-hook"
    parts = [home.bin / name for name in ("hook_start.py", "hook.py")]
    there = os.access(program, os.X_OK) and all(part.is_file() for part in parts)
    detail = f"{program} is {'ready' if there else 'missing'}"
    return _check("hook program", there, detail, "Run `dormouse up`: it writes it again.")


def _daemon(found: dict[str, Any], trouble: errors.CliError | None, below: list[Check]) -> Check:
    """*below*: the daemon's own checks; of a closed memory they say alone what opens it."""
    if trouble is not None:
        return _check("daemon", False, str(trouble), trouble.hint)
    state = str(found.get("state"))
    fixes = [check["fix"] for check in below if check["check"] == CLOSED]
    fix = str(fixes[0]) if fixes else "Run `dormouse status`."
    return _check("daemon", EXIT_CODES.get(state, 1) == 0, f"it answers: {state}", fix)


def _service(home: Home) -> Check:
    """A service is a choice; one that is installed must work."""
    found = managers.manager(home)
    if not found.installed():
        detail = "no service is installed; the daemon starts by itself when it is needed"
        return _check("service", True, detail)
    if not found.there():
        detail = f"installed, but {found.title} does not answer"
        return _check("service", False, detail, "Log in again, or `loginctl enable-linger`.")
    state = found.state()
    return _check("service", state != "stopped", f"{found.title}: {state}", "Run `dormouse up`.")


def _daemon_checks() -> list[Check]:
    try:
        checks: list[Check] = daemon.ask("GET", daemon.route("doctor"), long=True, autostart=False)
    except errors.CliError as error:
        return [_check(CLOSED, False, str(error), error.hint)]
    return checks


def _say_checks(checks: list[Check]) -> None:
    for check in checks:
        mark = "ok" if check["ok"] else "!!"
        say(f"{mark}  {check['check']}: {check['detail']}", "good" if check["ok"] else "bad")
        if not check["ok"] and check.get("fix"):
            say(f"    {check['fix']}")
