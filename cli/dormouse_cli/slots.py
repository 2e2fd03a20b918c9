"""Which key slots a home has, for messages that must fit it. It reads kinds only, and no secret."""

import json

from dormouse_wire.paths import Home


def kinds(home: Home) -> tuple[str, ...]:
    """The kinds in keyslots.json, each once; empty where they can't be read."""
    try:
        slots = json.loads(home.keyslots.read_bytes())["slots"]
        return tuple(dict.fromkeys(str(slot["kind"]) for slot in slots))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return ()
