"""`rem run --wait`: a person on a terminal sees the steps, everybody else one answer at the end."""

from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import Dummy, run_report
from tests.unit.cli.terminals import on_terminal


def test_a_terminal_is_shown_the_step_and_then_the_report(daemon: Dummy) -> None:
    steps = [
        {"step": "catch_up", "state": "done", "facts_before": 12, "facts_after": 12},
        {"step": "settle", "state": "done", "facts_before": 12, "facts_after": 11},
    ]
    daemon.script("POST /v1/rem/runs", run_report(state="running"))
    daemon.script(f"GET /v1/rem/runs/{'r' * 16}", run_report(steps=steps))
    said = on_terminal("rem", "run", "--wait")
    assert said.code == 0
    assert daemon.bodies("POST /v1/rem/runs") == [{"wait": False}]
    assert "settling contradictions" in said.out
    assert "settle done, 12 → 11 facts" in said.out


def test_without_a_terminal_there_is_one_request_and_one_answer(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/rem/runs", run_report())
    assert run("rem", "run", "--wait").code == 0
    assert daemon.bodies("POST /v1/rem/runs") == [{"wait": True}]


def test_the_report_says_what_came_in_who_settled_what_waits_and_what_it_cost(
    daemon: Dummy, run: Run
) -> None:
    made = run_report(
        by={"slot:4": {"supersede": 1}, "thinker:1:codex": {"keep": 2}},
        came_in={"turns": 60, "read": 58, "facts": 9},
        folded=3,
        made=2,
        waits={"candidates": 1, "questions": 2},
        thinker_calls=2,
        thinker_tokens=1800,
    )
    daemon.script("GET /v1/rem/runs/rrrr", made)
    out = run("rem", "show", "rrrr").out
    for said in (
        "60 turns",
        "slot:4: 1 supersede",
        "thinker:1:codex: 2 keep",
        "3 duplicates folded",
        "2 candidates made facts",
        "1 candidate, 2 questions",
        "2 thinker calls (1800 tokens), 12 ms",
    ):
        assert said in out
