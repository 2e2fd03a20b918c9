"""What the embedded judge reads of a pair: two texts with plain markers of time and scope."""

from datetime import timedelta

from dormouse.facts import Fact, Scope
from dormouse.times import parse

_GAPS = (
    (timedelta(hours=1), "minutes later"),
    (timedelta(hours=20), "hours later"),
    (timedelta(days=2), "a day later"),
    (timedelta(days=14), "days later"),
    (timedelta(days=60), "weeks later"),
    (timedelta(days=400), "months later"),
)


def gap_in_words(gap: timedelta) -> str:
    """How long after the older fact the newer one was said, in the words the judge has learned."""
    return next((words for limit, words in _GAPS if gap < limit), "years later")


def sides(older: Fact, newer: Fact) -> tuple[str, str]:
    """The two texts of a pair as the judge reads them."""
    gap = parse(newer.valid_from) - parse(older.valid_from)
    a, b = _scope(older), _scope(newer)
    if a == b:
        a = b = ""
    return marked(older.text, newer.text, gap, a, b)


def marked(
    older: str, newer: str, gap: timedelta, older_scope: str = "", newer_scope: str = ""
) -> tuple[str, str]:
    """The same for bare texts; a scope is any short name, empty where both have the same."""
    a = f"in {older_scope}: {older}" if older_scope else older
    b = f"in {newer_scope}: {newer}" if newer_scope else newer
    return a, f"{gap_in_words(gap)}: {b}"


def _scope(fact: Fact) -> str:
    if fact.scope is Scope.BRANCH:
        return f"branch {fact.branch}"
    return "one session" if fact.scope is Scope.SESSION else ""
