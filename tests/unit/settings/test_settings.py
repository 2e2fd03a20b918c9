"""Settings: a default for everything, a sentence for every mistake, never a crash."""

import stat
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dormouse import settings
from dormouse.recall.rank import FLOOR
from dormouse.settings import Settings

# The names and defaults that others rely on.
CONTRACT = {
    "hooks": {"autostart": True},
    "capture": {
        "mode": "all",
        "off_patterns": [],
        "fact": 0.80,
        "candidate": 0.60,
        "tool_output": False,
    },
    "recall": {"max_facts": 6, "floor": FLOOR, "meaning": True},
    "rem": {"idle_minutes": 10, "preferred": "03:00"},
    "thinkers": {"order": [], "calls_per_day": 40, "tokens_per_day": 200_000},
    "endpoint": {"url": "", "model": ""},
    "fuse": {"facts": 25, "share": 0.10},
    "journal": {"days": 30, "mb": 200},
    "forget": {"per_session": 10},
    "handoff": {"lease_minutes": 30},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_without_a_file_all_defaults_hold(file: Path) -> None:
    assert settings.read(file) == Settings()
    assert Settings().warnings == ()


def test_the_written_file_changes_nothing_and_holds_every_setting_with_a_sentence(
    file: Path,
) -> None:
    assert settings.write_default(file)
    assert settings.read(file) == Settings()
    text = file.read_text()
    assert text.isascii()
    for line, before in zip(text.splitlines()[1:], text.splitlines(), strict=False):
        if line.startswith("#") and not line.startswith("# "):
            assert before.startswith("# ")
            assert before.endswith(".")
    bare = "".join(
        line.removeprefix("#") + "\n" for line in text.splitlines() if not line.startswith("# ")
    )
    assert tomllib.loads(bare) == CONTRACT
    file.write_text(bare)
    assert settings.read(file) == Settings()


def test_the_file_is_private_and_never_written_twice(file: Path) -> None:
    settings.write_default(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("[recall]\nfloor = 0.5\n")
    assert not settings.write_default(file)
    assert settings.read(file).recall_floor == 0.5
    link = file.with_name("link.toml")
    link.symlink_to("nowhere")
    assert not settings.write_default(link)


def test_what_stands_there_holds(file: Path) -> None:
    file.write_text(
        "[hooks]\nautostart = false\n[capture]\nmode = 'opt-in'\noff_patterns = ['/srv/*']\n"
        "fact = 1\n[rem]\npreferred = '23:59'\n[journal]\ndays = 0\n"
    )
    read = settings.read(file)
    assert read.warnings == ()
    assert (read.hooks_autostart, read.capture_mode, read.capture_fact) == (False, "opt-in", 1.0)
    assert isinstance(read.capture_fact, float)
    assert read.capture_off_patterns == ("/srv/*",)
    assert (read.rem_preferred, read.journal_days) == ("23:59", 0)


def test_a_pattern_may_begin_at_the_home_folder(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/person")
    file.write_text("[capture]\noff_patterns = ['~/clients/*', '~nobody-at-all/x', '/a~b']\n")
    expected = ("/home/person/clients/*", "~nobody-at-all/x", "/a~b")
    assert settings.read(file).capture_off_patterns == expected


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("[hooks]\nautostart = 1", "hooks.autostart: must be true or false; true holds"),
        ("[capture]\nmode = 'some'", 'capture.mode: must be "all" or "opt-in"; "all" holds'),
        (
            "[capture]\noff_patterns = 'x'",
            "capture.off_patterns: must be a list of texts; [] holds",
        ),
        (
            "[capture]\noff_patterns = [1]",
            "capture.off_patterns: must be a list of texts; [] holds",
        ),
        ("[capture]\nfact = 1.1", "capture.fact: must be from 0 to 1; 0.8 holds"),
        ("[capture]\nfact = nan", "capture.fact: must be from 0 to 1; 0.8 holds"),
        ("[capture]\nfact = true", "capture.fact: must be a number; 0.8 holds"),
        ("[recall]\nmax_facts = 6.5", "recall.max_facts: must be a whole number; 6 holds"),
        ("[recall]\nmax_facts = true", "recall.max_facts: must be a whole number; 6 holds"),
        ("[recall]\nmax_facts = -1", "recall.max_facts: must not be negative; 6 holds"),
        ("[rem]\nidle_minutes = 0", "rem.idle_minutes: must be above 0; 10 holds"),
        ("[rem]\npreferred = '24:00'", 'rem.preferred: must be like "03:00"; "03:00" holds'),
        ("[rem]\npreferred = 03:00:00", 'rem.preferred: must be a text in quotes; "03:00" holds'),
        ("[recall]\nflor = 1", "recall.flor: no such setting"),
        ("[recal]\nfloor = 1", "recal: no such setting"),
        ("floor = 1", "floor: no such setting"),
        ("recall = 1", "recall: must be a section, [recall]; its defaults hold"),
    ],
)
def test_a_mistake_is_told_in_one_line_and_its_default_holds(
    file: Path, written: str, told: str
) -> None:
    file.write_text(f"{written}\n")
    read = settings.read(file)
    assert read.warnings == (told,)
    assert settings.read(file.with_name("none")) == Settings(
        **{f.name: getattr(read, f.name) for f in fields(read) if f.name != "warnings"}
    )


def test_one_mistake_spoils_nothing_else(file: Path) -> None:
    file.write_text("[recall]\nfloor = 7\nmax_facts = 3\n[fuse]\nfacts = 'x'\nshare = 0.2\n")
    read = settings.read(file)
    assert (read.recall_max_facts, read.fuse_share, len(read.warnings)) == (3, 0.2, 2)


@pytest.mark.parametrize("content", [b"[", b"\xff\xfe", b"a = 1\na = 2", b"\0", b"[a]\n[a]"])
def test_a_broken_file_is_told_and_all_defaults_hold(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    read = settings.read(file)
    assert len(read.warnings) == 1
    assert str(file) in read.warnings[0]
    assert "\n" not in read.warnings[0]
    assert read.recall_max_facts == 6


def test_a_folder_in_its_place_is_told(file: Path) -> None:
    file.mkdir()
    assert len(settings.read(file).warnings) == 1


@given(content=st.binary(max_size=300))
def test_no_content_ever_stops_it(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_bytes(content)
    settings.read(file)
