"""A store of many made-up facts on a machine of its own, always the same ones. It times nothing."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.machine import Machine

THINGS = (
    "billing", "checkout", "search", "ledger", "mailer", "gateway", "invoices", "warehouse",
    "reports", "scheduler", "uploads", "sessions", "webhooks", "catalogue", "pricing", "shipping",
)  # fmt: skip
WHERE = ("staging", "production", "the preview cluster", "the test bed", "the nightly build")
SAYINGS = (
    "the {thing} service listens on port {n} in {where}",
    "migrations of {thing} run before release {n}, never in {where}",
    "{thing} keeps its cache in region {n} for {where}",
    "the owner of {thing} in {where} is team {team}",
    "alerts of {thing} go to channel {team}-{n}",
    "retries of {thing} stop after {n} seconds in {where}",
)
TEAMS = ("heron", "otter", "lynx", "marten", "badger", "kestrel", "newt", "vole")


def texts(count: int) -> Iterator[str]:
    """*count* different statements, the same in every run."""
    chance = random.Random(7)
    for number in range(count):
        saying = chance.choice(SAYINGS)
        yield saying.format(
            thing=f"{chance.choice(THINGS)}-{number % 97}",
            where=chance.choice(WHERE),
            team=chance.choice(TEAMS),
            n=1_000 + number,
        )


def prompts(count: int) -> list[str]:
    """Questions about those facts, in a person's words."""
    chance = random.Random(11)
    return [
        f"please check which port {chance.choice(THINGS)}-{chance.randrange(97)} uses in "
        f"{chance.choice(WHERE)} and whether team {chance.choice(TEAMS)} was told"
        for _ in range(count)
    ]


def fill(machine: Machine, repository: Path, count: int) -> None:
    """Capture *count* facts into the repository's project."""

    def capture(text: str) -> None:
        machine.remember(text, project=str(repository), settle=False)

    with ThreadPoolExecutor(16) as pool:
        for _ in pool.map(capture, texts(count)):
            pass
