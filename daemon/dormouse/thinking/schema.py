"""Reading a model's answer: one JSON value that fits a schema exactly, or an error. Mends nothing.

It knows the part of JSON Schema that our schemas use; any other keyword is a mistake of ours.
"""

import json
from collections.abc import Mapping
from typing import Any

LONGEST = 256 * 1024  # characters of an answer

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
_KNOWN = {"type", "enum", "properties", "required", "additionalProperties", "items", "description"}


class Misfit(ValueError):
    """The answer does not fit. Its text is not repeated here."""


def parse(text: str, schema: Mapping[str, Any]) -> Any:
    """The value of *text*. Raises Misfit for anything but one JSON value that fits *schema*."""
    if len(text) > LONGEST:
        raise Misfit("too long")
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except (ValueError, RecursionError):
        raise Misfit("not JSON") from None
    check(value, schema)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise Misfit("a key stands twice")
    return made


def _constant(name: str) -> Any:
    raise Misfit(f"{name} is no JSON")


def check(value: Any, schema: Mapping[str, Any]) -> None:
    """Raise Misfit unless *value* fits; LookupError if *schema* uses what is not known here."""
    if unknown := set(schema) - _KNOWN:
        raise LookupError(f"schema keywords {sorted(unknown)}")
    kind = str(schema["type"])
    fits = isinstance(value, _TYPES[kind])
    if not fits or (kind != "boolean" and isinstance(value, bool)):
        raise Misfit(f"not of type {kind}")
    if "enum" in schema and value not in schema["enum"]:
        raise Misfit("not one of the words that are allowed")
    if kind == "array":
        _check_each(value, schema["items"])
    elif kind == "object":
        _check_object(value, schema)


def _check_each(values: list[Any], schema: Mapping[str, Any]) -> None:
    for value in values:
        check(value, schema)


def _check_object(value: dict[str, Any], schema: Mapping[str, Any]) -> None:
    properties = schema.get("properties", {})
    if set(schema.get("required", ())) - set(value):
        raise Misfit("a key is missing")
    if set(value) - set(properties):
        raise Misfit("a key too many")
    for name, inner in value.items():
        check(inner, properties[name])
