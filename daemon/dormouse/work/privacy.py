"""The owner's privacy level: what it is, what each part sends to whom, and changing it."""

from typing import Any

from dormouse.errors import BadRequest
from dormouse.ledger import Reader, Writer
from dormouse.settings import Settings
from dormouse.thinking import Level
from dormouse.thinking.hosted import is_hosted
from dormouse.thinking.levels import describe
from dormouse.work.by_agents import tell
from dormouse.work.thinkers import AGREED, PRIVACY, SECRET, level, thinkers


def view(r: Reader, settings: Settings, at: Level | None = None) -> dict[str, Any]:
    """The level with what each part sends to whom; *at* another one: what it would be then."""
    shown = at or level(r)
    there = [thinker.name for thinker in thinkers(r, settings)]
    return {
        "level": str(shown),
        "answered": r.setting(PRIVACY) is not None,
        "parts": describe(shown, there, settings.endpoint_url),
    }


def raises(r: Reader, wanted: Level, settings: Settings) -> bool:
    """Whether *wanted* lets more out than what holds now; a new hosted endpoint does."""
    if wanted.rank > level(r).rank:
        return True
    return wanted is Level.HOSTED and r.setting(AGREED) != settings.endpoint_url


def set_level(w: Writer, wanted: Level, settings: Settings) -> None:
    """Write the owner's word down. At level hosted it holds for the endpoint configured now.

    Raises BadRequest where level hosted has no endpoint to mean.
    """
    raised = wanted.rank > level(w).rank
    if wanted is Level.HOSTED:
        if not is_hosted(settings.endpoint_url):
            raise BadRequest(
                what="level hosted needs endpoint.url in config.toml, beginning with https://",
                hint="Set endpoint.url and endpoint.model, then `dormouse restart`.",
            )
        w.set_setting(AGREED, settings.endpoint_url)
    w.set_setting(PRIVACY, str(wanted))
    if raised:
        tell(w, f"the privacy level is now {wanted}")


def set_secret(w: Writer, secret: str) -> None:
    """Keep what the endpoint asks for, in the ledger and nowhere else; "" forgets it."""
    w.set_unlogged(SECRET, secret)
