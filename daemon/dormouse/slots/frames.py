"""What a sorted sentence says: the slot, and how sure it is that the slot has one value.

Frames are tried in order; the first that takes the whole sentence wins. None is a guess.
"""

import re
from dataclasses import replace

from dormouse.facts import Slot
from dormouse.slots.clause import EMPTY, VERBS, Clause
from dormouse.slots.lexicon import CJK, FAMILIES, FAMILIES_OF, Family, words
from dormouse.slots.statement import Single, Statement
from dormouse.slots.tokens import Token
from dormouse.slots.values import ADDRESS

PROJECT = "we"  # the subject of what is said about the project itself
#: Nouns that an environment's name says already: the staging server is staging.
HEADS = frozenset({"server", "environment"})
_ANSWERING = frozenset({"user", "prefer", "want"})
_IMPLIED = {"region": frozenset({"aws", "gcp", "azure"})}  # a region's name tells its provider
_COLLECTIVE = words("test documentation log secret config script data code file migration")
_BY_KIND = {
    "version": "version", "path": "path", "weekday": "day", "time": "time", "lang": "language",
    "region": "region", "freq": "schedule", "ident": "place", "due": "date",
    "branch": "default-branch",
}  # fmt: skip
_SAID_BY_KIND = {
    "address": ("address", "name"),
    "day": ("day",),
    "time": ("time",),
    "path": ("path",),
    "language": ("language",),
    "default-branch": ("default-branch",),
}


def frame(clause: Clause) -> Statement:
    """Return the slot, the kind of its value, an old value, and how single it is."""
    token = clause.value or clause.old
    if token is None:
        return _untyped(clause)
    if token.kind == "tool":
        return _tool(clause, token)
    if token.kind == "ident" and clause.has("role"):
        return _untyped(clause)
    return _typed(clause, token)


def _statement(
    clause: Clause, subject: list[str], attribute: str | None, kind: str, single: Single
) -> Statement:
    if clause.listed:
        single = Single.NEVER
    elif not _claims(clause, kind) and single in (Single.FIRM, Single.HABIT):
        single = Single.CUED
    value = clause.value.canon if clause.value else None
    return Statement(
        slot=Slot(_subject(clause, subject), attribute, value),
        kind=kind,
        old=clause.old.canon if clause.old else None,
        single=single,
    )


def _claims(clause: Clause, kind: str) -> bool:
    """Whether anything is said of the value: a link or a heading claims nothing."""
    if kind == "state" or clause.old is not None or clause.has(*VERBS, "now", "again"):
        return True
    return kind in _SPOKEN and bool(_ACTS & {t.canon for t in clause.tokens})


_SPOKEN = frozenset({"weekday", "lang", "tool", "freq", "due", "qty", "time"})
_ACTS = words(
    "deploy release answer write prefer test lint format build install keep expire indentation"
)


def _subject(clause: Clause, named: list[str]) -> str | None:
    """The subject in a fixed order of words; the project itself where nothing is named."""
    left = set(named)
    if left & {t.canon for t in clause.tokens if t.kind == "env"}:
        left -= HEADS
    if _unresolved(clause):
        return None
    if left:
        return " ".join(sorted(left))
    # "the port is 9090, not 8080": whose port, the old value has to tell.
    implicit = clause.old is not None and not clause.has("we", "use")
    return None if implicit or _bare(clause) else PROJECT


def _unresolved(clause: Clause) -> bool:
    """Whether a pronoun stands before anything it could mean."""
    for token in clause.tokens:
        if token.kind == "pron":
            return True
        if token.kind not in EMPTY and token not in (clause.value, clause.old):
            return False
    return False


def _bare(clause: Clause) -> bool:
    """Whether there is nothing but values: "9090, not 8080"."""
    return not clause.attrs and not clause.has("we", "use", "locate", "concept", "tool")


