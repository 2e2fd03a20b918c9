"""From a JSON body to a wish or a question: every field checked, nothing echoed."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from dormouse.capture.normalise import is_blank
from dormouse.capture.private import strip_private
from dormouse.errors import BadRequest, Refused
from dormouse.facts import Detail, How, Kind, Layer, Scope, Trust
from dormouse.times import parse, stamp
from dormouse.work.places import Where
from dormouse.work.prepare import mask
from dormouse.work.remember import Speaker, Wish
from dormouse_wire.names import is_name

E = TypeVar("E", bound=StrEnum)
SOURCES = ("own", "file", "tool")
MOST_TEXT = 8 * 1024 * 1024  # as much as a body holds; what a fact holds is for the work to say
FACT_FIELDS = {
    "text", "kind", "layer", "scope", "project", "session_id", "at", "pin", "steps", "tools",
    "outcome", "weight", "context", "confidence", "settle", "everywhere", "source",
}  # fmt: skip
RECALL_FIELDS = {
    "query", "limit", "project", "as_of", "history", "layer", "floor", "why", "session_id",
}  # fmt: skip


def known_fields(body: Mapping[str, Any], fields: set[str]) -> None:
    """Raise BadRequest where a field's name is not one of ours (a typo would be lost silently).

    It says which names there are: the one that was sent may be anything, a secret too.
    """
    if set(body) - fields:
        raise BadRequest(what=f"there is an unknown field; known are {', '.join(sorted(fields))}")


def text_field(
    body: Mapping[str, Any], name: str, *, needed: bool = False, longest: int = 100_000
) -> str | None:
    value = body.get(name)
    if value is None or value == "":
        if needed:
            raise BadRequest(what=f"{name} is missing")
        return None
    if not isinstance(value, str):
        raise BadRequest(what=f"{name} must be a text")
    if len(value) > longest:
        raise BadRequest(what=f"{name} is longer than {longest} characters")
    return value


def said_field(body: Mapping[str, Any], name: str, *, longest: int = 100_000) -> str | None:
    """A text that may be kept, without its private parts; None where nothing is left to read."""
    return _said(text_field(body, name, longest=longest))


def said_fields(body: Mapping[str, Any], name: str, *, most: int = 1_000) -> tuple[str, ...]:
    """A list of such texts; those of which nothing is left are not among it."""
    return tuple(filter(None, map(_said, texts_field(body, name, most=most))))


def _said(text: str | None) -> str | None:
    """The one place at which <private> is taken out of what a request asks to keep."""
    kept = strip_private(text or "")
    return None if is_blank(kept) else kept


def id_field(body: Mapping[str, Any], name: str, *, longest: int) -> str | None:
    """An id or a name, stored as it is. Raises BadRequest for one that looks like a secret."""
    value = text_field(body, name, longest=longest)
    if value is not None and mask(value) != value:
        raise BadRequest(
            "Send an id that says nothing, for example a UUID.",
            what=f"{name} looks like a secret, and it would be stored",
        )
    return value


def session_field(body: Mapping[str, Any]) -> str | None:
    """The caller's session."""
    return id_field(body, "session_id", longest=200)


def texts_field(body: Mapping[str, Any], name: str, *, most: int = 1_000) -> list[str]:
    """A list of texts, empty where there is none."""
    value = body.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise BadRequest(what=f"{name} must be a list of texts")
    if len(value) > most:
        raise BadRequest(what=f"{name} are more than {most}")
    return value


def number_field(body: Mapping[str, Any], name: str, low: float, high: float) -> float | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise BadRequest(what=f"{name} must be a number from {low:g} to {high:g}")
    return float(value)


def flag(body: Mapping[str, Any], name: str, default: bool = False) -> bool:
    value = body.get(name, default)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise BadRequest(what=f"{name} must be true or false")
    return value


def choice(body: Mapping[str, Any], name: str, of: type[E]) -> E | None:
    value = text_field(body, name)
    if value is None:
        return None
    try:
        return of(value)
    except ValueError:
        raise BadRequest(what=f"{name} must be one of {', '.join(of)}") from None


def time_field(body: Mapping[str, Any], name: str) -> str | None:
    """A time, or None where none is given; an empty one is none that could be meant."""
    value = text_field(body, name)
    if value is None and body.get(name) is None:
        return None
    try:
        return stamp(parse(value or ""))
    except (ValueError, OverflowError):
        raise BadRequest(what=f"{name} must be an ISO 8601 time, as 2026-06-01T10:00:00Z") from None


def folder_field(body: Mapping[str, Any], name: str = "project") -> str | None:
    """An existing folder, absolute."""
    value = text_field(body, name, longest=4_096)
    if value is None:
        return None
    if "\0" in value or not Path(value).is_absolute() or not Path(value).is_dir():
        raise BadRequest(what=f"{name} must be an existing folder, as an absolute path")
    return value


def speaker(agent: str | None, session_id: str | None, source: str | None = None) -> Speaker:
    """Who asks: without the header Dormouse-Agent it is the owner's program.

    An agent may say that it has something from a tool, which is trusted less than itself.
    """
    if agent is None:
        return Speaker(None, session_id, None, Trust.USER, How.HUMAN)
    if not is_name(agent) or mask(agent) != agent:
        raise BadRequest(what="the header Dormouse-Agent must name an agent")
    if source == "tool":
        return Speaker(agent, session_id, None, Trust.TOOL, How.TOOL, attended=False)
    return Speaker(agent, session_id, None, Trust.ASSISTANT, How.ASSISTANT, attended=False)


def refuse_off(who: Speaker, where: Where) -> None:
    """Refuse an agent whatever it asks for in a folder where Dormouse is off; the owner may."""
    if where.off and not who.is_person:
        raise Refused(
            what="Dormouse is off in this folder", hint="Nothing is kept, changed or shown here."
        )


def statement_field(body: Mapping[str, Any]) -> str:
    """The text to keep, without its private parts. Raises BadRequest if nothing is left."""
    text = text_field(body, "text", needed=True, longest=MOST_TEXT) or ""
    kept = _said(text)
    if kept is None and is_blank(text):
        raise BadRequest(what="there is no text to keep")
    if kept is None:
        raise BadRequest(what="beside the private part there is nothing to keep")
    return kept


def wish(body: Mapping[str, Any]) -> Wish:
    """The statement that a body asks to keep."""
    known_fields(body, FACT_FIELDS)
    source = text_field(body, "source", longest=200)
    if source not in (None, *SOURCES):
        raise BadRequest(what=f"source must be one of {', '.join(SOURCES)}")
    return Wish(
        statement_field(body),
        kind=choice(body, "kind", Kind),
        layer=choice(body, "layer", Layer),
        scope=choice(body, "scope", Scope),
        everywhere=flag(body, "everywhere"),
        pin=flag(body, "pin"),
        at=time_field(body, "at"),
        confidence=number_field(body, "confidence", 0, 1),
        weight=number_field(body, "weight", 0, 1) or 0.0,
        detail=Detail(
            said_fields(body, "steps"),
            said_fields(body, "tools"),
            said_field(body, "outcome"),
            said_field(body, "context"),
            source if source != "own" else None,
        ),
    )
