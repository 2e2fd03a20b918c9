"""Which language a text is written in, from scripts and small words. No model, no dictionary."""

import re

_WORDS = re.compile(r"[^\W\d_]+")
_LISTS = """
en the a an is are was be to of in on at and or not we you i it this that with for from by our my
en your they he she has have do does don yes remember use now please how what where when which if
en should can will always never forget its as there but all new run
de der die das den dem des ein eine einen einem einer ist sind war und oder nicht kein keine wir
de ihr ich du er sie es mit für von vom auf im in am an zu zum zur dass daß bei nach aus als wie
de was wo wann wer merk merke dir bitte jetzt immer nie niemals ab nein ja unser unsere mein meine
de dein nur auch noch mehr hat haben wird werden soll vergiss läuft liegt liegen über alle allen
de wenn aber sondern mal denk dran
fr le la les un une des est sont et ou pas nous vous je il elle avec pour dans sur du au aux que
fr qui ce cette notre mon ma ne en plus toujours jamais souviens rappelle maintenant
es el la los las un una es son está están y o no nosotros yo tú con para en del al que por nuestro
es nuestra mi mis este esta siempre nunca recuerda ahora se lo más usa usamos
pt o a os as um uma é são está e ou não nós eu você com para em no na do da dos que por nosso
pt nossa meu minha este esta sempre nunca lembre agora se mais usa usamos
"""
_SMALL: dict[str, set[str]] = {}
for _line in _LISTS.strip().splitlines():
    _language, *_words = _line.split()
    _SMALL.setdefault(_language, set()).update(_words)
_MARKS: dict[str, str] = {"de": "äöüß", "fr": "èêàçùœîâ", "es": "ñ¿¡íóú", "pt": "ãõ"}


def detect(text: str) -> str:
    """One of en, de, zh, fr, es, ja, ko, ru, pt; "en" where nothing tells."""
    text = text[:4000]
    script, share = _by_script(text)
    # A letter of these scripts says about as much as four Latin ones; product names are Latin.
    if script and share >= 0.2:
        return script
    low = text.lower()
    words = _WORDS.findall(low)
    scores = {
        language: 2.0 * sum(word in small for word in words)
        + 1.5 * sum(mark in low for mark in _MARKS.get(language, ""))
        for language, small in _SMALL.items()
    }
    if script and not any(scores.values()):
        return script
    # On a tie the first wins: English, then German.
    return max(scores, key=lambda language: scores[language])


def _by_script(text: str) -> tuple[str | None, float]:
    """The script other than Latin that is there, and its share of the letters."""
    han = kana = hangul = cyrillic = latin = 0
    for letter in text:
        code = ord(letter)
        if code < 0x250:
            latin += letter.isalpha()
        elif 0x400 <= code < 0x530:
            cyrillic += 1
        elif 0x3040 <= code < 0x3100 or 0x31F0 <= code < 0x3200 or 0xFF66 <= code < 0xFF9E:
            kana += 1
        elif 0x3400 <= code < 0xA000 or 0xF900 <= code < 0xFB00 or 0x20000 <= code < 0x32000:
            han += 1
        elif 0xAC00 <= code < 0xD7B0 or 0x1100 <= code < 0x1200:
            hangul += 1
    found = "ja" if kana else "ko" if hangul else "zh" if han else "ru" if cyrillic else None
    count = han + kana + hangul + cyrillic
    return found, count / (count + latin) if found else 0.0
