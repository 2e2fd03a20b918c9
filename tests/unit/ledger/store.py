"""A ledger for tests, with a clock that ticks and a small preparation of texts."""

import hashlib
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dormouse.facts import Fact, How, Look, NewFact, Scope, Slot, Source, Trust
from dormouse.judgments import Decision, Ruling, Verdict
from dormouse.ledger import Captured, CarriedOut, Ledger, Prepared, Writer, new_id
from dormouse.sessions import Role, Turn
from dormouse.times import parse, stamp

KEY = bytes(range(32))
STORE_ID = "teststoreteststo"
EVERYTHING = Look(everything=True)
SECRET = re.compile(r"ghp_[A-Za-z0-9]{36}")


def prepare(text: str) -> Prepared:
    """Takes one sort of secret out, and NUL and surrogates; words are runs of letters."""
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "�")
    text, found = SECRET.subn("[redacted:github]", clean)
    folded = " ".join(text.casefold().split()).rstrip(".!")
    hashed = hashlib.sha256(folded.encode()).hexdigest()
    return Prepared(text, ("github",) if found else (), hashed, words_of)


def words_of(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


class Clock:
    """Each look at it is a millisecond later."""

    def __init__(self, start: str = "2026-06-01T09:00:00+00:00") -> None:
        self.now = parse(start)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def go_on(self, **by: float) -> None:
        self.now += timedelta(**by)


def day(text: str) -> str:
    """A day of 2026, "04-02", as the ledger stores it."""
    return stamp(datetime.fromisoformat(f"2026-{text}T00:00:00").replace(tzinfo=UTC))


def make(folder: Path, key: bytes = KEY) -> Path:
    path = folder / "memory.db"
    Ledger.create(path, key, store_id=STORE_ID, prepare=prepare, now=Clock())
    return path


def open_ledger(path: Path, key: bytes = KEY, **more: Any) -> Ledger:
    return Ledger(path, key, prepare=prepare, now=more.pop("now", Clock()), **more)


def new_fact(text: str, at: str = "", session: str | None = "s1", **more: Any) -> NewFact:
    """A statement; its slot is read from "A is B"."""
    if "slot" not in more:
        subject, _, value = text.partition(" is ")
        more["slot"] = Slot(subject, "is", value.strip(" .")) if value else Slot()
    agent = more.pop("agent", "claude-code")
    source = Source(agent, session, more.pop("turn_id", None), How.EXPLICIT, at)
    return NewFact(new_id(), text, source, stated_at=at, valid_from=at, session_id=session, **more)


def say(ledger: Ledger, text: str, at: str = "", **more: Any) -> Fact:
    return keep(ledger, text, at, **more).fact


def keep(ledger: Ledger, text: str, at: str = "", **more: Any) -> Captured:
    new = new_fact(text, at, **more)
    return ledger.write(lambda w: w.capture(new)).result(10)


def fact(ledger: Ledger, id: str) -> Fact:
    return ledger.read(lambda r: r.fact(id))


def texts(ledger: Ledger, look: Look = EVERYTHING, **more: Any) -> list[str]:
    return [f.text for f in ledger.read(lambda r: r.facts(look, **more))]


def found(ledger: Ledger, *terms: str, look: Look = EVERYTHING, **more: Any) -> list[str]:
    return [h.fact.text for h in ledger.read(lambda r: r.search(terms, look, **more))]


def rule(
    verdict: Verdict = Verdict.SUPERSEDE, judge: str = "slot:1", reason: str | None = None
) -> Ruling:
    return Ruling(verdict, judge, reason=reason)


def decide(older: Fact, newer: Fact, **more: Any) -> Decision:
    return Decision(older.id, newer.id, rule(**more))


def settle(ledger: Ledger, *decisions: Decision, kind: str = "settle") -> tuple[str, CarriedOut]:
    """Carry decisions out in a run of their own; the run's id and what came of it."""

    def do(w: Writer) -> tuple[str, CarriedOut]:
        run = w.open_run(kind)
        done = w.carry_out(decisions, run_id=run, level="local")
        w.close_run(run, state="done", report={})
        return run, done

    return ledger.write(do).result(10)


def supersede(ledger: Ledger, older: Fact, newer: Fact, **more: Any) -> str:
    run, done = settle(ledger, decide(older, newer, **more))
    assert done.retired == [(older.id, newer.id)]
    return run


def turn(text: str, session: str = "s1", role: Role = Role.PERSON, **more: Any) -> Turn:
    return Turn(role, text, session, **more)


def journal(
    ledger: Ledger, said: Turn, at: str = "2026-06-01T10:00:00.000+00:00", agent: str = "codex"
) -> tuple[str, bool]:
    return ledger.write(
        lambda w: w.journal(agent, said, project_id=None, branch=None, at=at)
    ).result(10)


def dump(ledger: Ledger) -> dict[str, list[Any]]:
    """Every row of every table, to compare one state of the ledger with another."""

    def do(r: Any) -> dict[str, list[Any]]:
        tables = r._db.execute(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        ).fetchall()
        found = {
            name: sorted(r._db.execute(f'SELECT * FROM "{name}"'), key=repr)  # noqa: S608
            for (name,) in tables
            if not name.startswith("sqlite_")
        }
        found["terms"] = r._db.execute("SELECT * FROM search_terms ORDER BY term").fetchall()
        return found

    return ledger.read(do)


__all__ = ["Role", "Scope", "Slot", "Trust"]
