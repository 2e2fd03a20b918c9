"""Fixtures for the black-box tests: a machine, with or without a running daemon."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.machine import Machine
from tests.peers import Peer, Peers


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine on which nothing was set up yet."""
    machine = Machine()
    yield machine
    machine.destroy()


@pytest.fixture
def daemon(machine: Machine) -> Machine:
    """A machine with a running daemon."""
    machine.up()
    return machine


@pytest.fixture
def peers(daemon: Machine) -> Iterator[Peers]:
    """Makes MCP clients of the machine's server; all are closed at the end."""
    made: list[Peer] = []

    def make(*where: Any, **more: Any) -> Peer:
        made.append(Peer(daemon, *where, **more))
        return made[-1]

    yield make
    for peer in made:
        peer.close()
