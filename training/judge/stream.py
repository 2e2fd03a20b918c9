"""Facts as people say them, through the whole daemon: `python -m training.judge.stream`.

Pairs flatter a judge; the stream decides. Each fact is captured, settled and embedded before the
next one is said, at the privacy level ``local``. It prints every retirement with right or wrong,
the changes that were found, asked about or missed, and what became of facts that must all coexist.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.measure import share
from tests.machine import Machine, wait_for

DATA = Path(__file__).with_name("streams")
BEGAN = datetime(2025, 1, 6, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Said:
    """One line of a stream: the indices of the earlier lines that it makes untrue,
    wholly (*ends*) or *partly*."""

    at: datetime
    project: str | None
    text: str
    ends: frozenset[int]
    partly: frozenset[int]


@dataclass(slots=True)
class Outcome:
    """What came of one stream. Numbers are indices of its lines."""

    retired: list[tuple[int, int]] = field(default_factory=list)
    asked: set[tuple[int, int]] = field(default_factory=set)
    changes: set[tuple[int, int]] = field(default_factory=set)
    facts: int = 0

    @property
    def right(self) -> list[tuple[int, int]]:
        return [pair for pair in self.retired if pair in self.changes]

    @property
    def questioned(self) -> set[tuple[int, int]]:
        """Changes that were not carried out, but asked about."""
        return self.asked & self.changes - set(self.retired)

    @property
    def wrong(self) -> list[tuple[int, int]]:
        return [pair for pair in self.retired if pair not in self.changes]


def read(path: Path, began: datetime = BEGAN) -> list[Said]:
    """The lines of a stream file in their order, a minute between those of one day."""
    found = []
    for number, row in enumerate(map(json.loads, path.read_text("utf-8").splitlines())):
        at = began + timedelta(days=row["day"], minutes=number)
        ends, partly = indices(row.get("ends")), indices(row.get("partly"))
        found.append(Said(at, row.get("project"), row["text"], ends, partly))
    return found


def indices(given: Any) -> frozenset[int]:
    """Line numbers, one, several or none, as indices."""
    each = given if isinstance(given, list) else [] if given is None else [given]
    return frozenset(int(one) - 1 for one in each)


def through(machine: Machine, lines: Sequence[Said]) -> Outcome:
    """Say *lines* one after another and look at what is left."""
    folders = {
        name: machine.repository(name) for name in sorted({s.project for s in lines if s.project})
    }
    ids: dict[str, int] = {}
    outcome = Outcome()
    for number, said in enumerate(lines):
        folder = str(folders[said.project]) if said.project else None
        made = told_to(machine, said.text, said.at, folder)
        ids.setdefault(made["id"], number)
        outcome.changes.update((older, number) for older in said.ends)
    outcome.facts = len(ids)
    for fact in machine.retired():
        later = ids.get(fact["superseded_by"] or "")
        if fact["id"] in ids and later is not None:
            outcome.retired.append((ids[fact["id"]], later))
    for question in machine.ask("GET", "/v1/questions"):
        a, b = (ids.get(question[role]["id"]) for role in ("older", "newer"))
        if a is not None and b is not None:
            outcome.asked.add((a, b))
    return outcome


def told_to(machine: Machine, text: str, at: datetime, folder: str | None) -> dict[str, Any]:
    """Capture a fact and wait till it is settled and embedded."""
    body: dict[str, Any] = {"text": text, "at": at.isoformat()}
    if folder:
        body["project"] = folder
    made: dict[str, Any] = machine.ask("POST", "/v1/facts", body)
    wait_for(lambda: at_rest(machine), within_s=60, what="settling")
    return made


def at_rest(machine: Machine) -> bool:
    """Nothing waits to be settled or embedded."""
    health = machine.ask("GET", "/v1/health")
    return bool(health["pending"] == 0 and health["index"]["pending"] == 0)


def told(name: str, lines: Sequence[Said], outcome: Outcome) -> None:
    """Print every retirement, then the counts of one stream."""
    print(f"\n{name}: {len(lines)} facts, {len(outcome.changes)} real changes")
    for old, new in sorted(outcome.retired):
        word = "right" if (old, new) in outcome.changes else "WRONG"
        print(f"  {word}: {lines[old].text}  ->  {lines[new].text}")
    found = set(outcome.retired)
    for old, new in sorted(outcome.changes - found):
        word = "asked" if (old, new) in outcome.asked else "missed"
        print(f"  {word}: {lines[old].text}  ->  {lines[new].text}")
    print(
        f"{name}: settled {len(outcome.right)}, asked {len(outcome.questioned)} of"
        f" {len(outcome.changes)}; wrong {len(outcome.wrong)} of {len(outcome.retired)} retirements"
    )


def summed(outcomes: Sequence[Outcome]) -> None:
    retired = sum(len(each.retired) for each in outcomes)
    wrong = sum(len(each.wrong) for each in outcomes)
    facts = sum(each.facts for each in outcomes)
    changes = sum(len(each.changes) for each in outcomes)
    settled = sum(len(each.right) for each in outcomes)
    asked = sum(len(each.questioned) for each in outcomes)
    others = sum(len(each.asked - each.changes) for each in outcomes)
    print()
    print(share("retirements that were wrong", wrong, retired))
    print(share("facts wrongly retired", wrong, facts))
    print(share("real changes settled without a thinker", settled, changes))
    print(f"real changes asked about {asked}, missed {changes - settled - asked}")
    print(f"questions about facts that may both hold: {others}")
    coexisting = [each for each in outcomes if not each.changes]
    gone, of = sum(len(e.retired) for e in coexisting), sum(e.facts for e in coexisting)
    print(f"retired of {of} facts that all hold: {gone}")


def stale(machine: Machine, path: Path) -> tuple[int, int]:
    """Plain stale pairs, each in a project of its own: how many show the current fact alone."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    good = 0
    for number, row in enumerate(rows):
        folder = str(machine.repository(f"pair-{number}"))
        later = BEGAN + timedelta(days=int(row["days"]))
        old, new = (
            told_to(machine, text, at, folder)
            for text, at in ((row["older"], BEGAN), (row["newer"], later))
        )
        shown = {hit["id"] for hit in machine.recall(row["asked"], project=folder, floor=0)}
        kept = machine.ask("GET", f"/v1/facts/{old['id']}")
        fine = new["id"] in shown and old["id"] not in shown and bool(kept["retired_at"])
        good += fine
        if not fine:
            print(f"  not settled: {row['older']}  ->  {row['newer']}")
    return good, len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="streams to run; all, if none is named")
    names = parser.parse_args().names
    outcomes = []
    for path in sorted(DATA.glob("*.jsonl")):
        if names and path.stem not in names:
            continue
        machine = Machine()
        try:
            machine.up()
            if path.stem.startswith("stale"):
                print(share("\nplain stale pairs settled", *stale(machine, path)))
                continue
            lines = read(path)
            outcomes.append(through(machine, lines))
            told(path.stem, lines, outcomes[-1])
        finally:
            machine.destroy()
    if outcomes:
        summed(outcomes)


if __name__ == "__main__":
    main()
