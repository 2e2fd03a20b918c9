"""The command line, assembled: one file per noun, one way out for errors. Never a traceback.

A traceback could hold a fact's text, so whatever goes wrong ends as one line on stderr.
"""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.main import get_command

from dormouse_cli import (
    agents,
    candidates,
    demo,
    errors,
    facts,
    handoff,
    journal,
    judge,
    keys,
    lifecycle,
    mcp,
    output,
    privacy,
    projects,
    proposals,
    questions,
    recall,
    rem,
    service,
    status,
    store,
)
from dormouse_wire import __version__

PROGRAM = "dormouse"
INTERRUPTED = 130

# typer brings click along under a name of its own; its errors are told apart by their base.
CLICK_ERROR: type[Exception] = typer.BadParameter.__mro__[2]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for noun in (lifecycle, status, agents, facts, recall):
    app.add_typer(noun.app)
app.add_typer(candidates.app, name="candidates")
app.add_typer(proposals.app, name="proposals")
app.add_typer(questions.app, name="questions")
app.add_typer(journal.app)
app.add_typer(rem.app, name="rem", no_args_is_help=True)
app.add_typer(service.app, name="service", no_args_is_help=True)
app.add_typer(judge.app)
app.add_typer(privacy.app)
app.add_typer(projects.app, name="projects")
app.add_typer(keys.app)
app.add_typer(keys.key_app, name="key", no_args_is_help=True)
app.add_typer(store.app)
app.add_typer(handoff.app, name="handoff", no_args_is_help=True)
app.add_typer(mcp.app)
app.add_typer(demo.app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"{PROGRAM} {__version__}")
        raise typer.Exit


@app.callback()
def dormouse(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """One encrypted memory, on your own machine, that all your coding agents share."""


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say; the exit code. Raises nothing but what ends a process."""
    wants_json = "--json" in arguments
    try:
        code = get_command(app).main(list(arguments), prog_name=PROGRAM, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except errors.CliError as error:
        return _fail(error, wants_json)
    except CLICK_ERROR as error:
        return _fail(_usage(error), wants_json)
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone: nothing is left to say to anybody.
        output.give_up(sys.stdout)
        return 0
    except OSError as error:
        return _fail(_of_file(error), wants_json)
    except Exception as error:
        return _fail(errors.Unexpected(kind=type(error).__name__), wants_json)


def _fail(error: errors.CliError, wants_json: bool) -> int:
    if wants_json:
        output.last(output.dumps(errors.as_json(error)), sys.stdout)
    output.last(output.escape(errors.one_line(error)), sys.stderr)
    return error.exit_code


def _of_file(error: OSError) -> errors.CliError:
    """Which file or folder stood in the way, as on a disk that can only be read."""
    if error.filename is None or error.strerror is None:
        return errors.Unexpected(kind=type(error).__name__)
    hint = "Make it writable for you, and look whether its disk is full or read-only."
    return errors.Failed(hint, what=f"{os.fsdecode(error.filename)}: {error.strerror}.")


def _usage(error: Any) -> errors.CliError:
    """What is wrong with the command, without repeating a text that stood in it."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else PROGRAM
    message = str(error.format_message()).strip().replace("Value error, ", "", 1)
    if type(error).__name__ == "NoArgsIsHelpError":
        print(message, file=sys.stderr)
        message = "A command is missing."
    elif message.startswith("Got unexpected extra argument"):
        message = "More arguments than expected: put a text in quotes."
    made = errors.Usage(f"See `{path} --help`.", what=message)
    made.exit_code = int(getattr(error, "exit_code", 2))
    return made


def main() -> None:
    """The ``dormouse`` program."""
    output.prepare_streams()
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
