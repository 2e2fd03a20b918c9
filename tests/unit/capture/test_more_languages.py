"""French, Spanish, Portuguese, Japanese, Korean and Russian: commands and corrections."""

import time

import pytest

from dormouse.capture.commands import Correction, Remember, read_prompt
from dormouse.capture.phrasebook import ALSO, LANGUAGES, book, triggered, word
from tests.unit.capture.test_phrasebooks import tell

YES = [(language, example) for language in ALSO for example in book(language).yes]
NO = [(language, said) for language in ALSO for said in book(language).no]


@pytest.mark.parametrize(("language", "example"), YES)
def test_what_is_commanded_is_understood(language: str, example: tuple[str, ...]) -> None:
    said, *commands = example
    expected = list(zip(commands[::2], commands[1::2], strict=True))
    assert [tell(command) for command in read_prompt(said)] == expected


@pytest.mark.parametrize(("language", "said"), NO)
def test_what_is_no_command_does_nothing(language: str, said: str) -> None:
    assert [tell(command) for command in read_prompt(said)] == []


@pytest.mark.parametrize("language", ALSO)
def test_each_language_can_remember_forget_and_correct(language: str) -> None:
    told = {command for example in book(language).yes for command in example[1::2]}
    assert {"remember", "forget", "correct"} <= told
    assert len(book(language).no) >= 10


@pytest.mark.parametrize("language", ALSO)
def test_a_language_listens_only_where_it_is_spoken(language: str) -> None:
    assert language in triggered(book(language).yes[0][0])
    assert triggered("fix the login bug and run the tests") == ()
    assert triggered("wir nutzen pnpm, bitte anpassen") == ()


def test_one_prompt_does_not_leave_its_language_to_the_next() -> None:
    before = word("clear").pattern
    read_prompt("Nein. Non, on utilise pnpm.")
    assert word("clear").pattern == before


@pytest.mark.parametrize(
    "wrapping", ["> {}", "```\n{}\n```", '<pasted_content id="1">\n{}\n</pasted_content>', "`{}`"]
)
@pytest.mark.parametrize("language", ALSO)
def test_what_is_quoted_commands_nothing(language: str, wrapping: str) -> None:
    for said, *_ in book(language).yes:
        assert read_prompt(wrapping.replace("{}", said)) == []


def test_the_languages_that_always_listen_read_what_they_read_before() -> None:
    (command,) = read_prompt("remember that the café opens at 9")
    assert isinstance(command, Remember)
    (command,) = read_prompt("no, we use pnpm")
    assert isinstance(command, Correction)


@pytest.mark.parametrize("language", [*LANGUAGES, *ALSO])
def test_the_cost_grows_with_the_length_only(language: str) -> None:
    said = " ".join(example[0] for example in book(language).yes)

    def cost(times: int) -> float:
        text = said * times
        begun = time.process_time()
        read_prompt(text)
        return time.process_time() - begun

    read_prompt(said)  # the patterns are compiled
    assert min(cost(20) for _ in range(2)) < 0.3 + 4 * min(cost(10) for _ in range(2))
