"""What doctor finds on a machine, each fault by itself."""

from pathlib import Path

import pytest

from dormouse.keys import KeySlots
from dormouse.ledger import AgentRow
from dormouse.ledger.ballast import SIZE
from dormouse.work import machine
from dormouse_wire.paths import Home

HEAD = "Filename\tType\tSize\tUsed\tPriority\n"


def row(agent: str, **changed: object) -> AgentRow:
    made: dict[str, object] = {
        "id": agent,
        "connected": True,
        "root": None,
        "settings_path": None,
        "connected_at": "2026-06-01T00:00:00.000+00:00",
        "last_event": None,
        "last_event_at": None,
        "undelivered": 0,
    }
    return AgentRow(**(made | changed))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lines", "clear"),
    [
        ("", []),
        ("/dev/zram0 partition 1 0 100\n", []),
        ("/dev/dm-1 partition 1 0 -2\n", []),
        ("/dev/sda2 partition 1 0 -2\n/swapfile file 1 0 -3\n", ["/dev/sda2", "/swapfile"]),
    ],
)
def test_only_swap_in_clear_is_named(tmp_path: Path, lines: str, clear: list[str]) -> None:
    swaps = tmp_path / "swaps"
    swaps.write_text(HEAD + lines)
    assert machine.clear_swaps(swaps) == clear
    check = machine.swap(swaps, tmp_path / "none")
    assert check.ok
    assert all(name in check.detail for name in clear)


def test_a_missing_ballast_is_told(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert not machine.ballast(home).ok
    home.ballast.write_bytes(bytes(SIZE))
    assert machine.ballast(home).ok


def test_a_hook_that_never_fired_and_one_that_was_taken_out_are_told_apart(tmp_path: Path) -> None:
    settings = tmp_path / "hooks.json"
    settings.write_text('{"hooks": "/home/a/bin/dormouse-hook codex Stop"}')
    codex = row("codex", settings_path=str(settings))
    assert "wait for your approval" in machine.agent(codex).detail
    assert "/hooks" in (machine.agent(codex).fix or "")
    assert "never fired" in machine.agent(row("claude-code")).detail
    fired = row(
        "codex",
        settings_path=str(settings),
        last_event="Stop",
        last_event_at="2026-06-01T10:00:00.000+00:00",
    )
    assert machine.agent(fired).ok
    settings.write_text("{}")
    assert not machine.agent(fired).ok
    assert "dormouse connect codex" in (machine.agent(fired).fix or "")


NOON = "2026-06-01T12:00:00.000+00:00"


def seen(**times: int) -> dict[str, tuple[str, int]]:
    return {name: (NOON, number) for name, number in times.items()}


def fired(agent: str) -> AgentRow:
    return row(agent, last_event="Stop", last_event_at=NOON)


def test_doctor_says_of_each_event_when_it_last_fired() -> None:
    check = machine.agent(fired("codex"), seen(SessionStart=1, UserPromptSubmit=4, Stop=4))
    assert check.ok
    assert f"UserPromptSubmit {NOON}" in check.detail
    assert "SubagentStop never" in check.detail


def test_an_event_that_is_due_and_never_fired_is_told_with_what_to_do() -> None:
    codex = machine.agent(fired("codex"), seen(SessionStart=3, UserPromptSubmit=9))
    assert not codex.ok
    assert "Stop never fired, others did 9 times" in codex.detail
    assert "/hooks" in (codex.fix or "")
    claude = machine.agent(fired("claude-code"), seen(UserPromptSubmit=9, Stop=9))
    assert "SessionStart never fired" in claude.detail
    assert "dormouse connect claude-code" in (claude.fix or "")


def test_a_first_prompt_is_too_early_to_miss_anything() -> None:
    assert machine.agent(fired("codex"), seen(SessionStart=1, UserPromptSubmit=1)).ok


def test_the_backup_line_names_the_key_file_and_recovery_is_offered(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    slots = KeySlots.create(
        tmp_path / "home" / "keyslots.json",
        store_id="teststoreteststo",
        data_key=bytes(32),
        slots=["keyfile"],
        key_folder=tmp_path / "my keys",
    )
    checks = {check.check: check for check in machine.keys(slots)}
    assert f"--exclude='{slots.key_file}'" in checks["key in backups"].detail
    assert "key add recovery" in checks["recovery"].detail
    assert checks["keys"].ok
    assert slots.key_file is not None
    slots.key_file.chmod(0o644)
    lax = {check.check: check for check in machine.keys(slots)}["keys"]
    assert not lax.ok
    assert f"chmod 600 {slots.key_file}" in (lax.fix or "")
    slots.key_file.unlink()
    gone = {check.check: check for check in machine.keys(slots)}["keys"]
    assert not gone.ok
    assert "put it back" in (gone.fix or "")
    assert "unlock" not in (gone.fix or "")  # nothing else would open it
    assert not machine.keys(None)[0].ok


def test_undelivered_events_are_counted_by_agent() -> None:
    assert machine.undelivered([row("codex")], 0).ok
    check = machine.undelivered([row("codex", undelivered=3)], 2)
    assert not check.ok
    assert "5 event(s)" in check.detail
    assert "codex 3" in check.detail
