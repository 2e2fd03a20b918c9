"""What a person is told whose command could not be obeyed: silence would look like a yes.

Only a prompt with a command is answered; it quotes nothing of it and nothing where Dormouse is off.
"""

from dormouse.capture.commands import Forget, read_prompt
from dormouse.errors import DormouseError
from dormouse.recall import render
from dormouse.sessions import Answer, Event, Moment, Role
from dormouse.work.intake import speech
from dormouse.work.places import Folders
from dormouse.work.prepare import mask
from dormouse_wire.hosts import HOSTS


def unkept(event: Event, error: BaseException, folders: Folders) -> Answer:
    """The answer to *event* after *error*. Looks at the folder: call it off the loop."""
    turn = event.turn
    if event.moment is not Moment.PROMPT or turn is None:
        return Answer()
    if turn.role is not Role.PERSON or event.subagent:
        return Answer()
    commands = read_prompt(speech(turn.text))
    if not commands or folders.off(event.cwd):
        return Answer()
    known = error if isinstance(error, DormouseError) else DormouseError()
    what = "forgotten" if all(isinstance(each, Forget) for each in commands) else "noted"
    line = mask(f"not {what}: {known} {known.hint}")
    host = HOSTS[event.agent]
    block = render.prompt_block(
        acknowledgements=[line],
        taken_back=(),
        ranked=(),
        shorts={},
        unjudged=frozenset(),
        limit=host.prompt_limit,
        unit=host.context_unit,
        mask=mask,
    )
    return Answer(block.text or None, f"Dormouse: {line}")
