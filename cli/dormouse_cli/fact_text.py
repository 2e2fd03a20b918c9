"""How facts are put into words for people. Pure: it asks nobody and prints nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from dormouse_cli.output import short, when

FACT_COLUMNS = ("id", "said", "for", "kind", "text")
RETIRED_COLUMNS = ("id", "retired", "because", "judge", "now", "text")

Fact = Mapping[str, Any]


def scope_of(fact: Fact) -> str:
    """Whom a fact holds for, as said after "for"."""
    project = fact.get("project") or {}
    name = project.get("name") or "?"
    match fact.get("scope"):
        case "project":
            return f"project {name}"
        case "branch":
            return f"branch {fact.get('branch') or '?'} of project {name}"
        case "session":
            return "this session only"
        case "organisation":
            return "your organisation"
        case _:
            return "you, everywhere"


def place_of(fact: Fact) -> str:
    """The same in a column."""
    project = (fact.get("project") or {}).get("name") or "?"
    match fact.get("scope"):
        case "project":
            return str(project)
        case "branch":
            return f"{project}@{fact.get('branch') or '?'}"
        case "user" | None:
            return "everywhere"
        case scope:
            return str(scope)


def noted(fact: Fact) -> list[str]:
    """What ``remember`` says: what became of the text, for whom, and what was hidden in it."""
    first = {
        "known": "already known:",
        "proposed": "proposed, waits for your yes:",
    }.get(str(fact.get("state")), "noted")
    lines = [f"{first} {short(fact['id'])} for {scope_of(fact)}: {fact.get('text', '')}"]
    if fact.get("redacted"):
        lines.append(f"redacted before it was kept: {', '.join(fact['redacted'])}")
    if fact.get("pinned") and fact.get("state") != "proposed":
        lines.append("pinned: it is shown at the start of every session")
    if fact.get("state") != "proposed" and fact.get("proposed"):
        waits = ", ".join(str(each) for each in fact["proposed"])
        lines.append(f"waits for your yes: {waits} ({short(fact.get('proposal'))})")
    return lines


def row(fact: Fact) -> list[str]:
    """A fact under FACT_COLUMNS; a retired one is marked."""
    marks = ("[pinned] " if fact.get("pinned") else "") + ("" if current(fact) else "[retired] ")
    kind = str(fact.get("kind") or "")
    text = f"{marks}{fact.get('text', '')}"
    return [short(fact["id"]), when(fact.get("stated_at")), place_of(fact), kind, text]


def retired_row(fact: Fact) -> list[str]:
    """A struck-through fact under RETIRED_COLUMNS."""
    return [
        short(fact["id"]),
        when(fact.get("retired_at")),
        str(fact.get("because") or ""),
        str(fact.get("judge") or "-"),
        short(fact.get("superseded_by")) or "-",
        str(fact.get("text", "")),
    ]


def current(fact: Fact) -> bool:
    """Whether agents may be shown it."""
    return bool(fact.get("current", not fact.get("retired_at")))


def state_of(fact: Fact) -> str:
    """Current, or since when not and why."""
    if current(fact):
        return "current, pinned" if fact.get("pinned") else "current"
    by = f" by {short(fact['superseded_by'])}" if fact.get("superseded_by") else ""
    return f"retired {when(fact.get('retired_at'))}, {fact.get('because') or 'retired'}{by}"


def source_line(source: Mapping[str, Any]) -> str:
    """Where a fact comes from."""
    who = source.get("agent") or "you"
    session = f", session {source['session']}" if source.get("session") else ""
    return f"{who}, {source.get('how') or '?'}{session}, {when(source.get('at'))}"


def judgment_line(judgment: Mapping[str, Any]) -> str:
    """Who said what of which pair, and what came of it."""
    outcomes = [str(made.get("outcome")) for made in judgment.get("outcomes") or ()]
    after = f", {', '.join(outcomes)}" if outcomes else ""
    why = f" ({judgment['reason']})" if judgment.get("reason") else ""
    return (
        f"{short(judgment.get('newer'))} over {short(judgment.get('older'))}: "
        f"{judgment.get('verdict')} by {judgment.get('judge')}{why}, "
        f"{when(judgment.get('asked_at'))}{after}"
    )


def details(fact: Fact) -> list[tuple[str, str]]:
    """Everything ``show`` says of a fact, as names and values."""
    until = f" until {when(fact['valid_to'])}" if fact.get("valid_to") else ""
    slot = [str(fact.get(part)) for part in ("subject", "attribute", "value") if fact.get(part)]
    rows = [
        ("text", str(fact.get("text", ""))),
        ("id", str(fact["id"])),
        ("state", state_of(fact)),
        ("for", scope_of(fact)),
        ("kind", f"{fact.get('kind')}, {fact.get('layer')}"),
        ("about", " / ".join(slot) or "-"),
        ("holds", f"from {when(fact.get('valid_from'))}{until}"),
        ("said", when(fact.get("stated_at"))),
        ("noted", when(fact.get("captured_at"))),
        ("trust", f"{fact.get('trust')}, confidence {fact.get('confidence')}"),
    ]
    rows += _more(fact.get("detail") or {}, str(fact.get("trust")))
    rows += _under("sources", [source_line(source) for source in fact.get("sources") or ()])
    return rows + _under("judged", [judgment_line(made) for made in fact.get("judgments") or ()])


def _more(said: Mapping[str, Any], trust: str) -> list[tuple[str, str]]:
    """What was said beside the statement, each in its place."""
    if not said:
        return []
    steps = [f"{number}. {step}" for number, step in enumerate(said.get("steps") or (), start=1)]
    rows = _under("steps", steps)
    rows += _under("tools", [", ".join(said["tools"])] if said.get("tools") else [])
    for name in ("outcome", "context"):
        rows += _under(name, [str(said[name])] if said.get(name) else [])
    rows += _under("from", [f"a {said['source']}"] if said.get("source") else [])
    weaker = said.get("trust") not in (None, trust)
    return rows + _under("details by", [str(said["trust"])] if weaker else [])


def in_short(said: Mapping[str, Any] | None) -> str:
    """That there is more to a statement, so that nobody says yes to half of it."""
    if not said:
        return ""
    parts = [f"context: {said['context']}"] if said.get("context") else []
    parts += [f"steps: {' → '.join(said['steps'])}"] if said.get("steps") else []
    parts += [f"tools: {', '.join(said['tools'])}"] if said.get("tools") else []
    parts += [f"outcome: {said['outcome']}"] if said.get("outcome") else []
    return f" [{'; '.join(parts)}]" if parts else ""


def _under(name: str, lines: Sequence[str]) -> list[tuple[str, str]]:
    return [(name if at == 0 else "", line) for at, line in enumerate(lines)]
