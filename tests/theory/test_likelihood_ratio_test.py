"""Every mechanism, sampled from its definition, against the likelihood-ratio test on the samples.

Nothing here knows a trade-off function: outputs are drawn under both hypotheses, the loss comes
from the densities, and the rates of the test "member if the loss is at least c" are counted. By
Neyman and Pearson no test is better, so the counted FNR is beta at the counted FPR, up to chance.

Chance: at a loss c the curve falls with slope -e^c, so the counted FNR - beta(counted FPR) has the
standard error sqrt(fnr (1 - fnr) + e^2c fpr (1 - fpr)) / sqrt(n). Five of them are allowed, plus
what the curve itself states to be its error.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from dpviz.theory import MECHANISMS, GaussianDP, Subsampled, TradeoffFunction
from tests.theory.mechanisms import collected
from tests.theory.mechanisms.experiment import DRAWS

CHANCE = 5.0
TIES = 0.4  # share of the outputs at the threshold itself that count as "member": a randomised test
EXPERIMENTS = collected("EXPERIMENTS")


@dataclass(frozen=True)
class Point:
    """What was counted for the test at a loss, and what may be chance in FNR - beta(FPR)."""

    loss: float
    fpr: float
    fnr: float
    slack: float


@dataclass(frozen=True)
class Simulation:
    f: TradeoffFunction
    best: list[Point]
    careless: tuple[float, float]


def count(c: float, losses: tuple[np.ndarray, ...], coins: np.ndarray) -> Point:
    """The test at c; a loss of inf is proof, so nothing is left to a coin."""
    ties = 1.0 if c == math.inf else TIES
    fpr, tpr = (
        (np.count_nonzero(x > c) + np.count_nonzero(coins[x == c] < ties)) / DRAWS for x in losses
    )
    # A test that proves its answers is never wrong about a non-member, at any slope.
    slope = math.exp(c) if fpr > 0 else 0.0
    variance = tpr * (1 - tpr) + slope**2 * fpr * (1 - fpr)
    slack = CHANCE * max(math.sqrt(variance / DRAWS), 1 / DRAWS)
    return Point(loss=c, fpr=fpr, fnr=1 - tpr, slack=slack)


# One of each mechanism at each change; all of them before a release.
PARAMS = [
    pytest.param(each, marks=() if each is own[0] else pytest.mark.slow, id=each.name)
    for own in EXPERIMENTS.values()
    for each in own
]


@pytest.fixture(scope="module", params=PARAMS)
def simulation(request: pytest.FixtureRequest) -> Simulation:
    experiment = request.param
    rng = np.random.default_rng(20261105)
    outputs = experiment.sample(rng, False), experiment.sample(rng, True)
    # Rounded, because equal losses come out of different outputs and ties have to be seen as ties.
    losses = tuple(np.round(experiment.loss(y), 9) for y in outputs)
    # Any thresholds will do; these give rates away from 0 and 1.
    some = np.concatenate([x[:2000] for x in losses])
    levels = np.quantile(some, [0.03, 0.15, 0.3, 0.5, 0.7, 0.85, 0.97], method="inverted_cdf")
    low, high = experiment.thresholds
    coins = rng.random(DRAWS)
    best = [count(c, losses, coins) for c in np.unique(levels).tolist() if low <= c <= high]
    fpr, tpr = (float(np.mean(experiment.careless(y))) for y in outputs)
    return Simulation(experiment.f, best, (fpr, 1 - tpr))


@pytest.mark.parametrize("key", MECHANISMS)
def test_every_mechanism_is_simulated(key: str) -> None:
    missing = "write a sampler from the definition of the mechanism"
    assert any(type(e.f) is MECHANISMS[key] for e in EXPERIMENTS[key]), missing


@pytest.mark.slow
def test_the_best_test_is_on_the_curve(simulation: Simulation) -> None:
    f = simulation.f
    assert simulation.best
    for point in simulation.best:
        beta = f.beta(point.fpr)
        assert point.fnr >= beta - point.slack, f"better than possible: {point}"
        assert point.fnr <= beta + f.error + point.slack, f"the curve is too low: {point}"


@pytest.mark.slow
def test_the_best_test_attains_the_profile(simulation: Simulation) -> None:
    f = simulation.f
    for point in simulation.best:
        if math.isinf(point.loss):
            continue
        gained = 1 - point.fnr - math.exp(point.loss) * point.fpr
        assert gained - point.slack <= f.delta(point.loss) <= gained + f.error + point.slack


@pytest.mark.slow
def test_a_careless_test_is_above_the_curve(simulation: Simulation) -> None:
    f, (fpr, fnr) = simulation.f, simulation.careless
    slope = (f.beta(0.98 * fpr) - f.beta(fpr)) / (0.02 * fpr)
    variance = fnr * (1 - fnr) + slope**2 * fpr * (1 - fpr)
    assert fnr > f.beta(fpr) + f.error + CHANCE * math.sqrt(variance / DRAWS)
    assert f.admits(fpr=fpr, fnr=fnr)


@pytest.mark.slow
def test_answers_turned_round_are_as_telling(simulation: Simulation) -> None:
    f = simulation.f
    for point in simulation.best:
        fpr, fnr = min(1.0, point.fpr + 0.01), min(1.0, point.fnr + 0.01)
        assert f.admits(fpr=1 - fpr, fnr=1 - fnr)
        if min(point.fpr, point.fnr) > 0.02:  # and no test is better by 0.02 in both rates
            assert not f.admits(fpr=1 - point.fpr + 0.02, fnr=1 - point.fnr + 0.02)


def test_sampling_without_replacement_keeps_its_guarantee() -> None:
    # Replace-one: a sample of half the records contains x or its replacement in half the cases; the
    # record is -1/2 without and 1/2 with, everybody else 0, and what is seen is their noisy sum.
    rng = np.random.default_rng(7)
    sampled = rng.random((2, DRAWS)) < 0.5
    y = rng.normal(0, 0.8, (2, DRAWS)) + sampled * np.array([[-0.5], [0.5]])

    def log_density(centre: float) -> np.ndarray:
        return np.logaddexp(-(y**2) / (2 * 0.8**2), -((y - centre) ** 2) / (2 * 0.8**2))

    losses = tuple(log_density(0.5) - log_density(-0.5))
    f = Subsampled(base=GaussianDP(mu=1.25), sampling_rate=0.5)
    for c in (-0.6, -0.3, 0.0, 0.3, 0.6):
        point = count(c, losses, np.zeros(DRAWS))
        assert point.fnr >= f.beta(point.fpr) - point.slack
        assert point.fnr < 1 - point.fpr - 0.05  # no idle test
