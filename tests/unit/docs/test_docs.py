"""What the documents name exists, what they show runs, and what is generated is up to date."""

import re
import shlex
from pathlib import Path

import pytest

from tests.machine import Machine
from tests.reference import commands, generated, options, usage
from tests.source import ROOT, needs_source

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
# Commands stand in code: `dormouse …` in a line, or a line of a block, with or without a prompt.
INLINE = re.compile(r"`(dormouse(?: [^`]*)?)`")
BLOCK = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.S | re.M)
WORD = re.compile(r"[a-z][a-z-]*")


def block_commands(text: str) -> list[str]:
    lines = [line.removeprefix("$ ") for block in BLOCK.findall(text) for line in block.split("\n")]
    return [part.strip() for line in lines for part in line.split("|") if "dormouse " in part]


def named_commands(text: str) -> list[str]:
    """Every use of our command in *text*."""
    lines = [*INLINE.findall(text), *block_commands(text)]
    return [line for line in lines if line.startswith("dormouse ")]


def resolve(line: str) -> tuple[str, set[str]]:
    """The command that *line* calls, and the options it uses."""
    words = line.replace("…", "").replace("|", " ").split()[1:]
    known = commands()
    name = ""
    for word in words:
        if f"{name} {word}".strip() in known and WORD.fullmatch(word):
            name = f"{name} {word}".strip()
        else:
            break
    return name, {word.split("=")[0].strip("[]`.,") for word in words if word.startswith("--")}


def sources_of_hints() -> list[Path]:
    return [ROOT / "daemon/dormouse/errors.py", *(ROOT / "cli/dormouse_cli").glob("*.py")]


def unknown(text: str) -> list[str]:
    """The uses of our command in *text* that name a command or an option that is not there."""
    found = []
    for line in named_commands(text):
        name, used = resolve(line)
        if line.split()[1:2] == ["--version"] or line.split()[1:2] == ["--help"]:
            continue
        if not name or not used <= options(commands()[name]):
            found.append(line)
    return found


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_and_option_a_document_names_exists(path: Path) -> None:
    assert not unknown(path.read_text())


@needs_source
def test_every_command_that_a_hint_or_a_help_text_names_exists() -> None:
    found = [line for path in sources_of_hints() for line in unknown(path.read_text())]
    assert not found


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_of_a_document_leads_somewhere(path: Path) -> None:
    links = [link for link in LINK.findall(path.read_text()) if "://" not in link]
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_make_target_a_document_names_exists(path: Path) -> None:
    named = re.findall(r"(?:`|^)make ([a-z-]+)", path.read_text(), re.M)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
    assert set(named) <= set(targets)


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_what_is_generated_is_up_to_date(path: Path) -> None:
    assert path.read_text() == generated()[path], "run `make docs`"


def test_the_reference_puts_brackets_around_what_may_be_left_out_and_nothing_else() -> None:
    known = commands()
    assert usage("retire", known["retire"]) == "dormouse retire ID… [--why REASON] [--yes]"
    assert usage("disconnect", known["disconnect"]) == "dormouse disconnect [AGENT…]"


def test_the_readme_shows_the_commands_of_the_first_minute() -> None:
    text = (ROOT / "README.md").read_text()
    for line in ("make demo", "make test", "uv tool install .", "pipx install ."):
        assert line in text
    assert block_commands(text)[:2] == ["dormouse up", "dormouse connect"]


def test_the_examples_of_the_readme_run_in_their_order(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    block = re.search(r"```console\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert block
    said = {}
    for line in block[1].splitlines():
        words = shlex.split(line.removeprefix("$ "))
        assert words[0] == "dormouse"
        # doctor says, by its exit, that no agent is connected on this machine
        done = daemon.cli(*words[1:], cwd=repository, check=words[1] not in ("doctor", "status"))
        said[words[1]] = done.stdout
        daemon.settled()
    assert "10.0.0.9" in said["recall"]
    assert "10.0.0.5" not in said["recall"]
    assert "10.0.0.5" in said["retired"]


@needs_source
def test_every_document_that_the_code_names_exists() -> None:
    named = {
        name
        for root in ("daemon", "cli", "plugins", "tests")
        for path in [*(ROOT / root).rglob("*.py"), *(ROOT / root).rglob("*.toml")]
        for name in re.findall(r"docs/[a-z]+\.md", path.read_text())
    }
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []
