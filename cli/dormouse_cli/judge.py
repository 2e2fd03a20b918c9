"""The judge, asked directly: gate and ladder on texts of one's own. Changes nothing."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from dormouse_cli import errors
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import Json, Level, example
from dormouse_cli.output import emit, say, table

COLUMNS = ("id", "verdict", "probability", "judge", "vetoed by")
PAIRS_AT_ONCE = 200
PARTS = ("id", "older", "older_time", "newer", "newer_time")

app = typer.Typer(rich_markup_mode=None)


@app.command(
    epilog=example(
        'dormouse judge "we deploy on Thursdays" "we deploy on Tuesdays now"',
        "dormouse judge --file pairs.jsonl --json",
    )
)
def judge(
    older: Annotated[str | None, typer.Argument(metavar="OLDER", help="The older text.")] = None,
    newer: Annotated[str | None, typer.Argument(metavar="NEWER", help="The newer text.")] = None,
    older_at: Annotated[str | None, typer.Option(metavar="T", help="Its time.")] = None,
    newer_at: Annotated[str | None, typer.Option(metavar="T", help="Its time.")] = None,
    level: Annotated[Level | None, typer.Option(help="Who may think.")] = None,
    name: Annotated[
        str | None, typer.Option("--judge", metavar="NAME", help="One judge alone.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="PAIRS", help="Many pairs, one JSON object a line; - reads stdin."),
    ] = None,
    mine: Annotated[
        bool, typer.Option("--mine", help="Measure it on what you answered or restored.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Ask the judge about two texts. It says supersede, keep or unsure; nothing changes."""
    if mine:
        if older is not None or file is not None:
            raise errors.Usage(what="--mine takes the pairs you answered: give no others.")
        told = ask("GET", route("judge", "mine"), long=True)
        emit(told, as_json, lambda: _measured(told))
        return
    how = {key: value for key, value in (("judge", name), ("level", level)) if value is not None}
    if file is not None:
        if older is not None:
            raise errors.Usage(what="Give two texts or --file, not both.")
        rulings = _judge_all(list(_read(file)), how)
        emit(rulings, as_json, lambda: table(COLUMNS, map(_row, rulings), nothing="no pairs"))
        return
    if older is None or newer is None:
        raise errors.Usage("See `dormouse judge --help`.", what="Two texts are needed, or --file.")
    if "" in (older_at, newer_at):  # in a file an empty time is a missing one
        raise errors.Usage("See `dormouse judge --help`.", what="A time is empty.")
    pair = {"id": "1", "older": older, "older_time": older_at}
    pair |= {"newer": newer, "newer_time": newer_at}
    ruling = _judge_all([pair], how)[0]
    emit(ruling, as_json, lambda: say(_said(ruling)))


def _judge_all(pairs: list[dict[str, Any]], how: dict[str, Any]) -> list[dict[str, Any]]:
    rulings: list[dict[str, Any]] = []
    for at in range(0, len(pairs), PAIRS_AT_ONCE):
        body = {"pairs": pairs[at : at + PAIRS_AT_ONCE]} | how
        rulings += ask("POST", route("judge"), body, long=True)
    return rulings


def _read(file: Path) -> Iterator[dict[str, Any]]:
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        what = f"{file} can't be read: {error.strerror}."
        raise errors.Usage("Name a file with one pair a line.", what=what) from error
    for number, line in enumerate(raw.decode("utf-8-sig", "replace").split("\n"), start=1):
        if line.strip():
            yield _pair(file, number, line)


def _pair(file: Path, number: int, line: str) -> dict[str, Any]:
    try:
        read = json.loads(line)
    except ValueError:
        read = None
    if not isinstance(read, dict) or not all(
        isinstance(read.get(part), str) for part in ("older", "newer")
    ):
        what = f"{file}, line {number}: not an object with the texts older and newer."
        raise errors.Usage("Nothing was judged; mend the line.", what=what)
    pair = {part: read[part] for part in PARTS if part in read}
    return {"id": str(number)} | pair


def _measured(told: dict[str, Any]) -> None:
    if not told["pairs"]:
        say("You have not yet spoken on a pair (`dormouse questions`, `dormouse restore`).")
        return
    say(f"pairs on which you have spoken  {told['pairs']}; none of them leaves this machine")
    say(f"wrongly retired  {told['false_supersede']} of {told['must_hold']} that you kept")
    say(f"rightly retired  {told['found']} of {told['must_go']} that you retired")
    for row in told["differs"]:
        said = f"you {row['owner']}, {row['judge']} {row['verdict']}"
        say(f"  {row['older']} / {row['newer']}: {said}")


def _row(ruling: dict[str, Any]) -> list[str]:
    probability = ruling.get("probability")
    return [
        str(ruling.get("id")),
        str(ruling.get("verdict")),
        "-" if probability is None else f"{probability:.2f}",
        str(ruling.get("judge")),
        str(ruling.get("vetoed_by") or "-"),
    ]


def _said(ruling: dict[str, Any]) -> str:
    probability = ruling.get("probability")
    parts = [str(ruling.get("verdict")), f"said by {ruling.get('judge')}"]
    if probability is not None:
        parts.append(f"probability of supersede {probability:.2f}")
    if ruling.get("vetoed_by"):
        parts.append(f"vetoed by {ruling['vetoed_by']}")
    return ", ".join(parts)
