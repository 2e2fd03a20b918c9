"""What two copies of one repository have in common: first commit and remote. Off the request only.

Both can be forged, so they never make two folders one project; they let the owner be asked. git is
started with everything off that a repository's own settings could turn into a program or a request.
"""

import os
import re
import shutil
import subprocess

from dormouse.projects import gitfiles
from dormouse.projects.values import Place

TIMEOUT = 2.0  # seconds; a very long history has no fingerprint
MOST_ROOTS = 64

_SCP_LIKE = re.compile(r"(?:[^@/]*@)?([\w.-]+):(?!//|:)(.+)")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^@/]*@)?(\[[0-9a-f:]+\]|[\w.-]+)(?::\d+)?/(.+)", re.I)


def fingerprint(place: Place) -> tuple[str | None, str | None]:
    """(first commit, remote) of a repository; None for what is not known. Takes up to 2 s."""
    if place.kind != "git" or place.common_dir is None:
        return None, None
    return _first_commit(str(place.common_dir)), remote_of(place)


def remote_of(place: Place) -> str | None:
    """The remote ``origin`` (else the first) as ``host/path``: no user, password or scheme."""
    if place.common_dir is None:
        return None
    urls: dict[str, str] = {}
    for section, key, value in gitfiles.config(f"{place.common_dir}/config", os.getuid()):
        if section.startswith("remote.") and key == "url":
            urls.setdefault(section, gitfiles.unquote(value))
    url = urls.get("remote.origin") or next(iter(urls.values()), None)
    return normalise(url) if url else None


def normalise(url: str) -> str | None:
    """One form for all ways to write the same remote; None for what is no place in the network."""
    url = url.partition("?")[0]
    parts = _URL.fullmatch(url) or (None if "://" in url else _SCP_LIKE.fullmatch(url))
    if parts is None:
        return None
    path = parts[2].strip("/").removesuffix(".git").rstrip("/")
    return f"{parts[1].lower()}/{path}" if path else None


def _first_commit(common_dir: str) -> str | None:
    git = shutil.which("git")
    if git is None or os.path.lexists(f"{common_dir}/shallow"):  # where it was cut is no beginning
        return None
    command = [
        *(git, "--no-pager", "--no-replace-objects", f"--git-dir={common_dir}"),
        *("-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"),
        *("rev-list", f"--max-count={MOST_ROOTS}", "--max-parents=0", "HEAD", "--"),
    ]
    try:
        done = subprocess.run(
            command,
            env=_environment(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    roots = done.stdout.decode("ascii", "replace").split() if done.returncode == 0 else []
    return roots[-1] if roots else None  # newest first, so the last one is the oldest root


def _environment() -> dict[str, str]:
    """Nobody's settings, no locks, and no fetching: a partial clone would ask its remote."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
