"""A store of many made-up facts on a machine of its own, always the same ones. It times nothing."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from dormouse.embedding.index import pack
from dormouse.keys import KeySlots
from dormouse.ledger import Ledger, Vector
from dormouse.times import system_clock
from dormouse.work.model import Models
from dormouse.work.prepare import prepare
from dormouse.work.vectors import ACTIVE
from dormouse_wire.paths import Home
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


def words_only(machine: Machine) -> int:
    """Start the daemon again with recall by words; its pid."""
    machine.down()
    (machine.home / "config.toml").write_text("[recall]\nmeaning = false\n")
    return machine.up()


def give_vectors(machine: Machine) -> bool:
    """Give every fact a made-up vector of the installed model and start; False without a model.

    Making real ones takes 50 ms a fact and would go on beside what is measured. The daemon is down
    meanwhile.
    """
    model = Models(machine.home / "models").embedder()
    if model is None:
        return False
    home = Home(machine.home)
    key = KeySlots.load(home.keyslots).open_with_keyfile()
    chance = np.random.default_rng(3)
    machine.down()
    with Ledger(home.ledger, key, prepare=prepare, now=system_clock) as ledger:
        after = 0
        while waiting := ledger.read(lambda r: r.unembedded(None, after, 1_000)):  # noqa: B023
            rows = chance.standard_normal((len(waiting), model.dim), np.float32)
            blobs = pack(rows / np.linalg.norm(rows, axis=1, keepdims=True))
            vectors = [
                Vector(row.nr, row.id, blob) for row, blob in zip(waiting, blobs, strict=True)
            ]
            ledger.write(
                lambda w: w.keep_vectors(model.model, model.revision, vectors)  # noqa: B023
            ).result()
            after = waiting[-1].nr
        key_of = f"{model.model} {model.revision}"
        ledger.write(lambda w: w.set_setting(ACTIVE, key_of)).result()
    (machine.home / "config.toml").write_text("")
    machine.up()
    return True
