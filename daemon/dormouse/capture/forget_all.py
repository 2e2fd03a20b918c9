"""Whether somebody wants everything forgotten: a wish that no prompt can have, but gets an answer.

Only a whole sentence counts ("forget everything I said about tabs" means something else), and what
may be about files ("delete everything") only where the memory is named.
"""

import re
from functools import lru_cache

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_LONGEST = 100  # characters of such a sentence
_MEMORY = r"(?:all )?(?:of )?(?:your|the|my|all) (?:whole |entire )?(?:facts|notes|memor(?:y|ies))"
_TAIL = r"(?:[, ]+(?:(?:that )?you (?:know|remember|have|stored)|about (?:me|us)|please|now))*"
_WISHES = (
    r"(?:(?:ok(?:ay)?|so|now|just|please|can you|could you)[, ]+)*"
    rf"(?:forget (?:everything|it all|all(?: of (?:it|this|that))?|{_MEMORY})"
    rf"|(?:delete|erase|wipe|clear) {_MEMORY}){_TAIL}",
    r"(?:bitte )?vergiss (?:bitte |jetzt )?(?:alles|alle (?:fakten|notizen|erinnerungen))"
    r"(?:,? (?:was du (?:weißt|gespeichert hast)|bitte|über mich))*",
    r"(?:bitte )?lösche? (?:bitte )?(?:dein|das) (?:ganzes? |gesamtes? )?gedächtnis",
    r"[请請]?(?:忘掉|忘记|忘記)(?:你的)?(?:所有|全部|一切)的?(?:记忆|記憶|内容|东西|事实|事情)?[吧了]?",
    r"[请請]?把?(?:所有|全部|一切)的?(?:记忆|内容|东西|事情)?都?(?:忘掉|忘记)[吧了]?",
    r"[请請]?(?:清空|删除|刪除|清除)(?:你的)?(?:所有|全部)?的?(?:记忆|記憶)[吧了]?",
    r"oublie(?:z)? tout|olvida(?:lo)? todo|esque[cç][ea] tudo|забудь вс[её]",
    r"(?:すべて|全部)忘れて(?:ください)?|(?:모두|전부|다) 잊어(?:줘|주세요)?",
)
_ALL = re.compile("|".join(f"(?:{wish})" for wish in _WISHES), re.IGNORECASE)


@lru_cache(maxsize=4)
def wants_all_forgotten(text: str) -> bool:
    """Whether a sentence of *text* is nothing but that wish. The last few texts are kept."""
    sentences = (" ".join(part.split()).strip(" .!?。！？") for part in _SENTENCE.split(text))
    return any(_ALL.fullmatch(each) for each in sentences if 0 < len(each) <= _LONGEST)
