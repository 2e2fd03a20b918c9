"""New keys for a store that has some: a slot taken away, each wrapped anew, the data key changed.

A new data key means a new file. Until that is in place ``keyslots.json`` holds the slots of both;
the file's salt says, without any key, to which it belongs. Keys from before are kept under the
present one, so that older backups still open.
"""

from typing import Any

from dormouse.errors import BadRequest, Conflict, NotFound
from dormouse.keys import keyfile, wrapping
from dormouse.keys.keyslots import KINDS, KeySlots

FORMER = "former"
_Slots = list[dict[str, Any]]


def remove(slots: KeySlots, kind: str) -> None:
    """Take a way in away; a key file stays where it is. Raises NotFound, Conflict for the last."""
    if kind not in slots.kinds:
        raise NotFound(what="key slot", id=kind, hint="`dormouse key check` lists them.")
    left = [slot for slot in slots.document["slots"] if slot["kind"] != kind]
    if not {slot["kind"] for slot in left} & {"keyfile", "passphrase"}:
        raise Conflict(
            what=f"without the {kind} slot no key file and no passphrase would open it",
            hint="Add another one first with `dormouse key add`.",
        )
    slots.replace(slots.document | {"slots": left})


def rewrap(slots: KeySlots, data_key: bytes, secret: str | None) -> str | None:
    """Wrap the same data key anew in each slot: a new key file, *secret* as passphrase, a new code.

    The code is returned, this once. Raises Conflict for slots of a kind that is not known.
    """
    made, code = _made(slots, data_key, secret, new_file=True)
    slots.replace(slots.document | {"slots": made})
    return code


def plan(
    slots: KeySlots, data_key: bytes, new_key: bytes, salt: bytes, secret: str | None
) -> str | None:
    """Write down the slots for *new_key* beside those that hold; *salt* is the new file's.

    ``settle`` decides which of both hold. The new recovery code is returned, this once.
    """
    made, code = _made(slots, new_key, secret, new_file=False)
    kept = [*former(slots, data_key), data_key]
    sealed = [wrapping.seal(key, new_key, store_id=slots.store_id, kind=FORMER) for key in kept]
    following = {"salt": salt.hex(), "slots": made, FORMER: sealed}
    slots.replace(slots.document | {"next": following})
    return code


def settle(slots: KeySlots, salt: bytes) -> bool:
    """After an exchange, finished or not: keep the slots of the file that is there.

    Whether the new ones hold.
    """
    document = dict(slots.document)
    following = document.pop("next", None)
    if following is None:
        return False
    new = bool(salt) and following.get("salt") == salt.hex()
    if new:
        document |= {"slots": following["slots"], FORMER: following[FORMER]}
    slots.replace(document)
    return new


def former(slots: KeySlots, data_key: bytes) -> list[bytes]:
    """The data keys from before the present one, oldest first."""
    sealed = slots.document.get(FORMER, [])
    return [
        wrapping.unseal(each, data_key, store_id=slots.store_id, kind=FORMER) for each in sealed
    ]


def _made(
    slots: KeySlots, data_key: bytes, secret: str | None, *, new_file: bool
) -> tuple[_Slots, str | None]:
    """Each slot for *data_key*, and the recovery code if there is such a slot."""
    unknown = [kind for kind in slots.kinds if kind not in KINDS]
    if unknown:
        raise Conflict(what=f"this version can't wrap a key in a slot of kind {unknown[0]}")
    if "passphrase" in slots.kinds and not secret:
        raise BadRequest(what="the passphrase slot needs a passphrase, a new one or the same again")
    made: _Slots = []
    code = None
    for kind in slots.kinds:
        if kind == "keyfile":
            made.append(_keyfile(slots, data_key, new_file=new_file))
            continue
        slot, given = slots.make(kind, data_key, secret)
        made.append(slot)
        code = given or code
    return made, code


def _keyfile(slots: KeySlots, data_key: bytes, *, new_file: bool) -> dict[str, Any]:
    path = slots.key_file
    if path is None:
        raise NotFound(what="key slot", id="keyfile")
    if new_file:
        home = slots.path.parent
        path, under = keyfile.make(path.parent, slots.store_id, home, again=True)
    else:
        under = keyfile.read(path, slots.path.parent, "")
    slot = {"kind": "keyfile", "path": str(path)}
    return slot | wrapping.seal(data_key, under, store_id=slots.store_id, kind="keyfile")
