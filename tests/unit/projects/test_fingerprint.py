"""What two copies have in common is found without running anything a repository could name."""

import contextlib
import os
import subprocess
import time
from pathlib import Path

import pytest

from dormouse.projects import fingerprint
from dormouse.projects.fingerprints import normalise
from tests.unit.projects.world import World


def test_it_is_the_first_commit_and_the_remote(world: World) -> None:
    folder = world.repository("r")
    first = world.git("rev-parse", "HEAD", at=folder)
    world.git("commit", "-q", "--allow-empty", "-m", "second", at=folder)
    world.git("remote", "add", "upstream", "https://example.org/up/stream", at=folder)
    assert fingerprint(world.place(folder)) == (first, "example.org/up/stream")
    world.git("remote", "add", "origin", "https://x:y@Example.org/Team/Api.git", at=folder)
    assert fingerprint(world.place(folder)) == (first, "example.org/Team/Api")


def test_a_linked_work_tree_has_the_one_of_its_repository(world: World) -> None:
    folder = world.repository("r")
    world.git("worktree", "add", "-q", "../x", "-b", "x", at=folder)
    world.git("checkout", "-q", "--orphan", "lone", at=world.work / "x")
    world.git("commit", "-q", "--allow-empty", "-m", "lone", at=world.work / "x")
    assert fingerprint(world.place(world.work / "x")) == fingerprint(world.place(folder))


def test_of_several_roots_it_is_always_the_same_one(world: World) -> None:
    folder = world.repository("r")
    world.git("checkout", "-q", "--orphan", "other", at=folder)
    world.git("commit", "-q", "--allow-empty", "-m", "another root", at=folder)
    world.git("merge", "-q", "--allow-unrelated-histories", "-m", "m", "main", at=folder)
    roots = world.git("rev-list", "--max-parents=0", "HEAD", at=folder).split()
    assert len(roots) == 2
    assert {fingerprint(world.place(folder))[0] for _ in range(3)} == {roots[-1]}


def test_a_history_that_was_cut_has_no_first_commit(world: World) -> None:
    folder = world.repository("r")
    world.git("commit", "-q", "--allow-empty", "-m", "second", at=folder)
    world.git("clone", "-q", "--depth=1", folder.as_uri(), "shallow", at=world.work)
    assert fingerprint(world.place(world.work / "shallow"))[0] is None


@pytest.mark.parametrize("where", ["notes", "empty", "gone"])
def test_without_a_history_there_is_none(world: World, where: str) -> None:
    (world.work / "notes").mkdir()
    world.repository("empty", commit=False)
    assert fingerprint(world.place(world.work / where)) == (None, None)


def test_no_program_named_by_the_repository_is_started(world: World, tmp_path: Path) -> None:
    folder = world.repository("r")
    ran = tmp_path / "ran"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    trap.chmod(0o700)
    for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "gpg.program", "core.editor"):
        world.git("config", name, str(trap), at=folder)
    for name in ("log.showSignature", "protocol.ext.allow"):
        world.git("config", name, "true" if name.startswith("log") else "always", at=folder)
    # A partial clone fetches what is missing, through a program that its settings name.
    world.git("config", "core.repositoryFormatVersion", "1", at=folder)
    world.git("config", "extensions.partialClone", "origin", at=folder)
    world.git("config", "remote.origin.promisor", "true", at=folder)
    world.git("config", "remote.origin.url", f"ext::{trap}", at=folder)
    (folder / ".git" / "refs" / "heads" / "main").write_text("1" * 40 + "\n")
    fingerprint(world.place(folder))
    assert not ran.exists()
    with contextlib.suppress(subprocess.CalledProcessError):
        world.git("rev-list", "HEAD", at=folder)
    assert ran.exists(), "the trap itself does not work"


def test_a_git_that_hangs_is_given_up(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = world.repository("r")
    hanging = tmp_path / "bin" / "git"
    hanging.parent.mkdir()
    hanging.write_text("#!/bin/sh\nexec sleep 60\n")
    hanging.chmod(0o700)
    monkeypatch.setenv("PATH", f"{hanging.parent}:{os.environ['PATH']}")
    before = time.monotonic()
    assert fingerprint(world.place(folder))[0] is None
    assert time.monotonic() - before < 10


def test_without_git_there_is_still_the_remote(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = world.repository("r")
    world.git("remote", "add", "origin", "git@example.org:a/b.git", at=folder)
    monkeypatch.setenv("PATH", "/nonexistent")
    assert fingerprint(world.place(folder)) == (None, "example.org/a/b")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a/b.git",
        "https://example.org/a/b/",
        "https://person@example.org:8443/a/b.git",
        "https://oauth2:" + "glpat-" + "x" * 20 + "@Example.org/a/b.git",
        "ssh://git@example.org:22/a/b",
        "git@example.org:a/b.git",
        "example.org:a/b",
        "git://example.org/a/b?token=" + "x" * 20,
    ],
)
def test_all_ways_to_write_a_remote_are_one_and_no_secret_stays(url: str) -> None:
    assert normalise(url) == "example.org/a/b"


@pytest.mark.parametrize(
    "url", ["", "/srv/git/a.git", "../a", "file:///srv/a", "https://", "ext::sh -c x", "a\nb"]
)
def test_what_is_no_place_in_the_network_is_no_remote(url: str) -> None:
    assert normalise(url) is None


def test_settings_are_read_as_git_reads_them(world: World) -> None:
    folder = world.repository("r")
    config = folder / ".git" / "config"
    config.write_text(
        '[core]\n\tbare = false # no\n[Remote "ori\\"gin"] url = no.example:a\n'
        '; [remote "origin"]\n[remote "origin"]\n\tfetch = +refs/*\n'
        '\tURL = "https://example.org/a#b/\\\nc" ; end\n[remote]\n\turl = x\n'
    )
    mine = world.git("config", "remote.origin.url", at=folder)
    assert mine == "https://example.org/a#b/c"
    assert fingerprint(world.place(folder))[1] == "example.org/a#b/c"
