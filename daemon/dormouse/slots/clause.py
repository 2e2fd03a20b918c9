"""One sentence as a bag: its values, its scope, and everything else that has to agree.

No word is lost: what is not known to be empty ends up in ``rest`` and has to stand in both texts.
"""

import re
from dataclasses import dataclass, field

from dormouse.slots.lexicon import words
from dormouse.slots.tokens import Token

#: Words that say nothing by themselves; each sets a flag or marks a place.
EMPTY = words(
    "art indef be plural have aux locate happen use call change rename replace now again "
    "correction add and or comma for from to prep not more ends instead over we pron recur "
    "takeover past new"
)
#: Verbs that stand in a statement's words by what they do, whichever verb it was.
VERB_MARKS = frozenset({"use", "locate"})
VERBS = words("be plural have need locate happen use call change rename replace takeover past")
TYPED = words(
    "ip host url path version qty time num tool lang weekday state region ident branch freq due"
)
_RANK: dict[str, float] = {
    "ip": 9, "url": 9, "host": 9, "path": 8, "version": 7, "qty": 7, "time": 7, "num": 6,
    "region": 6, "tool": 5, "lang": 5, "weekday": 5, "state": 5.5,
    "due": 4, "freq": 3, "ident": 2, "branch": 1,
}  # fmt: skip
_NUMBERED = words("port version timeout limit rate-limit size quota threshold budget")
_CHANGES = ("change", "replace", "rename", "takeover")
_ACTS = frozenset({"deploy", "release"})
_DATED = frozenset({"expire", "deadline", "due"})
_AWAY = frozenset({"away from", "out of", "weg von"})
_OLD_MARKS = frozenset({"from", "not", "instead", "over"})
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(slots=True)
class Clause:
    """What one sentence holds. ``kinds`` are the kinds of all its tokens."""

    tokens: list[Token]
    kinds: set[str] = field(default_factory=set)
    value: Token | None = None
    old: Token | None = None
    listed: bool = False
    negated: bool = False
    ends: bool = False
    rest: list[str] = field(default_factory=list)
    attrs: list[str] = field(default_factory=list)
    qualifiers: set[tuple[str, str]] = field(default_factory=set)
    words: list[str] = field(default_factory=list)
    denies: tuple[str, ...] = ()

    def has(self, *kinds: str) -> bool:
        return any(kind in self.kinds for kind in kinds)


def parse(tokens: list[Token], *, then_now: bool = False) -> Clause:
    """Sort the tokens of one sentence. *then_now*: its first half speaks of the past."""
    tokens = [token for token in tokens if token.kind != "punct"]
    tokens = [_in_place(tokens, at) for at in range(len(tokens))]
    clause = Clause(tokens, {t.kind for t in tokens})
    _pick_values(clause, then_now)
    _negation(clause)
    clause.words = _content(clause.tokens)
    if clause.has("from") and not clause.has(*_CHANGES):
        clause.words.append("from")  # what comes from a place is not what is there
    clause.denies = _denied(clause.tokens) or _left_behind(clause)
    _purpose(clause)
    _collect(clause)
    return clause


def _in_place(tokens: list[Token], at: int) -> Token:
    """What a token is among its neighbours."""
    token = tokens[at]
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.kind == "num":
        return _number(tokens, at)
    if token.kind in ("month", "date") and any(t.canon in _DATED for t in tokens):
        return token._replace(kind="due")
    if token.kind == "new":  # a new address replaces one; a new server may stand beside the old one
        told = any(t.kind in ("attr", "role") for t in tokens[at + 1 : at + 3])
        return token._replace(kind="now" if told else "word")
    if (
        token.canon == "team"
        and after is not None
        and (after.kind in VERBS or after.canon in _ACTS)
    ):
        alone = all(t.kind in ("art", "we") for t in tokens[:at])
        return token._replace(kind="we") if alone else token
    return token


def _number(tokens: list[Token], at: int) -> Token:
    """A number is a value, a version, a year, or only part of a name ("customer 12")."""
    token = tokens[at]
    before = tokens[at - 1] if at else None
    if before is not None and before.kind in ("product", "tool", "os"):
        return token._replace(kind="version")
    if before is not None and before.canon == "version" and "." in token.canon:
        return token._replace(kind="version")
    if _YEAR.fullmatch(token.canon) and not any(t.canon in _NUMBERED for t in tokens):
        return token._replace(kind="date")
    if before is not None and before.kind in ("word", "concept", "role", "tier", "env", "region"):
        return token._replace(kind="label")
    return token


