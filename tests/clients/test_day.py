"""The day of tests/data/day.toml, and its night with each real agent's program as thinker."""

from pathlib import Path

import pytest

from tests.clients.conftest import what_is_missing
from tests.clients.test_thinkers import RealRig, connect
from tests.day import DAY, NIGHT, Day, check_night
from tests.machine import Machine

pytestmark = pytest.mark.clients


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_night_with_the_real_program_is_right_repeats_nothing_and_is_taken_back(
    machine: Machine, tmp_path: Path, name: str
) -> None:
    if why := what_is_missing():
        pytest.skip(f"the real agents: {why}")
    rig = RealRig(name, tmp_path)
    rig.script({"think": DAY["thinking"]})
    day = Day(machine)
    connect(machine, rig)
    day.live()
    assert rig.told() == [], "by day nobody is asked"
    machine.jump(NIGHT)
    check_night(day, name, rig.told)
    assert not (tmp_path / "started").exists(), "a hook or a server was started by a thinker"
