"""A laptop's nights: asleep at three, on battery, the clock changed, killed: one catch-up each."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dormouse import idle
from dormouse.idle import Battery
from dormouse.times import stamp
from dormouse.work import rem
from tests.machine import Machine, wait_for
from tests.night import Bed, Clock
from tests.source import ROOT

pytestmark = pytest.mark.slow

AWAKE = (0.1, None)


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Bed]:
    bed = Bed(tmp_path)
    bed.say("The staging server is at 10.0.0.5")
    bed.say("the staging server is at 10.0.0.9 now")
    bed.memory.ledger.write(lambda w: w.set_agent("codex", last_event="Stop")).result()
    yield bed
    bed.close()


def minute(bed: Bed, machine: tuple[float, Battery | None] = AWAKE) -> str | None:
    """What one tick of the loop does; a night it begins is slept through."""

    async def tick() -> str | None:
        bed.memory.heard, bed.memory.to_settle = asyncio.Event(), asyncio.Event()
        night = rem.Night()
        why = await idle.tick(bed.memory, night, lambda: machine)
        if night.task is not None:
            await night.task
        return why

    return asyncio.run(tick())


def test_a_lid_that_was_closed_at_three_is_one_catch_up_in_the_morning(bed: Bed) -> None:
    assert minute(bed) is None, "the agent spoke just now"
    bed.clock.go_on(hours=12)
    assert minute(bed) == "missed night"
    assert "the staging server is at 10.0.0.9 now" in bed.facts()
    assert len(bed.facts()) == 1
    for _ in range(30):
        bed.clock.go_on(minutes=1)
        assert minute(bed) is None
    assert [run.state for run in bed.runs()] == ["done"]


def test_three_weeks_away_are_one_catch_up_too(bed: Bed) -> None:
    bed.clock.go_on(days=21)
    assert minute(bed) is not None
    bed.clock.go_on(minutes=20)
    assert minute(bed) is None
    assert len(bed.runs()) == 1


def test_on_a_low_battery_the_night_waits_for_the_plug(bed: Bed) -> None:
    bed.clock.go_on(hours=12)
    assert minute(bed, (0.1, Battery(12, True))) is None
    assert bed.runs() == []
    assert minute(bed, (0.1, Battery(13, False))) is not None
    assert len(bed.runs()) == 1


def test_a_clock_that_jumps_a_day_ahead_and_back_costs_no_second_night(bed: Bed) -> None:
    bed.clock.go_on(hours=30)
    assert minute(bed) is not None
    bed.clock.go_on(hours=-24)
    assert minute(bed) is None, "there is no work, whatever the clock says"
    assert len(bed.runs()) == 1


def test_summer_time_makes_neither_two_nights_nor_none(tmp_path: Path) -> None:
    for start in ("2026-03-28T20:00:00+00:00", "2026-10-24T20:00:00+00:00"):
        folder = tmp_path / start[:7]
        folder.mkdir()
        bed = Bed(folder, Clock(start))
        bed.say("We deploy on Thursdays")
        reasons = []
        for _ in range(48):
            bed.clock.go_on(minutes=30)
            reasons.append(minute(bed))
        assert len([why for why in reasons if why]) == 1
        assert len(bed.runs()) == 1
        bed.close()


def test_an_agent_in_the_middle_of_the_night_is_waited_for_and_the_night_goes_on(bed: Bed) -> None:
    bed.clock.go_on(hours=12)

    async def disturbed() -> None:
        bed.memory.heard, bed.memory.to_settle = asyncio.Event(), asyncio.Event()
        night = rem.Night()
        await idle.tick(bed.memory, night, lambda: AWAKE)
        assert night.task is not None
        while night.step is None:
            await asyncio.sleep(0)
        bed.memory.heard.set()
        await asyncio.wait_for(night.task, 1)

    asyncio.run(disturbed())
    bed.memory.ledger.write(lambda w: w.set_agent("codex", last_event="Stop")).result()
    assert [run.state for run in bed.runs()] == ["paused"]
    assert minute(bed) is None, "the agent is still at work"
    bed.clock.go_on(minutes=11)
    assert minute(bed) is not None
    assert [run.state for run in bed.runs()] == ["done"]


KILLED = """\
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from dormouse.work import rem
from tests.night import Bed, Clock

name, moment, now = sys.argv[2:]
bed = Bed(Path(sys.argv[1]), Clock(now))

async def dying(sleeping):
    if moment == "after":
        await next(step for step in rem.STEPS if step.name == name).do(sleeping)
    os.kill(os.getpid(), signal.SIGKILL)

steps = [replace(step, do=dying) if step.name == name else step for step in rem.STEPS]
bed.sleep(asked=False, steps=steps)
"""


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("name", [step.name for step in rem.STEPS])
def test_a_battery_that_runs_out_in_any_step_is_one_catch_up_nothing_twice_nothing_lost(
    tmp_path: Path, name: str, moment: str
) -> None:
    bed = Bed(tmp_path)
    bed.say("The staging server is at 10.0.0.5")
    bed.say("the staging server is at 10.0.0.9 now")
    bed.candidate("the API lives in services/api", bed.prompt("p", "s1"), bed.prompt("q", "s2"))
    ever, now = bed.every(), stamp(bed.clock())
    bed.close()
    argv = [sys.executable, "-c", KILLED, str(tmp_path), name, moment, now]
    died = subprocess.run(argv, cwd=ROOT, capture_output=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    bed.memory = bed.open()
    try:
        bed.clock.go_on(hours=12)
        assert minute(bed) is not None, "it is gone on with"
        bed.clock.go_on(minutes=30)
        assert minute(bed) is None, "and that is all"
        assert [run.state for run in bed.runs()] == ["done"]
        assert sorted(bed.facts()) == [
            "the API lives in services/api",
            "the staging server is at 10.0.0.9 now",
        ]
        assert bed.candidates() == []
        assert len(bed.every()) == len(ever) + 1, "the candidate became a fact once"
        assert ever <= bed.every()
    finally:
        bed.close()


AT_REST = """\
import os
os.getloadavg = lambda: (0.0, 0.0, 0.0)
from dormouse.main import main
main()
"""


@pytest.fixture
def at_rest(machine: Machine) -> Iterator[Machine]:
    """A day's evening on a machine that seems to have nothing else to do, whatever else runs.

    Only the load is made up: the test's own machine may be a busy one.
    """
    machine.up("2026-06-01T21:00:00+00:00")
    session = machine.session("claude-code", machine.repository("shop"))
    session.start()
    session.prompt("remember that the staging server is at 10.0.0.5")
    machine.settled()
    machine.down()
    (machine.home / "bin" / "stopped").unlink()
    daemon = subprocess.Popen(
        [sys.executable, "-I", "-c", AT_REST],
        env={**machine.env, "DORMOUSE_NOW": "2026-06-02T07:00:00+00:00"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: machine.cli("status", check=False).returncode == 0, what="the daemon")
        yield machine
    finally:
        daemon.terminate()
        daemon.wait(60)


def test_a_real_daemon_sleeps_by_itself_once_it_falls_idle(at_rest: Machine) -> None:
    done = wait_for(
        lambda: [run for run in at_rest.json("rem", "log") if run["state"] == "done"],
        within_s=4 * idle.TICK_S,
        every_s=1.0,
        what="the night",
    )
    assert [run["kind"] for run in done] == ["rem"]
    assert at_rest.json("status")["rem"]["pending"] == 0
