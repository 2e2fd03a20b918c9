"""What a session came to, from its turns to the next session's start, by a scripted model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.rigs import ServerRig
from tests.machine import Machine

pytestmark = pytest.mark.slow

SAID = "A rate limiter was wanted for the API in api.py."
MADE_UP = "The limiter runs on 10.9.8.7."


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerRig]:
    rig = ServerRig(tmp_path)
    yield rig
    rig.close()


def worked(machine: Machine) -> Path:
    """A session of four turns that has ended."""
    repository = machine.repository("shop")
    session = machine.session("claude-code", repository)
    session.start()
    session.prompt("Please add a rate limiter to the API in api.py.")
    session.stop("The limiter in api.py is a token bucket with 50 requests.")
    session.prompt("Good. Where would you put the tests?")
    session.stop("Next: tests beside the router.")
    session.end()
    return repository


def test_a_scripted_model_sums_up_and_the_next_session_is_shown_it(
    machine: Machine, server: ServerRig
) -> None:
    machine.up()
    repository = worked(machine)
    assert "in all: asked first: Please add" in machine.session("codex", repository).start()
    machine.down()
    (machine.home / "config.toml").write_text(
        f'[endpoint]\nurl = "http://127.0.0.1:{server.port}/v1"\nmodel = "fake"\n'
    )
    server.script({"think": {"sentences": [SAID, MADE_UP]}})
    machine.up()
    run = machine.ask("POST", "/v1/rem/runs", {"wait": True})
    assert run["state"] == "done"
    shown = machine.session("gemini", repository).start()
    assert SAID in shown
    assert "10.9.8.7" not in shown
    calls = machine.json("status")["thinker"]["calls"]["used"]
    assert machine.ask("POST", "/v1/rem/runs", {"wait": True})["thinker_calls"] == 0
    assert machine.json("status")["thinker"]["calls"]["used"] == calls, "nothing new was said"


def test_at_level_local_without_a_model_of_ones_own_the_rules_sum_up(machine: Machine) -> None:
    machine.up()
    repository = worked(machine)
    machine.ask("POST", "/v1/rem/runs", {"wait": True})
    shown = machine.session("codex", repository).start()
    assert "in all: asked first: Please add a rate limiter" in shown
    assert machine.json("status")["thinker"]["calls"]["used"] == 0
