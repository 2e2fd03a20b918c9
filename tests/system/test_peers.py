"""Another user gets nothing from the daemon, even where the socket's mode would let them in."""

import os
import subprocess
import sys

import pytest

from tests.machine import Machine, listener

NOBODY = 65_534
ASK = """
import os, socket, sys
os.setgid({nobody}); os.setuid({nobody})
with socket.socket(socket.AF_UNIX) as connection:
    connection.settimeout(5)
    connection.connect(sys.argv[1])
    try:
        connection.sendall(b"GET /v1/health HTTP/1.1\\r\\nHost: d\\r\\n\\r\\n")
        print(connection.recv(65536))
    except (ConnectionError, TimeoutError) as error:
        print(type(error).__name__)
"""


def as_nobody(daemon: Machine) -> str:
    code = ASK.format(nobody=NOBODY)
    sock = str(daemon.home / "dormouse.sock")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, sock], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user for a moment")
def test_a_connection_of_another_user_is_cut(daemon: Machine) -> None:
    assert "PermissionError" in as_nobody(daemon), "the modes keep others out"
    for path in (daemon.base, daemon.home):
        path.chmod(0o755)
    (daemon.home / "dormouse.sock").chmod(0o666)
    answer = as_nobody(daemon)
    assert "HTTP" not in answer
    assert "Traceback" not in answer, answer
    assert listener(daemon.home / "dormouse.sock"), "and the daemon goes on"
    assert daemon.ask("GET", "/v1/health")["state"] in ("ok", "consolidating")
