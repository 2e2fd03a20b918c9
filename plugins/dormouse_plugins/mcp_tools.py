"""The tools that an agent is offered: their schemas, and what each asks of the daemon.

Arguments are checked here, so that an agent is told what is wrong; what it may do is decided by the
daemon.
"""

from collections.abc import Callable, Mapping
from typing import Any

from dormouse_plugins.mcp_daemon import Daemon, Failed

Given = Mapping[str, Any]
Told = tuple[str, dict[str, Any]]

TYPES: dict[str, dict[str, str]] = {  # what a type hint says of kind and layer
    "fact": {},
    "decision": {"kind": "project"},
    "event": {"layer": "episodic"},
    "procedure": {"layer": "procedural"},
    "preference": {"kind": "feedback"},
    "reference": {"kind": "reference"},
}
LAYERS = ["working", "episodic", "semantic", "procedural", "core"]
RETIRING = ("memory_forget", "memory_correct", "memory_consolidate")
LONGEST = 400  # characters of what was said beside a statement
ENDS = {"finished": "finish", "returned": "return"}
SOURCES = ["own", "file", "tool"]
REASONS = {
    "empty": "Nothing: this memory holds no facts here yet.",
    "no_match": "Nothing: no fact matches these words.",
    "silenced": "Nothing: no fact fits well enough (min_score 0 shows weak ones).",
    "private": "Nothing: Dormouse is off in this folder.",
}


