"""What an agent calls itself, as it is kept and shown. It knows no agent.

Whoever writes the name may put anything there, and once letters are lowered and signs replaced no
look for secrets finds one. So what is no plain name is not shortened to one: it is not taken.
"""

import re

LONGEST = 40
LONGEST_WORD = 16  # letters of a word; a token's random part is longer
LONGEST_NUMBER = 7  # characters of a word with a digit in it: a UUID's parts are longer
_NAME = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{LONGEST - 1}}}\Z")


def is_name(text: str) -> bool:
    """Whether *text* can be an agent's name: lower-case words and "-"."""
    return _NAME.match(text) is not None and all(map(_is_word, text.split("-")))


def name_of(client: str) -> str | None:
    """The name in that form of what a client says that it is; None where that is no name."""
    words = re.sub(r"[^a-z0-9]+", "-", client.lower()).strip("-")
    if not all(map(_is_word, words.split("-"))):  # before it is cut: a part tells less
        return None
    return words[:LONGEST].strip("-") or None


def _is_word(word: str) -> bool:
    most = LONGEST_NUMBER if re.search("[0-9]", word) else LONGEST_WORD
    return len(word) <= most
