"""Every example in the pattern files means what it says there."""

import pytest

from dormouse.capture.commands import Command, Correction, Forget, Remember, read_prompt
from dormouse.capture.phrasebook import LANGUAGES, book
from dormouse.facts import Scope

YES = [(language, example) for language in LANGUAGES for example in book(language).yes]
NO = [(language, said) for language in LANGUAGES for said in book(language).no]


def tell(command: Command) -> tuple[str, str]:
    match command:
        case Forget(target, id):
            return "forget id" if id else "forget", target
        case Correction():
            return "correct", command.text
        case Remember():
            marks = {
                "everywhere": command.everywhere,
                "session": command.scope is Scope.SESSION,
                "branch": command.scope is Scope.BRANCH,
                "pin": command.pin,
            }
            return " ".join(["remember", *(name for name, on in marks.items() if on)]), command.text


@pytest.mark.parametrize(("language", "example"), YES)
def test_what_is_commanded_is_understood(language: str, example: tuple[str, ...]) -> None:
    said, *commands = example
    expected = list(zip(commands[::2], commands[1::2], strict=True))
    assert [tell(command) for command in read_prompt(said)] == expected


@pytest.mark.parametrize(("language", "said"), NO)
def test_what_is_no_command_does_nothing(language: str, said: str) -> None:
    assert [tell(command) for command in read_prompt(said)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_sixty_examples_for_and_sixty_against(language: str) -> None:
    assert len(book(language).yes) >= 60
    assert len(book(language).no) >= 60