def _pick_values(clause: Clause, then_now: bool) -> None:
    typed = [
        at
        for at, t in enumerate(clause.tokens)
        if t.kind in TYPED and not _is_name(clause, t) and not _on_branch(clause.tokens, at)
    ]
    if not typed:
        return
    best = max(_rank(clause, clause.tokens[at]) for at in typed)
    same = [at for at in typed if _rank(clause, clause.tokens[at]) == best]
    old = [at for at in same if _marked_old(clause, at)]
    new = [at for at in same if at not in old]
    if not old and len(new) == 2:
        old, new = _old_by_place(clause, new, then_now)
    if len(old) > 1 or len(new) > 1:
        clause.listed = True
        return
    if old and new:
        clause.old, clause.value = clause.tokens[old[0]], clause.tokens[new[0]]
    elif new:
        clause.value = clause.tokens[new[0]]
    else:
        _only_old(clause, old[0])


def _rank(clause: Clause, token: Token) -> float:
    """Of several typed words the most telling one is the value; "must use npm" is about npm."""
    return 1 if token.kind == "state" and clause.has("use") else _RANK[token.kind]


def _is_name(clause: Clause, token: Token) -> bool:
    """Branch names are plain words unless the default branch is spoken of."""
    return token.kind == "branch" and not any(t.canon == "default-branch" for t in clause.tokens)


def _mark_before(tokens: list[Token], at: int) -> Token | None:
    for token in reversed(tokens[:at]):
        if token.kind not in ("art", "indef", "prep", "attr", "product", "change", "use"):
            return token
    return None


def _marked_old(clause: Clause, at: int) -> bool:
    mark = _mark_before(clause.tokens, at)
    if mark is None or mark.kind not in _OLD_MARKS:
        return False
    # German "von" and English "from" are also "of": only a change makes their value the old one.
    return mark.kind != "from" or clause.has("change", "replace", "rename")


def _old_by_place(clause: Clause, at: list[int], then_now: bool) -> tuple[list[int], list[int]]:
    """Two values of one kind: which is the old one, if the sentence says so at all."""
    first, second = at
    between = [t.kind for t in clause.tokens[first + 1 : second]]
    if then_now:
        return [first], [second]
    if clause.has("and") and "and" in between:
        return [], at
    if clause.has("replace") and not clause.has("change"):
        return _replaced(clause, first, second, between)
    if clause.has("change", "rename") and ("to" in between or "change" in between):
        return [first], [second]
    if "to" in between and any(t.canon == "->" for t in clause.tokens[first:second]):
        return [first], [second]
    if clause.has("ends") and "ends" not in between and clause.has("now", "comma"):
        return [first], [second]
    return [], at


def _replaced(
    clause: Clause, first: int, second: int, between: list[str]
) -> tuple[list[int], list[int]]:
    """X replaced Y · Y was replaced by X · we replaced Y with X · Y durch X ersetzt."""
    tokens = clause.tokens
    gap = tokens[first + 1 : second]
    if any(t.canon in ("by", "with", "durch", "mit") for t in gap):
        return [first], [second]
    if "replace" in between and not clause.has("be", "past"):
        return [second], [first]
    return [], [first, second]


def _only_old(clause: Clause, at: int) -> None:
    """A lone value behind "not", "from" or "instead of": denied, or left behind."""
    mark = _mark_before(clause.tokens, at)
    clause.value = clause.tokens[at]
    if mark is not None and mark.canon in _AWAY:
        clause.ends = True
    elif mark is not None and mark.kind == "from":
        clause.value = None
    elif mark is not None and mark.kind == "instead":
        clause.value, clause.old = None, clause.tokens[at]


def _negation(clause: Clause) -> None:
    more = clause.has("more") and clause.has("not")
    ends = clause.has("ends") or more
    consumed = clause.old is not None and clause.value is not None
    clause.negated = clause.has("not") and not consumed
    if clause.value is not None and clause.value.kind == "state" and (clause.negated or ends):
        at = next(i for i, t in enumerate(clause.tokens) if t is clause.value)
        clause.value = clause.value._replace(canon=_OPPOSITE.get(clause.value.canon, "?"))
        clause.tokens[at] = clause.value
        clause.negated = False
        clause.kinds.add("now") if ends else None
        return
    if ends and not consumed:
        clause.ends = True
        clause.negated = False


