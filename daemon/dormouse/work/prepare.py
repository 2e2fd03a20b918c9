"""The one preparation of every text before it is stored. It stores nothing itself."""

from functools import lru_cache

from dormouse.capture.normalise import clean, text_hash
from dormouse.capture.redaction import redact
from dormouse.ledger import Prepared
from dormouse.recall.words import index_text


@lru_cache(maxsize=4)  # whoever prepares a text hands it to the ledger at once, which does so again
def prepare(text: str) -> Prepared:
    """Clean and redact *text*; the ledger runs all that it stores through this."""
    redacted = redact(clean(text))
    return Prepared(redacted.text, redacted.types, text_hash(redacted.text), index_text)


def mask(text: str) -> str:
    """*text* as it may be shown: an older program may have stored what we would not."""
    return redact(text).text
