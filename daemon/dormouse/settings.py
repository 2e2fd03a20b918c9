"""The owner's settings (``config.toml``): read once at start, with a default for everything.

A wrong line is told, never fatal: its default holds. No secret ever stands here.
"""

import json
import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, TypeVar

from dormouse.hygiene import atomic_write
from dormouse.recall.rank import FLOOR

Check = Callable[[Any], bool]
T = TypeVar("T")


def _option(default: T, says: str, allowed: Check = lambda value: True, but: str = "") -> T:
    """A setting: its default, its sentence for the file, and which values it may have (*but*)."""
    about = {"says": says, "allowed": allowed, "but": but}
    made: T = field(default=default, metadata=about)
    return made


def _share(value: float) -> bool:
    return 0 <= value <= 1


def _not_negative(value: float) -> bool:
    return value >= 0


def _positive(value: float) -> bool:
    return value > 0


def _time_of_day(value: str) -> bool:
    return re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value) is not None


_SHARE: Final = (_share, "must be from 0 to 1")
_COUNT: Final = (_not_negative, "must not be negative")
_AMOUNT: Final = (_positive, "must be above 0")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings: ``recall_floor`` is ``floor`` in the section ``[recall]``.

    ``warnings`` are lines for a person about what could not be used.
    """

    hooks_autostart: bool = _option(True, "Whether an agent's hook may start the daemon.")
    capture_mode: str = _option(
        "all",
        'Where something is kept: "all" folders, or "opt-in": only below a .dormouse-on file.',
        lambda value: value in ("all", "opt-in"),
        'must be "all" or "opt-in"',
    )
    capture_off_patterns: tuple[str, ...] = _option(
        (), 'Folders in which nothing is kept, recalled or shown, for example ["~/clients/*"].'
    )
    capture_fact: float = _option(0.80, "How sure a rule must be for a fact.", *_SHARE)
    capture_candidate: float = _option(
        0.60, "How sure a rule must be for a candidate, which is never recalled.", *_SHARE
    )
    capture_tool_output: bool = _option(
        False, "Whether what tools print may be read for candidates."
    )
    recall_max_facts: int = _option(6, "How many facts a prompt is shown at most.", *_COUNT)
    recall_floor: float = _option(
        FLOOR, "How well a fact must fit to be shown at all; 0 switches silence off.", *_SHARE
    )
    recall_meaning: bool = _option(
        True, "Whether facts are found by their meaning too; it takes 80 MB while it is used."
    )
    rem_idle_minutes: int = _option(
        10, "How long all agents must be quiet before it sleeps.", *_AMOUNT
    )
    rem_preferred: str = _option(
        "03:00", "When it likes best to sleep (local time).", _time_of_day, 'must be like "03:00"'
    )
    thinkers_order: tuple[str, ...] = _option((), "Which thinkers are asked, first to last.")
    thinkers_calls_per_day: int = _option(40, "How often they may be asked in a day.", *_COUNT)
    thinkers_tokens_per_day: int = _option(
        200_000, "How many tokens they may use in a day.", *_COUNT
    )
    endpoint_url: str = _option("", "A model server to ask. Its secret never stands in this file.")
    endpoint_model: str = _option("", "The model to ask there.")
    fuse_facts: int = _option(
        25, "So many facts judges may retire in 24 hours, or the share below if more.", *_COUNT
    )
    fuse_share: float = _option(0.10, "The share of a scope's current facts.", *_SHARE)
    journal_days: int = _option(30, "How many days turns are held. Facts never go.", *_COUNT)
    journal_mb: int = _option(200, "How many megabytes of turns are held.", *_COUNT)
    forget_per_session: int = _option(
        10, "How many facts one session may retire without the owner.", *_COUNT
    )
    handoff_lease_minutes: int = _option(30, "How long a taken handoff stays taken.", *_AMOUNT)
    warnings: tuple[str, ...] = ()


Option = Field[Any]


def _sections() -> dict[str, dict[str, Option]]:
    sections: dict[str, dict[str, Option]] = {}
    for option in fields(Settings):
        section, _, name = option.name.partition("_")
        if name:
            sections.setdefault(section, {})[name] = option
    return sections


def read(path: Path) -> Settings:
    """The settings in *path*. Never raises: a missing file is all defaults, a broken one warns."""
    warnings: list[str] = []
    taken: dict[str, Any] = {}
    given = _load(path, warnings)
    for section, options in _sections().items():
        values = given.pop(section, {})
        if not isinstance(values, dict):
            warnings.append(f"{section}: must be a section, [{section}]; its defaults hold")
            continue
        for name, value in values.items():
            if name not in options:
                warnings.append(f"{section}.{name}: no such setting")
                continue
            problem, converted = _convert(value, options[name])
            if problem is None:
                taken[options[name].name] = converted
            else:
                default = _toml(options[name].default)
                warnings.append(f"{section}.{name}: {problem}; {default} holds")
    warnings += [f"{name}: no such setting" for name in given]
    if patterns := taken.get("capture_off_patterns"):
        taken["capture_off_patterns"] = tuple(map(_expanded, patterns))
    return Settings(**taken, warnings=tuple(warnings))


def _expanded(pattern: str) -> str:
    """``~/x`` as a path; ``~nobody`` stays as it is."""
    return os.path.expanduser(pattern)  # noqa: PTH111  (Path.expanduser raises for an unknown user)


def _load(path: Path, warnings: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        pass
    except UnicodeDecodeError:
        warnings.append(f"{path}: not UTF-8 text; all defaults hold")
    except tomllib.TOMLDecodeError as error:
        warnings.append(f"{path}: {error}; all defaults hold")
    except OSError as error:
        warnings.append(f"{path}: can't be read ({error.strerror}); all defaults hold")
    return {}


def _convert(value: object, option: Option) -> tuple[str | None, object]:
    """(what is wrong, the value in its option's type)."""
    kind = type(option.default)
    if kind is tuple and isinstance(value, list) and all(isinstance(v, str) for v in value):
        value = tuple(value)
    elif kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        return _MUST_BE[kind], value
    return (None if option.metadata["allowed"](value) else option.metadata["but"]), value


_MUST_BE: Final[dict[type, str]] = {
    bool: "must be true or false",
    float: "must be a number",
    int: "must be a whole number",
    str: "must be a text in quotes",
    tuple: "must be a list of texts",
}


def _toml(value: object) -> str:
    """A value as TOML; JSON writes the types used here the same way."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def default_text() -> str:
    """The file that set-up writes: each setting commented out at its default, with its sentence."""
    lines = [
        "# Dormouse's settings. Take the # off a line to change it, then run `dormouse restart`.",
        "# No secret belongs into this file.",
    ]
    for section, options in _sections().items():
        lines += ["", f"[{section}]"]
        for name, option in options.items():
            lines += [f"# {option.metadata['says']}", f"#{name} = {_toml(option.default)}"]
    return "\n".join(lines) + "\n"


def write_default(path: Path) -> bool:
    """Write the commented file unless something is there already; whether it was written."""
    if path.exists() or path.is_symlink():
        return False
    atomic_write(path, default_text().encode())
    return True
