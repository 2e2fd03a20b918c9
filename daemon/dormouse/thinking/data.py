"""Texts as data for a model: JSON that can't close what it stands in, without control tokens.

It changes what a text could do, not what it says; it decides nothing about its meaning.
"""

import json
import re
import unicodedata
from typing import Any

from dormouse.capture.redaction import redact

# What chat templates read as the end of a message or the begin of another one.
_TOKENS = re.compile(
    r"<[|｜][^<>|｜]{0,60}[|｜]>"  # <|im_end|>, and the full-width form of some models
    r"|</?s>|\[/?INST\]|<</?SYS>>|</?(?:start|end)_of_turn>|<\|?(?:bos|eos|pad|unk)\|?>"
    r"|\[/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]",
    re.IGNORECASE,
)
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&`\u2028\u2029"}


def strip_tokens(text: str) -> str:
    """*text* without control tokens and invisible signs; what their removal forms goes too."""
    text = "".join(sign if _visible(sign) else "" for sign in text)
    while (stripped := _TOKENS.sub(" ", text)) != text:
        text = stripped
    return text


def _visible(sign: str) -> bool:
    return sign in "\n\t" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co")


def as_json(value: Any) -> str:
    """*value* as one line of JSON, each text in it redacted and stripped. Raises TooSlow.

    ``<``, ``>``, ``&`` and the backtick are written as escapes, so no tag or fence can be closed.
    """
    return json.dumps(_fit(value), ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE)


def _fit(value: Any) -> Any:
    if isinstance(value, str):
        return redact(strip_tokens(value)).text
    if isinstance(value, dict):
        return {key: _fit(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_fit(inner) for inner in value]
    return value
