"""A clone, a fork or a copy looks like a known project; only the owner makes them one."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dormouse.projects import Known, match
from tests.unit.projects.world import World


class TestCopies:
    def visit(self, world: World, folder: Path) -> tuple[str | None, tuple[str, ...]]:
        commit = world.git("rev-list", "--max-parents=0", "HEAD", at=folder)
        found = world.visit(folder, first_commit=commit)
        return found.project_id, found.proposals_to_join

    def remember(self, world: World, folder: Path, first_commit: str, remote: str) -> str:
        project = world.project(folder)
        world.known = [
            replace(k, first_commit=first_commit, remote=remote) if k.id == project else k
            for k in world.known
        ]
        assert project is not None
        return project

    @pytest.fixture
    def known(self, world: World, victim: Path) -> str:
        commit = world.git("rev-list", "--max-parents=0", "HEAD", at=victim)
        remote = "example.org/team/api"
        return self.remember(world, victim, first_commit=commit, remote=remote)

    def clone(self, world: World, victim: Path) -> None:
        world.git("clone", "-q", str(victim), "copy", at=world.work)

    def copy(self, world: World, victim: Path) -> None:
        shutil.copytree(victim, world.work / "copy")

    @pytest.mark.parametrize("how", [clone, copy])
    def test_a_copy_is_its_own_project_and_is_proposed_to_be_joined(
        self,
        world: World,
        victim: Path,
        known: str,
        how: Callable[["TestCopies", World, Path], None],
    ) -> None:
        how(self, world, victim)
        project, proposals = self.visit(world, world.work / "copy")
        assert project != known
        assert proposals == (known,)
        assert self.visit(world, world.work / "copy")[0] == project
        assert world.project(victim) == known

    def test_a_remote_alone_only_proposes(self, world: World, known: str) -> None:
        fork = world.repository("fork")
        found = match(world.place(fork), world.known, remote="example.org/team/api")
        assert found.project_id is None
        assert found.proposals_to_join == (known,)

    def test_without_anything_in_common_nothing_is_proposed(self, world: World, known: str) -> None:
        found = match(world.place(world.repository("other")), world.known, first_commit="ab")
        assert (found.project_id, found.proposals_to_join) == (None, ())

    def test_a_repository_that_got_the_number_of_a_removed_one_is_another(
        self, world: World, known: str
    ) -> None:
        other = world.repository("other")
        place = world.place(other)
        assert place.common_id is not None
        number = ":".join(place.common_id.split(":")[:2])
        gone = [k for k in world.known if k.id != known]
        for common_id in (number, f"{number}:1"):
            row = Known(known, "gone", "git", "/w/gone/.git", common_id, ("/w/gone",))
            assert match(place, [*gone, row]).project_id is None

    def test_where_no_birth_is_known_the_number_counts_only_in_its_place(
        self, world: World, victim: Path
    ) -> None:
        place = replace(world.place(victim), common_id="1:2")
        path = str(victim / ".git")
        for common_dir, expected in ((path, "k"), ("/w/elsewhere/.git", None)):
            row = Known("k", "victim", "git", common_dir, "1:2", ("/w/elsewhere",))
            assert match(place, [row]).project_id == expected

    def test_another_device_number_counts_only_in_its_place(
        self, world: World, victim: Path
    ) -> None:
        place = replace(world.place(victim), common_id="1:2:3")
        path = str(victim / ".git")
        for common_dir, expected in ((path, "k"), ("/w/elsewhere/.git", None)):
            row = Known("k", "victim", "git", common_dir, "9:2:3", ("/w/elsewhere",))
            assert match(place, [row]).project_id == expected

    def test_a_folder_that_is_gone_below_a_plain_folder_is_not_that_folder(
        self, world: World
    ) -> None:
        notes = world.home / "notes"
        notes.mkdir()
        project = world.project(notes)
        assert world.project(notes / "gone") is None
        notes.rmdir()
        assert world.project(notes) == project
        assert world.project(notes / "gone") is None

    def test_a_folder_removed_and_made_anew_elsewhere_is_another_project(
        self, world: World
    ) -> None:
        seen = set()
        for number in range(5):
            folder = world.repository(f"r{number}")
            seen.add(world.project(folder))
            shutil.rmtree(folder)
        assert len(seen) == 5

    def test_another_repository_in_the_place_of_a_known_one_is_its_own_project(
        self, world: World, victim: Path, known: str
    ) -> None:
        victim.rename(world.work / "away")
        world.repository("victim")
        project, proposals = self.visit(world, victim)
        assert project != known
        assert proposals == (known,)
        assert world.project(world.work / "away") == known

    def test_the_same_history_cloned_again_into_its_place_is_the_same_project(
        self, world: World, victim: Path, known: str
    ) -> None:
        self.clone(world, victim)
        shutil.rmtree(victim)
        (world.work / "copy").rename(victim)
        assert self.visit(world, victim)[0] == known

    def test_in_its_place_the_same_remote_is_enough(
        self, world: World, victim: Path, known: str
    ) -> None:
        shutil.rmtree(victim)
        world.repository("victim")
        world.git("remote", "add", "origin", "git@example.org:team/api.git", at=victim)
        assert world.project(victim) == known
        other = match(world.place(victim), world.known, first_commit="another")
        assert other.project_id == known  # remembered by now

    def test_a_different_history_in_its_place_is_refused_even_with_the_remote(
        self, world: World, victim: Path, known: str
    ) -> None:
        shutil.rmtree(victim)
        world.repository("victim")
        world.git("remote", "add", "origin", "git@example.org:team/api.git", at=victim)
        assert self.visit(world, victim)[0] != known

    def test_a_plain_folder_in_the_place_of_a_work_tree_is_its_own_project(
        self, world: World, victim: Path, known: str
    ) -> None:
        shutil.rmtree(world.work / "victim-x")
        (world.work / "victim-x").mkdir()
        assert world.project(world.work / "victim-x") != known

    def test_a_joined_clone_is_found_as_the_project_it_was_joined_to(
        self, world: World, victim: Path, known: str
    ) -> None:
        self.clone(world, victim)
        copy = world.place(world.work / "copy")
        joined = Known(known, "victim", "git", str(copy.common_dir), copy.common_id, ())
        found = match(copy, [*world.known, joined])
        assert found.project_id == known
        assert found.alias_to_add == str(world.work / "copy")