def _typed(clause: Clause, token: Token) -> Statement:
    kind = "address" if token.kind in ADDRESS else token.kind
    base = token.canon.split(":")[0] if kind == "state" else _BY_KIND.get(kind, kind)
    if kind == "qty":
        base = token.canon.split()[1]
    attrs = [a for a in clause.attrs if a not in _SAID_BY_KIND.get(base, ())]
    rest = list(clause.rest)
    implied = _IMPLIED.get(kind, frozenset())
    if kind == "lang" and "answer" in rest:
        implied |= _ANSWERING
    if kind == "time" and "standup" in rest:
        implied |= {"daily"}
    rest = [word for word in rest if word not in implied]
    rest += _placing(clause, kind)
    attribute: str | None = base
    if kind in ("num", "qty", "ident", "region", "version"):
        attribute = attrs.pop(0) if attrs else (None if kind == "num" and not rest else base)
    single = _single(clause, token, kind)
    return _statement(clause, rest + attrs, attribute, token.kind, single)


def _placing(clause: Clause, kind: str) -> list[str]:
    """Verbs that make another attribute of the same kind of value."""
    if clause.has("use") and kind in ("num", "qty", "address", "path", "region"):
        return ["use"]
    verbs = {t.canon for t in clause.tokens if t.kind == "locate"}
    if kind == "address" and any(verb.startswith(("listen", "lauscht", "监听")) for verb in verbs):
        return ["listen"]  # where a service binds is not where it is reached
    if kind == "path" and verbs & _DEPLOYED:
        return ["deployed"]  # where it is put is not where its source is
    return []


_DEPLOYED = words(
    "deployed hosted served running runs run listens listen available deployt gehostet läuft "
    "部署在 部署于 托管在 运行在 跑在 运行 跑 监听 监听在"
)


def _single(clause: Clause, token: Token, kind: str) -> Single:
    plural = clause.has("plural") and not clause.has("we")
    if clause.tokens[0].kind in _SOME and kind in ("address", "path", "ident"):
        return Single.NEVER  # one of several
    if kind in ("address", "path"):
        many = plural or (kind == "path" and bool(_COLLECTIVE & set(clause.rest)))
        return Single.CUED if many or token.kind == "url" else Single.FIRM  # links are many
    if kind == "weekday":
        return _single_day(clause, token)
    if kind in ("lang", "freq"):
        return Single.HABIT
    if kind == "time":
        return Single.CUED if clause.has("locate", "happen") else Single.FIRM
    if kind == "version":
        return Single.HABIT if clause.has("use") else Single.FIRM
    if kind == "ident":
        return Single.CUED if clause.has("locate") or plural else Single.HABIT
    if kind == "region":
        return Single.HABIT
    return Single.FIRM


def _single_day(clause: Clause, token: Token) -> Single:
    if "day" in clause.attrs:
        return Single.FIRM
    raw = token.raw.casefold()
    recurring = raw.endswith("s") or CJK.match(raw) is not None or clause.has("recur")
    if not recurring and not clause.has("now", "again"):
        return Single.NEVER  # "on Thursday" may be one Thursday
    return Single.HABIT if {"deploy", "release"} & set(clause.rest) else Single.CUED


def _tool(clause: Clause, token: Token) -> Statement:
    family = _family(clause, token)
    rest = [w for w in clause.rest if w not in family.implied and w not in (family.name, "team")]
    rest += _one_of_many(clause, family)
    attribute = family.name
    if "prefer" in rest:
        rest.remove("prefer")
        attribute = f"preferred {attribute}"
    named = any(word in _FAMILY_NOUNS and word in family.implied for word in clause.rest)
    single = Single(family.single)
    if named and clause.has("be", "call"):
        single = Single.FIRM
    elif named and single is Single.LOOSE:
        single = Single.CUED
    if clause.tokens[0].kind in _SOME:
        single = Single.NEVER
    _drop_implied_purpose(clause, family)
    return _statement(clause, rest + clause.attrs, attribute, "tool", single)


