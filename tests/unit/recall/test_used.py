"""A fact counts as used when its value shows up in what the agent did, and not as our own line."""

import pytest

from dormouse.facts import Slot
from dormouse.recall.used import used
from tests.unit.recall.support import fact

STAGING = fact(
    "staging",
    "the staging server is at 10.0.0.5",
    slot=Slot("staging server", "address", "10.0.0.5"),
)
PNPM = fact("pnpm", "We use pnpm, not npm", slot=Slot("package manager", None, "pnpm"))
DE = fact("de", "Wir deployen donnerstags", slot=Slot("deploy", "day", "donnerstags"))
ZH = fact("zh", "消息队列用 RocketMQ", slot=Slot("消息队列", None, "RocketMQ"))


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (STAGING, "ssh deploy@10.0.0.5 uptime"),
        (PNPM, "I ran `pnpm add zod` and the build passes."),
        (DE, "Dann warten wir bis Donnerstags, vorher geht nichts raus."),
        (ZH, "我把生产者改成 RocketMQ 了"),
    ],
)
def test_its_value_in_an_answer_or_an_action_is_a_use(shown: object, said: str) -> None:
    assert used(shown, said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (STAGING, "I could not reach the staging server."),
        (STAGING, "Done."),
        (STAGING, ""),
        (PNPM, "I installed it with yarn."),
    ],
)
def test_an_answer_without_its_value_is_none(shown: object, said: str) -> None:
    assert not used(shown, said)  # type: ignore[arg-type]


def test_repeating_our_line_is_no_use() -> None:
    assert not used(STAGING, "My notes say: The staging  server is at 10.0.0.5.")


def test_what_the_prompt_itself_said_is_no_use_of_the_fact() -> None:
    assert not used(STAGING, "I pinged 10.0.0.5 for you.", asked="ping 10.0.0.5")
