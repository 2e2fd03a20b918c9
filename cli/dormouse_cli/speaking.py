"""For whom a command speaks: for the owner, or for the agent in whose shell it runs.

What the agent may do is decided by the daemon, by the same rules as for the agent's tools.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from dormouse_cli import owner
from dormouse_cli.daemon import ask, route
from dormouse_cli.options import folder
from dormouse_cli.output import say, short


def tell(
    where: str,
    body: Mapping[str, Any] | None = None,
    *,
    once: bool = False,
    long: bool = False,
    as_owner: bool = False,
) -> Any:
    """POST *body* for whoever runs this, *as_owner* once that is proved; the answer or CliError."""
    agent = None if as_owner else owner.agent()
    return ask("POST", where, body or {}, once=once, long=long, agent=agent)


def of_fact(
    identifier: str,
    verb: str,
    body: Mapping[str, Any] | None = None,
    *,
    once: bool = False,
    as_owner: bool = False,
) -> dict[str, Any]:
    """Change a fact: an agent only one that it sees from this folder."""
    sent = {**(body or {}), **({} if as_owner else here())}
    where = route("facts", identifier, verb)
    fact: dict[str, Any] = tell(where, sent, once=once, as_owner=as_owner)
    return fact


def here() -> dict[str, str]:
    """What an agent's request carries beside its words: its folder, and one session a day.

    A command is in no session that the daemon knows, and `forget.per_session` has to count in one.
    """
    if owner.agent() is None:
        return {}
    session = {"session_id": f"cli-{datetime.now(UTC):%Y-%m-%d}"}
    place = folder(None)
    return session if place is None else {**session, "project": place}


def say_for_whom() -> None:
    """Tell that this was an agent's word, where it was."""
    if owner.agent() is not None:
        say(f"this was {owner.agent()}'s word, not yours: {owner.marker()} is set")


def proposed(answer: Mapping[str, Any]) -> str | None:
    """What an agent asked for and may not do by itself; None where it was done."""
    if answer.get("state") != "proposed":
        return None
    return f"proposed, waits for your yes: {short(answer.get('proposal'))}"
