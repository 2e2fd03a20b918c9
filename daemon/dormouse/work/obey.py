"""Obeying what a person explicitly said in a prompt: remember, forget, correct.

Runs inside the prompt's own transaction and answers with what it did, one line a command.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from dormouse.capture.commands import Command, Correction, Forget, Remember
from dormouse.errors import BadRequest, IdTooShort, NotFound, NotUnique
from dormouse.facts import Because, Fact, Look
from dormouse.ledger import Writer
from dormouse.recall.rank import Ranked, rank
from dormouse.recall.words import query_terms
from dormouse.slots import read
from dormouse.slots.lexicon import CJK
from dormouse.times import parse
from dormouse.work.places import Where
from dormouse.work.remember import Kept, Speaker, Wish, remember

FORGET_FLOOR = 0.45  # a fact that "forget" may mean must fit at least this well
FORGET_CLEAR = 0.15  # and by this much better than the next one, else we ask
NAMED_AT_MOST = 4
# What is said of a note, and not in it.
OF_A_NOTE = frozenset(
    ["fact", "note", "old", "outdated", "rule", "said", "stuff", "thing", "told", "alte", "sache"]
)
_BARE_VALUE = re.compile(r"(?<![\w.])-?\d+(?![\w.])|(?<!\w)[b-hj-zB-Z](?![\w'’])[+#]*")
# What comes after it may hold instead.
_INSTEAD = re.compile(
    r"\s*[,，;；]\s+|[，；]|\s+(?:instead of|and not|but|sondern|statt|und nicht)\s+|而不是"
)
LEFT_OUT = {
    "lines": "only that was noted, not what stands under it: say it in the same sentence, or as"
    " facts of its own",
    "quoted": "only that was noted: code and quotes are never kept, say what is under it in words",
}
SHOWN = 150  # characters of a fact's text in an acknowledgement


@dataclass(slots=True)
class Obeyed:
    """What the commands of one prompt came to."""

    lines: list[str] = field(default_factory=list, repr=False)
    captured: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)  # facts whose text stands in the lines
    waits: bool = False  # the turn may also say something in passing, which is read later
    new: bool = False  # the turn was not known before

    def say(self, line: str, *fact_ids: str) -> None:
        self.lines.append(line)
        self.named += fact_ids


def obey(
    w: Writer,
    commands: Sequence[Command],
    who: Speaker,
    where: Where,
    now: str,
    at: str,
) -> Obeyed:
    """Carry *commands* out. ``at`` is when they were said: for a caught-up prompt before now."""
    done = Obeyed()
    for command in commands:
        if isinstance(command, Forget):
            _forget(w, command, who, where, done, now)
        elif isinstance(command, Correction):
            _correct(w, command, who, where, done, now, at)
        else:
            _remember(w, command, who, where, done, now, at)
    return done


def _short(w: Writer, fact: Fact) -> str:
    return w.short([fact.id])[fact.id]


def _brief(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else flat[: SHOWN - 1].rstrip() + "…"


def _remember(
    w: Writer, command: Remember, who: Speaker, where: Where, done: Obeyed, now: str, at: str
) -> None:
    if command.left == "all":
        done.say("not noted: code and quotes are never kept, say it in a sentence of your own")
        return
    wish = Wish(
        command.text,
        kind=command.kind,
        scope=command.scope,
        everywhere=command.everywhere,
        pin=command.pin,
        at=at,
        confidence=command.confidence,
    )
    try:
        kept = remember(w, wish, who, where, now)
    except BadRequest as error:
        done.say(f"not noted: {error}")
        return
    _tell_kept(w, kept, where, done)
    if command.said and kept.fact is not None:
        done.say(
            f"only its first {len(kept.fact.text)} of {command.said} characters were noted,"
            " more does not fit into one fact: say the rest as facts of its own"
        )
    elif command.left and kept.fact is not None:
        done.say(LEFT_OUT[command.left])


def _tell_kept(w: Writer, kept: Kept, where: Where, done: Obeyed) -> None:
    hidden = f" (hidden before it was kept: {', '.join(kept.redacted)})" if kept.redacted else ""
    if kept.fact is None:
        done.say(f"waiting for your yes (`dormouse proposals`): {kept.proposal_id}{hidden}")
        return
    if kept.state == "known" and kept.fact.id in done.captured:
        return  # two commands of this prompt say the same: "X is Y now, remember that"
    done.captured.append(kept.fact.id)
    word = "noted" if kept.state == "new" else "known already"
    done.say(
        f"{word} {_short(w, kept.fact)}: {_brief(kept.fact.text)}{hidden}"
        f"{_scope_words(kept.fact, where)}",
        kept.fact.id,
    )
    if kept.proposed:
        done.say("pinning it waits for your yes (`dormouse proposals`)")


def _scope_words(fact: Fact, where: Where) -> str:
    """Only where it may surprise: outside a project a fact is kept for every place."""
    return " (for you, everywhere)" if fact.scope == "user" and where.project_id is None else ""


def _forget(w: Writer, command: Forget, who: Speaker, where: Where, done: Obeyed, now: str) -> None:
    look = where.look(who.session_id)
    target = command.target
    found = _by_id(w, command, look) or _by_words(w, target, look, now)
    if not found:
        done.say("nothing was found that this could mean; nothing was forgotten")
        return
    if len(found) > 1:
        done.say(f"several facts could be meant: {_named(w, found, done)}; say forget <id>")
        return
    fact = found[0]
    if command.id is None and _says_otherwise(fact, target):
        done.say(f"this says otherwise: {_named(w, found, done)}; to forget it, say forget <id>")
        return
    if command.id is None and _names_another(fact, target):
        done.say(
            f"nothing says just that; this is near: {_named(w, found, done)};"
            " to forget it, say forget <id>"
        )
        return
    short = _short(w, fact)
    run = w.open_run("owner")
    w.retire(fact.id, because=Because.FORGOTTEN, by=who.agent or "owner", run_id=run)
    w.close_run(run, state="done", report={"retired": [fact.id]})
    w.suppress(
        text_hash=w.hash_of(fact.text), slot=fact.slot, project_id=fact.project_id, by="forget"
    )
    done.say(
        f"retired {short}: {_brief(fact.text)} (bring it back with `dormouse restore {short}`)",
        fact.id,
    )


def _says_otherwise(fact: Fact, target: str) -> bool:
    """Whether one of *fact* and *target* says that something ended or is not, the other that it is.

    Retired, it would take what holds now along: "with Tantivy, no longer with Lucene".
    """
    said, held = read(target), read(fact.text)
    return (held.negated or held.ends) != (said.negated or said.ends)


def _names_another(fact: Fact, target: str) -> bool:
    """Whether *target* has a word in the place of another one of *fact*: Bergen for Oslo.

    The same matter with another value is not what was meant, however like the rest is, nor the
    value that *target* says to hold instead: "that the port is 5432, it is 5440 now".
    """
    held = _words(fact.text)
    both = (_words(target), _words(_INSTEAD.split(target, maxsplit=1)[0]))
    return any(_without(said, held) and _without(held, said) for said in both)


def _words(text: str) -> set[str]:
    """Its words, and the numbers and single letters that no search goes by."""
    words = {word for word in query_terms(text, explicit=True) if word not in OF_A_NOTE}
    return words | set(_BARE_VALUE.findall(text))


def _without(words: set[str], others: set[str]) -> bool:
    """Whether one of *words* stands in no form among *others*."""
    signs = set("".join(others))
    return any(
        not (set(word) <= signs if CJK.search(word) else _formed(word, others)) for word in words
    )


def _formed(word: str, others: set[str]) -> bool:
    """Whether *word* is one of *others* but for its ending; what has digits has no other form."""
    if word in others or any(sign.isdigit() for sign in word):
        return word in others
    return any(
        word[:length] == other[:length]
        for other in others
        for length in [max(3, min(len(word), len(other)) - 2)]
    )


def _named(w: Writer, found: Sequence[Fact], done: Obeyed) -> str:
    some = found[:NAMED_AT_MOST]
    done.named += [fact.id for fact in some]
    shorts = w.short(fact.id for fact in some)
    return "; ".join(f"{shorts[fact.id]}: {_brief(fact.text)}" for fact in some)


def _by_id(w: Writer, command: Forget, look: Look) -> list[Fact]:
    if command.id is None:
        return []
    try:
        fact = w.fact(w.resolve(command.id))
    except (NotFound, NotUnique, IdTooShort):
        return []
    # An id of another project's fact must not reach over: it has to be visible from here.
    visible = fact.scope == "user" or fact.project_id == look.project_id
    return [fact] if fact.current and visible else []


def _by_words(w: Writer, target: str, look: Look, now: str) -> list[Fact]:
    terms = query_terms(target, explicit=True)
    if not terms:
        return []
    hits = w.search(terms, look, limit=20)
    current, _ = w.count(look)
    ranked = rank(
        hits,
        terms,
        look,
        parse(now).date(),
        floor=FORGET_FLOOR,
        frequencies=w.frequencies(terms),
        total=current,
    )
    ranked.sort(key=_fit, reverse=True)
    if len(ranked) > 1 and _fit(ranked[0]) - _fit(ranked[1]) >= FORGET_CLEAR:
        ranked = ranked[:1]
    return [hit.fact for hit in ranked]


def _fit(hit: Ranked) -> float:
    """How well the words alone fit, 0..1: the score also weighs scope and age."""
    return round(hit.relevance, 4)


def _correct(
    w: Writer, command: Correction, who: Speaker, where: Where, done: Obeyed, now: str, at: str
) -> None:
    look = where.look(who.session_id)
    found = _named_by_old(w, command, look) if command.old else []
    meant = found[0] if len(found) == 1 else None
    text = _corrected_text(command, meant) if meant is not None else None
    if meant is not None and text is not None and w.hash_of(text) == w.hash_of(meant.text):
        done.say(f"known already {_short(w, meant)}: {_brief(meant.text)}", meant.id)
        return
    if meant is not None and text is not None:
        wish = Wish(text, meant.kind, meant.layer, meant.scope, pin=meant.pinned, at=at)
        kept = remember(w, wish, who, where, now, replaces=meant)
        short = _short(w, meant)
        _tell_kept(w, kept, where, done)
        if kept.fact is not None:
            done.say(f"retired {short}: {_brief(meant.text)}", meant.id)
        return
    if command.dangling:  # "it's 9090" says nothing without the fact it corrects
        if found:
            done.say(f"several facts could be meant: {_named(w, found, done)}; say which one")
        return
    statement = Remember(
        command.text,
        scope=command.scope,
        everywhere=command.everywhere,
        confidence=command.confidence,
    )
    _remember(w, statement, who, where, done, now, at)


def _corrected_text(command: Correction, meant: Fact) -> str | None:
    """What stands in the place of *meant*: its own words with the new value, or what was said.

    Whole sentences are taken as they are ("we use vitest for the tests, not jest": which of its
    words is the new value is a guess), and only if they are about the same thing.
    """
    if command.dangling:
        return _swap(meant.text, command.old, command.new) if command.old and command.new else None
    said, known = (set(query_terms(text, explicit=True)) for text in (command.text, meant.text))
    old = set(query_terms(command.old or "", explicit=True))
    return command.text if (said & known) - old else None


def _named_by_old(w: Writer, command: Correction, look: Look) -> list[Fact]:
    """The current facts that hold the old value as a whole word."""
    if not command.old:
        return []
    terms = query_terms(command.old, explicit=True) or [command.old]
    hits = w.search(terms, look, limit=20)
    whole = _whole(command.old)
    return [hit.fact for hit in hits if whole.search(hit.fact.text)]


def _whole(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)", re.IGNORECASE)


def _swap(text: str, old: str, new: str) -> str:
    return _whole(old).sub(lambda _: new, text, count=1)
