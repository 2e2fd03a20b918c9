"""Keys: unlock the memory, add key slots, check them. The key itself never passes through here."""

from typing import Annotated, Any

import typer

from dormouse_cli import errors, owner
from dormouse_cli.daemon import ask, route, verify
from dormouse_cli.options import Json, Slot, Yes, example
from dormouse_cli.output import emit, say

app = typer.Typer(rich_markup_mode=None)
key_app = typer.Typer(rich_markup_mode=None)


@app.command(epilog=example("dormouse unlock", "dormouse unlock --recovery"))
def unlock(
    recovery: Annotated[
        bool, typer.Option("--recovery", help="With the recovery code, not the passphrase.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Open a locked memory. The secret is typed, or comes as one line on standard input."""
    name = "recovery" if recovery else "passphrase"
    given = owner.secret("Recovery code: " if recovery else "Passphrase: ")
    answer = ask("POST", route("unlock"), {name: given}, long=True)
    emit(answer, as_json, lambda: say("unlocked"))


@key_app.callback(epilog=example("dormouse key add recovery", "dormouse key check"))
def key() -> None:
    """Ways to open the memory."""


@key_app.command(epilog=example("dormouse key add passphrase", "dormouse key add recovery"))
def add(
    kind: Annotated[Slot, typer.Argument(help="What opens the memory from now on, too.")],
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Add a way to open the memory. A recovery code is shown once, on the terminal only."""
    if kind is Slot.RECOVERY and not owner.has_terminal():
        raise errors.Refused(
            "Run it in a terminal of your own.",
            what="a recovery code is shown on a terminal only, and there is none here",
        )
    body = {"kind": kind} | owner.prove("adding a key", yes=yes)
    if kind is Slot.PASSPHRASE:
        body["secret"] = owner.secret("New passphrase: ", twice=True)
    answer = ask("POST", route("keys"), body, long=True)
    _show_code(answer)
    emit(answer, as_json, lambda: say(f"added: {kind}"))


@key_app.command(epilog=example("dormouse key remove recovery"))
def remove(
    kind: Annotated[Slot, typer.Argument(help="What shall open the memory no longer.")],
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Take a way to open the memory away. A key file itself stays where it is."""
    proof = owner.prove("removing a key", yes=yes)
    owner.confirm(f"Shall the {kind} open the memory no longer?", yes=yes)
    answer = ask("POST", route("keys", "remove"), {"kind": kind} | proof, long=True)
    emit(answer, as_json, lambda: _removed(answer))


def _removed(answer: dict[str, Any]) -> None:
    say(f"removed: {answer.get('kind')}; it opens with: {', '.join(answer.get('slots') or ())}")
    if answer.get("file"):
        say(f"the file is left, older copies of keyslots.json may need it: {answer['file']}")


@key_app.command(epilog=example("dormouse key rotate", "dormouse key rotate --deep"))
def rotate(
    deep: Annotated[
        bool, typer.Option("--deep", help="Change the data key: the memory is written anew.")
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Wrap the key anew in each slot. If the data key itself leaked only --deep helps."""
    body: dict[str, Any] = {"deep": deep} | owner.prove("changing the keys", yes=yes)
    kinds = [slot["kind"] for slot in ask("GET", route("keys"), long=True).get("slots") or ()]
    if Slot.RECOVERY in kinds and not owner.has_terminal():
        raise errors.Refused(
            "Run it in a terminal of your own, or take the recovery slot away first.",
            what="the new recovery code is shown on a terminal only, and there is none here",
        )
    if Slot.PASSPHRASE in kinds:
        body["secret"] = owner.secret("Passphrase from now on: ", twice=True)
    answer = ask("POST", route("keys", "rotate"), body, long=True)
    _show_code(answer)
    emit(answer, as_json, lambda: _rotated(answer))


def _rotated(answer: dict[str, Any]) -> None:
    say("the memory has a new data key" if answer.get("deep") else "each slot is wrapped anew")
    if not answer.get("deep"):
        say("this does not help if the data key itself leaked: then `dormouse key rotate --deep`")
    if answer.get("old_file"):
        say(f"no longer used, and left where it is: {answer['old_file']}")
    for copy in answer.get("old_copies") or ():
        say(f"still under the old data key: {copy}")


def _show_code(answer: dict[str, Any]) -> None:
    """A recovery code goes to the terminal alone, so that it stands in no transcript."""
    code = answer.pop("code", None)
    if code:
        with owner.terminal() as tty:
            tty.write(f"Recovery code: {code}\nWrite it down; it is not shown again.\n")


@key_app.command(epilog=example("dormouse key check", "dormouse key check passphrase"))
def check(
    kind: Annotated[
        Slot | None, typer.Argument(help="Try this one; without it, all are listed.")
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Try whether a key slot opens the memory; without a name, list them all."""
    body: dict[str, Any] = owner.prove("checking keys", yes=yes)
    verify(body)
    if kind is None:
        answer = ask("GET", route("keys"), long=True)
        for slot in answer.get("slots") or ():
            if "ok" not in slot:
                slot["ok"] = _opens(slot["kind"])
        emit(answer, as_json, lambda: _slots(answer))
        good = all(slot.get("ok") is not False for slot in answer.get("slots") or ())
    else:
        body["kind"] = kind
        if kind is not Slot.KEYFILE:
            body["secret"] = body.get("passphrase") if kind is Slot.PASSPHRASE else None
            body["secret"] = body["secret"] or owner.secret(f"{kind.capitalize()}: ")
        answer = ask("POST", route("keys", "check"), body, long=True)
        good = bool(answer.get("ok"))
        emit(answer, as_json, lambda: say(f"{kind}: {'opens' if good else 'does not open'}"))
    if not good:
        raise typer.Exit(1)


def _opens(kind: str) -> bool | None:
    """Whether a slot opens that needs no secret; None for the others, which are not tried."""
    if kind != Slot.KEYFILE:
        return None
    return bool(ask("POST", route("keys", "check"), {"kind": kind}, long=True).get("ok"))


def _slots(answer: dict[str, Any]) -> None:
    for slot in answer.get("slots") or ():
        tried = {True: "opens", False: "does not open"}.get(slot.get("ok"), "not tried")
        say(f"{slot.get('kind')}: {tried}")
    if answer.get("protects"):
        say(str(answer["protects"]))
