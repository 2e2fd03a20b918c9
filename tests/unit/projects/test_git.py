"""Every shape git gives a work tree leads to the right project and branch."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.projects.world import World


def test_two_repositories_with_the_same_folder_name_are_two_projects(world: World) -> None:
    one, two = world.repository("one", "api"), world.repository("two", "api")
    assert world.project(one) != world.project(two)


def test_all_packages_of_a_monorepo_are_one_project(world: World) -> None:
    mono = world.repository("mono")
    for package in ("web", "core"):
        (mono / package).mkdir()
    ids = {world.project(f) for f in (mono / "web", mono / "core", mono)}
    assert len(ids) == 1
    assert world.known[0].paths == (str(mono),)


@pytest.mark.parametrize("pointer", ["absolute", "relative"])
@pytest.mark.parametrize("where", [".wt/x", "../outside", "../with a space/ü x"])
def test_a_linked_work_tree_is_the_project_of_its_repository(
    world: World, where: str, pointer: str
) -> None:
    main = world.repository("r")
    tree = Path(os.path.normpath(main / where))
    world.git("worktree", "add", "-q", where, "-b", "x", at=main)
    if pointer == "relative":
        make_relative(tree)
    place = world.place(tree)
    assert (place.kind, place.root, place.branch, place.trouble) == ("git", tree, "x", None)
    assert place.common_dir == main / ".git"
    assert world.project(tree) == world.project(main)
    assert world.place(main).branch == "main"


def make_relative(tree: Path) -> None:
    """What `worktree.useRelativePaths` of git 2.48 writes: both pointers relative."""
    admin = Path((tree / ".git").read_text().removeprefix("gitdir: ").strip())
    (tree / ".git").write_text(f"gitdir: {os.path.relpath(admin, tree)}\n")
    (admin / "gitdir").write_text(f"{os.path.relpath(tree / '.git', admin)}\n")


def test_a_new_work_tree_of_a_branch_is_found_after_the_old_one_was_removed(world: World) -> None:
    main = world.repository("r")
    world.git("worktree", "add", "-q", ".wt/x", "-b", "x", at=main)
    first = world.project(main / ".wt" / "x")
    shutil.rmtree(main / ".wt" / "x")
    world.git("worktree", "prune", at=main)
    assert world.project(main) == first
    world.git("worktree", "add", "-q", "../elsewhere", "x", at=main)
    assert world.project(world.work / "elsewhere") == first
    assert world.place(world.work / "elsewhere").branch == "x"


def test_a_removed_work_tree_is_still_known_by_its_path(world: World) -> None:
    main = world.repository("r")
    world.git("worktree", "add", "-q", "../x", "-b", "x", at=main)
    project = world.project(world.work / "x")
    world.git("worktree", "remove", "../x", at=main)
    place = world.place(world.work / "x" / "deeper")
    assert (place.root, place.gone, place.branch) == (None, True, None)
    assert world.project(world.work / "x" / "deeper") == project


def test_a_removed_folder_inside_a_repository_has_no_branch(world: World) -> None:
    main = world.repository("r")
    place = world.place(main / "gone")
    assert (place.root, place.gone, place.branch) == (main, True, None)
    assert world.visit(main).project_id == world.project(main / "gone")


def test_a_work_tree_that_was_pruned_is_a_folder_of_its_own(world: World) -> None:
    main = world.repository("r")
    world.git("worktree", "add", "-q", "../x", "-b", "x", at=main)
    project = world.project(world.work / "x")
    shutil.rmtree(main / ".git" / "worktrees" / "x")
    place = world.place(world.work / "x")
    assert (place.kind, place.root) == ("folder", world.work / "x")
    assert place.trouble
    found = world.visit(world.work / "x")
    assert found.project_id != project
    assert found.proposals_to_join == (project,)


def test_a_bare_repository_and_its_work_trees_are_one_project(world: World) -> None:
    origin = world.repository("origin")
    world.git("clone", "-q", "--bare", str(origin), "../tool.git", at=origin)
    bare = world.work / "tool.git"
    world.git("worktree", "add", "-q", "../tool-main", "main", at=bare)
    place = world.place(world.work / "tool-main")
    assert (place.branch, place.name, place.common_dir) == ("main", "tool", bare)
    assert world.project(bare) == world.project(world.work / "tool-main")
    assert world.project(bare / "hooks") == world.project(bare)
    assert world.project(origin) != world.project(bare)


def test_a_bare_repository_kept_in_a_hidden_folder_is_one_project_with_its_trees(
    world: World,
) -> None:
    origin = world.repository("origin")
    folder = world.work / "tool"
    folder.mkdir()
    world.git("clone", "-q", "--bare", str(origin), "tool/.bare", at=world.work)
    (folder / ".git").write_text("gitdir: ./.bare\n")
    world.git("worktree", "add", "-q", "feature", "-b", "f", at=folder)
    assert world.place(folder / "feature").name == "tool"
    assert world.project(folder) == world.project(folder / "feature")


def test_inside_the_git_folder_is_inside_the_project(world: World) -> None:
    main = world.repository("r")
    assert world.project(main / ".git" / "hooks") == world.project(main)


class TestSubmodule:
    @pytest.fixture
    def outer(self, world: World) -> Path:
        inner = world.repository("library")
        outer = world.repository("application")
        world.git("submodule", "--quiet", "add", str(inner), "vendor/library", at=outer)
        world.git("commit", "-q", "-m", "add", at=outer)
        return outer

    def test_it_is_a_project_of_its_own(self, world: World, outer: Path) -> None:
        place = world.place(outer / "vendor" / "library")
        assert (place.kind, place.name, place.trouble) == ("git", "library", None)
        assert place.branch == "main"
        assert world.project(outer / "vendor" / "library") != world.project(outer)
        assert world.project(outer / "vendor") == world.project(outer)

    def test_it_is_the_same_project_in_each_work_tree_of_the_outer_one(
        self, world: World, outer: Path
    ) -> None:
        world.git("worktree", "add", "-q", "../other", "-b", "o", at=outer)
        other = world.work / "other"
        world.git("submodule", "--quiet", "update", "--init", at=other)
        assert world.place(other / "vendor" / "library").trouble is None
        ids = {world.project(tree / "vendor" / "library") for tree in (outer, other)}
        assert len(ids) == 1
        assert world.project(other) == world.project(outer)

    def test_its_work_tree_may_stand_in_the_settings_of_the_work_tree(
        self, world: World, outer: Path
    ) -> None:
        git_dir = outer / ".git" / "modules" / "vendor" / "library"
        named = world.git("config", "core.worktree", at=outer / "vendor" / "library")
        config = (git_dir / "config").read_text()
        (git_dir / "config").write_text(config.replace(f"worktree = {named}", ""))
        assert world.place(outer / "vendor" / "library").kind == "folder"
        (git_dir / "config.worktree").write_text(f'[core]\n\tworktree = "{named}" ; here\n')
        assert world.place(outer / "vendor" / "library").kind == "git"


class TestBranch:
    def test_a_branch_is_read_as_it_is_named(self, world: World) -> None:
        folder = world.repository("r")
        for name in ("feature/übung-1", "a.b", "x@y"):
            world.git("checkout", "-q", "-b", name, at=folder)
            assert world.place(folder).branch == name

    def test_a_branch_without_a_commit_has_its_name(self, world: World) -> None:
        folder = world.repository("r", commit=False)
        world.git("symbolic-ref", "HEAD", "refs/heads/first", at=folder)
        assert world.place(folder).branch == "first"

    def test_a_detached_head_is_its_commit(self, world: World) -> None:
        folder = world.repository("r")
        commit = world.git("rev-parse", "HEAD", at=folder)
        world.git("checkout", "-q", "--detach", at=folder)
        assert world.place(folder).branch == f"detached at {commit[:12]}"

    def test_a_sha256_repository_is_read_too(self, world: World) -> None:
        folder = world.work / "r"
        world.git("init", "-q", "--object-format=sha256", str(folder), at=world.work)
        world.git("commit", "-q", "--allow-empty", "-m", "x", at=folder)
        commit = world.git("rev-parse", "HEAD", at=folder)
        world.git("checkout", "-q", "--detach", at=folder)
        assert world.place(folder).branch == f"detached at {commit[:12]}"

    def test_a_head_that_is_a_link_is_read_without_following_it(self, world: World) -> None:
        folder = world.repository("r")
        (folder / ".git" / "HEAD").unlink()
        (folder / ".git" / "HEAD").symlink_to("refs/heads/old-style")
        assert world.place(folder).branch == "old-style"

    @pytest.mark.parametrize(
        "head",
        [
            b"ref: refs/heads/.invalid\n",  # reftable
            b"ref: refs/tags/v1\n",
            b"ref: refs/heads/../../x\n",
            b"ref: refs/heads/a b\n",
            b"ref: refs/heads/a\x1b[31m\n",
            b"ref: refs/heads/" + b"a" * 300,
            b"deadbeef\n",
            b"",
            b"\0\0\0\0",
            b"x" * (2 << 20),
        ],
    )
    def test_what_is_no_branch_is_none_and_the_project_stays(
        self, world: World, head: bytes
    ) -> None:
        folder = world.repository("r")
        project = world.project(folder)
        (folder / ".git" / "HEAD").write_bytes(head)
        assert world.place(folder).branch is None
        assert world.project(folder) == project

    def test_names_of_odd_bytes_do_not_collide(self, world: World) -> None:
        folder = world.repository("r")
        seen = set()
        for odd in (b"\xff", b"\xfe", "ÿ".encode()):
            (folder / ".git" / "HEAD").write_bytes(b"ref: refs/heads/a" + odd + b"\n")
            seen.add(world.place(folder).branch)
        assert len(seen) == 3
        assert None not in seen


class TestMoved:
    def test_a_renamed_repository_is_the_same_project(self, world: World) -> None:
        project = world.project(world.repository("r"))
        (world.work / "r").rename(world.work / "renamed")
        found = world.visit(world.work / "renamed")
        assert found.project_id == project
        assert found.alias_to_add == str(world.work / "renamed")
        assert world.known[0].common_dir == str(world.work / "renamed" / ".git")
        assert world.known[0].paths == (str(world.work / "r"), str(world.work / "renamed"))

    def test_a_link_to_a_repository_is_the_repository(self, world: World) -> None:
        folder = world.repository("r")
        link = world.home / "r"
        link.symlink_to(folder)
        assert world.place(link).root == folder
        assert world.project(link) == world.project(folder)

    def test_a_folder_that_becomes_a_repository_stays_its_project(self, world: World) -> None:
        folder = world.work / "idea"
        folder.mkdir()
        project = world.project(folder)
        world.repository("idea")
        assert world.project(folder) == project
        assert world.known[0].kind == "git"

    def test_a_device_number_that_changes_with_a_boot_changes_nothing(self, world: World) -> None:
        folder = world.repository("r")
        project = world.project(folder)
        (row,) = world.known
        assert row.common_id is not None
        device, rest = row.common_id.split(":", 1)
        world.known = [replace(row, common_id=f"{int(device) + 1}:{rest}")]
        assert world.project(folder) == project
        assert world.known[0].common_id == row.common_id
