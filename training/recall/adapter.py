"""Fits the adapter of prompts: a linear map that brings a prompt nearer to what answers it.

Prompt *q* becomes ``unit(q + q @ matrix + shift)``; facts stay as they are. Fitted by InfoNCE (van
den Oord et al., 2018) among all facts of a writer, with Adam (Kingma and Ba, 2015), on vectors with
noise, held near the identity by a penalty on how far each prompt is moved. Plain numpy, seeded.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dormouse.embedding.e5 import unit
from dormouse.embedding.weights import Floats

TEMPERATURE = 0.05
RATE = 1e-3
STEPS = 100
NOISE = 1.0  # length of what is added to a vector of length 1
# Weight of the penalty. Four writers left out, by meaning alone, R@1 / R@5: no adapter .265 / .516,
# 3 .315 / .600, 1 .324 / .614. LoCoMo TUNE (26, 30, 41) by all: none .727 / .810, 1 .719 / .811.
NEAR = 1.0
BETA1, BETA2, TINY = 0.9, 0.999, 1e-8


class Part(NamedTuple):
    """One writer's facts and prompts as vectors, and the fact that each prompt needs."""

    facts: Floats
    prompts: Floats
    answers: NDArray[np.int64]


class Adapter(NamedTuple):
    """As ``Prompts`` has it (embedding/seam.py)."""

    matrix: Floats
    shift: Floats


def fit(parts: Sequence[Part], seed: int = 0, steps: int = STEPS) -> Adapter:
    """The adapter for *parts*."""
    chance = np.random.default_rng(seed)
    dim = parts[0].facts.shape[1]
    values = np.zeros((dim + 1, dim), np.float32)  # the matrix, and the shift as its last row
    first, second = np.zeros_like(values), np.zeros_like(values)
    for step in range(1, steps + 1):
        slope = np.zeros_like(values)
        for part in parts:
            slope += gradient(values, noisy(part, chance)) / len(parts)
        first = BETA1 * first + (1 - BETA1) * slope
        second = BETA2 * second + (1 - BETA2) * slope**2
        mean, spread = first / (1 - BETA1**step), second / (1 - BETA2**step)
        values = values - RATE * mean / (np.sqrt(spread) + TINY)
    return Adapter(values[:-1], values[-1])


def noisy(part: Part, chance: np.random.Generator) -> Part:
    def moved(rows: Floats) -> Floats:
        noise = chance.standard_normal(rows.shape, np.float32)
        return unit(rows + NOISE * noise / np.float32(rows.shape[1] ** 0.5))

    return part._replace(facts=moved(part.facts), prompts=moved(part.prompts))


def gradient(values: Floats, part: Part) -> Floats:
    """Of the mean loss of *part* by *values*."""
    count = len(part.prompts)
    given = np.concatenate([part.prompts, np.ones((count, 1), np.float32)], 1)
    raw = part.prompts + given @ values
    length = np.linalg.norm(raw, axis=1, keepdims=True)
    turned = raw / length
    scores = turned @ part.facts.T / TEMPERATURE
    odds = np.exp(scores - scores.max(1, keepdims=True))
    odds /= odds.sum(1, keepdims=True)
    odds[np.arange(count), part.answers] -= 1.0
    by_turned = odds @ part.facts / TEMPERATURE + 2 * NEAR * (turned - part.prompts)
    by_raw = (by_turned - turned * (by_turned * turned).sum(1, keepdims=True)) / length
    found: Floats = given.T @ by_raw / count
    return found
