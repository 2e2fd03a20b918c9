"""Nothing that an archive, a clone or a neighbour can write reaches another project's facts."""

import os
import statistics
import threading
import time
from pathlib import Path

import pytest

from dormouse.projects import Place, gitfiles, locate
from tests.unit.projects.world import World


@pytest.fixture
def evil(world: World) -> Path:
    folder = world.work / "evil"
    folder.mkdir()
    return folder


def assert_own_folder(world: World, folder: Path) -> None:
    """*folder* is a plain folder of its own, and it is said why."""
    place = world.place(folder)
    assert (place.kind, place.root, place.common_dir) == ("folder", folder, None)
    assert place.trouble
    before = {k.id for k in world.known}
    assert world.project(folder) not in before


def git_folder(folder: Path) -> Path:
    """What makes a git folder, without git."""
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


def admin_folder(repository: Path, name: str, back_to: Path, common: str) -> Path:
    """A linked work tree's admin folder, as an attacker would write it."""
    admin = repository / "worktrees" / name
    admin.mkdir(parents=True)
    (admin / "HEAD").write_text("ref: refs/heads/main\n")
    (admin / "gitdir").write_text(f"{back_to}/.git\n")
    (admin / "commondir").write_text(f"{common}\n")
    return admin


class TestPointers:
    def test_a_git_file_can_not_point_at_another_repository(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        (evil / ".git").write_text(f"gitdir: {victim}/.git\n")
        assert_own_folder(world, evil)

    def test_a_git_file_can_not_point_at_the_admin_folder_of_another_work_tree(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        (evil / ".git").write_text(f"gitdir: {victim}/.git/worktrees/victim-x\n")
        assert_own_folder(world, evil)

    def test_an_admin_folder_can_not_claim_another_common_folder(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        repository = git_folder(evil / "repo")
        admin = admin_folder(repository, "t", evil / "tree", str(victim / ".git"))
        (evil / "tree").mkdir()
        (evil / "tree" / ".git").write_text(f"gitdir: {admin}\n")
        assert_own_folder(world, evil / "tree")

    def test_a_common_folder_can_not_hand_over_to_another_one(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        repository = git_folder(evil / "repo")
        (repository / "commondir").write_text(f"{victim}/.git\n")
        admin = admin_folder(repository, "t", evil / "tree", "../..")
        (evil / "tree").mkdir()
        (evil / "tree" / ".git").write_text(f"gitdir: {admin}\n")
        assert_own_folder(world, evil / "tree")

    def test_a_link_in_place_of_the_admin_folder_is_seen_through(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        repository = git_folder(evil / "repo")
        (repository / "worktrees").symlink_to(victim / ".git" / "worktrees")
        (evil / ".git").write_text("gitdir: repo/worktrees/victim-x\n")
        assert_own_folder(world, evil)

    def test_a_git_folder_can_not_borrow_another_one(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        git_folder(evil / ".git")
        (evil / ".git" / "commondir").write_text(f"{victim}/.git\n")
        assert_own_folder(world, evil)

    def test_a_bare_repository_can_not_borrow_another_one(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        git_folder(evil / "bare.git")
        (evil / "bare.git" / "commondir").write_text(f"{victim}/.git\n")
        assert_own_folder(world, evil / "bare.git")

    @pytest.mark.parametrize("target", ["victim/.git", "victim-x/.git"])
    def test_a_git_link_is_not_followed(
        self, world: World, victim: Path, evil: Path, target: str
    ) -> None:
        (evil / ".git").symlink_to(victim.parent / target)
        assert_own_folder(world, evil)

    def test_a_hidden_folder_that_is_a_link_is_not_inside(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        (evil / ".bare").symlink_to(victim / ".git")
        (evil / ".git").write_text("gitdir: ./.bare\n")
        assert_own_folder(world, evil)

    def test_the_repository_of_a_folder_below_is_not_taken_over(
        self, world: World, victim: Path
    ) -> None:
        (world.work / ".git").write_text("gitdir: victim/.git\n")
        assert_own_folder(world, world.work)

    def test_a_bare_repository_beside_it_is_not_taken_over(self, world: World) -> None:
        git_folder(world.work / "private.git")
        (world.work / ".git").write_text("gitdir: private.git\n")
        assert_own_folder(world, world.work)

    def test_a_crafted_work_tree_setting_takes_nothing_over(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        repository = git_folder(evil / ".git")
        (repository / "config").write_text(f"[core]\n\tworktree = {victim}\n")
        place = world.place(evil)
        assert (place.root, place.common_dir) == (evil, evil / ".git")
        assert world.project(evil) != world.project(victim)

    def test_a_submodule_that_points_back_elsewhere_is_not_believed(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        module = git_folder(victim / ".git" / "modules" / "sub")
        (module / "config").write_text("[core]\n\tworktree = ../../../sub\n")
        (evil / ".git").write_text(f"gitdir: {module}\n")
        assert_own_folder(world, evil)

    def test_a_module_of_a_made_up_work_tree_can_not_name_another_module(
        self, world: World, victim: Path, evil: Path
    ) -> None:
        inner = git_folder(victim / ".git" / "modules" / "sub")
        (victim / "sub").mkdir()
        (inner / "config").write_text("[core]\n\tworktree = ../../../sub\n")
        (victim / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
        known = world.project(victim / "sub")
        module = git_folder(evil / "worktrees" / "t" / "modules" / "sub")
        (module / "config").write_text(f"[core]\n\tworktree = {evil}/tree\n")
        (evil / "modules").mkdir()
        (evil / "modules" / "sub").symlink_to(inner)
        (evil / "tree").mkdir()
        (evil / "tree" / ".git").write_text(f"gitdir: {module}\n")
        assert world.place(evil / "tree").common_dir == module
        assert world.project(evil / "tree") != known

    def test_a_pointer_inside_a_repository_makes_a_project_of_its_own(
        self, world: World, victim: Path
    ) -> None:
        other = world.repository("other")
        vendored = other / "vendor" / "thing"
        vendored.mkdir(parents=True)
        (vendored / ".git").write_text(f"gitdir: {victim}/.git\n")
        assert_own_folder(world, vendored)

    def test_in_a_temp_folder_it_makes_no_project_at_all(self, world: World, victim: Path) -> None:
        unpacked = world.temp / "unpacked"
        unpacked.mkdir()
        (unpacked / ".git").write_text(f"gitdir: {victim}/.git\n")
        place = world.place(unpacked)
        assert place.root is None
        assert place.trouble

    def test_a_git_folder_of_another_user_is_not_believed(self, world: World, victim: Path) -> None:
        place = locate(str(victim), home=world.home, temp=[world.temp], uid=os.getuid() + 1)
        assert (place.root, place.common_dir) == (None, None)

    @pytest.mark.parametrize(
        "content",
        [
            *(b"", b"gitdir:", b"gitdir: ", b"gitdir: \0", b"nonsense", b"\xff\xfe"),
            *(b"gitdir: /dev/zero", b"gitdir: .git", b"gitdir: .", b"gitdir: " + b"x" * 9000),
            b"g" * (2 << 20),
        ],
    )
    def test_a_broken_git_file_is_told(self, world: World, evil: Path, content: bytes) -> None:
        (evil / ".git").write_bytes(content)
        assert_own_folder(world, evil)

    def test_a_moved_work_tree_tells_how_to_mend_it(self, world: World, victim: Path) -> None:
        (world.work / "victim-x").rename(world.work / "moved")
        assert_own_folder(world, world.work / "moved")
        assert "git worktree repair" in (world.place(world.work / "moved").trouble or "")
        world.git("worktree", "repair", "../moved", at=victim)
        assert world.project(world.work / "moved") == world.project(victim)


class TestFiles:
    def test_a_file_of_another_user_is_not_read(self, evil: Path) -> None:
        (evil / "HEAD").write_text("x")
        assert gitfiles.read(str(evil / "HEAD"), os.getuid()) == b"x"
        assert gitfiles.read(str(evil / "HEAD"), os.getuid() + 1) is None

    def test_a_large_file_is_not_read_at_all(self, evil: Path) -> None:
        (evil / "HEAD").write_bytes(b"x" * (1 << 20))
        assert gitfiles.read(str(evil / "HEAD"), os.getuid()) is not None
        (evil / "HEAD").write_bytes(b"x" * ((1 << 20) + 1))
        assert gitfiles.read(str(evil / "HEAD"), os.getuid()) is None

    def test_what_is_no_file_is_not_even_opened(
        self, evil: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        os.mkfifo(evil / "HEAD")

        def refuse(*_: object) -> int:
            raise AssertionError("it was opened")

        monkeypatch.setattr(os, "open", refuse)
        assert gitfiles.read(str(evil / "HEAD"), os.getuid()) is None

    def test_a_link_is_not_read(self, evil: Path) -> None:
        (evil / "real").write_text("x")
        (evil / "HEAD").symlink_to("real")
        assert gitfiles.read(str(evil / "HEAD"), os.getuid()) is None


class TestNeverWaits:
    def locate_in_time(self, world: World, folder: Path) -> Place:
        found: list[Place] = []
        worker = threading.Thread(target=lambda: found.append(world.place(folder)), daemon=True)
        worker.start()
        worker.join(5)
        assert found, "locate waits for ever"
        return found[0]

    def test_for_a_pipe_in_place_of_the_git_file(self, world: World, evil: Path) -> None:
        os.mkfifo(evil / ".git")
        assert self.locate_in_time(world, evil).kind == "folder"

    def test_for_a_pipe_in_place_of_head(self, world: World, victim: Path) -> None:
        (victim / ".git" / "HEAD").unlink()
        os.mkfifo(victim / ".git" / "HEAD")
        place = self.locate_in_time(world, victim)
        assert (place.kind, place.branch) == ("git", None)

    @pytest.mark.parametrize("name", ["gitdir", "commondir"])
    def test_for_a_pipe_in_the_admin_folder(self, world: World, victim: Path, name: str) -> None:
        pointer = victim / ".git" / "worktrees" / "victim-x" / name
        pointer.unlink()
        os.mkfifo(pointer)
        assert self.locate_in_time(world, world.work / "victim-x").kind == "folder"

    @pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "/proc/kmsg"])
    def test_for_a_link_to_a_device(self, world: World, victim: Path, device: str) -> None:
        (victim / ".git" / "HEAD").unlink()
        (victim / ".git" / "HEAD").symlink_to(device)
        assert self.locate_in_time(world, victim).branch is None

    @pytest.mark.parametrize(
        "line",
        ["[" + " " * 250_000, "k" + " " * 250_000 + "x", '[a "' + "\\" * 250_000, "a=b\n" * 60_000],
    )
    def test_for_long_settings(self, world: World, evil: Path, line: str) -> None:
        module = git_folder(evil / "module")
        (module / "config").write_text(line)
        (evil / "tree").mkdir()
        (evil / "tree" / ".git").write_text("gitdir: ../module\n")
        before = time.thread_time()
        assert world.place(evil / "tree").kind == "folder"
        assert time.thread_time() - before < 1

    def test_it_starts_no_program(
        self, world: World, victim: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise AssertionError("a program was started")

        for name in ("fork", "posix_spawn", "execv", "execve", "system"):
            monkeypatch.setattr(os, name, refuse)
        assert world.place(victim).branch == "main"

    def test_a_prompt_pays_no_more_than_some_looks_at_a_folder(
        self, world: World, victim: Path
    ) -> None:
        deep = victim / "a" / "b" / "c" / "d" / "e"
        deep.mkdir(parents=True)
        for folder in (deep, world.work / "victim-x", world.home / "x"):
            folder.mkdir(exist_ok=True)
            times, raw = [], []
            for _ in range(200):  # in turn, so that a busy machine slows both
                before = time.thread_time()
                world.place(folder)
                between = time.thread_time()
                for _ in range(10):
                    os.stat(folder)  # noqa: PTH116  the bare call is the measure
                times.append(between - before)
                raw.append(time.thread_time() - between)
            assert statistics.median(times) < 30 * statistics.median(raw)