def _one_of_many(clause: Clause, family: Family) -> list[str]:
    """ "the ticket moved to Linear" is about one ticket, not about where tickets are."""
    found = []
    for before, token, after in zip(
        clause.tokens, clause.tokens[1:], clause.tokens[2:], strict=False
    ):
        lone = before.kind in ("art", "indef") and after.kind not in ("concept", "word")
        if token.canon in family.implied and lone and token.raw.casefold() in _COUNTED:
            found.append("one " + token.canon)
    return found


_COUNTED = words(
    "ticket issue test package dependency secret message container repository paket abhängigkeit"
)
_FAMILY_NOUNS = words(
    "package-manager test-runner bundler build-tool formatter linter database queue search-engine "
    "issue-tracker wiki editor shell license indentation theme version-control cloud hosting ci"
)


def _family(clause: Clause, token: Token) -> Family:
    """Which of the families of this tool is meant, by the other words of the sentence."""
    names = FAMILIES_OF[token.canon]
    if clause.old is not None and clause.old.kind == "tool":
        names = tuple(n for n in names if n in FAMILIES_OF[clause.old.canon]) or names
    families = [FAMILIES[name] for name in names]
    said = set(clause.rest)
    purpose = {w for kind, value in clause.qualifiers if kind == "purpose" for w in value.split()}
    meant = [f for f in families if f.implied & (said | purpose)] or families
    if len(meant) > 1:
        meant = [f for f in meant if f.needs is None or f.needs in said] or meant
    return meant[0]


def _drop_implied_purpose(clause: Clause, family: Family) -> None:
    for kind, value in list(clause.qualifiers):
        if kind == "purpose" and set(value.split()) <= family.implied:
            clause.qualifiers.discard((kind, value))


def _untyped(clause: Clause) -> Statement:
    for attempt in (_called, _role, _uses, _dropped):
        statement = attempt(clause)
        if statement is not None:
            return statement
    return Statement()


_AROUND_NAMES = frozenset({"art", "now", "again", "comma"})
_IN_NAMES = words("word ident concept label num product tool")


def _name_value(tokens: list[Token]) -> str | None:
    """One to three words that can be a name, as one string."""
    parts = [t for t in tokens if t.kind not in _AROUND_NAMES]
    if not 1 <= len(parts) <= 3 or any(t.kind not in _IN_NAMES for t in parts):
        return None
    return " ".join(t.canon.lstrip("@") for t in parts)


def _looks_like_name(tokens: list[Token]) -> bool:
    """Written with capitals or @, in Chinese, or as "team x": not an adjective."""
    parts = [t for t in tokens if t.kind not in _AROUND_NAMES]
    if not parts:
        return False
    if parts[0].canon == "team" and len(parts) == 2:
        return True
    return all(t.raw[:1].isupper() or t.raw.startswith("@") or CJK.match(t.raw) for t in parts)


def _called(clause: Clause) -> Statement | None:
    """X is called Y · X heisst Y · X 叫 Y · X was renamed to Y."""
    mark = "rename" if clause.has("rename") else "call"
    at = next((i for i, t in enumerate(clause.tokens) if t.kind == mark), None)
    if at is None:
        return None
    after = clause.tokens[at + 1 :]
    if mark == "rename":
        to = next((i for i, t in enumerate(after) if t.kind == "to"), -1)
        after = after[to + 1 :]
    value = _name_value(after)
    if value is None:
        return None
    subject = [t.canon for t in clause.tokens[:at] if t.kind not in EMPTY and t.canon != "name"]
    slot = Slot(" ".join(sorted(set(subject))) or None, "name", value)
    # "is called lazily" is no name: a plain word needs a rename to be one.
    plain = all(t.kind == "word" and t.raw.isascii() and t.raw.islower() for t in after)
    return Statement(slot=slot, kind="name", single=Single.LOOSE if plain else Single.FIRM)


