"""Fixtures for the black-box tests: a machine, with or without a running daemon."""

from collections.abc import Iterator

import pytest

from tests.machine import Machine


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
