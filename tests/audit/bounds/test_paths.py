"""Sums of guesses that reach what is needed somewhere: by enumeration, tails and simulation."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.audit.bounds.paths import Paths


def by_enumeration(
    guesses: list[int], needed: list[int], epsilon: float, leaks: dict[int, float]
) -> float:
    """Over all outcomes of all guesses; the leaking ones come first and are right."""
    q = 1 / (1 + math.exp(-epsilon))
    total = 0.0
    for sure, weight in leaks.items():
        free = max(guesses[-1] - sure, 0)
        for outcome in product((0, 1), repeat=free):
            right = [1] * (guesses[-1] - free) + list(outcome)
            if any(sum(right[:k]) >= v for k, v in zip(guesses, needed, strict=True)):
                total += weight * q ** sum(outcome) * (1 - q) ** (free - sum(outcome))
    return total


def rounded_up(records: int, leak: float) -> tuple[dict[int, float], float]:
    """Leaks rounded up to quantiles at 1 - 2^-i, i <= 16, and the chance of more than those."""
    quantiles = [int(binom.ppf(1 - 0.5**i, records, leak)) for i in range(1, 17)]
    weights = dict.fromkeys(quantiles, 0.0)
    for j in range(quantiles[-1] + 1):
        weights[min(x for x in quantiles if x >= j)] += float(binom.pmf(j, records, leak))
    return weights, float(binom.sf(quantiles[-1], records, leak))


CASES = [
    ([1], [1]),
    ([3, 5, 9], [3, 5, 7]),
    ([2, 4, 8, 12], [3, 4, 8, 9]),
    ([4, 6, 10], [5, 7, 9]),
    ([4, 8], [5, 9]),
    ([2, 6, 11], [0, 6, 9]),
    ([5, 5, 7], [5, 4, 7]),
]


@pytest.mark.parametrize(("guesses", "needed"), CASES)
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 3.0])
def test_the_chance_is_that_of_all_outcomes(
    guesses: list[int], needed: list[int], epsilon: float
) -> None:
    paths = Paths(np.array(guesses), np.array(needed), records=20, leak=0.0)
    expected = by_enumeration(guesses, needed, epsilon, {0: 1.0})
    assert paths.chance(epsilon) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("guesses", "needed"), CASES)
@pytest.mark.parametrize(("records", "leak"), [(12, 0.05), (20, 0.3), (3, 0.9), (1, 1.0)])
def test_leaks_are_never_counted_too_low(
    guesses: list[int], needed: list[int], records: int, leak: float
) -> None:
    paths = Paths(np.array(guesses), np.array(needed), records=records, leak=leak)
    found = paths.chance(0.4)
    exact = {j: float(binom.pmf(j, records, leak)) for j in range(records + 1)}
    assert found >= by_enumeration(guesses, needed, 0.4, exact) - 1e-12
    up, beyond = rounded_up(records, leak)
    assert found == pytest.approx(by_enumeration(guesses, needed, 0.4, up) + beyond, rel=1e-9)


@pytest.mark.parametrize("trials", [40, 1000, 100_000])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 6.0])
@pytest.mark.parametrize("tail", [0.3, 1e-3, 2e-5, 1e-9])
def test_one_depth_is_a_binomial_tail(trials: int, epsilon: float, tail: float) -> None:
    q = 1 / (1 + math.exp(-epsilon))
    needed = int(binom.isf(tail, trials, q)) + 1
    paths = Paths(np.array([trials]), np.array([needed]), records=trials, leak=0.0)
    expected = binom.sf(needed - 1, trials, q)
    assert paths.chance(epsilon) == pytest.approx(expected, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("tail", [0.02, 1e-4, 1e-6])
def test_many_depths_are_followed_without_noise(tail: float) -> None:
    # So long that convolutions are by Fourier transforms; here they are sums, in full.
    guesses, q = np.array([200, 700, 2000, 5000]), 1 / (1 + math.exp(-0.5))
    needed = np.asarray(binom.isf(tail, guesses, q), np.int64) + 1
    state, reached, before = np.ones(1), 0.0, 0
    for until, enough in zip(guesses.tolist(), needed.tolist(), strict=True):
        state = np.convolve(state, binom.pmf(np.arange(until - before + 1), until - before, q))
        reached, state, before = reached + state[enough:].sum(), state[:enough], until
    found = Paths(guesses, needed, records=5000, leak=0.0).chance(0.5)
    assert found == pytest.approx(reached, rel=1e-7)
    assert tail < found < 4 * tail


@pytest.mark.parametrize("leak", [0.0, 0.01])
def test_the_chance_is_as_simulated(leak: float) -> None:
    rng, runs, records, epsilon = np.random.default_rng(60), 20_000, 900, 0.8
    guesses, q = np.array([30, 90, 300, 800]), 1 / (1 + math.exp(-0.8))
    needed = np.asarray(binom.isf(0.03, guesses, q), np.int64) + 1
    sure = np.minimum(guesses[:, None], rng.binomial(records, leak, runs))
    steps = np.diff(guesses[:, None] - sure, axis=0, prepend=0)
    right = sure + np.cumsum(rng.binomial(steps, q), axis=0)
    simulated = np.mean((right >= needed[:, None]).any(axis=0))
    found = Paths(guesses, needed, records=records, leak=leak).chance(epsilon)
    error = math.sqrt(simulated * (1 - simulated) / runs)
    assert found >= simulated - 4 * error
    # Rounding leaks up to quantiles costs something.
    assert found <= simulated * (1 if leak == 0 else 1.2) + 4 * error


@pytest.mark.parametrize("leak", [0.0, 0.003])
@pytest.mark.parametrize("level", [0.03, 1e-3])
@pytest.mark.parametrize("start", [1e-9, 0.5, 1.1, 2.5, 9.0])
def test_below_its_epsilon_the_level_is_kept_and_above_it_is_not(
    leak: float, level: float, start: float
) -> None:
    paths = Paths(np.array([50, 200, 400]), np.array([45, 160, 315]), records=400, leak=leak)
    found = paths.epsilon_at(level, start)
    assert found > 0.3
    assert paths.chance(found) <= level
    assert paths.chance(found + 2e-5) > level
    assert found == pytest.approx(paths.epsilon_at(level, 1.0), abs=2e-5)


def test_no_epsilon_keeps_a_level_that_chance_exceeds() -> None:
    for leak in (0.0, 0.5, 1.0):
        paths = Paths(np.array([10, 20]), np.array([6, 11]), records=20, leak=leak)
        assert paths.epsilon_at(0.01, 0.7) == 0
    # With a chance of 2^-16 of more leaks than are looked at, and that is too much.
    paths = Paths(np.array([400]), np.array([380]), records=400, leak=0.01)
    assert paths.epsilon_at(1e-7, 1.0) == 0


@pytest.mark.parametrize("k", [5, 300])
def test_all_right_in_closed_form(k: int) -> None:
    paths = Paths(np.array([k]), np.array([k]), records=k, leak=0.0)
    q = 0.02 ** (1 / k)
    expected = max(0.0, math.log(q / (1 - q)))
    assert paths.epsilon_at(0.02, 1.0) == pytest.approx(expected, abs=1e-4)
