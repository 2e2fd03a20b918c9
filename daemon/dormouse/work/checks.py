"""One finding of ``doctor``: what was looked at, how it is, how to mend it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """``fix`` is said only where something is not *ok*."""

    check: str
    ok: bool
    detail: str
    fix: str | None = None
