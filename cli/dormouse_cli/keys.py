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
    code = answer.pop("code", None)
    if code:
        with owner.terminal() as tty:
            tty.write(f"Recovery code: {code}\nWrite it down; it is not shown again.\n")
    emit(answer, as_json, lambda: say(f"added: {kind}"))


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
