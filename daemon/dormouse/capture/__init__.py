"""Rules for what is worth keeping and what must never be kept. Pure: no disk, clock or network."""

from dormouse.capture.kind_of import kind_of

__all__ = ["kind_of"]
