"""Which folders are projects at all, and where nothing may be kept."""

import os
from pathlib import Path

import pytest

from dormouse.projects import locate
from tests.unit.projects.world import World


def test_a_work_tree_is_a_project_wherever_it_lies(world: World) -> None:
    inside_temp = world.temp / "checkout"
    inside_temp.mkdir()
    world.git("init", "-q", at=inside_temp)
    for folder in (world.repository("api"), inside_temp):
        place = world.place(folder)
        assert (place.kind, place.root, place.trouble) == ("git", folder, None)


def test_the_home_folder_can_be_a_work_tree(world: World) -> None:
    world.git("init", "-q", at=world.home)
    assert world.place(world.home).kind == "git"


@pytest.mark.parametrize("where", ["/", "home", "temp", "temp/fresh", "temp/fresh/deeper"])
def test_root_home_and_temp_folders_are_no_project(world: World, where: str) -> None:
    folder = world.home.parent / where
    folder.mkdir(parents=True, exist_ok=True)
    place = world.place(folder)
    assert (place.root, place.kind, place.trouble) == (None, None, None)
    assert world.project(folder) is None


def test_a_folder_beside_the_temp_folder_whose_name_begins_alike_is_a_project(
    world: World,
) -> None:
    folder = world.temp.with_name("temporary")
    folder.mkdir()
    assert world.place(folder).kind == "folder"


def test_any_other_folder_is_a_project_by_itself(world: World) -> None:
    notes = world.home / "notes"
    (notes / "deeper").mkdir(parents=True)
    assert world.place(notes).root == notes
    assert world.place(notes).name == "notes"
    assert world.project(notes) != world.project(notes / "deeper")


def test_links_to_temp_and_home_do_not_make_a_project(world: World) -> None:
    for target in (world.temp, world.home):
        link = world.work / f"to-{target.name}"
        link.symlink_to(target)
        assert world.place(link).root is None


def test_the_temp_folder_is_known_by_a_link_to_it_too(world: World) -> None:
    link = world.work / "tmp"
    link.symlink_to(world.temp)
    fresh = world.temp / "fresh"
    fresh.mkdir()
    place = locate(str(fresh), home=world.home, temp=[link], uid=os.getuid())
    assert place.root is None


def test_a_folder_of_another_user_is_no_project(world: World) -> None:
    folder = world.work / "theirs"
    folder.mkdir()
    place = locate(str(folder), home=world.home, temp=[world.temp], uid=os.getuid() + 1)
    assert place.root is None


@pytest.mark.parametrize(
    "cwd", ["", ".", "w/api", "/w/a\0b", "/w/\ud800", "/" + "x" * 300, "/x" * 5000]
)
def test_what_is_no_readable_absolute_path_is_no_project(world: World, cwd: str) -> None:
    place = world.place(cwd)
    assert place.root is None
    assert place.trouble


def test_a_loop_of_links_is_no_project(world: World) -> None:
    loop = world.work / "loop"
    loop.symlink_to(loop)
    assert world.place(loop).root is None


def test_a_file_stands_for_the_folder_it_lies_in(world: World) -> None:
    folder = world.repository("api")
    (folder / "README").write_text("x")
    assert world.place(folder / "README").root == folder


def test_the_name_is_the_folder_of_the_main_work_tree(world: World) -> None:
    folder = world.repository("one", "api")
    (folder / "web").mkdir()
    world.git("worktree", "add", "-q", "../other name", "-b", "y", at=folder)
    assert world.place(folder / "web").name == "api"
    assert world.place(folder.parent / "other name").name == "api"


class TestOff:
    def off(self, world: World, marked: Path, folder: Path) -> bool:
        marked.mkdir(parents=True, exist_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        marker = marked / ".dormouse-off"
        assert not world.place(folder).off
        marker.write_text("")
        return world.place(folder).off

    def test_the_marker_switches_off_its_folder_and_all_below(self, world: World) -> None:
        folder = world.repository("api")
        assert self.off(world, folder / "secret", folder / "secret" / "deeper")
        assert not world.place(folder).off

    def test_the_marker_at_the_work_tree_root_counts_in_every_subfolder(self, world: World) -> None:
        folder = world.repository("api")
        assert self.off(world, folder, folder / "a" / "b")

    def test_a_marker_above_the_work_tree_does_not_count(self, world: World) -> None:
        assert not self.off(world, world.work, world.repository("api"))

    def test_it_reaches_the_repositories_inside_a_work_tree(self, world: World) -> None:
        outer, inner = world.repository("api"), world.repository("api", "vendor", "lib")
        assert self.off(world, outer, inner / "src")
        assert not world.place(world.repository("web", "lib")).off

    def test_on_the_way_to_the_work_tree_around_it_counts_too(self, world: World) -> None:
        outer, inner = world.repository("api"), world.repository("api", "vendor", "lib")
        assert self.off(world, outer / "vendor", inner)

    def test_without_a_work_tree_it_counts_up_to_the_home_folder(self, world: World) -> None:
        assert self.off(world, world.home, world.home / "notes" / "deeper")

    def test_above_the_home_folder_it_does_not_count(self, world: World) -> None:
        assert not self.off(world, world.home.parent, world.home / "notes")

    def test_it_counts_where_there_is_no_project_too(self, world: World) -> None:
        assert self.off(world, world.temp / "a", world.temp / "a" / "b")

    def test_a_dangling_link_is_a_marker(self, world: World) -> None:
        folder = world.repository("api")
        (folder / ".dormouse-off").symlink_to("nowhere")
        assert world.place(folder).off

    def test_a_git_file_that_is_not_believed_switches_nothing_on(self, world: World) -> None:
        folder = world.home / "a" / "b"
        folder.mkdir(parents=True)
        (folder / ".git").write_text("gitdir: /nowhere\n")
        (folder.parent / ".dormouse-off").write_text("")
        assert world.place(folder).off
