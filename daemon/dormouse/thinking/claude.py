"""Claude Code as a thinker, with the person's own login. It has no tools and keeps no session."""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dormouse.thinking.programs import Account, count, ended_badly, is_quota, signed
from dormouse.thinking.running import Ran, environment, find_program, folder, run
from dormouse.thinking.values import Result, Said, Stop, Thought

PROGRAM = "claude"
# A used-up quota must be told at once: by default it is tried again for minutes.
_QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_MAX_RETRIES": "1",
}


@dataclass(frozen=True, slots=True)
class Claude:
    """Asks ``claude -p``. ``register`` is told the session's id before the session begins."""

    register: Callable[[str], None] = lambda session: None
    account: Account = field(default_factory=Account)
    name: str = "claude-code"

    def ready(self) -> bool:
        return (self.account.find or find_program)(PROGRAM) is not None

    def ask(self, thought: Thought, stop: Stop) -> Said:
        program = (self.account.find or find_program)(PROGRAM)
        if program is None:
            return Said(Result.UNAVAILABLE)
        session = str(uuid.uuid4())
        self.register(session)
        # Not --bare: it forbids the login of a subscription.
        argv = [str(program), "-p", "--output-format", "json", "--safe-mode", "--tools", ""]
        argv += ["--no-session-persistence", "--strict-mcp-config", "--session-id", session]
        argv += ["--system-prompt", thought.system, "--json-schema", json.dumps(thought.schema)]
        with folder() as place:
            more = {"CLAUDE_CODE_TMPDIR": str(place.scratch), **_QUIET, **self.account.environment}
            ran = run(
                argv,
                signed(thought).encode(),
                env=environment(place, more),
                place=place,
                timeout_s=self.account.timeout_s,
                stop=stop,
            )
        return ended_badly(ran) or read(ran)


def read(ran: Ran) -> Said:
    """What ``--output-format json`` printed: one object of type result."""
    size = len(ran.out)
    try:
        printed: Any = json.loads(ran.out)
    except (ValueError, RecursionError):
        return Said(Result.RUBBISH if ran.good else Result.FAILED, received=size)
    if not isinstance(printed, dict) or printed.get("type") != "result":
        return Said(Result.RUBBISH, received=size)
    usage = printed.get("usage")
    tokens = None if not isinstance(usage, dict) else count(*(usage.get(name) for name in _USAGE))
    answer = printed.get("structured_output")
    if printed.get("is_error") or not ran.good:
        limited = printed.get("api_error_status") == 429 or is_quota(str(printed.get("result")))
        return Said(Result.QUOTA if limited else Result.FAILED, "", tokens, size)
    if answer is None:
        return Said(Result.ANSWERED, str(printed.get("result", "")), tokens, size)
    return Said(Result.ANSWERED, json.dumps(answer), tokens, size)


_USAGE = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
