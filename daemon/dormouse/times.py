"""Instants as text: ISO 8601, UTC, milliseconds, so that they sort as they are."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def stamp(instant: datetime) -> str:
    """Return *instant* in the one form the ledger stores: ``2026-06-01T10:00:00.000+00:00``."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds")


def parse(text: str) -> datetime:
    """Read an ISO 8601 time or date; without an offset it is UTC. Raises ValueError."""
    instant = datetime.fromisoformat(text.strip())
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def system_clock() -> datetime:
    """The machine's wall clock."""
    return datetime.now(UTC)
