"""What every way to a model must do: programs, an endpoint on loopback or a Unix socket, a hosted
one. The real programs pass the same suite in tests/clients.
"""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dormouse.thinking import Result, Said, Stop, Thought
from dormouse.thinking.values import SIGNATURE
from tests.contract.rigs import RIGS, ProgramRig, Rig, rig
from tests.machine import wait_for

pytestmark = pytest.mark.slow

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["supersede", "keep", "unsure"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
CANARY = "the staging server is at canary-7f3a.example"
THOUGHT = Thought("judge", "You judge.", f'{{"text":"{CANARY}"}}', SCHEMA, 100)
KEEP = {"answer": {"verdict": "keep"}}


@pytest.fixture(params=sorted(RIGS))
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    with rig(request.param, tmp_path) as made:
        made.script(KEEP)
        yield made


def ask(way: Rig, timeout_s: float = 20.0, stop: Stop | None = None) -> Said:
    return way.thinker(timeout_s).ask(THOUGHT, Stop() if stop is None else stop)


def test_the_answer_comes_back_with_what_it_cost(way: Rig) -> None:
    said = ask(way)
    assert said.result is Result.ANSWERED
    assert said.text.replace(" ", "") == '{"verdict":"keep"}'
    assert said.tokens == 15
    assert way.thinker().name == way.name


def test_the_model_is_told_the_text_once_and_signed(way: Rig) -> None:
    ask(way)
    (told,) = way.told()
    assert told == f"{SIGNATURE} judge\n{THOUGHT.user}"


def test_a_text_of_every_script_arrives_whole(way: Rig) -> None:
    odd = "größe → 预发布 \U0001f600 \\ \" ' $(x) %s \t"
    way.thinker().ask(Thought("judge", "s", odd, SCHEMA), Stop())
    assert way.told() == [f"{SIGNATURE} judge\n{odd}"]


def test_a_used_up_quota_is_told_apart_from_other_failures(way: Rig) -> None:
    way.script({"answer": {}, "status": 429, "message": "You've hit your usage limit."})
    assert ask(way).result is Result.QUOTA
    way.script({"answer": {}, "status": 500, "message": "Something broke."})
    assert ask(way).result is Result.FAILED


def test_rubbish_is_handed_on_as_text_and_never_raises(way: Rig) -> None:
    way.script({"text": "I would delete both. {"})
    said = ask(way)
    assert (said.result, said.text) == (Result.ANSWERED, "I would delete both. {")


def test_a_thinker_that_hangs_is_ended_in_time(way: Rig) -> None:
    way.script({**KEEP, "sleep": 60})
    began = time.monotonic()
    said = ask(way, timeout_s=1.0)
    assert said.result is Result.TIMEOUT
    assert time.monotonic() - began < 6


def test_a_running_call_is_stopped_within_a_second(way: Rig) -> None:
    way.script({**KEEP, "sleep": 60})
    stop, said = Stop(), list[Said]()
    thread = threading.Thread(target=lambda: said.append(ask(way, stop=stop)))
    thread.start()
    wait_for(way.told, what="the call")
    began = time.monotonic()
    stop.set()
    thread.join(10)
    assert said[0].result is Result.STOPPED
    assert time.monotonic() - began < 1.5


def test_what_is_not_there_is_unavailable_and_was_told_nothing(way: Rig) -> None:
    thinker = way.thinker()
    way.break_it()
    assert thinker.ask(THOUGHT, Stop()).result is Result.UNAVAILABLE
    assert way.told() == []


def test_its_names_and_rows_are_those_of_the_table(way: Rig) -> None:
    if isinstance(way, ProgramRig):
        assert way.thinker().ready()
        way.break_it()
        assert not way.thinker().ready()
    else:
        assert way.thinker().ready()
    assert SIGNATURE not in repr(way.thinker())