def _text(says: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": says, **more}


def _share(says: str) -> dict[str, Any]:
    return {"type": "number", "minimum": 0, "maximum": 1, "description": says}


def _list(says: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": says}


def _tool(
    name: str, says: str, properties: dict[str, Any], *required: str, reads: bool = False
) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    hints = {"readOnlyHint": reads, "openWorldHint": False}
    if not reads:  # what retires facts is not only adding, though the person can restore them
        hints["destructiveHint"] = name in RETIRING
    return {"name": name, "description": says, "inputSchema": schema, "annotations": hints}


ID = _text("A fact's id, or its first characters (4 or more).", minLength=4)

TOOLS = [
    _tool(
        "memory_store",
        "Keep one statement for later sessions of every agent in this project. Not for secrets.",
        {
            "text": _text("The statement, understandable by itself.", minLength=1),
            "type": _text("What it is; a hint.", enum=list(TYPES)),
            "steps": _list("How it is done, one step each (procedure)."),
            "tools": _list("Programs that the steps need."),
            "outcome": _text("What came of it."),
            "context": _text("When or where it holds."),
            "confidence": _share("How sure you are."),
            "weight": _share("How grave it was: an outage is near 1."),
            "source": _text("Where you have it from.", enum=SOURCES),
        },
        "text",
    ),
    _tool(
        "memory_recall",
        "Find current facts of this project and of the person. Empty means: nothing is known.",
        {
            "query": _text("What you want to know, in a few words.", minLength=1),
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "layer": _text("Only this layer; working is what goes on right now.", enum=LAYERS),
            "min_score": _share("How well a fact must fit; 0 shows weak ones too."),
            "history": {"type": "boolean", "description": "Also what is no longer true."},
        },
        "query",
        reads=True,
    ),
    _tool(
        "memory_forget",
        "Retire facts by id. The person is told and can restore them. No wildcards.",
        {"ids": {**_list("Ids from memory_recall."), "minItems": 1}, "why": _text("The reason.")},
        "ids",
    ),
    _tool(
        "memory_correct",
        "Replace a wrong fact by a right one; the old one is retired. What the person said"
        " themselves, and a rule, is only proposed to them.",
        {"id": ID, "text": _text("How it is right.", minLength=1)},
        "id",
        "text",
    ),
    _tool(
        "memory_history",
        "How a fact changed: every version, oldest first, and who judged.",
        {"id": ID},
        "id",
        reads=True,
    ),
    _tool("memory_health", "How full each layer is, and what is due.", {}, reads=True),
    _tool(
        "memory_consolidate",
        "Have the memory sort itself now, instead of tonight.",
        {"wait": {"type": "boolean", "description": "Wait for the report."}},
    ),
    _tool(
        "handoff_give",
        "Hand the running task on to another agent: goal, done, open, decisions. Files, branch and"
        " last turns are added.",
        {
            "goal": _text("What the task is for."),
            "to": _text("The agent, as codex; left out: whoever comes first."),
            "done": _list("What is done."),
            "open": _list("What is left to do, next first."),
            "decisions": _list("What was decided, and why."),
        },
    ),
    _tool(
        "handoff_take",
        "Take a task that waits in this project, or show one: everything that was handed on.",
        {
            "id": _text("Which one; left out: the oldest for you."),
            "show": {"type": "boolean", "description": "Only read it, whoever holds it."},
            "end": _text("You hold it and are done, or give it back.", enum=list(ENDS)),
        },
    ),
]
_SCHEMAS: dict[str, dict[str, Any]] = {
    str(tool["name"]): dict(tool["inputSchema"]) for tool in TOOLS
}
_KINDS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}


def check(name: str, given: Given) -> None:
    """Raise Failed("bad_request") where *given* does not fit the tool's schema."""
    schema = _SCHEMAS[name]
    properties: dict[str, dict[str, Any]] = schema["properties"]
    for field in schema.get("required", ()):
        if given.get(field) is None:
            raise _invalid(f"{field} is missing")
    for field, value in given.items():
        if field not in properties:
            # Not the name that was sent: anything may stand there, a secret too.
            names = ", ".join(properties) or "none"
            raise _invalid(f"there is an unknown one; the arguments of {name} are: {names}")
        if value is not None:
            _check_one(field, value, properties[field])


def _check_one(field: str, value: Any, of: dict[str, Any]) -> None:
    if not _KINDS[of["type"]](value):
        raise _invalid(f"{field} must be of type {of['type']}")
    if "enum" in of and value not in of["enum"]:
        raise _invalid(f"{field} must be one of {', '.join(of['enum'])}")
    if "minimum" in of and not of["minimum"] <= value <= of["maximum"]:
        raise _invalid(f"{field} must be from {of['minimum']} to {of['maximum']}")
    shortest = of.get("minLength", of.get("minItems", 0))
    if len(value.strip() if isinstance(value, str) else value if shortest else "") < shortest:
        raise _invalid(f"{field} is empty or too short")


def _invalid(what: str) -> Failed:
    return Failed("bad_request", f"Invalid arguments: {what}.")


# What each tool asks of the daemon, and what it tells of the answer.


def _store(daemon: Daemon, given: Given) -> Told:
    body = {name: value for name, value in given.items() if name != "type" and value is not None}
    fact = daemon.post("facts", body={**body, **TYPES[given.get("type") or "fact"]})
    hidden = (
        f" Hidden before it was kept: {', '.join(fact['redacted'])}." if fact["redacted"] else ""
    )
    waits = fact.get("proposed")
    if fact["state"] == "proposed" or waits:
        text = f"Proposed {fact['proposal'][:6]}: it waits for your person's yes.{hidden}"
    elif fact["state"] == "known":
        text = f"Known already: {fact['id'][:6]}.{hidden}"
    else:
        text = f"Noted {fact['id'][:6]}.{hidden}"
    names = ("id", "state", "text", "layer", "scope", "redacted", "proposal", "proposed", "detail")
    return text, _some(fact, *names)


def _recall(daemon: Daemon, given: Given) -> Told:
    if given.get("layer") == "working":
        return _working(daemon)
    body: dict[str, Any] = {"query": given["query"]}
    names = {"limit": "limit", "layer": "layer", "min_score": "floor", "history": "history"}
    body |= {to: given[name] for name, to in names.items() if given.get(name) is not None}
    answer = daemon.post("recall", body=body)
    hits = [_hit(hit) for hit in answer["hits"]]
    reason = answer["reason"]
    lines = [_line(hit) for hit in hits]
    if answer["left_out"]:
        lines.append(f"({answer['left_out']} more left out)")
    text = "\n".join(lines) or REASONS.get(reason or "no_match", "Nothing.")
    return text, {"hits": hits, "left_out": answer["left_out"], "reason": reason}


def _working(daemon: Daemon) -> Told:
    answer = daemon.get("working")
    lines = [f"{each['kind']}: {each['text']}" for each in answer["focus"]]
    return "\n".join(lines) or "Nothing: no task is going on in this project.", answer


def _hit(fact: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "text", "kind", "layer", "scope", "trust", "confidence", "stated_at", "current")
    hit = _some(fact, *names, "superseded_by", "score")
    said = fact.get("detail") or {}
    return hit | {name: value for name, value in said.items() if value and name != "trust"}


def _line(fact: dict[str, Any]) -> str:
    gone = "" if fact["current"] else ", no longer true"
    flat = " ".join(str(fact["text"]).split()) + _more(fact)
    return f"{fact['id'][:6]}: {flat} (said {fact['stated_at'][:10]}, by {fact['trust']}{gone})"


def _more(fact: dict[str, Any]) -> str:
    """What was said beside it, in short; all of it is in the structured result."""
    parts = [
        f"context: {fact['context']}" if fact.get("context") else "",
        f"steps: {' → '.join(fact['steps'])}" if fact.get("steps") else "",
        f"tools: {', '.join(fact['tools'])}" if fact.get("tools") else "",
        f"outcome: {fact['outcome']}" if fact.get("outcome") else "",
    ]
    flat = " ".join("; ".join(part for part in parts if part).split())
    if not flat:
        return ""
    return f" [{flat if len(flat) <= LONGEST else flat[:LONGEST].rstrip() + '…'}]"


def _forget(daemon: Daemon, given: Given) -> Told:
    answer = daemon.post("forget", body={"ids": given["ids"], "why": given.get("why") or ""})
    lines = [f"retired {f['id'][:6]}: {f['text']}" for f in answer["retired"]]
    lines += [f"went along {f['id'][:6]}: {f['text']}" for f in answer["went_along"]]
    lines += [f"already retired: {id_[:6]}" for id_ in answer["already_retired"]]
    return "\n".join([*lines, f"{answer['left']} more may be retired in this session."]), answer


def _correct(daemon: Daemon, given: Given) -> Told:
    answer = daemon.post("facts", given["id"], "correct", body={"text": given["text"]})
    if answer.get("state") == "proposed":
        text = f"Proposed {answer['proposal'][:6]}: it waits for your person's yes."
        return text, _some(answer, "id", "state", "proposal")
    text = f"Noted {answer['id'][:6]} in place of {given['id']}."
    return text, _some(answer, "id", "text", "scope", "current")


def _history(daemon: Daemon, given: Given) -> Told:
    chain = daemon.get("facts", given["id"], "history")
    versions = [
        _hit(link["fact"])
        | {"because": link["fact"]["because"], "judge": (link["judgment"] or {}).get("judge")}
        for link in chain
    ]
    lines = [_line(each) for each in versions]
    return "\n".join(lines), {"versions": versions}


def _health(daemon: Daemon, given: Given) -> Told:
    answer = daemon.get("layers")
    lines = [
        f"{layer['layer']}: {layer['used']}"
        + (f" of {layer['limit']}" if layer["limit"] else "")
        + (f", {layer['due']} due" if layer["due"] else "")
        for layer in answer["layers"]
    ]
    return "\n".join([f"state: {answer['state']}", *lines]), answer


def _consolidate(daemon: Daemon, given: Given) -> Told:
    run = daemon.post("rem", "runs", body={"wait": bool(given.get("wait"))})
    told = _some(
        run, "run", "state", "settled", "facts_before", "facts_after", "retired", "took_ms"
    )
    return f"run {run['run'][:6]}: {run['state']}, retired {len(run['retired'])}", told


def _give(daemon: Daemon, given: Given) -> Told:
    answer = daemon.post("handoffs", body={k: v for k, v in given.items() if v is not None})
    to = answer["to"] or "whoever comes first"
    return f"Offered {answer['id'][:6]} to {to}.", answer


def _take(daemon: Daemon, given: Given) -> Told:
    wanted = given.get("id") or "next"
    if end := given.get("end"):
        if wanted == "next":
            raise _invalid("end needs the id")
        answer = daemon.post("handoffs", wanted, ENDS[end], body=_token(daemon, wanted))
        return f"handoff {answer['id'][:6]} is {answer['state']}", answer
    if given.get("show"):
        answer = daemon.get("handoffs", wanted)
    else:
        answer = daemon.post("handoffs", wanted, "take", body={})
        daemon.tokens[answer["id"]] = answer["token"]
    return answer["text"], answer


def _token(daemon: Daemon, wanted: str) -> dict[str, int]:
    """What proves that this session holds the task it took; kept when it is given back, too."""
    found = [token for id_, token in daemon.tokens.items() if id_.startswith(wanted)]
    return {"token": found[0]} if len(found) == 1 else {}


def _some(of: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: of[name] for name in names if name in of}


CALLS: dict[str, Callable[[Daemon, Given], Told]] = {
    "memory_store": _store,
    "memory_recall": _recall,
    "memory_forget": _forget,
    "memory_correct": _correct,
    "memory_history": _history,
    "memory_health": _health,
    "memory_consolidate": _consolidate,
    "handoff_give": _give,
    "handoff_take": _take,
}
