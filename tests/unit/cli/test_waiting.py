"""What waits for the owner, the journal, sleep, the judge, projects: one command each."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import FACT_ID, OTHER_ID, Dummy, fact, run_report
from tests.unit.cli.terminals import on_terminal

PASSING = {"id": FACT_ID, "state": "dropped"}
CANDIDATE = {
    "id": FACT_ID,
    "text": "staging is at x",
    "kind": "project",
    "scope": "project",
    "project": None,
    "sightings": 1,
    "confidence": 0.7,
}
PROPOSAL = {"id": FACT_ID, "what": "pin", "text": "a rule", "by": "codex", "at": "2026-06-01"}
QUESTION = {
    "id": "q" * 16,
    "older": fact("the port is 80"),
    "newer": fact("the port is 81", id=OTHER_ID),
    "why": "trust",
    "asked_at": "2026-06-01T10:00:00.000+00:00",
}


def test_candidates_are_listed_accepted_and_dropped(daemon: Dummy, run: Run) -> None:
    daemon.script("GET /v1/candidates", [CANDIDATE])
    daemon.script("POST /v1/candidates/7k3f/accept", fact())
    daemon.script("POST /v1/candidates/7k3f/drop", PASSING)
    assert run("candidates", "--json").json == [CANDIDATE]
    assert "staging is at x" in run("candidates").out
    assert run("candidates", "accept", "7k3f").out.startswith("noted 7k3f2a for project api")
    assert run("candidates", "drop", "7k3f", "--json").json == PASSING
    assert run("candidates", "drop", "7k3f").out == "dropped 7k3f2a\n"


def test_proposals_are_listed_accepted_and_rejected(daemon: Dummy, run: Run) -> None:
    daemon.script("GET /v1/proposals", [PROPOSAL])
    daemon.script("POST /v1/proposals/7k3f/accept", fact())
    daemon.script("POST /v1/proposals/7k3f/reject", {"id": FACT_ID, "state": "rejected"})
    assert run("proposals", "--json").json == [PROPOSAL]
    assert "codex" in run("proposals").out
    assert on_terminal("proposals", "accept", "7k3f").code == 0
    assert run("proposals", "reject", "7k3f").out == "rejected 7k3f2a\n"


def test_what_is_to_be_replaced_is_named_beside_what_takes_its_place(
    daemon: Dummy, run: Run
) -> None:
    correct = {**PROPOSAL, "what": "correct", "text": "the port is 81", "fact": OTHER_ID}
    daemon.script("GET /v1/proposals", [correct, {**PROPOSAL, "fact": OTHER_ID}])
    out = run("proposals").out
    assert "in place of 9m2q4c: the port is 81" in out
    assert out.count("in place of") == 1


@pytest.mark.parametrize("columns", ["100", "80", "40"])
def test_no_agents_name_hides_what_it_proposes(daemon: Dummy, columns: str) -> None:
    text = " ".join(f"word{number:02}" for number in range(30))
    daemon.script("GET /v1/proposals", [{**PROPOSAL, "by": "a" * 40, "text": text}])
    shown = on_terminal("proposals", env={"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": columns}).out
    for word in text.split():
        assert word in shown
    assert shown.replace("\n", " ").count("a") >= 40


def test_questions_show_both_facts_and_how_to_answer(daemon: Dummy, run: Run) -> None:
    daemon.script("GET /v1/questions", [QUESTION])
    out = run("questions").out
    assert "older  7k3f2a" in out
    assert "the port is 81" in out
    assert "dormouse questions answer ID" in out
    daemon.script("GET /v1/questions", [])
    assert run("questions").out == "no questions\n"


def test_an_answer_is_one_of_two_words(daemon: Dummy, run: Run) -> None:
    assert run("questions", "answer", "qqqq", "delete").code == 2


def test_the_journal_is_shown_and_dropped_by_session(daemon: Dummy, run: Run) -> None:
    turn = {"session": "s1", "agent": "codex", "role": "user", "at": "2026-06-01", "text": "hi"}
    daemon.script("GET /v1/journal", [turn])
    daemon.script("GET /v1/journal?session=s1", [])
    daemon.script("POST /v1/journal/drop", {"dropped": 3})
    assert run("journal", "--json").json == [turn]
    assert run("journal", "--session", "s1").out == "the journal holds no turns\n"
    assert run("journal", "--drop", "s1").out == "dropped 3 turns\n"
    assert daemon.bodies("POST /v1/journal/drop") == [{"session": "s1"}]


def test_rem_run_exits_1_only_when_waited_for_and_not_done(daemon: Dummy, run: Run) -> None:
    for state, code in [("done", 0), ("failed", 1), ("stopped", 1), ("paused", 0)]:
        daemon.script("POST /v1/rem/runs", run_report(state=state))
        said = run("rem", "run", "--wait", "--json")
        assert (said.code, said.json["state"]) == (code, state)
    daemon.script("POST /v1/rem/runs", run_report(state="running"))
    assert run("rem", "run").code == 0
    assert daemon.bodies("POST /v1/rem/runs")[-1] == {"wait": False}


def test_rem_log_and_show_tell_what_was_settled(daemon: Dummy, run: Run) -> None:
    daemon.script("GET /v1/rem/runs", [run_report()])
    daemon.script("GET /v1/rem/runs/rrrr", run_report(state="stopped"))
    assert "1 supersede, 2 unsure" in run("rem", "log").out
    out = run("rem", "show", "rrrr").out
    assert "12 before, 11 after" in out
    assert "dormouse rem approve rrrrrr" in out


def test_rem_undo_takes_a_run_or_a_time_back(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/rem/runs/rrrr/undo", run_report(state="undone"))
    daemon.script("POST /v1/rem/undo", [run_report(state="undone")])
    assert run("rem", "undo", "rrrr").out == "undone rrrrrr: 1 fact\n"
    assert run("rem", "undo", "rrrr", "--json").json["state"] == "undone"
    assert len(run("rem", "undo", "--since", "2026-06-01", "--json").json) == 1
    assert daemon.bodies("POST /v1/rem/undo") == [{"since": "2026-06-01"}]
    assert run("rem", "undo").code == 2
    assert run("rem", "undo", "rrrr", "--since", "2026-06-01").code == 2


RULING = {
    "id": "1",
    "verdict": "keep",
    "probability": None,
    "judge": "gate",
    "vetoed_by": "modality",
    "took_ms": 0.1,
}


def test_judge_takes_two_texts(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/judge", [RULING])
    said = run("judge", "a", "b", "--older-at", "2026-01-01", "--judge", "slot", "--json")
    assert said.json == RULING
    assert daemon.bodies("POST /v1/judge") == [
        {
            "pairs": [
                {
                    "id": "1",
                    "older": "a",
                    "older_time": "2026-01-01",
                    "newer": "b",
                    "newer_time": None,
                }
            ],
            "judge": "slot",
        }
    ]
    assert run("judge", "a", "b").out == "keep, said by gate, vetoed by modality\n"
    assert run("judge", "a").code == 2


def test_judge_reads_a_file_of_pairs_and_ignores_unknown_keys(
    daemon: Dummy, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "pairs.jsonl"
    pairs = [{"id": f"p{n}", "older": "a", "newer": "b", "gold": "keep"} for n in range(201)]
    file.write_text("\n".join(json.dumps(pair) for pair in pairs) + "\n\n")
    daemon.script("POST /v1/judge", [RULING])
    assert run("judge", "--file", str(file), "--json").json == [RULING, RULING]
    first, second = daemon.bodies("POST /v1/judge")
    assert (len(first["pairs"]), len(second["pairs"])) == (200, 1)
    assert second["pairs"] == [{"id": "p200", "older": "a", "newer": "b"}]


def test_a_broken_line_is_named_by_its_number(daemon: Dummy, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    for line in ("not json", '{"older": "secret words"}', "[1]"):
        file.write_text('{"older": "a", "newer": "b"}\n' + line)
        said = run("judge", "--file", str(file))
        assert said.code == 2
        assert "line 2" in said.err
        assert "secret words" not in said.err
    assert run("judge", "--file", str(tmp_path / "none")).code == 2
    assert daemon.asked == []


def test_projects_are_listed_with_what_may_be_joined(daemon: Dummy, run: Run) -> None:
    project = {
        "id": "p" * 16,
        "name": "api",
        "kind": "git",
        "paths": ["/src/api"],
        "facts": 3,
        "proposals_to_join": ["o" * 16],
    }
    daemon.script("GET /v1/projects", [project])
    assert run("projects", "--json").json == [project]
    out = run("projects").out
    assert "/src/api" in out
    assert "dormouse projects join pppppp oooooo" in out


def test_recall_says_why_and_says_when_nothing_matched(daemon: Dummy, run: Run) -> None:
    hit = fact(score=0.91, why={"words": 0.5, "scope": "project"})
    daemon.script("POST /v1/recall", {"hits": [hit], "left_out": 4, "reason": None})
    out = run("recall", "staging", "--why", "--limit", "1", "--as-of", "2026-01-01").out
    assert out.splitlines() == [
        "7k3f2a  0.91  the staging server is at 10.0.0.5",
        "              its words fit 0.50 of 1; holds for project",
        "… 4 more; --limit shows them",
    ]
    asked = daemon.bodies("POST /v1/recall")[0]
    assert (asked["limit"], asked["as_of"], asked["why"]) == (1, "2026-01-01", True)
    for reason in ("no_match", "silenced", "private", "empty"):
        daemon.script("POST /v1/recall", {"hits": [], "left_out": 0, "reason": reason})
        said = run("recall", "qqzv wxyk plomb")
        assert said.code == 0
        assert said.out
    daemon.script("POST /v1/recall", {"hits": [], "left_out": 0, "reason": "no_match"})
    assert run("recall", "qqzv").out == "no match\n"


def test_recall_marks_what_is_retired(daemon: Dummy, run: Run) -> None:
    old = fact(score=0.5, current=False, retired_at="2026-06-02", because="superseded")
    daemon.script("POST /v1/recall", {"hits": [old], "left_out": 0, "reason": None})
    assert "[retired 2026-06-02" in run("recall", "staging", "--history").out
    assert daemon.bodies("POST /v1/recall")[0]["history"] is True


def test_backup_names_an_absolute_file(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/backup", {"path": "/x", "bytes": 7})
    assert run("backup", "copy.db").out == "wrote /x, 7 bytes, encrypted\n"
    assert daemon.bodies("POST /v1/backup") == [{"path": str(Path.cwd() / "copy.db")}]
