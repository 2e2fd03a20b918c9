"""When it sleeps: idle, with work, on power; once a night, whatever the clock does."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from dormouse.idle import Battery, last_night, linux_battery, mac_battery, should_sleep
from dormouse.settings import Settings

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 6, 2, 3, 5, tzinfo=BERLIN)
EVENING = datetime(2026, 6, 1, 22, 0, tzinfo=BERLIN)
LAST_NIGHT = datetime(2026, 6, 1, 3, 1, tzinfo=BERLIN)


def why(now: datetime = NOW, **changed: object) -> str | None:
    """Whether to sleep on an ordinary night, but for what is *changed*."""
    seen: dict[str, object] = {
        "last_event": EVENING,
        "pending": 12,
        "load": 0.1,
        "battery": None,
        "last_success": LAST_NIGHT,
        "preferred": "03:00",
        "settings": Settings(),
        "zone": BERLIN,
    } | changed
    return should_sleep(now, **seen)  # type: ignore[arg-type]


def test_an_idle_machine_with_work_sleeps_at_night() -> None:
    assert why() == "night"


def test_without_work_it_never_sleeps() -> None:
    assert why(pending=0) is None


def test_an_agent_that_spoke_within_ten_minutes_keeps_it_awake() -> None:
    assert why(last_event=NOW - timedelta(minutes=9, seconds=59)) is None
    assert why(last_event=NOW - timedelta(minutes=10)) == "night"
    assert why(last_event=NOW - timedelta(minutes=2), settings=Settings(rem_idle_minutes=1))


def test_a_busy_machine_is_left_alone() -> None:
    assert why(load=0.71) is None
    assert why(load=0.7) == "night"


@pytest.mark.parametrize(
    ("battery", "sleeps"),
    [
        (Battery(29, True), False),
        (Battery(30, True), True),
        (Battery(5, False), True),
        (None, True),
    ],
)
def test_a_low_battery_is_spared_unless_it_is_being_charged(
    battery: Battery | None, sleeps: bool
) -> None:
    assert (why(battery=battery) is not None) is sleeps


def test_a_night_that_was_missed_is_caught_up_once_at_any_hour() -> None:
    morning = datetime(2026, 6, 2, 9, 30, tzinfo=BERLIN)
    assert why(morning) == "missed night"
    assert why(morning, last_success=None) == "missed night"
    assert why(morning + timedelta(minutes=30), last_success=morning) is None


def test_three_is_a_preference_only_a_long_silence_is_used_too() -> None:
    noon = datetime(2026, 6, 2, 12, 0, tzinfo=BERLIN)
    slept = datetime(2026, 6, 2, 3, 2, tzinfo=BERLIN)
    assert why(noon, last_success=slept, last_event=noon - timedelta(minutes=30)) is None
    long = why(noon, last_success=slept, last_event=noon - timedelta(minutes=60))
    assert long == "long silence"


def test_a_clock_that_was_set_back_neither_blocks_nor_repeats_the_night() -> None:
    ahead = NOW + timedelta(days=2)
    assert why(last_event=ahead) == "night"
    assert why(last_success=ahead) == "night"
    assert why(not_before=ahead) == "night"
    assert why(last_success=NOW, last_event=ahead, pending=0) is None


def test_a_failed_step_waits_for_its_back_off() -> None:
    assert why(not_before=NOW + timedelta(minutes=5)) is None
    assert why(not_before=NOW - timedelta(minutes=5)) == "night"


def test_the_hour_that_summer_time_leaves_out_is_a_night_and_the_double_one_is_one() -> None:
    spring = datetime(2026, 3, 29, 1, 0, tzinfo=UTC)  # 02:00 became 03:00 in Berlin
    assert last_night(spring, "02:30", BERLIN) < spring
    assert last_night(spring + timedelta(hours=1), "02:30", BERLIN) == spring + timedelta(
        minutes=30
    )
    autumn = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)  # 02:30, and an hour later once more
    first = last_night(autumn, "02:30", BERLIN)
    assert first == autumn
    assert last_night(autumn + timedelta(hours=1), "02:30", BERLIN) == first
    assert why(autumn + timedelta(hours=1), last_success=autumn, preferred="02:30",
               last_event=autumn + timedelta(minutes=45)) is None  # fmt: skip


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"])
@pytest.mark.parametrize("preferred", ["00:00", "02:30", "03:00", "23:59"])
def test_each_day_of_a_year_has_one_night_and_it_lies_in_the_past(
    zone: str, preferred: str
) -> None:
    place = ZoneInfo(zone)
    now, nights = datetime(2026, 1, 2, tzinfo=UTC), set()
    while now < datetime(2027, 1, 2, tzinfo=UTC):
        night = last_night(now, preferred, place)
        assert night <= now < night + timedelta(hours=25, minutes=1)
        nights.add(night)
        now += timedelta(minutes=30)
    assert len(nights) in (365, 366)


def test_batteries_are_read_as_linux_and_macos_tell_them(tmp_path: Path) -> None:
    assert linux_battery(tmp_path) is None
    for name, kind, percent, status, scope in [
        ("AC", "Mains", "", "", ""),
        ("BAT0", "Battery", "24", "Discharging", ""),
        ("hid", "Battery", "90", "Discharging", "Device"),
    ]:
        folder = tmp_path / name
        folder.mkdir()
        for file, text in [("type", kind), ("capacity", percent), ("status", status)]:
            (folder / file).write_text(text + "\n")
        if scope:
            (folder / "scope").write_text(scope + "\n")
    assert linux_battery(tmp_path) == Battery(24, True)
    said = "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t83%; discharging; 5:12\n"
    assert mac_battery(said) == Battery(83, True)
    assert mac_battery(said.replace("discharging", "charging")) == Battery(83, False)
    assert mac_battery("Now drawing from 'AC Power'\n") is None
