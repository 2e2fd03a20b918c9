from pathlib import Path

import pytest

from tests.unit.projects.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def victim(world: World) -> Path:
    """A repository with a linked work tree, both known."""
    folder = world.repository("victim")
    world.git("worktree", "add", "-q", "../victim-x", "-b", "x", at=folder)
    assert world.project(folder) == world.project(world.work / "victim-x")
    return folder
