"""The privacy levels, as one table: who may think, what each is sent, and whom it goes to.

It only says so; ``door`` enforces it. What stands in no row is never asked.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How far a text may go. Each level contains the ones before it."""

    LOCAL = "local"
    AGENTS = "agents"
    HOSTED = "hosted"

    @property
    def rank(self) -> int:
        return {"local": 0, "agents": 1, "hosted": 2}[self.value]


ALL_TASKS = frozenset({"judge", "extract", "summary", "split"})


@dataclass(frozen=True, slots=True)
class Part:
    """One row: the least level at which *part* may think, for what, what it is sent, and to whom.

    ``{url}`` stands for the configured endpoint.
    """

    part: str
    least: Level
    tasks: frozenset[str]
    sends: str
    to: str


_CHUNKS = "single pairs of facts and single chunks of a day's turns, redacted"

TABLE: dict[str, Part] = {
    "rules": Part("rules and slot judge", Level.LOCAL, ALL_TASKS, "nothing", "nobody"),
    "embedded": Part("embedded models", Level.LOCAL, ALL_TASKS, "nothing", "nobody"),
    "endpoint": Part(
        "endpoint", Level.LOCAL, ALL_TASKS, _CHUNKS, "your model server on this machine, {url}"
    ),
    "claude-code": Part(
        "claude-code", Level.AGENTS, ALL_TASKS, _CHUNKS, "Anthropic, through your own Claude Code"
    ),
    "codex": Part("codex", Level.AGENTS, ALL_TASKS, _CHUNKS, "OpenAI, through your own Codex"),
    "hosted": Part(
        "hosted endpoint",
        Level.HOSTED,
        frozenset({"judge"}),
        "single pairs of facts that nobody was sure of, redacted",
        "{url}",
    ),
}
ASKED = ("endpoint", "claude-code", "codex", "hosted")  # the rows behind the door, in this order


def level_of(text: str | None) -> Level:
    """The level a stored word means; anything unknown is local."""
    try:
        return Level(text or "local")
    except ValueError:
        return Level.LOCAL


def may(level: Level, who: str, task: str) -> bool:
    """Whether *who* may be asked to do *task* at *level*."""
    part = TABLE.get(who)
    return part is not None and part.least.rank <= level.rank and task in part.tasks


def describe(level: Level, there: Collection[str], url: str) -> list[dict[str, str]]:
    """Each part with what it is sent at *level*, and to whom. *there*: the thinkers at hand."""
    return [_row(level, who, part, there, url) for who, part in TABLE.items()]


def _row(level: Level, who: str, part: Part, there: Collection[str], url: str) -> dict[str, str]:
    row = {"part": part.part, "level": part.least.value, "sends": "nothing", "to": "nobody"}
    if part.least.rank > level.rank:
        row["to"] = f"nobody at level {level}"
    elif who in ASKED and who not in there:
        row["to"] = "nobody: not set up"
    else:
        row |= {"sends": part.sends, "to": part.to.replace("{url}", url)}
    return row
