"""A folder is looked at each time: no branch and no marker of a moment ago counts."""

import time
from pathlib import Path

import pytest

from dormouse.work.places import Places
from tests.night import Bed
from tests.unit.projects.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_branch_that_was_switched_counts_at_once(world: World, bed: Bed) -> None:
    places, folder = bed.memory.places, world.repository("api")
    assert places.where(str(folder)).branch == "main"
    world.git("checkout", "-qb", "feature/x", at=folder)
    assert places.where(str(folder)).branch == "feature/x"
    world.git("checkout", "-q", "--detach", at=folder)
    assert str(places.where(str(folder)).branch).startswith("detached at ")


def test_so_does_one_in_a_linked_work_tree_and_in_a_folder_of_it(world: World, bed: Bed) -> None:
    places, folder = bed.memory.places, world.repository("api")
    world.git("worktree", "add", "-q", "../api-x", "-b", "x", at=folder)
    inner = folder.parent / "api-x" / "src"
    inner.mkdir()
    before = places.where(str(inner))
    world.git("checkout", "-qb", "y", at=inner)
    after = places.where(str(inner))
    assert (before.branch, after.branch) == ("x", "y")
    assert before.project_id == after.project_id == places.where(str(folder)).project_id
    assert places.where(str(folder)).branch == "main"


def test_one_file_switches_a_folder_off_and_on_at_once(world: World, bed: Bed) -> None:
    places, folder = bed.memory.places, world.repository("api")
    inner = folder / "src"
    inner.mkdir()
    assert not places.where(str(inner)).off
    for marker in (inner / ".dormouse-off", folder / ".dormouse-off"):
        marker.touch()
        assert places.where(str(inner)).off
        marker.unlink()
        assert not places.where(str(inner)).off


def test_where_folders_opt_in_their_file_counts_at_once_too(world: World, bed: Bed) -> None:
    places = Places(bed.memory.ledger, world.home, opt_in=True)
    folder = world.repository("api")
    assert places.where(str(folder)).off
    (folder / ".dormouse-on").touch()
    assert not places.where(str(folder)).off
    (folder / ".dormouse-on").unlink()
    assert places.where(str(folder)).off


def test_the_ledger_is_not_asked_again_for_a_folder_that_has_not_changed(
    world: World, bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    places, folder = bed.memory.places, str(world.repository("api"))
    found = places.where(folder)
    stopped = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: stopped)
    assert places.where(folder) is found
    places.forget()
    assert places.where(folder) == found
    assert places.where(folder) is not found