def _role(clause: Clause) -> Statement | None:
    """Mara is the on-call · on-call is team North · Wei leads the infra team · 值班是北组."""
    tokens = clause.tokens
    at = next((i for i, t in enumerate(tokens) if t.kind in _COPULAS), None)
    if at is None or clause.has("indef"):
        return None
    left, right = tokens[:at], tokens[at + 1 :]
    if tokens[at].kind in ("rolev", "takeover"):
        return _role_of(left, right, tokens[at])
    if tokens[at].kind == "change":
        to = next((i for i, t in enumerate(right) if t.kind == "to"), -1)
        return _role_of(right[to + 1 :], left, None)
    for name, role in ((left, right), (right, left)):
        if any(t.kind in ("role",) or t.canon == "name" for t in role):
            definite = name is left and any(t.kind == "art" for t in role)
            if _looks_like_name(name) or (definite and len(name) == 1):
                found = _role_of(name, role, None)
                noun = name is right and _perhaps_a_noun(name, tokens[at].raw)
                return replace(found, single=Single.CUED) if found and noun else found
    return None


def _perhaps_a_noun(name: list[Token], verb: str) -> bool:
    """The lead is Canadian · der Leiter ist Arzt: capitals alone don't make a name."""
    if name[0].canon == "team":
        return False
    last = name[-1].raw
    return verb in ("ist", "是") or not last.isascii() or _ADJECTIVE.search(last) is not None


_SOME = frozenset({"indef", "num", "label"})  # a server, one server: one of several
_ADJECTIVE = re.compile(r"(?:ian|ese|ish|ican)$")
_COPULAS = frozenset({"be", "plural", "rolev", "takeover", "change"})


def _role_of(name: list[Token], role: list[Token], verb: Token | None) -> Statement | None:
    value = _name_value(name)
    roles = [t.canon for t in role if t.kind == "role" or t.canon == "name"]
    if verb is not None and verb.kind == "rolev":
        roles.append(verb.canon)
    if value is None or len(roles) != 1 or any(t.kind in VERBS for t in role):
        return None
    old = None
    start = next((i for i, t in enumerate(role) if t.kind == "from"), None)
    if start is not None and verb is not None:  # took over from Kofi (as team lead)
        end = next((i for i in range(start, len(role)) if role[i].kind == "prep"), len(role))
        old, role = _name_value(role[start + 1 : end]), role[:start] + role[end:]
    subject = {
        t.canon if t.kind != "me" else "user"
        for t in role
        if (t.kind not in EMPTY or t.kind == "me") and t.canon not in roles
    }
    slot = Slot(" ".join(sorted(subject)) or PROJECT, roles[0], value)
    return Statement(slot=slot, kind="name", old=old, single=Single.FIRM)


def _uses(clause: Clause) -> Statement | None:
    """We use X: a value of its own, beside which others can stand."""
    tokens = clause.tokens
    at = next((i for i, t in enumerate(tokens) if t.kind == "use"), None)
    if at is None:
        return None
    left = [t for t in tokens[:at] if t.kind not in EMPTY]
    right = [t for t in tokens[at + 1 :] if t.kind not in EMPTY]
    if not 1 <= len(right) <= 2 or any(t.kind not in ("word", "product", "concept") for t in right):
        return None
    subject = " ".join(sorted({t.canon for t in left})) or PROJECT
    slot = Slot(subject, "use", " ".join(t.canon for t in right))
    return Statement(slot=slot, kind="thing", multi_valued=True)


def _dropped(clause: Clause) -> Statement | None:
    """We dropped X · X was removed: what ended is that we use it."""
    if not clause.ends or not clause.has("ends"):
        return None
    content = [t for t in clause.tokens if t.kind not in EMPTY]
    if len(content) != 1 or content[0].kind not in ("word", "product"):
        return None
    return Statement(slot=Slot(PROJECT, "use", content[0].canon), kind="thing", multi_valued=True)
