"""For whom a fact holds, as one comparable value. It looks at no text."""

from dormouse.facts import Fact, Scope

Line = tuple[str, str | None, str | None]


def scope_line(fact: Fact) -> Line:
    """Facts of different lines hold beside each other: another project, branch, or session."""
    if fact.scope in (Scope.USER, Scope.ORGANISATION):
        return fact.scope.value, None, None
    if fact.scope is Scope.BRANCH:
        return fact.scope.value, fact.project_id, fact.branch
    if fact.scope is Scope.SESSION:
        return fact.scope.value, fact.project_id, fact.session_id
    return fact.scope.value, fact.project_id, None
