"""Keeping what a session is busy with: filled from what is said and touched, by rules alone."""

import os
from collections.abc import Iterable

from dormouse.capture.commands import read_prompt
from dormouse.facts import Look
from dormouse.layers import (
    PLACES,
    WINDOW,
    Focus,
    FocusKind,
    admit,
    alive,
    listen,
    relevance,
    sentences,
    sum_up,
)
from dormouse.ledger import Reader, Writer
from dormouse.sessions import Role

MIN_GOAL = 3  # words (or 6 characters without spaces): "ok" and "go on" are no goal
SPOKEN = (Role.PERSON, Role.ASSISTANT)


def hear(
    w: Writer,
    agent: str,
    session_id: str,
    role: Role,
    text: str,
    now: str,
    project_id: str | None,
) -> None:
    """Take what was said into the session's working memory."""
    before = w.focus(agent, session_id, project_id)
    places = _heard(before, role, text, now)
    after: tuple[Focus, ...] = before
    for place in places:
        after = admit(after, place, now)
    if set(after) != set(before):
        w.set_focus(agent, session_id, project_id, before, after)


def _heard(before: Iterable[Focus], role: Role, text: str, now: str) -> list[Focus]:
    if role not in (*SPOKEN, Role.SUMMARY):
        return []
    heard, quoted = listen(text), role is Role.SUMMARY
    found = [Focus(FocusKind.DECISION, each, now, quoted) for each in heard.decisions[:2]]
    if role is Role.PERSON:
        has_goal = any(p.kind is FocusKind.GOAL for p in alive(before, now))
        goal = None if has_goal or read_prompt(text) else goal_of(text)
        if goal is not None:
            found.append(Focus(FocusKind.GOAL, goal, now))
    elif role in (Role.ASSISTANT, Role.SUMMARY):
        found += [Focus(FocusKind.STEP, each, now, quoted) for each in heard.open[:2]]
    return found


def goal_of(text: str) -> str | None:
    """What a prompt wants, in its first sentence; None where it is too little to be a task."""
    first = next(iter(sentences(text)), "")
    long = len(first.split()) >= MIN_GOAL or (not first.isascii() and len(first) >= 2 * MIN_GOAL)
    return first if long else None


def touch(
    w: Writer, agent: str, session_id: str, used: str, now: str, project_id: str | None
) -> None:
    """Note the files and programs of a tool's calls: lines as ``Write /path`` or ``ls (exit 0)``.

    Of a program only its name and how it ended, of a file its path.
    """
    before = after = w.focus(agent, session_id, project_id)
    for line in used.splitlines():
        failed = line.startswith("failed: ")
        name, _, about = line.removeprefix("failed: ").partition(" ")
        if about.startswith("/"):
            w.note_touched(agent, session_id, "file", about, not failed, now)
            after = admit(after, Focus(FocusKind.FILE, os.path.basename(about), now), now)  # noqa: PTH119
        elif about.startswith("(exit "):
            w.note_touched(agent, session_id, "command", name, about == "(exit 0)", now)
        elif about and " " not in about:
            w.note_touched(agent, session_id, "command", about, not failed, now)
    if set(after) != set(before):
        w.set_focus(agent, session_id, project_id, before, after)


def of_project(r: Reader, project_id: str | None, now: str) -> list[tuple[str, str, Focus]]:
    """The most relevant places of all sessions of a project, with agent and session."""
    if project_id is None:
        return []
    rows = [row for row in r.project_focus(project_id) if alive([row[2]], now)]
    rows.sort(key=lambda row: (-relevance(row[2], now), row[2].kind, row[2].text))
    return rows[:PLACES]


def turns_held(r: Reader, look: Look) -> int:
    """How many turns the window of the project's last session holds."""
    if look.project_id is None:
        return 0
    session = r.last_session(look.project_id, before_session="")
    return 0 if session is None else len(r.turns(session_id=session.id, limit=WINDOW))


def sum_up_session(w: Writer, agent: str, session_id: str) -> None:
    """Keep the summary by rules of a session that ended, where its host gave none."""
    session = w.session(agent, session_id)
    if session is None or session.summed_by in ("host", "thinker"):
        return
    turns = w.turns(session_id=session_id, limit=WINDOW)
    said = [(str(t.role), t.text) for t in turns if t.role in SPOKEN and t.agent == agent]
    if summary := sum_up(said):
        w.set_session_summary(agent, session_id, summary, by="rules")
