"""The data key of a store and the slots that wrap it. No key is ever shown, logged or guessed at.

Changing who may open the memory rewrites some bytes of ``keyslots.json``, never the database.
"""

from dormouse.keys.keyslots import KeySlots, new_data_key, new_store_id

__all__ = ["KeySlots", "new_data_key", "new_store_id"]
