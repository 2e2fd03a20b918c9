"""What a prompt waits for: the whole hook process, recall included, beside the bare interpreter."""

import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.measure import Figure, RawSync, bare_interpreter, median, ms, p95, timed
from bench.store import prompts
from tests.machine import Machine

ROUNDS = 60


def figures(machine: Machine, repository: Path, legs: str) -> Iterator[Figure]:
    sync = RawSync(machine.base)
    bare, raw, ours, silent = [], [], [], []
    for prompt in prompts(ROUNDS):
        given = {
            "session_id": str(uuid.uuid4()),
            "cwd": str(repository),
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        }
        bare.append(timed(bare_interpreter))
        raw.append(timed(sync))
        ours.append(timed(partial(machine.hook, "claude-code", "UserPromptSubmit", given)))
        ended = {**given, "hook_event_name": "Stop", "last_assistant_message": "Done."}
        silent.append(timed(partial(machine.hook, "claude-code", "Stop", ended)))
    sync.close()
    floor = median(bare) + median(raw)
    ratio, most = median(ours) / floor, 2 if legs == "words only" else 5
    yield Figure(
        f"prompt hook, whole process, recall at 10 k facts, {legs}",
        f"{ratio:.2f} × ({ms(median(ours))} : {ms(median(bare))} + {ms(median(raw))})",
        f"≤ {most} × (bare interpreter + one fdatasync)",
        ratio <= most,
    )
    yield Figure(f"the same, p95, {legs}", ms(p95(ours)), "≤ 150 ms", p95(ours) <= 0.150)
    yield Figure("turn-end hook", f"{median(silent) / floor:.2f} ×", "–", None)
