"""The store as a whole: back it up, and erase a fact from it for good."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dormouse_cli import owner
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import Id, Json, Yes, example, whole
from dormouse_cli.output import emit, listed, say, short

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog=example("dormouse backup ~/backups/memory.db"))
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that is not there yet.")],
    as_json: Json = False,
) -> None:
    """Write an encrypted copy. It opens with the same key, which is not part of it."""
    target = whole(file.expanduser())
    answer = ask("POST", route("backup"), {"path": target}, long=True)
    said = f"wrote {answer.get('path')}, {answer.get('bytes')} bytes, encrypted"
    emit(answer, as_json, lambda: say(said))


@app.command(
    "restore-backup",
    epilog=example(
        "dormouse restore-backup ~/backups/memory.db --dry-run",
        "dormouse restore-backup ~/backups/memory.db",
    ),
)
def restore_backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup of this memory.")],
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Only look at it: does it open, is it whole, what is in it?"
        ),
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Put a backup in the memory's place. What is there now is kept as a backup of its own.

    Facts that were erased since then stay erased.
    """
    body: dict[str, Any] = {"path": whole(file.expanduser())}
    body |= owner.prove("restoring a backup", yes=yes)
    looked = ask("POST", route("restore-backup"), body | {"dry_run": True}, long=True)
    if dry_run:
        emit(looked, as_json, lambda: say(_held(looked)))
        return
    owner.confirm(f"{_held(looked)} Put it in the memory's place?", yes=yes)
    answer = ask("POST", route("restore-backup"), body, long=True)
    emit(answer, as_json, lambda: _restored(answer))


def _held(answer: dict[str, Any]) -> str:
    facts = answer.get("facts") or {}
    newest = str(answer.get("newest") or "never")[:19]
    return (
        f"It opens, is whole and holds {facts.get('current')} current and"
        f" {facts.get('retired')} retired facts, the newest of {newest}."
    )


def _restored(answer: dict[str, Any]) -> None:
    before = answer.get("before") or "there was none"
    kept = "" if answer.get("before_readable", True) else ", damaged, byte for byte"
    say(f"restored; what was there before{kept}: {before}")
    if answer.get("erased_again"):
        say(f"erased again: {answer['erased_again']}")
    if not answer.get("erasures_read", True):
        say(
            "what was erased since this backup could not all be read: look with"
            " `dormouse facts --all` and erase it again"
        )


@app.command(epilog=example("dormouse erase 7k3f2a"))
def erase(identifier: Id, yes: Yes = False, as_json: Json = False) -> None:
    """Destroy a fact for good. For a leaked secret or a legal duty; else `retire` it."""
    proof = owner.prove("erasing a fact", yes=yes)
    if not yes:
        plan = ask("POST", route("erase"), {"id": identifier, "dry_run": True} | proof, long=True)
        count = listed(plan.get("erased") or {})
        owner.confirm(f"Erase {short(identifier)} for good ({count})?", yes=yes)
    answer = ask("POST", route("erase"), {"id": identifier} | proof, long=True)
    emit(answer, as_json, lambda: _erased(answer))


def _erased(answer: dict[str, Any]) -> None:
    say(f"erased: {listed(answer.get('erased') or {})}")
    for place in answer.get("still_in") or ():
        say(f"still in: {place}")
