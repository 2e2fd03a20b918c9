"""Seals a data key under another key, and makes keys out of passphrases. Knows no files.

AES-256-GCM; the store's id and the slot's kind are authenticated with it, so that a slot can't be
moved to another store or be passed off as another kind.
"""

import base64
import binascii
import os
import unicodedata
from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

KEY_BYTES = 32
_NONCE_BYTES, _TAG_BYTES, _SALT_BYTES = 12, 16, 16

# RFC 9106's second recommendation (t=3, p=4, 64 MiB): 0.1-0.4 s here, and 64 MiB for each guess.
ITERATIONS, LANES, MEMORY_KIB = 3, 4, 64 * 1024
# A slot may ask for more, but not for what would stop the machine.
_MOST = {"iterations": 32, "lanes": 16, "memory_kib": 1024 * 1024}


class BrokenSlot(Exception):
    """A slot's fields can't be what we wrote."""


class DoesNotFit(Exception):
    """The key does not open the slot, or the slot was changed: nobody can tell which."""


def seal(data_key: bytes, under: bytes, *, store_id: str, kind: str) -> dict[str, str]:
    """The fields of a slot that only *under* opens. Both keys have 32 bytes."""
    if len(data_key) != KEY_BYTES or len(under) != KEY_BYTES:
        raise ValueError("a key has 32 bytes")
    nonce = os.urandom(_NONCE_BYTES)
    sealed = AESGCM(under).encrypt(nonce, data_key, _about(store_id, kind))
    return {"nonce": encode(nonce), "wrapped": encode(sealed)}


def unseal(slot: Mapping[str, Any], under: bytes, *, store_id: str, kind: str) -> bytes:
    """The data key. Raises BrokenSlot, DoesNotFit."""
    nonce = decode(slot.get("nonce"), _NONCE_BYTES)
    sealed = decode(slot.get("wrapped"), KEY_BYTES + _TAG_BYTES)
    try:
        return AESGCM(under).decrypt(nonce, sealed, _about(store_id, kind))
    except InvalidTag:
        raise DoesNotFit from None


def _about(store_id: str, kind: str) -> bytes:
    return f"dormouse key slot 1\n{store_id}\n{kind}".encode()


def new_costs() -> dict[str, Any]:
    """How a new passphrase slot makes its key: Argon2id with a salt of its own."""
    return {
        "name": "argon2id",
        "iterations": ITERATIONS,
        "lanes": LANES,
        "memory_kib": MEMORY_KIB,
        "salt": encode(os.urandom(_SALT_BYTES)),
    }


def stretch(passphrase: str, costs: object) -> bytes:
    """The key a passphrase makes. Raises BrokenSlot, and ValueError for text that is no Unicode."""
    if not isinstance(costs, Mapping) or costs.get("name") != "argon2id":
        raise BrokenSlot
    for name, most in _MOST.items():
        if type(costs.get(name)) is not int or not 1 <= costs[name] <= most:
            raise BrokenSlot
    if costs["memory_kib"] < 8 * costs["lanes"]:
        raise BrokenSlot
    return Argon2id(
        salt=decode(costs.get("salt"), _SALT_BYTES),
        length=KEY_BYTES,
        iterations=costs["iterations"],
        lanes=costs["lanes"],
        memory_cost=costs["memory_kib"],
    ).derive(unicodedata.normalize("NFC", passphrase).encode())


def encode(content: bytes) -> str:
    return base64.b64encode(content).decode()


def decode(text: object, length: int) -> bytes:
    """Raises BrokenSlot for anything but *length* bytes in base64."""
    try:
        content = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except (binascii.Error, ValueError):
        raise BrokenSlot from None
    if len(content) != length:
        raise BrokenSlot
    return content
