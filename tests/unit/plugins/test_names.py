"""What a client calls itself is a plain name, or it is not taken."""

import pytest

from dormouse.api import requests
from dormouse.errors import BadRequest
from dormouse_plugins.mcp import agent_of
from dormouse_wire.names import LONGEST, is_name, name_of

SECRETS = [
    "ghp_" + "A" * 36,
    "client ghp_" + "a1" * 18,
    "glpat-" + "a" * 20,
    "AKIA" + "ABCDEFGH" * 2,
    "xoxb-" + "1" * 12 + "-" + "2" * 13 + "-" + "c" * 24,
    "c9b1f0a2-" + "1234-" * 3 + "abcdef012345",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_what_may_be_a_secret_is_no_name_not_even_cut(secret: str) -> None:
    assert name_of(secret) is None
    assert agent_of(secret, None) == "mcp"
    assert agent_of(secret, "gemini") == "gemini"


@pytest.mark.parametrize("secret", SECRETS)
def test_the_daemon_takes_no_such_name_either(secret: str) -> None:
    written = "-".join("".join(c if c.isalnum() else " " for c in secret.lower()).split())[:LONGEST]
    assert not is_name(written)
    with pytest.raises(BadRequest):
        requests.speaker(written, None)


@pytest.mark.parametrize(
    ("client", "name"),
    [
        ("Visual Studio Code", "visual-studio-code"),
        ("claude-ai", "claude-ai"),
        ("Zed 0.180.2", "zed-0-180-2"),
        ("JetBrains AI Assistant", "jetbrains-ai-assistant"),
        (
            "a client with a very long name of many words indeed",
            "a-client-with-a-very-long-name-of-many-w",
        ),
        ("", None),
        ("\u200b", None),
    ],
)
def test_a_plain_name_is_kept(client: str, name: str | None) -> None:
    assert name_of(client) == name
    assert name is None or is_name(name)
