"""Rules for what is worth keeping and what must never be kept. Pure: no disk, clock or network."""

from dormouse.capture.kind_of import is_rule, is_rule_of_steps, kind_of

__all__ = ["is_rule", "is_rule_of_steps", "kind_of"]
