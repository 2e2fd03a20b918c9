"""The door of one memory, and how our own thinking is known again. Nothing of it is remembered.

Three guards, each enough by itself: the marker in a thinker's environment makes our hooks fall
silent; its session and its folder are known here; each text for it carries a signature.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dormouse.ledger import AgentRow, Ledger, Reader
from dormouse.sessions import Event, Role, Turn
from dormouse.settings import Settings
from dormouse.thinking import CallRow, Caps, Door, Level, Result, Thinker
from dormouse.thinking.claude import Claude
from dormouse.thinking.codex import Codex
from dormouse.thinking.endpoint import Endpoint, is_local
from dormouse.thinking.hosted import Hosted
from dormouse.thinking.levels import level_of
from dormouse.thinking.programs import Account
from dormouse.thinking.values import SIGNATURE
from dormouse.times import Clock
from dormouse_wire.hosts import CLAUDE_CODE, CODEX, HOSTS, THINKER_FOLDER, Host

FOLDER_PREFIX = THINKER_FOLDER
PRIVACY, AGREED, SECRET = "privacy", "hosted_agreed", "endpoint_secret"  # in the ledger's settings
MOST = 1_000  # sessions that are known at once
_sessions: OrderedDict[str, None] = OrderedDict()


def register(session_id: str) -> None:
    """Make a thinker's session known, before it is started."""
    _sessions[session_id] = None
    while len(_sessions) > MOST:
        _sessions.popitem(last=False)


def is_thinker(event: Event) -> bool:
    """Whether *event* comes from a session that this daemon started to think."""
    return is_ours(event.session_id, event.cwd, event.turn)


def is_ours(session_id: str, cwd: str | None, turn: Turn | None) -> bool:
    """Whether *turn*, said in *session_id* and the folder *cwd*, is our own thinking.

    Its prompt betrays a session, so that the answer is known by the session too.
    """
    if session_id in _sessions:
        return True
    found = _in_our_folder(cwd) or _signed(turn)
    if found:
        register(session_id)
    return found


def _in_our_folder(cwd: str | None) -> bool:
    return cwd is not None and any(part.startswith(FOLDER_PREFIX) for part in Path(cwd).parts)


def _signed(turn: Turn | None) -> bool:
    """Only a prompt: what an agent says could begin with anything."""
    return (
        turn is not None and turn.role is Role.PERSON and turn.text.lstrip().startswith(SIGNATURE)
    )


@dataclass(frozen=True, slots=True)
class LedgerLog:
    """The ledger of calls, in the ledger itself. Used from the thread that thinks."""

    ledger: Ledger

    def begin(self, *, who: str, level: Level, task: str, sent: int, estimated: int) -> str:
        return self.ledger.write(
            lambda w: w.begin_thinker_call(
                who=who, level=str(level), task=task, sent=sent, estimated=estimated
            )
        ).result()

    def end(
        self, id: str, *, result: Result, received: int, tokens: int | None, took_ms: float
    ) -> None:
        self.ledger.write(
            lambda w: w.end_thinker_call(
                id, result=str(result), received=received, tokens=tokens, took_ms=took_ms
            )
        ).result()

    def since(self, at: str) -> Sequence[CallRow]:
        return self.ledger.read(lambda r: calls_since(r, at))


def calls_since(r: Reader, at: str) -> list[CallRow]:
    """The calls since *at*, as thinking knows them."""
    return [
        CallRow(
            row.id,
            row.at,
            row.who,
            level_of(row.level),
            row.task,
            row.sent,
            row.estimated,
            Result(row.result),
            row.received,
            row.tokens,
            row.took_ms,
        )
        for row in r.thinker_calls(since=at)
    ]


def level(r: Reader) -> Level:
    """The owner's word; until it was given nothing leaves."""
    return level_of(r.setting(PRIVACY))


def make_door(ledger: Ledger, settings: Settings, clock: Clock) -> Door:
    """The one door of this memory."""
    log = LedgerLog(ledger)
    return Door(
        thinkers=lambda: ledger.read(lambda r: thinkers(r, settings)),
        level=lambda: ledger.read(level),
        caps=Caps(
            log,
            clock,
            calls=settings.thinkers_calls_per_day,
            tokens=settings.thinkers_tokens_per_day,
        ),
        calls=log,
        order=settings.thinkers_order,
    )


def thinkers(r: Reader, settings: Settings) -> list[Thinker]:
    """The thinkers at hand: agents that are connected or named in the settings, the endpoint."""
    agents = {row.id: row for row in r.agents()}
    made: list[Thinker] = []
    if settings.endpoint_url and is_local(settings.endpoint_url):
        made.append(Endpoint(settings.endpoint_url, settings.endpoint_model, r.setting(SECRET)))
    elif settings.endpoint_url:
        agreed = r.setting(AGREED)
        secret = r.setting(SECRET)
        made.append(Hosted(settings.endpoint_url, settings.endpoint_model, agreed, secret))
    for host in (CLAUDE_CODE, CODEX):
        row = agents.get(host.id)
        if (row is not None and row.connected) or host.id in settings.thinkers_order:
            account = Account(_moved(host, row))
            made.append(Claude(register, account) if host is CLAUDE_CODE else Codex(account))
    return made


def _moved(host: Host, row: AgentRow | None) -> dict[str, str]:
    """The variable that says where an agent's login lies, if it was moved."""
    if row is None or row.settings_path is None or host.folder_variable is None:
        return {}
    folder = Path(row.settings_path).parent
    return {} if folder == Path.home() / host.folder else {host.folder_variable: str(folder)}


def seen_by(r: Reader, older_id: str, newer_id: str) -> str | None:
    """The connected agent that has seen both facts already; the one that saw them last."""
    connected = {row.id for row in r.agents() if row.connected and row.id in HOSTS}
    return next((a for a in r.agents_that_saw(older_id, newer_id) if a in connected), None)
