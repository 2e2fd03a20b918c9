"""A damaged memory says so: to status, to doctor, and to a person whose command it can't keep."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from dormouse.api import hot
from dormouse.api.routes import system
from dormouse.api.service import Service
from dormouse.errors import DamagedPages
from dormouse.work import doctor
from tests.unit.api.mended import PAGE, Mended

CHECKS = {"integrity", "secrets", "permissions", "disk", "file system", "ballast", "swap"}
PLACES = (10, 25, 50, 75, 95)


def prompt(service: Service, text: str, cwd: Path, **more: Any) -> str:
    """What Claude Code's hook would print."""
    body = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(cwd)}
    body |= {"prompt": text, **more}
    route = "/hooks/claude-code/UserPromptSubmit"
    status, printed, _ = asyncio.run(
        hot.hook(service, hot.Twice(), route, json.dumps(body).encode())
    )
    assert status == 200
    return printed.decode()


def close(service: Service) -> None:
    if service.memory is not None:
        service.memory.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    made.mkdir()
    return made


@pytest.mark.parametrize("part", PLACES)
def test_what_is_to_be_remembered_is_kept_or_said_not_to_be(
    mended: Mended, folder: Path, part: int
) -> None:
    mended.damage(len(mended.whole) * part // 100 // PAGE * PAGE + 100)
    service = mended.service()
    said = json.loads(prompt(service, "remember that the lamp is blue", folder) or "{}")
    told = str(said.get("systemMessage"))
    assert "noted" in told, part
    if "not noted" in told:
        assert "restore-backup" in told
        assert "not noted" in said["hookSpecificOutput"]["additionalContext"]
        assert "lamp" not in told
        status = asyncio.run(system.health(service))
        assert status["state"] == "degraded"
        assert any("restore-backup" in warning for warning in status["warnings"])
    close(service)


@pytest.mark.parametrize("part", PLACES)
def test_doctor_goes_on_where_a_check_fails_and_status_is_degraded_then(
    mended: Mended, part: int
) -> None:
    mended.damage(len(mended.whole) * part // 100 // PAGE * PAGE + 100)
    service = mended.service()
    assert service.memory is not None
    found = {each["check"]: each for each in doctor.doctor(service.memory, service.slots)}
    assert found.keys() >= CHECKS
    assert not found["integrity"]["ok"]
    assert "restore-backup" in str(found["integrity"]["fix"])
    assert found["disk"]["detail"]
    assert asyncio.run(system.health(service))["state"] == "degraded"
    close(service)


def test_a_status_that_cant_be_counted_is_degraded_and_says_why(mended: Mended) -> None:
    service = mended.service()
    memory = service.memory
    assert memory is not None

    def unreadable(_: object) -> object:
        raise DamagedPages(path=mended.home.ledger)

    memory.ledger.read = unreadable  # type: ignore[assignment]
    status = asyncio.run(system.health(service))
    assert (status["state"], status["facts"]["current"]) == ("degraded", None)
    assert "is damaged" in status["warnings"][-1]
    close(service)


def test_a_memory_that_does_not_open_tells_a_command_and_nothing_else(
    mended: Mended, folder: Path
) -> None:
    mended.damage(100)
    service = mended.service()
    assert "not noted: " in prompt(service, "remember that the lamp is blue", folder)
    assert "not forgotten: " in prompt(service, "forget that the lamp is blue", folder)
    assert prompt(service, "why is the lamp blue?", folder) == ""
    (folder / ".dormouse-off").touch()
    assert prompt(service, "remember that the lamp is red", folder) == "", "it is off here"


def test_a_locked_memory_stays_silent(mended: Mended, folder: Path) -> None:
    assert mended.slots.key_file is not None
    mended.slots.key_file.unlink()
    assert prompt(mended.service(), "remember that the lamp is blue", folder) == ""
