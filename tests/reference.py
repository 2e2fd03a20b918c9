"""The generated parts of docs, made from the program itself. ``make docs`` writes them.

A test compares what stands in the files with what this makes; it decides nothing about the texts.
"""

import dataclasses
import json
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from typer.main import get_command

from bench import capture_rules
from dormouse import errors
from dormouse.capture import cuebook, phrasebook
from dormouse.settings import Settings
from dormouse_cli.main import app
from tests.source import ROOT

HEAD = """# Commands

Written by `make docs` from the commands' own help. Every command also takes `--help`, and `--json`
to print one JSON value and nothing else. Ids may be shortened to a unique beginning of at least
four characters; times are ISO 8601, UTC if nothing else is said.
"""


def commands() -> dict[str, Any]:
    """Every command and group by the words that call it, as ``rem undo``."""
    found: dict[str, Any] = {}

    def walk(command: Any, words: tuple[str, ...]) -> None:
        for name, child in getattr(command, "commands", {}).items():
            if not child.hidden:
                found[" ".join((*words, name))] = child
                walk(child, (*words, name))

    walk(get_command(app), ())
    return found


def options(command: Any) -> set[str]:
    """The options that *command* takes."""
    return {"--help"} | {opt for param in command.params for opt in param.opts if opt[0] == "-"}


def own_parameters(command: Any) -> list[Any]:
    """The parameters that are not the same for every command."""
    return [param for param in command.params if not {"--help", "--json"} & set(param.opts)]


def is_argument(param: Any) -> bool:
    return not param.opts[0].startswith("-")


def metavar(param: Any) -> str:
    """What stands for a parameter's value, with nothing of the library's own taste."""
    kind = getattr(getattr(param, "type_descriptor", None), "annotation", None)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(str(choice.value) for choice in kind)
    return str(param.metavar or param.name.upper()).strip("[].")


def usage(words: str, command: Any) -> str:
    parts = [f"dormouse {words}"]
    for param in own_parameters(command):
        if is_argument(param):
            name = metavar(param) + ("…" if param.nargs == -1 else "")
            parts.append(name if param.required else f"[{name}]")
        else:
            value = "" if getattr(param, "is_flag", False) else f" {metavar(param)}"
            option = f"{param.opts[0]}{value}"
            parts.append(option if param.required else f"[{option}]")
    return " ".join(parts)


def paragraphs(text: str) -> str:
    """A help text as Markdown: click's mark for "leave the lines alone" becomes a block."""
    made = []
    for part in re.split(r"\n\s*\n", text.strip()):
        if part.startswith("\b"):
            lines = [line.strip() for line in part.strip("\b\n").splitlines()]
            made.append("```sh\n" + "\n".join(lines[1:]) + "\n```")
        else:
            made.append(" ".join(part.split()))
    return "\n\n".join(made)


def section(words: str, command: Any) -> Iterator[str]:
    yield f"## `dormouse {words}`\n"
    yield f"`{usage(words, command)}`\n"
    yield paragraphs(command.help or "") + "\n"
    rows = [
        (metavar(param) if is_argument(param) else ", ".join(param.opts), param.help)
        for param in own_parameters(command)
        if getattr(param, "help", None)
    ]
    if rows:
        yield "| | |\n|---|---|"
        yield "\n".join(f"| `{name.replace('|', ' ')}` | {text} |" for name, text in rows) + "\n"
    if command.epilog:
        yield paragraphs(command.epilog) + "\n"


def command_reference() -> str:
    parts = [HEAD]
    for words, command in commands().items():
        # A group that only holds commands has nothing to say beside them.
        holds = getattr(command, "commands", None)
        if not holds or getattr(command, "invoke_without_command", False):
            parts += section(words, command)
    return "\n".join(parts).rstrip() + "\n"


def error_table() -> str:
    """The closed list of error codes, with the message and the exit code of each."""
    rows: dict[str, str] = {}

    def walk(kind: type[errors.DormouseError]) -> None:
        message = (kind.__doc__ or "").strip().splitlines()[0].replace("|", "\\|")
        rows.setdefault(kind.code, f"| `{kind.code}` | {kind.exit_code} | {message} |")
        for child in kind.__subclasses__():
            walk(child)

    walk(errors.DormouseError)
    return "\n".join(["| code | exit | for example |", "|---|---|---|", *rows.values()])


def settings_table() -> str:
    """Every setting with its default and its sentence."""
    rows = ["| setting | default | |", "|---|---|---|"]
    for option in dataclasses.fields(Settings):
        if "says" in option.metadata:
            default = json.dumps(option.default)
            name = option.name.replace("_", ".", 1)
            rows.append(f"| `{name}` | `{default}` | {option.metadata['says']} |")
    return "\n".join(rows)


def capture_figures() -> str:
    """How well the prompts that were written before the rules are read."""
    prompts = capture_rules.rows(held_out=True)
    lines = capture_rules.report([capture_rules.score(row) for row in prompts])
    return "\n".join(
        ["```text", f"{len(prompts)} prompts, 95 % intervals in brackets", *lines, "```"]
    )


def capture_patterns() -> Iterator[str]:
    """Every pattern by language, with the first of its examples for and against."""
    for name in cuebook.LANGUAGES:
        yield f"\n### {name}\n\n| how | pattern | sure | read | not read |\n|---|---|---|---|---|"
        for cue in cuebook.cuebook(name).cues:
            yes, no = (_cell(text) for text in (cue.yes[0][0], cue.no[0]))
            how = cue.how.replace("_", " ")
            yield f"| {how} | {cue.name} | {cue.confidence:.2f} | {yes} | {no} |"
    yield "\n### Commands and corrections\n\n| | command | read |\n|---|---|---|"
    for name in (*phrasebook.LANGUAGES, *phrasebook.ALSO):
        seen: set[str] = set()
        for said, command, *_ in phrasebook.book(name).yes:
            if command not in seen and " " not in command:
                seen.add(command)
                yield f"| {name} | {command} | {_cell(said)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "⏎")


def replaced(text: str, mark: str, made: str) -> str:
    """*text* with what stands between a part's two marks replaced."""
    pattern = rf"(<!-- {mark}: .*? -->\n)(.*?)(<!-- end of {mark} -->)"
    changed, count = re.subn(
        pattern, lambda found: f"{found[1]}{made}\n{found[3]}", text, flags=re.S
    )
    assert count == 1, f"no place for {mark}"
    return changed


def generated() -> dict[Path, str]:
    """What each generated file should hold."""
    operations = ROOT / "docs" / "operations.md"
    text = replaced(operations.read_text(), "errors", error_table())
    capture = ROOT / "docs" / "capture.md"
    made = replaced(capture.read_text(), "figures", capture_figures())
    return {
        capture: replaced(made, "patterns", "\n".join(capture_patterns())),
        ROOT / "docs" / "commands.md": command_reference(),
        operations: replaced(text, "settings", settings_table()),
    }


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text)
        print(f"wrote {path.relative_to(ROOT)}")
