"""Cases 05, 12, 13 and 16: what is shown, to whom, and how it is found."""

import os
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.machine import Machine, Session

MIXED = ("plain ASCII words", "部署在星期四进行", "größere Übungen 🎉 mit Emoji")
LIMIT = 9_000


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def fill(machine: Machine, repository: Path, chinese: bool) -> None:
    """400 facts of 120 to 900 characters, 30 of them pinned."""
    for number in range(400):
        phrase = "发布流程的第几步需要审核" if chinese else MIXED[number % 3]
        text = f"note {number:03d}: {phrase} " * 60
        machine.remember(
            text[: 120 + number * 2],
            project=str(repository),
            pin=number < 30,
            settle=False,
        )


def check_block(block: str, size: int) -> None:
    assert 0 < size <= LIMIT
    lines = [line for line in block.splitlines() if line.strip()]
    shown = [line for line in lines if "note " in line]
    pinned = [line for line in shown if int(line.split("note ")[1][:3]) < 30]
    assert shown[: len(pinned)] == pinned, "pinned facts come first"
    assert pinned
    tail = " ".join(lines[-3:])
    assert "dormouse facts" in tail, "the last line names the command that shows the rest"
    assert any(word.strip(".,:;()").isdigit() for word in tail.split()), (
        "and how many were left out"
    )


@pytest.mark.parametrize(("agent", "chinese"), [("claude-code", False), ("codex", True)])
def test_case_05_the_block_stays_below_the_hosts_limit(
    daemon: Machine, agent: str, chinese: bool
) -> None:
    repository = daemon.repository("shop")
    fill(daemon, repository, chinese)

    def measure(text: str) -> int:
        return len(text.encode()) if agent == "codex" else utf16(text)

    first, second = (daemon.session(agent, repository) for _ in range(2))
    block, compacted = first.start(), first.start("compact")
    for text in (block, compacted):
        check_block(text, measure(text))
    assert (second.start(), second.start("compact")) == (block, compacted)


def texts(hits: list[Any]) -> list[str]:
    return [hit["text"] for hit in hits]


def test_case_12_projects_of_the_same_name_and_no_project(daemon: Machine) -> None:
    one, two = daemon.repository("one/api"), daemon.repository("two/api")
    mono = daemon.repository("mono")
    for package in ("web", "core"):
        (mono / package).mkdir()
    daemon.json("remember", "port is 4100", cwd=one)
    daemon.json("remember", "port is 4200", cwd=two)
    daemon.json("remember", "lint with tool L", cwd=mono / "web")

    assert texts(daemon.recall("port", project=str(one))) == ["port is 4100"]
    assert texts(daemon.recall("port", project=str(two))) == ["port is 4200"]
    for folder in (mono / "core", mono):
        assert texts(daemon.recall("lint", project=str(folder))) == ["lint with tool L"]

    daemon.remember("the user speaks German at lunch", kind="user")
    known = len(daemon.ask("GET", "/v1/projects"))
    fresh = daemon.base / "t" / "scratch"
    fresh.mkdir()
    folders = (daemon.user, Path("/"), fresh)
    for folder in folders:
        session = daemon.session("claude-code", folder)
        started = session.start()
        assert "4100" not in started
        assert "4200" not in session.prompt("which port is it? we use port 4300 for tests")
        assert "German" in started or "German" in session.prompt("which language at lunch?")
    daemon.settled()
    assert len(daemon.ask("GET", "/v1/projects")) == known
    for project in (None, one, two, mono, *folders):
        assert not [fact for fact in daemon.facts("all", project) if "4300" in fact["text"]]


def test_case_12_a_made_up_project_name_changes_nothing(daemon: Machine) -> None:
    one, two = daemon.repository("one/api"), daemon.repository("two/api")
    daemon.remember("port is 4100", project=str(one))
    printed = daemon.event(
        "claude-code",
        "UserPromptSubmit",
        session_id="s-made-up",
        cwd=str(two),
        project=str(one),
        project_id="api",
        prompt="which port is it?",
    )
    assert "4100" not in printed


def prompt_in(machine: Machine, folder: Path) -> str:
    return Session(machine, "codex", folder, f"s-{folder.name}").prompt(
        "how is the cache of the search warmed and which linker is used?"
    )


@pytest.mark.parametrize("relative", [False, True], ids=["absolute", "relative"])
def test_case_13_worktrees_are_one_project_and_branch_facts_stay_on_their_branch(
    daemon: Machine, relative: bool
) -> None:
    main = daemon.repository("a repository with spaces")
    inside, outside = main / ".wt" / "x", daemon.work / "y"
    daemon.git(main, "worktree", "add", "-q", "-b", "x", str(inside))
    daemon.git(main, "worktree", "add", "-q", "-b", "y", str(outside))
    if relative:
        for folder in (inside, outside):
            pointer = folder / ".git"
            target = Path(pointer.read_text().split(": ", 1)[1].strip())
            pointer.write_text(f"gitdir: {os.path.relpath(target, folder)}\n")
    general, special = "the search cache is warmed at night", "the linker used here is mold"
    daemon.remember(general, project=str(inside))
    daemon.remember(special, project=str(inside), scope="branch")

    for folder in (main, inside, outside):
        assert texts(daemon.recall("search cache", project=str(folder))) == [general]
    assert texts(daemon.recall("linker", project=str(inside))) == [special]
    assert daemon.recall("linker", project=str(main)) == []
    assert daemon.recall("linker", project=str(outside)) == []
    shown = prompt_in(daemon, inside)
    assert general in shown
    assert special in shown
    assert special not in prompt_in(daemon, outside)

    shutil.rmtree(inside)
    daemon.git(main, "worktree", "prune")
    assert texts(daemon.recall("search cache", project=str(main))) == [general]
    assert daemon.recall("linker", project=str(main)) == []
    again = daemon.work / "again"
    daemon.git(main, "worktree", "add", "-q", str(again), "x")
    assert texts(daemon.recall("linker", project=str(again))) == [special]


SCRIPTS = {
    "ja": "発行番号の検証は夜間バッチで実行する",
    "zh": "构建服务器使用缓存目录",
    "ko": "배포스크립트는 금요일에 실행하지 않는다",
    "de": "Die Prüfsumme der Größentabelle liegt im Schlüsselbund",
    "mixed": "导出csv-vat之后重建索引",
}
QUERIES = [
    ("検証", "ja"),
    ("夜間バッチ", "ja"),
    ("缓存", "zh"),
    ("스크립트", "ko"),
    ("Prüfsumme", "de"),
    ("Prufsumme", "de"),
    ("PRÜFSUMME", "de"),
    ("Pru" + chr(0x308) + "fsumme", "de"),
    ("Groessentabelle", "de"),
    ("vat", "mixed"),
]


def test_case_16_words_are_found_in_many_scripts(daemon: Machine) -> None:
    for text in SCRIPTS.values():
        assert daemon.remember(unicodedata.normalize("NFC", text))["state"] == "new"
        assert daemon.remember(unicodedata.normalize("NFD", text))["state"] == "known"
    assert len(daemon.facts("all")) == len(SCRIPTS)
    for query, language in QUERIES:
        hits = texts(daemon.recall(query))
        assert hits[:1] == [SCRIPTS[language]], (query, hits)
    for absent in ("猫舌", "Zeppelin"):
        assert daemon.recall(absent) == []
