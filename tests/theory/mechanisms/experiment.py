"""Mechanisms sampled from their definitions, without any trade-off function."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpviz.theory import TradeoffFunction

DRAWS = 1_000_000

Outputs = np.ndarray


@dataclass(frozen=True)
class Experiment:
    """A curve, a sampler of (outputs, member or not), the loss of outputs, and a poor attack."""

    name: str
    f: TradeoffFunction
    sample: Callable[[Generator, bool], Outputs]
    loss: Callable[[Outputs], np.ndarray]
    careless: Callable[[Outputs], np.ndarray]
    thresholds: tuple[float, float] = (-math.inf, math.inf)


def noise(name: str, f: TradeoffFunction, draw: Callable, log_density: Callable) -> Experiment:
    """A query of 0 without the record and 1 with it, plus noise."""
    return Experiment(
        name,
        f,
        sample=lambda rng, member: draw(rng) + member,
        loss=lambda y: log_density(y - 1) - log_density(y),
        careless=lambda y: np.abs(y - 1) < 0.3,  # misses the large outputs, which tell the most
    )


def response(f: TradeoffFunction, epsilon: float, k: int) -> Experiment:
    """A non-member's true answer is 0, a member's 1."""
    lie = (k - 1) / (math.exp(epsilon) + k - 1)

    def sample(rng: Generator, member: bool) -> Outputs:
        other = (int(member) + rng.integers(1, k, DRAWS)) % k
        return np.where(rng.random(DRAWS) < lie, other, int(member))

    def loss(y: Outputs) -> np.ndarray:
        return epsilon * ((y == 1).astype(float) - (y == 0))

    def careless(y: Outputs) -> np.ndarray:
        i = np.arange(len(y))
        return np.where(i % 2 == 0, y == 1, i % 4 == 1)  # every other answer is a coin's

    return Experiment(f"{type(f).__name__} {epsilon} {k}", f, sample, loss, careless)


def sometimes_in_the_open(f: TradeoffFunction, epsilon: float, delta: float) -> Experiment:
    """With probability delta the answer itself (2 or 3), else randomized response (0 or 1)."""
    lie = 1 / (1 + math.exp(epsilon))

    def sample(rng: Generator, member: bool) -> Outputs:
        told = (rng.random(DRAWS) < lie) ^ member
        return np.where(rng.random(DRAWS) < delta, 2 + int(member), told)

    def loss(y: Outputs) -> np.ndarray:
        return np.array([-epsilon, epsilon, -math.inf, math.inf])[y]

    return Experiment(f"{type(f).__name__} {epsilon} {delta}", f, sample, loss, lambda y: y < 2)


def poisson_sampled(
    name: str, f: TradeoffFunction, sigma: float, rate: float, *, swapped: bool = False
) -> Experiment:
    """Gaussian noise on a query that sees the record with probability `rate`.

    `swapped` exchanges the hypotheses: then the "member" is the data set without the record.
    """

    def sample(rng: Generator, member: bool) -> Outputs:
        sampled = (rng.random(DRAWS) < rate) & (member != swapped)
        return rng.normal(0, sigma, DRAWS) + sampled

    def loss(y: Outputs) -> np.ndarray:
        forward = np.log(1 - rate + rate * np.exp((2 * y - 1) / (2 * sigma**2)))
        return -forward if swapped else forward

    if f.is_symmetric:  # the worse order counts: this one where its losses are the larger ones
        side = (-math.inf, 0.0) if swapped else (0.0, math.inf)
        return Experiment(name, f, sample, loss, lambda y: np.abs(y) < 0.1, side)
    return Experiment(name, f, sample, loss, lambda y: np.abs(y) < 0.1)


def table(name: str, f: TradeoffFunction, p: list[float], q: list[float]) -> Experiment:
    """Any two laws of finitely many outputs."""

    def loss(y: Outputs) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return (np.log(q) - np.log(p))[y]

    return Experiment(
        name,
        f,
        lambda rng, member: rng.choice(len(p), DRAWS, p=q if member else p),
        loss,
        lambda y: y % 2 == 0,
    )
