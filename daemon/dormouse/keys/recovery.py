"""A recovery code: 256 bits for paper. A typo is told, with its place; it is never corrected.

14 groups of 4 characters: 52 carry the key, 4 a checksum of 20 bits. The alphabet (Crockford's) has
no I, L, O or U; those that people write for 1 and 0 are read as such.
"""

import hashlib

from dormouse.keys.wrapping import KEY_BYTES

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LOOKALIKES = str.maketrans({"I": "1", "L": "1", "O": "0"})
_GROUP, _DATA, _CHECK = 4, 52, 4
_SPARE_BITS = _DATA * 5 - KEY_BYTES * 8


class Typo(Exception):
    """What is wrong with a code, in words for a person."""


def to_code(key: bytes) -> str:
    """*key* (32 bytes) as ``XXXX-XXXX-…``."""
    text = _characters(int.from_bytes(key) << _SPARE_BITS, _DATA)
    text += _checksum(text)
    return "-".join(text[i : i + _GROUP] for i in range(0, len(text), _GROUP))


def from_code(code: str) -> bytes:
    """The key in *code*, however it is spaced or cased. Raises Typo."""
    text = "".join(c for c in code.upper() if c not in " -\t\r\n").translate(_LOOKALIKES)
    for place, character in enumerate(text):
        if character not in ALPHABET:
            raise Typo(f"group {place // _GROUP + 1} has a character that no code has")
    if len(text) != _DATA + _CHECK:
        raise Typo(f"it has {len(text)} characters, not {_DATA + _CHECK}")
    if not _whole(text):
        places = sorted({place // _GROUP + 1 for place in _suspects(text)})
        where = f"look at group {' or '.join(map(str, places))}" if places else "look at each group"
        raise Typo(where)
    return (_number(text[:_DATA]) >> _SPARE_BITS).to_bytes(KEY_BYTES)


def _suspects(text: str) -> list[int]:
    """Where one wrong character, or two that changed places, would explain the checksum."""
    found = []
    for place, written in enumerate(text):
        before, after = text[:place], text[place + 1 :]
        if any(_whole(before + c + after) for c in ALPHABET if c != written):
            found.append(place)
        if after and _whole(before + after[0] + written + after[1:]):
            found.append(place)
    return found


def _whole(text: str) -> bool:
    spare = _number(text[:_DATA]) & ((1 << _SPARE_BITS) - 1)
    return spare == 0 and _checksum(text[:_DATA]) == text[_DATA:]


def _checksum(text: str) -> str:
    digest = hashlib.sha256(b"dormouse recovery code 1\n" + text.encode()).digest()
    return _characters(int.from_bytes(digest) >> (256 - 5 * _CHECK), _CHECK)


def _characters(number: int, count: int) -> str:
    return "".join(ALPHABET[number >> 5 * i & 31] for i in reversed(range(count)))


def _number(text: str) -> int:
    number = 0
    for character in text:
        number = number << 5 | ALPHABET.index(character)
    return number
