"""A small machine with real repositories: a home, a temp folder, and git with no settings."""

import os
import subprocess
from pathlib import Path

from dormouse.projects import Known, Match, Place, adopt, locate, match

SETTINGS = (
    "user.name=x",
    "user.email=x@example.org",
    "init.defaultBranch=main",
    "protocol.file.allow=always",  # submodules in these tests come from a folder
)


class World:
    """Folders under one root; *temp* is the only temp folder, the rest is ordinary ground."""

    def __init__(self, root: Path) -> None:
        self.home, self.work, self.temp = root / "home", root / "w", root / "temp"
        for folder in (self.home, self.work, self.temp):
            folder.mkdir()
        self.known: list[Known] = []
        self.commits = 0

    def git(self, *arguments: str, at: Path) -> str:
        """Run git with nobody's settings."""
        command = ["git", *(part for s in SETTINGS for part in ("-c", s)), *arguments]
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "LC_ALL": "C",
        }
        done = subprocess.run(
            command, cwd=at, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def repository(self, *parts: str, commit: bool = True) -> Path:
        """A new repository below the work folder, with one commit of its own."""
        folder = self.work.joinpath(*parts)
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", at=folder)
        if commit:
            # Two commits of one second and message would be the same commit.
            self.commits += 1
            self.git("commit", "-q", "--allow-empty", "-m", str(self.commits), at=folder)
        return folder

    def place(self, folder: Path | str) -> Place:
        """Locate as the daemon does."""
        return locate(str(folder), home=self.home, temp=[self.temp], uid=os.getuid())

    def visit(
        self, folder: Path | str, first_commit: str | None = None, remote: str | None = None
    ) -> Match:
        """Recognise a folder and remember it, as a prompt from there would."""
        place = self.place(folder)
        found = match(place, self.known, first_commit=first_commit, remote=remote)
        row = adopt(place, found, self.known, new_id=f"project-{len(self.known)}")
        if row is not None:
            self.known = [k for k in self.known if k.id != row.id] + [row]
            found = Match(row.id, found.alias_to_add, found.proposals_to_join)
        return found

    def project(self, folder: Path | str) -> str | None:
        """The id of the project of *folder*, remembered."""
        return self.visit(folder).project_id
