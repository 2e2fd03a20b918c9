"""The commands about facts: what they ask of the daemon, what they say, what --json gives."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dormouse_wire.paths import Home
from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import FACT_ID, OTHER_ID, Dummy, fact

WHERE = f"/v1/facts/{FACT_ID}"
OLD: dict[str, Any] = {
    "current": False,
    "retired_at": "2026-06-02T10:00:00.000+00:00",
    "because": "superseded",
    "superseded_by": OTHER_ID,
}


def test_remember_sends_the_text_and_the_working_directory(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/facts", fact(state="new", redacted=[]), 201)
    said = run("remember", "the staging server is at 10.0.0.5")
    assert said.code == 0
    assert daemon.bodies("POST /v1/facts") == [
        {"text": "the staging server is at 10.0.0.5", "project": str(Path.cwd())}
    ]
    assert said.out == "noted 7k3f2a for project api: the staging server is at 10.0.0.5\n"


def test_remember_passes_every_option_on(daemon: Dummy, run: Run, tmp_path: Path) -> None:
    daemon.script("POST /v1/facts", fact(state="new"), 201)
    options = [
        "--kind",
        "reference",
        "--layer",
        "procedural",
        "--scope",
        "branch",
        "--at",
        "2026-01-05",
        "--pin",
    ]
    run("remember", "x", *options, "--project", str(tmp_path), "--steps", "a", "--steps", "b")
    assert daemon.bodies("POST /v1/facts") == [
        {
            "text": "x",
            "kind": "reference",
            "layer": "procedural",
            "scope": "branch",
            "project": str(tmp_path),
            "at": "2026-01-05",
            "pin": True,
            "steps": ["a", "b"],
        }
    ]


def test_remember_says_for_whom_it_was_kept(daemon: Dummy, run: Run) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"scope": "user", "project": None}, "for you, everywhere:"),
        ({"scope": "branch", "branch": "x"}, "for branch x of project api:"),
        ({"scope": "session"}, "for this session only:"),
    ]
    for changes, words in cases:
        daemon.script("POST /v1/facts", fact(state="new", **changes), 201)
        assert words in run("remember", "x").out


def test_remember_says_what_was_known_proposed_or_redacted(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/facts", fact(state="known"))
    assert run("remember", "x").out.startswith("already known: 7k3f2a for project api")
    daemon.script("POST /v1/facts", fact(state="proposed"))
    assert run("remember", "x").out.startswith("proposed, waits for your yes: 7k3f2a")
    daemon.script("POST /v1/facts", fact(state="new", redacted=["github_token"]), 201)
    assert "redacted before it was kept: github_token" in run("remember", "x").out


def test_an_empty_time_is_sent_as_it_is_and_not_taken_for_none(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/facts", fact(state="new"), 201)
    run("remember", "x", "--at", "")
    assert daemon.bodies("POST /v1/facts")[0]["at"] == ""
    assert run("judge", "a", "b", "--older-at", "").code == 2
    assert run("judge", "a", "b", "--newer-at", "").code == 2


def test_remember_reads_standard_input_for_a_dash(
    daemon: Dummy, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon.script("POST /v1/facts", fact(state="new"), 201)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("预发布".encode() + b"\xff\n")))
    assert run("remember", "-").code == 0
    assert daemon.bodies("POST /v1/facts")[0]["text"] == "预发布\ufffd"


def test_a_capture_carries_a_key_so_that_it_can_be_sent_again(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/facts", fact(state="new"), 201)
    run("remember", "x")
    run("remember", "x")
    keys = {asked.headers["Idempotency-Key"] for asked in daemon.asked}
    assert len(keys) == 2


def test_json_is_the_daemons_answer_and_nothing_else(daemon: Dummy, run: Run) -> None:
    answer = fact(state="new", redacted=[], text="预发布服务器 😀")
    daemon.script("POST /v1/facts", answer, 201)
    said = run("remember", "x", "--json")
    assert said.json == answer
    assert said.err == ""
    assert "预发布服务器 😀" in said.out


def test_facts_asks_for_current_retired_or_all_of_this_project(daemon: Dummy, run: Run) -> None:
    daemon.answers = {}
    for options in ([], ["--retired"], ["--all"], ["--layer", "core"]):
        run("facts", *options)
    folder = str(Path.cwd()).replace("/", "%2F")
    assert [asked.path for asked in daemon.asked] == [
        f"/v1/facts?which=current&project={folder}",
        f"/v1/facts?which=retired&project={folder}",
        f"/v1/facts?which=all&project={folder}",
        f"/v1/facts?which=current&project={folder}&layer=core",
    ]


def test_facts_are_aligned_lines_without_a_terminal(daemon: Dummy, run: Run) -> None:
    folder = str(Path.cwd()).replace("/", "%2F")
    found = [fact("预发布"), fact("two\nlines\x1b[31m", id=OTHER_ID, pinned=True, kind="user")]
    daemon.script(f"GET /v1/facts?which=current&project={folder}", found)
    assert run("facts").out.splitlines() == [
        "id      said              for  kind     text",
        "7k3f2a  2026-06-01 10:00  api  project  预发布",
        "9m2q4c  2026-06-01 10:00  api  user     [pinned] two\\nlines\\x1b[31m",
    ]
    daemon.script(f"GET /v1/facts?which=current&project={folder}", [])
    daemon.script(f"GET /v1/place?project={folder}", {"off": False})
    assert run("facts").out == "no facts here\n"


@pytest.mark.parametrize("command", [["facts"], ["handoff", "list"]])
def test_an_empty_list_of_a_folder_that_is_off_says_so_as_recall_does(
    daemon: Dummy, run: Run, command: list[str]
) -> None:
    folder = str(Path.cwd()).replace("/", "%2F")
    daemon.script(f"GET /v1/facts?which=current&project={folder}", [])
    daemon.script(f"GET /v1/handoffs?project={folder}", [])
    daemon.script(f"GET /v1/place?project={folder}", {"off": True})
    daemon.script("POST /v1/recall", {"hits": [], "left_out": 0, "reason": "private"})
    assert run(*command).out == run("recall", "x").out
    assert run(*command, "--json").json == []


def test_retired_and_all_together_are_a_usage_error(daemon: Dummy, run: Run) -> None:
    assert run("facts", "--retired", "--all").code == 2


def test_show_tells_sources_and_judgments(daemon: Dummy, run: Run) -> None:
    judgment = {
        "id": "j",
        "older": FACT_ID,
        "newer": OTHER_ID,
        "verdict": "supersede",
        "judge": "slot:1",
        "probability": None,
        "reason": "same slot",
        "asked_at": "2026-06-02T10:00:00.000+00:00",
        "outcomes": [{"outcome": "carried_out", "by": "slot:1", "at": "2026-06-02"}],
    }
    daemon.script(f"GET {WHERE}", fact(judgments=[judgment], **OLD))
    out = run("show", FACT_ID).out
    assert "retired 2026-06-02 10:00, superseded by 9m2q4c" in out
    assert "codex, explicit, session s1, 2026-06-01 10:00" in out
    assert "9m2q4c over 7k3f2a: supersede by slot:1 (same slot)" in out
    assert "carried_out" in out


def test_history_shows_the_chain_and_who_judged(daemon: Dummy, run: Run) -> None:
    judged = {"older": FACT_ID, "newer": OTHER_ID, "verdict": "supersede", "judge": "slot:1"}
    chain = [
        {"fact": fact(**OLD), "judgment": judged, "outcome": "carried_out"},
        {"fact": fact("now 10.0.0.9", id=OTHER_ID), "judgment": None, "outcome": None},
    ]
    daemon.script(f"GET {WHERE}/history", chain)
    lines = run("history", FACT_ID).out.splitlines()
    assert lines[0].startswith("7k3f2a  retired 2026-06-02 10:00, superseded by 9m2q4c:")
    assert "supersede by slot:1" in lines[1]
    assert lines[1].endswith("[carried_out]")
    assert lines[2] == "9m2q4c  current: now 10.0.0.9"


def test_retired_looks_at_every_project_unless_one_is_named(
    daemon: Dummy, run: Run, tmp_path: Path
) -> None:
    row = fact(**OLD, judge="slot:1", run="r" * 16)
    daemon.script("GET /v1/retired", [row])
    out = run("retired").out
    assert "superseded" in out
    assert "slot:1" in out
    assert "9m2q4c" in out
    run("retired", "--project", str(tmp_path))
    assert daemon.asked[-1].path == f"/v1/retired?project={str(tmp_path).replace('/', '%2F')}"


def test_retire_restore_pin_and_unpin_say_what_became_of_the_fact(daemon: Dummy, run: Run) -> None:
    for verb, word in [
        ("retire", "retired"),
        ("restore", "restored"),
        ("pin", "pinned"),
        ("unpin", "unpinned"),
    ]:
        daemon.script(f"POST /v1/facts/7k3f/{verb}", fact())
        why = ["--why", "gone"] if verb == "retire" else []
        said = run(verb, "7k3f", *why)
        assert said.code == 0
        assert said.out.startswith(f"{word} 7k3f2a: the staging server")
        assert run(verb, "7k3f", *why, "--json").json == fact()


def test_retire_sends_the_reason(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/facts/7k3f/retire", fact())
    run("retire", "7k3f", "--why", "the server is gone")
    assert daemon.bodies("POST /v1/facts/7k3f/retire") == [{"why": "the server is gone"}]


def test_retire_without_a_reason_says_first_whether_the_id_names_anything(
    daemon: Dummy, run: Run
) -> None:
    daemon.script("GET /v1/facts/7k3f", fact())
    said = run("retire", "7k3f")
    assert said.code == 2
    assert "--why" in said.err
    assert run("retire", "none").code == 4
    assert daemon.bodies("POST /v1/facts/7k3f/retire") == []


def test_retiring_several_gives_a_list(daemon: Dummy, run: Run) -> None:
    for prefix, identifier in [("7k3f", FACT_ID), ("9m2q", OTHER_ID)]:
        daemon.script(f"GET /v1/facts/{prefix}", fact(id=identifier))
        daemon.script(f"POST /v1/facts/{identifier}/retire", fact(id=identifier))
    said = run("retire", "7k3f", "9m2q", "--why", "gone", "--json")
    assert said.json == [fact(), fact(id=OTHER_ID)]
    daemon.asked.clear()
    assert run("retire", "7k3f", "none", "--why", "gone").code == 4
    assert {asked.method for asked in daemon.asked} == {"GET"}


def test_more_than_ten_at_once_are_the_owners_to_retire(
    daemon: Dummy, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    said = run("retire", *[f"id{number:02}" for number in range(11)], "--why", "gone")
    assert said.code == 5
    assert daemon.asked == []


def test_correct_sends_the_new_text(daemon: Dummy, run: Run) -> None:
    daemon.script("POST /v1/facts/7k3f/correct", fact("now 10.0.0.9", id=OTHER_ID))
    said = run("correct", "7k3f", "now 10.0.0.9")
    assert daemon.bodies("POST /v1/facts/7k3f/correct")[0]["text"] == "now 10.0.0.9"
    assert said.out == "noted 9m2q4c in place of 7k3f: now 10.0.0.9\n"


def test_a_strange_id_stays_inside_its_part_of_the_route(daemon: Dummy, run: Run) -> None:
    run("show", "../../v1/health?x=#")
    assert daemon.asked[-1].path == "/v1/facts/..%2F..%2Fv1%2Fhealth%3Fx%3D%23"


def test_an_empty_id_names_nothing(daemon: Dummy, run: Run) -> None:
    assert run("show", "").code == 4
    assert daemon.asked == []


@pytest.fixture
def in_a_deleted_folder(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    yield
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("in_a_deleted_folder")
def test_in_a_deleted_folder_nothing_is_kept_unless_it_is_said_for_whom(
    daemon: Dummy, run: Run, tmp_path: Path
) -> None:
    daemon.script("POST /v1/facts", fact(state="new"), 201)
    for command in (["remember", "x"], ["remember", "x", "--project", "."]):
        said = run(*command)
        assert (said.code, said.err.count("\n")) == (2, 1)
        assert "The working folder no longer exists. Name a project with --project" in said.err
    assert run("remember", "x", "--scope", "branch").code == 2
    assert daemon.asked == []
    assert run("remember", "x", "--scope", "user").code == 0
    assert run("remember", "x", "--project", str(tmp_path)).code == 0
    assert daemon.bodies("POST /v1/facts") == [
        {"text": "x", "scope": "user"},
        {"text": "x", "project": str(tmp_path)},
    ]


@pytest.mark.usefixtures("in_a_deleted_folder")
@pytest.mark.parametrize("command", [["retired", "--project", "."], ["backup", "memory.db"]])
def test_in_a_deleted_folder_a_path_that_starts_there_is_refused(
    daemon: Dummy, run: Run, command: list[str]
) -> None:
    said = run(*command)
    assert said.code == 2
    assert said.err.startswith("dormouse: The working folder no longer exists. Go to a folder")
    assert daemon.asked == []