_OPPOSITE = {
    "permission:allowed": "permission:forbidden",
    "permission:forbidden": "permission:allowed",
    "switch:on": "switch:off",
    "switch:off": "switch:on",
    "requirement:required": "requirement:optional",
    "support:supported": "support:unsupported",
    "support:unsupported": "support:supported",
}


def _purpose(clause: Clause) -> None:
    """Take "for caching" out of the sentence: it says where the statement holds."""
    tokens = clause.tokens
    at = next((i for i, t in enumerate(tokens) if t.kind == "for"), None)
    if at is None:
        return
    end = at + 1
    while end < len(tokens) and tokens[end].kind not in VERBS | TYPED | {"comma", "for"}:
        end += 1
    purpose = [t.canon for t in tokens[at + 1 : end] if t.kind not in EMPTY]
    if purpose:
        clause.qualifiers.add(("purpose", " ".join(purpose)))
        clause.tokens = tokens[:at] + tokens[end:]


_ON_BRANCH = frozenset({"on", "auf"})


def _content(tokens: list[Token]) -> list[str]:
    """The words that carry meaning, in order; verbs by what they do."""
    words: list[str] = []
    for token in tokens:
        if token.kind == "state":
            words.append(token.canon.split(":")[0])
        elif token.kind not in EMPTY:
            words.append(token.canon)
        elif token.kind in VERB_MARKS:
            words.append(token.kind)
    return words


def _denied(tokens: list[Token]) -> tuple[str, ...]:
    """Of "the fault is not in the cache, but in the socket": the fault, the cache."""
    at = next((i for i, t in enumerate(tokens) if t.kind in ("not", "ends")), None)
    if at is None:
        return ()
    end = next((i for i in range(at, len(tokens)) if tokens[i].kind == "comma"), None)
    if end is None or not _content(tokens[end:]):
        return ()
    before, denied = _content(tokens[:at]), _content(tokens[at:end])
    return (*before, *denied) if before and denied else ()


_SCOPES = {"env": "environment", "os": "os", "tier": "tier", "region": "region"}


def _left_behind(clause: Clause) -> tuple[str, ...]:
    """Of "the files moved from Figma to Penpot": the files, Figma; typed values have their own."""
    kinds = [token.kind for token in clause.tokens]
    if clause.value is not None or clause.listed or "from" not in kinds or "change" not in kinds:
        return ()
    start = kinds.index("from")
    end = next((i for i in range(start, len(kinds)) if kinds[i] == "to"), None)
    if end is None or not _content(clause.tokens[end:]):
        return ()
    left = _content(clause.tokens[start:end])
    return (*_content(clause.tokens[:start]), *left) if left else ()


def _collect(clause: Clause) -> None:
    """Put every token where it counts: scope, attribute, or the rest that has to agree."""
    tokens = clause.tokens
    for at, token in enumerate(tokens):
        if token is clause.value or token is clause.old:
            continue
        if token.kind == "from" and not clause.has(*_CHANGES):
            clause.rest.append("from")
        if token.kind in _SCOPES and not _before_version(tokens, at):
            clause.qualifiers.add((_SCOPES[token.kind], token.canon))
            clause.rest.append(token.canon)
        elif token.kind in ("date", "month"):
            clause.qualifiers.add(("date", token.canon))
        elif token.kind == "version":
            clause.qualifiers.add(("version", token.canon))
        elif _on_branch(tokens, at):
            clause.qualifiers.add(("branch", token.canon))
        elif token.kind == "attr":
            clause.attrs.append(token.canon)
        elif token.kind == "me":
            clause.rest.append("user")
        elif token.kind not in EMPTY:
            clause.rest.append(token.canon)


def _on_branch(tokens: list[Token], at: int) -> bool:
    """Whether the token names the branch on which the statement holds."""
    token = tokens[at]
    if token.kind not in ("branch", "path", "ident"):
        return False
    before = tokens[at - 1].canon if at else ""
    after = tokens[at + 1].canon if at + 1 < len(tokens) else ""
    return "branch" in (before, after) or (token.kind == "branch" and before in _ON_BRANCH)


def _before_version(tokens: list[Token], at: int) -> bool:
    return at + 1 < len(tokens) and tokens[at + 1].kind == "version"
