"""What a question waits for while the memory sleeps, beside the same question when it is idle."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from pathlib import Path

from bench.measure import Figure, median, ms, p95, timed
from bench.store import prompts
from dormouse_wire import client
from tests.machine import Machine

ROUNDS, NIGHTS = 200, 10
TOLD = 40  # facts, and prompts, of each day
NIGHT_S = 300.0  # in which a night surely ends
AIM = 2.0


def figures(machine: Machine, repository: Path, legs: str) -> Iterator[Figure]:
    asked = cycle(prompts(ROUNDS))

    def ask() -> float:
        query = next(asked)
        return timed(partial(machine.recall, query, project=str(repository)))

    idle = [ask() for _ in range(ROUNDS)]
    asleep: list[float] = []
    nights = 0
    with ThreadPoolExecutor(1) as pool:
        while len(asleep) < ROUNDS and nights < NIGHTS:
            tell(machine, repository, nights)
            night = pool.submit(sleep, machine)
            while not night.done():
                asleep.append(ask())
            assert night.result() == "done"
            nights += 1
    assert len(asleep) > ROUNDS / 4, "the nights were too short to be measured"
    ratio = p95(asleep) / p95(idle)
    yield Figure(
        f"recall while it sleeps, {legs}, p95 of {len(asleep)} in {nights} nights",
        f"{ratio:.2f} × ({ms(p95(asleep))} : {ms(p95(idle))}; p50 {ms(median(asleep))}"
        f" : {ms(median(idle))})",
        f"≤ {AIM:.0f} × idle",
        ratio <= AIM,
    )


def sleep(machine: Machine) -> str:
    """One night, to its end; the state of its run."""
    path = machine.home / "dormouse.sock"
    _, run = client.call(path, "POST", "/v1/rem/runs", {"wait": True}, timeout_s=NIGHT_S)
    return str(run["state"])


def tell(machine: Machine, repository: Path, night: int) -> None:
    """A day: facts that contradict those of the day before, and prompts."""
    for number in range(TOLD):
        text = f"the lamp of hall {number} is at shelf {night * TOLD + number}"
        machine.remember(text, project=str(repository))
    for number, prompt in enumerate(prompts(TOLD)):
        given = {
            "session_id": f"day-{night}-{number % 4}",
            "cwd": str(repository),
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        }
        machine.hook("claude-code", "UserPromptSubmit", given)
