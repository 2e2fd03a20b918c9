"""Fields of what agents send: JSON objects, read without trusting anything in them.

It knows no agent. Odd bytes are replaced and wrong types count as missing; only what is no JSON
object at all is refused.
"""

import json
import re
from functools import lru_cache
from typing import Any

from dormouse.capture.redaction import redact
from dormouse.errors import BadRequest, TooLarge
from dormouse.sessions import Role, Turn

MAX_BODY = 8 * 2**20  # bytes; a larger event is not parsed
MAX_ID = 200  # characters; the hosts' own ids have 36
EXCERPT = 2_000  # characters that are kept of a tool's output, its mark included
CUT = " … [cut]"

Payload = dict[str, Any]

_ODD = re.compile("[\x00\ud800-\udfff]")  # pairs were joined by the JSON parser: these are lone
_WORD = re.compile(r"[A-Za-z0-9_.+-]{1,40}")
_SHELLS = ("sh", "bash", "zsh", "dash", "fish")


def clean(text: str) -> str:
    """Replace what neither SQLite nor UTF-8 can hold: NUL and lone surrogates."""
    return _ODD.sub("\ufffd", text)


def parse(body: bytes) -> Payload:
    """Read a JSON object; bytes that are not UTF-8 are replaced. Raises BadRequest, TooLarge."""
    if len(body) > MAX_BODY:
        raise TooLarge(limit=MAX_BODY)
    try:
        value = json.loads(body.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise BadRequest(what="the event is no JSON object")
    return value


def text(payload: Payload, key: str) -> str | None:
    """The cleaned text under *key*, None where there is none."""
    value = payload.get(key)
    return clean(value) if isinstance(value, str) and value else None


def part(payload: Payload, key: str) -> Payload:
    """The object under *key*, an empty one where there is none."""
    value = payload.get(key)
    return value if isinstance(value, dict) else {}


def identity(payload: Payload, key: str) -> str | None:
    """An id: a text of sensible length, without what looks like a secret: ids are stored too."""
    value = text(payload, key)
    return without_secret(value) if value and len(value) <= MAX_ID else None


def path(payload: Payload, key: str) -> str | None:
    """A path; one that holds a secret is not read, and so not stored."""
    value = text(payload, key)
    return value if value and without_secret(value) == value else None


@lru_cache(maxsize=64)  # a session's events bring the same ones again and again
def without_secret(value: str) -> str:
    """*value* as it may be stored: an event is never refused for what stands in it."""
    return redact(value).text


def session(payload: Payload, key: str = "session_id") -> str:
    """The session's id. Raises BadRequest where it is missing."""
    value = identity(payload, key)
    if value is None:
        raise BadRequest(what="the event names no session")
    return value


def joined(content: object, *kinds: str) -> str | None:
    """The text of a content field: a string, or a list of parts of which *kinds* are read."""
    if isinstance(content, str):
        return clean(content) or None
    if not isinstance(content, list):
        return None
    texts = (
        part_["text"]
        for part_ in content
        if isinstance(part_, dict)
        and part_.get("type") in kinds
        and isinstance(part_.get("text"), str)
    )
    return clean("\n".join(texts)) or None


def first_word(command: object) -> str:
    """The program that a command runs: no arguments, no variables, as both can hold secrets."""
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        shell = len(words) == 3 and words[0].rsplit("/", 1)[-1] in _SHELLS
        command = words[2] if shell and "c" in words[1] else " ".join(words[:1])
    for word in command.split()[:20] if isinstance(command, str) else ():
        if "=" not in word:
            name = word.rsplit("/", 1)[-1]
            return name if _WORD.fullmatch(name) else "command"
    return "command"


def is_own_tool(name: str, command: object = None) -> bool:
    """Whether a tool is this memory's: what it shows is never learnt again."""
    return "dormouse" in name.lower() or first_word(command) in ("dormouse", "dormoused")


def excerpt(whole: str) -> tuple[str, int | None]:
    """Cut a tool's output to EXCERPT characters; also its whole length where it was cut.

    It is cut between words: half a token would no longer look like one to the redaction.
    """
    if len(whole) <= EXCERPT:
        return whole, None
    kept = whole[: EXCERPT - len(CUT)]
    if not whole[len(kept)].isspace():
        at = max(kept.rfind(blank) for blank in " \n\t")
        kept = kept[:at] if at > len(kept) // 2 else kept
    return kept + CUT, len(whole)


def tool_turn(session_id: str, name: str, output: object, host_turn_id: str | None) -> Turn | None:
    """A tool's output as a turn; None where there is no output."""
    if isinstance(output, str):
        whole = output
    elif output in (None, {}, []):
        return None
    else:
        whole = json.dumps(output, ensure_ascii=False)
    kept, length = excerpt(clean(f"{name}: {whole}"))
    return Turn(Role.TOOL, kept, session_id, host_turn_id=host_turn_id, original_length=length)
