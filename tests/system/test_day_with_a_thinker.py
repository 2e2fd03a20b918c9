"""The same day, and a night with the scripted model as thinker, on a loopback endpoint."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.rigs import ServerRig
from tests.day import DAY, NIGHT, Day, check_night
from tests.machine import Machine

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerRig]:
    made = ServerRig(tmp_path)
    made.script({"think": DAY["thinking"]})
    yield made
    made.close()


def test_a_night_with_a_thinker_is_right_repeats_nothing_and_is_taken_back(
    machine: Machine, server: ServerRig
) -> None:
    day = Day(machine)
    url = f"http://127.0.0.1:{server.port}/v1"
    (machine.home / "config.toml").write_text(f'[endpoint]\nurl = "{url}"\nmodel = "fake"\n')
    day.live()
    assert server.told() == [], "by day nobody is asked"
    machine.jump(NIGHT)
    check_night(day, "endpoint", server.told)
