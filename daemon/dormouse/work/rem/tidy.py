"""Tidying: journal and log within their budgets, the log of writes emptied, one backup a night.

No fact ever goes here.
"""

import contextlib
import shutil
from pathlib import Path

from dormouse.errors import DormouseError
from dormouse.hygiene import LOG_BYTES, make_private_folder
from dormouse.ledger import Writer
from dormouse.work.memory import Memory
from dormouse.work.rem.night import Note, Sleeping, count

KEEP = 3  # backups
ROOM = 3  # a backup is made where so many times its size are free


async def tidy(sleeping: Sleeping) -> None:
    """Keep within the budgets, then make tonight's backup if there is none yet."""
    memory = sleeping.memory
    days, megabytes = memory.settings.journal_days, memory.settings.journal_mb

    def trim(w: Writer, note: Note) -> None:
        count(note, "turns_dropped", w.trim_journal(days, megabytes))
        w.forget_settled_pairs()

    await sleeping.write(trim)
    await memory.aside(lambda: trim_log(memory.home.log))
    await sleeping.breathe()
    made = await memory.aside(lambda: backup(memory, sleeping))
    await sleeping.breathe()
    await sleeping.write(lambda w, note: note.update(backup=made))
    await memory.aside(memory.ledger.checkpoint)


def trim_log(folder: Path, at_most: int = LOG_BYTES) -> int:
    """Remove the oldest log files beyond the budget; how many. The one in use stays."""
    files = sorted(folder.glob("dormoused.log*"), key=lambda file: file.stat().st_mtime)
    total, gone = sum(file.stat().st_size for file in files), 0
    for file in files[:-1]:
        if total <= at_most:
            break
        total -= file.stat().st_size
        file.unlink(missing_ok=True)
        gone += 1
    return gone


def backup(memory: Memory, sleeping: Sleeping) -> str:
    """Tonight's encrypted copy, in a word: made, there, no_room, refused, disturbed."""
    folder = memory.home.backups
    make_private_folder(folder)
    target = folder / f"memory-{memory.now()[:10]}.db"
    for draft in folder.glob("*.part"):
        draft.unlink(missing_ok=True)  # a daemon was killed while it wrote this
    if target.exists():
        return "there"
    size = memory.home.ledger.stat().st_size
    if shutil.disk_usage(folder).free < ROOM * size:
        return "no_room"
    draft = target.with_suffix(".part")
    try:
        memory.ledger.copy_to(draft, go_on=sleeping.undisturbed)
    except DormouseError:
        return "refused"
    except InterruptedError:
        return "disturbed"
    memory.ledger.note_copy(target)
    draft.rename(target)
    for old in sorted(folder.glob("memory-*.db"))[:-KEEP]:
        with contextlib.suppress(OSError):
            old.unlink()
    return "made"
