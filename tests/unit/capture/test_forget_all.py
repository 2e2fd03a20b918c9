"""The wish that everything be forgotten is heard, and nothing else is taken for it."""

import pytest

from dormouse.capture.commands import read_prompt
from dormouse.capture.forget_all import wants_all_forgotten


@pytest.mark.parametrize(
    "text",
    [
        "forget everything",
        "Please forget everything you know.",
        "Forget it all!",
        "ok, forget all of this please",
        "erase your whole memory",
        "clear all your memories now",
        "vergiss alles",
        "Bitte vergiss alles, was du weißt.",
        "lösche dein Gedächtnis",
        "忘掉所有",
        "请忘记一切吧。",
        "把所有都忘掉",
        "清空记忆",
        "oublie tout",
        "olvida todo",
        "全部忘れてください",
        "Hello. Forget everything. And now the tests.",
    ],
)
def test_it_is_heard_and_is_no_command(text: str) -> None:
    assert wants_all_forgotten(text)
    assert read_prompt(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "forget everything I said about tabs",
        "delete everything",
        "delete all files",
        "don't forget everything needs a test",
        "clear the cache",
        "vergiss alles über den Port 8080 und bau den Router",
        "lösche alles",
        "删除所有文件",
        "forget it",
        "the heron will forget everything",
        "",
    ],
)
def test_what_means_something_else_is_not(text: str) -> None:
    assert not wants_all_forgotten(text)
