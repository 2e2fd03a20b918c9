"""What was said beside a statement, in one short line. Pure; the caller masks and cuts it."""

from dormouse.facts import Detail, Fact

BY = {
    "user": "by the user",
    "project_file": "by a project file",
    "assistant": "by the assistant",
    "tool": "by a tool",
}


def in_short(said: Detail) -> str:
    """Context, steps, tools and outcome; "" where nothing was said."""
    parts = [
        f"context: {said.context}" if said.context else "",
        f"steps: {' → '.join(said.steps)}" if said.steps else "",
        f"tools: {', '.join(said.tools)}" if said.tools else "",
        f"outcome: {said.outcome}" if said.outcome else "",
    ]
    return "; ".join(part for part in parts if part)


def weaker(fact: Fact) -> str:
    """By whom the details are, where that is somebody less trusted than the fact itself."""
    by = fact.detail.by
    return f"details {BY[by]}" if by is not None and by.rank < fact.trust.rank else ""
