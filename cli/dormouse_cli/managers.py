"""The service managers: systemd's for a user, launchd. Only files of ours are written or removed.

Nothing here asks the daemon anything; what a manager's program says goes to nobody.
"""

import contextlib
import hashlib
import os
import plistlib
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from dormouse_cli import errors
from dormouse_wire.paths import Home

LIMIT_S = 60
LABEL = "dev.dormouse.daemon"


def template(name: str) -> str:
    """A file of deploy/: beside this module where it was installed, else at the source's top."""
    here = Path(__file__).resolve().parent
    for folder in (here / "deploy", here.parents[1] / "deploy"):
        if (folder / name).is_file():
            return (folder / name).read_text("utf-8")
    raise errors.Failed(what=f"This installation lacks {name}.")


def suffix(home: Home) -> str:
    """What tells the service of another home from that of the usual one."""
    if home.root == Path.home() / ".dormouse":
        return ""
    return "-" + hashlib.sha256(os.fsencode(home.root)).hexdigest()[:8]


def endpoint_is_set(home: Home) -> bool:
    """Whether the settings name a model server."""
    try:
        section = tomllib.loads(home.settings.read_text("utf-8")).get("endpoint", {})
    except (OSError, ValueError):
        return False
    return isinstance(section, dict) and bool(section.get("url"))


def quoted(text: str) -> str:
    """A word of a unit file, as systemd.syntax(7) reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


@dataclass(frozen=True, slots=True)
class Systemd:
    """The user's systemd. ``home`` is the memory that the service is for."""

    home: Home
    title: str = "systemd"

    @property
    def name(self) -> str:
        return "dormouse" + suffix(self.home)

    @property
    def folder(self) -> Path:
        named = os.environ.get("XDG_CONFIG_HOME")
        return (Path(named) if named else Path.home() / ".config") / "systemd" / "user"

    def files(self) -> dict[Path, str]:
        """Each file of the service and what stands in it."""
        python = quoted(sys.executable).replace("$", "$$")
        fill = {
            "@NAME@": self.name,
            "@PYTHON@": python,
            "@HOME@": str(self.home.root).replace("%", "%%"),
            "@HOME_ENV@": quoted(f"DORMOUSE_HOME={self.home.root}"),
        }
        made = {}
        for end in ("socket", "service"):
            text = template(f"systemd/dormouse.{end}")
            for mark, value in sorted(fill.items(), reverse=True):
                text = text.replace(mark, value)
            made[self.folder / f"{self.name}.{end}"] = text
        if endpoint_is_set(self.home):
            made[self._drop_in] = template("systemd/endpoint.conf")
        return made

    @property
    def _drop_in(self) -> Path:
        return self.folder / f"{self.name}.service.d" / "endpoint.conf"

    def there(self) -> bool:
        """Whether a manager of this user answers."""
        return shutil.which("systemctl") is not None and self._ask("show-environment")

    def installed(self) -> bool:
        return (self.folder / f"{self.name}.service").is_file()

    def install(self) -> list[Path]:
        """Write the units and have the manager listen. Raises Failed."""
        self._write()
        self._do("daemon-reload")
        self._do("enable", "--now", f"{self.name}.socket")
        return list(self.files())

    def _write(self) -> None:
        files = self.files()
        if self._drop_in not in files:
            self._drop_in.unlink(missing_ok=True)
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def remove(self) -> list[Path]:
        """Stop it and take its files away; those that were there."""
        units = (f"{self.name}.socket", f"{self.name}.service")
        self._ask("disable", "--now", *units)
        gone = [path for path in (*self.files(), self._drop_in) if path.exists()]
        for path in gone:
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._drop_in.parent.rmdir()
        self._ask("daemon-reload")
        return gone

    def start(self) -> None:
        """Let the manager listen; the first request then starts the daemon. Raises Failed."""
        if any(_text(path) != text for path, text in self.files().items()) or (
            self._drop_in.exists() and not endpoint_is_set(self.home)
        ):
            self._write()  # another interpreter, or an endpoint that came or went
            self._do("daemon-reload")
        self._do("start", f"{self.name}.socket")

    def stop(self) -> None:
        """Stop the socket first, so that nobody starts the daemon again."""
        self._do("stop", f"{self.name}.socket", f"{self.name}.service")

    def state(self) -> str:
        if not self.installed():
            return "not_installed"
        if self._ask("is-active", "--quiet", f"{self.name}.service"):
            return "running"
        listens = self._ask("is-active", "--quiet", f"{self.name}.socket")
        return "listening" if listens else "stopped"

    def _ask(self, *arguments: str) -> bool:
        return _run(["systemctl", "--user", *arguments]) is None

    def _do(self, *arguments: str) -> None:
        why = _run(["systemctl", "--user", *arguments])
        if why is not None:
            raise errors.Failed(
                f"Look with `systemctl --user status {self.name}`.",
                what=f"systemctl {arguments[0]} failed. {why}".strip(),
            )


@dataclass(frozen=True, slots=True)
class Launchd:
    """macOS's manager: the daemon runs from login on, and again after a crash."""

    home: Home
    title: str = "launchd"

    @property
    def label(self) -> str:
        return LABEL + suffix(self.home)

    @property
    def path(self) -> Path:
        return Path.home() / "Library" / "LaunchAgents" / f"{self.label}.plist"

    def plist(self) -> bytes:
        """The file, filled in by a parser, so that no path can break it."""
        made = plistlib.loads(template(f"launchd/{LABEL}.plist").encode())
        made["Label"] = self.label
        made["ProgramArguments"][0] = sys.executable
        made["EnvironmentVariables"]["DORMOUSE_HOME"] = str(self.home.root)
        return plistlib.dumps(made)

    def there(self) -> bool:
        return sys.platform == "darwin" and shutil.which("launchctl") is not None

    def installed(self) -> bool:
        return self.path.is_file()

    def install(self) -> list[Path]:
        """Write the plist and load it. Raises Failed."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(self.plist())
        self.start()
        return [self.path]

    def remove(self) -> list[Path]:
        """Unload it and take the plist away."""
        _run(["launchctl", "bootout", f"{self._domain}/{self.label}"])
        gone = [self.path] if self.path.exists() else []
        self.path.unlink(missing_ok=True)
        return gone

    def start(self) -> None:
        _run(["launchctl", "bootstrap", self._domain, str(self.path)])  # fails if it is loaded
        why = _run(["launchctl", "kickstart", f"{self._domain}/{self.label}"])
        if why is not None:
            raise errors.Failed(what=f"launchctl kickstart failed. {why}".strip())

    def stop(self) -> None:
        """Unload it: launchd starts nothing again until ``start``."""
        _run(["launchctl", "bootout", f"{self._domain}/{self.label}"])

    def state(self) -> str:
        if not self.installed():
            return "not_installed"
        running = _run(["launchctl", "print", f"{self._domain}/{self.label}"]) is None
        return "running" if running else "stopped"

    @property
    def _domain(self) -> str:
        return f"gui/{os.getuid()}"


Manager = Systemd | Launchd


def manager(home: Home) -> Manager:
    """The manager that this system would have; ``there`` says whether it does."""
    return Launchd(home) if sys.platform == "darwin" else Systemd(home)


def installed(home: Home) -> Manager | None:
    """The manager that looks after the daemon of *home*, if one does and answers."""
    found = manager(home)
    return found if found.installed() and found.there() else None


def _run(command: list[str]) -> str | None:
    """None if it worked, else the last line of its complaint."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "It did not answer."
    if done.returncode == 0:
        return None
    return ((done.stderr or done.stdout).strip().splitlines() or [""])[-1]


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except OSError:
        return None
