"""The import rules hold, and each contract in pyproject.toml really bites when it is broken."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source import ROOT, ROOTS, modules, needs_source

pytestmark = needs_source

# What nobody but dormouse.thinking may use: the doors of the standard library to other machines.
NET = {"ftplib", "http.client", "smtplib", "telnetlib", "urllib.request", "xmlrpc.client"}

VIOLATIONS = [
    ("Daemon, plugins and CLI", "cli/dormouse_cli/__init__.py", "import dormouse.facts"),
    ("Daemon, plugins and CLI", "cli/dormouse_cli/__init__.py", "import dormouse_plugins.hook"),
    ("Daemon, plugins and CLI", "daemon/dormouse/facts.py", "import dormouse_plugins.connect"),
    ("Daemon, plugins and CLI", "plugins/dormouse_plugins/connect.py", "import dormouse_cli"),
    ("The wire stands", "daemon/dormouse_wire/hosts.py", "import dormouse.facts"),
    ("Wire and hook", "daemon/dormouse_wire/paths.py", "import pydantic"),
    ("Wire and hook", "plugins/dormouse_plugins/hook.py", "import typer"),
    ("Only the ledger", "daemon/dormouse/facts.py", "import sqlcipher3"),
    ("Nobody imports", "daemon/dormouse/facts.py", "import httpx"),
    ("The daemon is layered", "daemon/dormouse/facts.py", "import dormouse.ledger"),
    ("The daemon is layered", "daemon/dormouse/ledger/__init__.py", "import dormouse.work"),
    ("The daemon is layered", "daemon/dormouse/judging/__init__.py", "import dormouse.ledger"),
    ("The daemon is layered", "daemon/dormouse/recall/__init__.py", "import dormouse.judging"),
]


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter over the packages of *tree*, not over the installed ones."""
    roots = os.pathsep.join(str(tree / root) for root in ROOTS)
    code = "from importlinter.cli import lint_imports_command as main; main(['--no-cache'])"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": roots, "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def copy_of_the_tree(target: Path) -> Path:
    for root in ROOTS:
        shutil.copytree(
            ROOT / root, target / root, ignore=shutil.ignore_patterns("__pycache__", "*.toml")
        )
    shutil.copy(ROOT / "pyproject.toml", target)
    return target


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_the_tree(tmp_path_factory.mktemp("tree"))


def test_every_contract_is_kept(tree: Path) -> None:
    done = lint(tree)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("contract", "module", "line"), VIOLATIONS)
def test_a_forbidden_import_breaks_its_contract(
    tree: Path, contract: str, module: str, line: str
) -> None:
    path = tree / module
    before = path.read_text()
    path.write_text(f"{before}\n{line}\n")
    try:
        done = lint(tree)
    finally:
        path.write_text(before)
    assert done.returncode == 1, done.stdout + done.stderr
    broken = [text for text in done.stdout.splitlines() if "BROKEN" in text]
    assert any(text.startswith(contract) for text in broken), done.stdout


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names


@pytest.mark.parametrize(
    "path",
    [*modules("daemon/dormouse_wire"), ROOT / "plugins/dormouse_plugins/hook.py"],
    ids=lambda path: path.name,
)
def test_wire_and_hook_import_only_the_standard_library(path: Path) -> None:
    allowed = sys.stdlib_module_names | ({"dormouse_wire"} if "wire" in str(path.parent) else set())
    assert {name.split(".")[0] for name in imported(path)} <= allowed


def test_only_thinking_opens_a_connection_to_another_machine() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules(*ROOTS)
        if "daemon/dormouse/thinking" not in str(path)
        for name in imported(path) & NET
    }
    assert not found


def test_no_module_is_longer_than_400_lines_and_no_function_longer_than_40() -> None:
    long = []
    for path in modules(*ROOTS):
        text = path.read_text()
        if len(text.splitlines()) > 400:
            long.append(f"{path.relative_to(ROOT)}: {len(text.splitlines())} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > 40:
                    long.append(f"{path.relative_to(ROOT)}: {node.name} has {lines} lines")
    assert not long, "\n".join(long)
