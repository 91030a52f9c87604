"""Bugs around the noise: where it comes from, what is sampled, how often one answers."""

import numpy as np

from dpviz.testing.gallery.bug import Bug
from dpviz.testing.gallery.noise import DIGITS, Data, noisy

RATE = 0.2  # at which records are sampled
ANSWERS = 5


def seed_reused(data: Data, rng: np.random.Generator) -> float:  # noqa: ARG001 - that is the bug
    """A generator with a fixed seed, made anew for each answer."""
    return noisy(sum(data), 1.0, np.random.default_rng(2026))


def one_generator(data: Data, rng: np.random.Generator) -> float:
    """The generator goes on from one answer to the next."""
    return noisy(sum(data), 1.0, rng)


def noise_reused(data: Data, rng: np.random.Generator) -> list[float]:
    """Sum and number of records with the same noise: their difference has none."""
    noise = rng.laplace(scale=2.0)
    return [round(sum(data) + noise, DIGITS), round(len(data) + noise, DIGITS)]


def noise_of_its_own(data: Data, rng: np.random.Generator) -> list[float]:
    """Each of the two answers has half of epsilon, and noise of its own."""
    return [noisy(sum(data), 2.0, rng), noisy(len(data), 2.0, rng)]


def first_records(data: Data, rng: np.random.Generator) -> float:
    """A fifth of the records, but always the first ones."""
    return noisy(sum(data[:2]), 0.5, rng)


def poisson_sample(data: Data, rng: np.random.Generator) -> float:
    """Each record with probability 1/5: epsilon 2 becomes log(1 + (e^2 - 1) / 5)."""
    sampled = rng.random(len(data)) < RATE
    return noisy(float(np.dot(data, sampled)), 0.5, rng)


def each_with_all(data: Data, rng: np.random.Generator) -> list[float]:
    """Five answers, each with noise for the whole epsilon."""
    return [noisy(sum(data), 1.0, rng) for _ in range(ANSWERS)]


def each_with_a_part(data: Data, rng: np.random.Generator) -> list[float]:
    """Five answers, each with noise for a fifth of epsilon."""
    return [noisy(sum(data), ANSWERS, rng) for _ in range(ANSWERS)]


BUGS = {
    "seed": Bug(
        title="The same seed for each answer: the noise is no secret",
        claim="1.0,0",
        pair=([1] * 10, [1] * 11),
        wrong=seed_reused,
        right=one_generator,
    ),
    "noise_reused": Bug(
        title="The same noise for two answers",
        claim="1.0,0",
        pair=([1] * 10, [1] * 9 + [0]),
        wrong=noise_reused,
        right=noise_of_its_own,
    ),
    "sampling": Bug(
        title="Amplification by sampling is claimed, but the sample is not random",
        claim=f"{np.log1p(RATE * np.expm1(2.0)):.17g},0",
        pair=([1] + [0] * 9, [0] * 9),
        wrong=first_records,
        right=poisson_sample,
    ),
    "composition": Bug(
        title="Five answers, each with the whole budget",
        claim="1.0,0",
        pair=([1] * 10, [1] * 11),
        wrong=each_with_all,
        right=each_with_a_part,
    ),
}
