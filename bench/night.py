"""What a question waits for while the memory sleeps, beside the same question when it is idle."""

from collections.abc import Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from threading import Thread

from bench.measure import Figure, median, ms, p95, timed
from bench.store import prompts
from tests.machine import Machine

ROUNDS, NIGHTS = 200, 10
TOLD = 40  # prompts that each night has to work through
AIM = 2.0


def figures(machine: Machine, repository: Path, legs: str) -> Iterator[Figure]:
    asked = cycle(prompts(ROUNDS))

    def ask() -> float:
        query = next(asked)
        return timed(partial(machine.recall, query, project=str(repository)))

    idle = [ask() for _ in range(ROUNDS)]
    asleep: list[float] = []
    nights = 0
    while len(asleep) < ROUNDS and nights < NIGHTS:
        tell(machine, repository, nights)
        night = Thread(target=machine.ask, args=("POST", "/v1/rem/runs", {"wait": True}))
        night.start()
        while night.is_alive():
            asleep.append(ask())
        nights += 1
    ratio = p95(asleep) / p95(idle)
    yield Figure(
        f"recall while it sleeps, {legs}, p95 of {len(asleep)} in {nights} nights",
        f"{ratio:.2f} × ({ms(p95(asleep))} : {ms(p95(idle))}; p50 {ms(median(asleep))}"
        f" : {ms(median(idle))})",
        f"≤ {AIM:.0f} × idle",
        ratio <= AIM,
    )


def tell(machine: Machine, repository: Path, night: int) -> None:
    """A day: prompts with statements in them, which a night reads."""
    for number, prompt in enumerate(prompts(TOLD)):
        given = {
            "session_id": f"day-{night}-{number % 4}",
            "cwd": str(repository),
            "hook_event_name": "UserPromptSubmit",
            "prompt": f"{prompt}. The lamp in hall {night * TOLD + number} is broken.",
        }
        machine.hook("claude-code", "UserPromptSubmit", given)
