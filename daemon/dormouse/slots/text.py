"""Cleans a text, tells its language, and cuts it into sentences. It drops no meaning."""

import re
import unicodedata

from dormouse.slots.lexicon import CJK, GRAMMAR, either

_QUOTES = str.maketrans({"’": "'", "‘": "'", "´": "'", "“": '"', "”": '"', "„": '"', "→": " -> "})
_CONTRACTIONS = [
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"\b(?:can't|cannot)\b", re.I), "can not"),
    (re.compile(r"n't\b", re.I), " not"),
    (re.compile(r"\b(it|that|there|here|he|she|what)'s\b", re.I), r"\1 is"),
    (re.compile(r"'re\b", re.I), " are"),
    (re.compile(r"'ve\b", re.I), " have"),
    (re.compile(r"\bI'm\b", re.I), "I am"),
]
_GERMAN = re.compile(
    r"[äöüß]|\b(?:der|die|das|den|dem|ist|sind|wir|nicht|kein|keine|mehr|und|jetzt|auf|mit|für|"
    r"ein|eine|wird|werden|wurde|hat|haben|heisst|heißt|läuft|im|am|vom|zum|unser|unsere|nutzen|ich|"
    r"nutzt|verwenden|nein|nun|sondern|deployen|heute|seit|statt|nach|von|bei)\b",
    re.I,
)
_ENGLISH = re.compile(
    r"\b(?:the|is|are|we|our|not|no|and|now|to|on|at|with|for|of|a|has|have|been|it|its|"
    r"use|uses|runs|user|from|instead|longer|any|my|this|that)\b",
    re.I,
)
_STOP = re.compile(r"[。！？!?\n]+|(?<=[^\s.])\.(?=\s|$|[A-ZÄÖÜ\u3400-\u9fff])")
_SUCH_AS = re.compile(r"\b(?:e\.\s?g\.|z\.\s?B\.)", re.I)
_BACKREFERENCE = re.compile(r"\s*(?:it|its|it's|er|sie|es|它)\b", re.I)


def clean(text: str) -> str:
    """Return *text* in one spelling: NFKC, plain quotes, contractions written out."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    if "'" in plain:
        for pattern, full in _CONTRACTIONS:
            plain = pattern.sub(full, plain)
    return _SUCH_AS.sub("such as", plain).strip()


def language(text: str) -> str:
    """Return "zh", "de" or "en": the grammar to read *text* with."""
    if CJK.search(text):
        return "zh"
    german = len(_GERMAN.findall(text))
    return "de" if german and german >= len(_ENGLISH.findall(text)) else "en"


def _patterns(key: str) -> dict[str, re.Pattern[str]]:
    return {language: either(grammar["fillers"][key]) for language, grammar in GRAMMAR.items()}


_CHANGE, _QUIET = _patterns("change"), _patterns("quiet")
_LEAD, _CORRECTION = _patterns("lead"), _patterns("correction")


def strip_lead(text: str, language: str) -> tuple[str, bool]:
    """Drop what is said before the statement ("remember that", "no,"); True if it puts right."""
    corrects = False
    for _ in range(3):
        rest = _LEAD[language].sub("", text, count=1)
        shorter = _CORRECTION[language].sub("", rest, count=1)
        corrects = corrects or shorter != rest
        if shorter == text:
            break
        text = shorter
    return text, corrects


def strip_fillers(text: str, language: str) -> tuple[str, bool]:
    """Drop words that only say when a change came; True if they say that there was one."""
    rest = _CHANGE[language].sub(" ", text)
    return _QUIET[language].sub(" ", rest), rest != text


def sentences(text: str) -> list[str]:
    """Cut into sentences; one that starts with "it" belongs to the one before."""
    found: list[str] = []
    for part in _STOP.split(text):
        if not part or not part.strip():
            continue
        if found and _BACKREFERENCE.match(part):
            found[-1] += ", " + part
        else:
            found.append(part.strip())
    return found
