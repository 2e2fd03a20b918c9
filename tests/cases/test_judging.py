"""Cases 20 and 21: what is no longer true is struck through, and time is kept straight."""

from typing import Any

from tests.machine import Machine, wait_for


def runner_hits(machine: Machine, repository: str) -> list[str]:
    hits = machine.recall("how do I run the tests", project=repository)
    return [hit["text"] for hit in hits]


def test_case_20_superseding_keeps_history_and_can_be_undone(machine: Machine) -> None:
    machine.up("2026-10-01T09:00:00+00:00")
    repository = machine.repository("shop")
    jest = machine.json(
        "remember", "tests run with Jest", "--at", "2026-07-01T09:00:00Z", cwd=repository
    )
    session = machine.session("claude-code", repository)
    session.start()
    session.prompt("remember that we moved the tests to Vitest last week")
    (row,) = wait_for(machine.retired, within_s=5, what="the retirement of Jest")

    assert row["id"] == jest["id"]
    assert row["text"] == "tests run with Jest"
    assert row["because"] == "superseded"
    assert row["retired_at"].startswith("2026-10-01")
    assert row["judge"]
    vitest = machine.json("show", row["superseded_by"])
    assert "Vitest" in vitest["text"]
    assert runner_hits(machine, str(repository)) == [vitest["text"]]
    current = machine.facts(project=repository)
    assert [fact["id"] for fact in current] == [vitest["id"]]

    machine.json("rem", "undo", row["run"])
    assert set(runner_hits(machine, str(repository))) == {jest["text"], vitest["text"]}
    (question,) = machine.json("questions")
    assert (question["older"]["id"], question["newer"]["id"]) == (jest["id"], vitest["id"])
    fresh = machine.session("codex", repository).prompt("how do I run the tests?")
    assert "not yet judged" in fresh
    machine.json("rem", "run", "--wait")
    assert machine.json("show", jest["id"])["current"], "no judge may redo what was undone"


def on_call(hits: list[Any]) -> list[str]:
    return [hit["text"] for hit in hits]


def test_case_21_a_value_that_returns_and_a_statement_that_arrives_late(machine: Machine) -> None:
    machine.up("2026-08-01T12:00:00+00:00")
    repository = machine.repository("shop")

    def say(team: str, day: str) -> Any:
        fact = machine.json("remember", f"on-call is team {team}", "--at", day, cwd=repository)
        machine.settled()
        return fact

    first = say("North", "2026-01-05")
    second = say("South", "2026-04-02")
    third = say("North", "2026-07-01")
    assert len({first["id"], second["id"], third["id"]}) == 3

    late = say("South", "2026-05-20")
    assert late["state"] == "known"
    assert late["id"] == second["id"]

    def ask(**more: Any) -> list[str]:
        return on_call(machine.recall("who is on-call", project=str(repository), **more))

    assert ask() == ["on-call is team North"]
    assert ask(as_of="2026-05-15") == ["on-call is team South"]
    assert ask(as_of="2026-02-01") == ["on-call is team North"]

    chain = [link["fact"] for link in machine.json("history", third["id"])]
    intervals = [(fact["valid_from"][:10], (fact["valid_to"] or "")[:10]) for fact in chain]
    assert intervals == [
        ("2026-01-05", "2026-04-02"),
        ("2026-04-02", "2026-07-01"),
        ("2026-07-01", ""),
    ]
    assert len(machine.json("show", second["id"])["sources"]) == 2
    assert [fact["id"] for fact in machine.facts(project=repository)] == [third["id"]]
