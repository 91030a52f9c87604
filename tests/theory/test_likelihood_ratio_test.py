"""Every mechanism, sampled from its definition, against the likelihood-ratio test on the samples.

Nothing here knows a trade-off function: outputs are drawn under both hypotheses, the loss comes
from the densities, and the rates of the test "member if the loss is at least c" are counted. By
Neyman and Pearson no test is better, so the counted FNR is beta at the counted FPR, up to chance.

Chance: at a loss c the curve falls with slope -e^c, so the counted FNR - beta(counted FPR) has the
standard error sqrt(fnr (1 - fnr) + e^2c fpr (1 - fpr)) / sqrt(n). Five of them are allowed, plus
what the curve itself states to be its error.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.random import Generator

from dpviz.theory import (
    MECHANISMS,
    ApproximateDP,
    Composed,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    ListExperiment,
    OneWaySubsampled,
    PiecewiseLinear,
    PublicMixture,
    PureDP,
    RandomizedResponse,
    Subsampled,
    SubsampledGaussian,
    TotalVariation,
    TradeoffFunction,
    UniformMechanism,
)

DRAWS = 1_000_000
CHANCE = 5.0
TIES = 0.4
"""Share of the outputs at the threshold itself that count as "member": a randomised test."""

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


def noise(name: str, f: TradeoffFunction, draw: Callable, log_density: Callable) -> Experiment:
    """A query of 0 without the record and 1 with it, plus noise."""
    return Experiment(
        name,
        f,
        sample=lambda rng, member: draw(rng) + member,
        loss=lambda y: log_density(y - 1) - log_density(y),
        careless=lambda y: np.abs(y - 1) < 0.3,  # misses the large outputs, which tell the most
    )


def laplace(epsilon: float) -> Experiment:
    scale = 1 / epsilon
    return noise(
        f"Laplace {epsilon}",
        LaplaceMechanism(epsilon=epsilon),
        lambda rng: rng.laplace(0, scale, DRAWS),
        lambda z: -np.abs(z) / scale,
    )


def geometric(scale: float, shift: int) -> Experiment:
    stop = -math.expm1(-1 / scale)

    def sample(rng: Generator, member: bool) -> Outputs:
        # The difference of two geometric variables is two-sided geometric.
        return rng.geometric(stop, DRAWS) - rng.geometric(stop, DRAWS) + shift * member

    return Experiment(
        f"discrete Laplace {scale} {shift}",
        DiscreteLaplaceMechanism(scale=scale, sensitivity=shift),
        sample,
        lambda y: (np.abs(y) - np.abs(y - shift)) / scale,
        lambda y: y % 2 == 0,
    )


def randomized_response(f: TradeoffFunction, epsilon: float, k: int) -> Experiment:
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


def uniform(width: float, shift: float) -> Experiment:
    def loss(y: Outputs) -> np.ndarray:
        return np.where(y < shift, -math.inf, np.where(y >= width, math.inf, 0.0))

    return Experiment(
        f"uniform {width} {shift}",
        UniformMechanism(width=width, sensitivity=shift),
        lambda rng, member: width * rng.random(DRAWS) + shift * member,
        loss,
        lambda y: y < width / 2,
    )


def gaussian(noise_multiplier: float) -> Experiment:
    return noise(
        f"Gaussian {noise_multiplier}",
        GaussianMechanism(noise_multiplier=noise_multiplier),
        lambda rng: rng.normal(0, noise_multiplier, DRAWS),
        lambda z: -(z**2) / (2 * noise_multiplier**2),
    )


def gaussian_in_the_plane() -> Experiment:
    """The record moves a two-dimensional query by (3, 4), of length 5; the noise has sd 4."""
    shift = np.array([3.0, 4.0])

    def loss(y: Outputs) -> np.ndarray:
        return (np.sum(y**2, axis=1) - np.sum((y - shift) ** 2, axis=1)) / 32

    return Experiment(
        "Gaussian in the plane",
        GaussianDP(mu=5 / 4),
        lambda rng, member: rng.normal(0, 4, (DRAWS, 2)) + member * shift,
        loss,
        lambda y: y[:, 0] > 1,  # forgets the second coordinate
    )


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


def poisson_sampled_steps(sigma: float, rate: float, steps: int) -> Experiment:
    """The output is the loss itself, added up over the steps, and that of the last step alone."""
    step = OneWaySubsampled(base=GaussianDP(mu=1 / sigma), sampling_rate=rate)

    def sample(rng: Generator, member: bool) -> Outputs:
        total, one = np.zeros(DRAWS), np.zeros(DRAWS)
        for _ in range(steps):
            sampled = (rng.random(DRAWS) < rate) & member
            y = rng.normal(0, sigma, DRAWS) + sampled
            one = np.log(1 - rate + rate * np.exp((2 * y - 1) / (2 * sigma**2)))
            total += one
        return np.column_stack([total, one])

    return Experiment(
        f"{steps} sampled steps",
        Composed([step] * steps),
        sample,
        lambda y: y[:, 0],
        lambda y: y[:, 1] > 0,
    )


def list_experiment(*support: float) -> Experiment:
    """The respondent holds an opinion on every other item and reports how many they support."""
    counts = np.zeros(len(support) + 1)
    for opinions in itertools.product([0, 1], repeat=len(support)):
        chances = [s if yes else 1 - s for s, yes in zip(support, opinions, strict=True)]
        counts[sum(opinions)] += math.prod(chances)

    def sample(rng: Generator, member: bool) -> Outputs:
        return np.sum(rng.random((DRAWS, len(support))) < support, axis=1) + member

    def loss(y: Outputs) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return (np.log(np.append(0, counts)) - np.log(np.append(counts, 0)))[y]

    f = ListExperiment(support=support)
    return Experiment(f"list experiment {support}", f, sample, loss, lambda y: y % 2 == 1)


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


def two_laplace(a: float, b: float) -> Experiment:
    def loss(y: Outputs) -> np.ndarray:
        return (np.abs(y) - np.abs(y - 1)) @ np.array([a, b])

    return Experiment(
        f"Laplace {a} and Laplace {b}",
        Composed([LaplaceMechanism(epsilon=a), LaplaceMechanism(epsilon=b)]),
        lambda rng, member: rng.laplace(0, [1 / a, 1 / b], (DRAWS, 2)) + member,
        loss,
        lambda y: y[:, 0] > 0.5,  # forgets the second answer
    )


def two_responses() -> Experiment:
    """Randomized response twice, with two answers at ln 3 and with three at 1."""
    first, second = (
        randomized_response(PureDP(epsilon=0), e, k) for e, k in [(math.log(3), 2), (1, 3)]
    )
    f = Composed(
        [PureDP(epsilon=math.log(3)), RandomizedResponse(epsilon=1.0, categories=3)],
    )
    return Experiment(
        "two responses",
        f,
        lambda rng, m: np.column_stack([first.sample(rng, m), second.sample(rng, m)]),
        lambda y: first.loss(y[:, 0]) + second.loss(y[:, 1]),
        lambda y: y[:, 1] == 1,  # forgets the first answer, which tells more
    )


def public_mixture() -> Experiment:
    """A coin that falls on heads in 30% of cases, shown to all: heads Laplace, tails Gaussian."""

    def sample(rng: Generator, member: bool) -> Outputs:
        heads = rng.random(DRAWS) < 0.3
        answer = np.where(heads, rng.laplace(0, 1 / 2, DRAWS), rng.normal(0, 1.5, DRAWS))
        return np.column_stack([heads, answer + member])

    def loss(y: Outputs) -> np.ndarray:
        laplace_loss = 2 * (np.abs(y[:, 1]) - np.abs(y[:, 1] - 1))
        return np.where(y[:, 0] == 1, laplace_loss, (2 * y[:, 1] - 1) / (2 * 1.5**2))

    f = PublicMixture(
        [LaplaceMechanism(epsilon=2), GaussianMechanism(noise_multiplier=1.5)], weights=[0.3, 0.7]
    )
    return Experiment("public mixture", f, sample, loss, lambda y: np.abs(y[:, 1] - 1) < 0.3)


KNOTS = [(0.0, 0.875), (0.125, 0.5), (0.5, 0.125), (0.75, 0.0), (1.0, 0.0)]
DP_SGD = SubsampledGaussian(noise_multiplier=0.8, sampling_rate=0.3)
SAMPLED = Subsampled(base=GaussianDP(mu=1.25), sampling_rate=0.4)
ONE_WAY = OneWaySubsampled(base=GaussianDP(mu=1.25), sampling_rate=0.4)

EXPERIMENTS = [
    laplace(0.5),
    laplace(2.0),
    geometric(1.0, 1),
    geometric(1.7, 3),
    randomized_response(PureDP(epsilon=1.0), 1.0, 2),
    randomized_response(RandomizedResponse(epsilon=1.0, categories=5), 1.0, 5),
    sometimes_in_the_open(ApproximateDP(epsilon=1.0, delta=0.1), 1.0, 0.1),
    sometimes_in_the_open(TotalVariation(delta=0.25), 0.0, 0.25),
    uniform(4.0, 1.0),
    gaussian(0.7),
    gaussian(2.0),
    gaussian_in_the_plane(),
    poisson_sampled("one way", ONE_WAY, 0.8, 0.4),
    poisson_sampled("one way, other order", ONE_WAY.inverse(), 0.8, 0.4, swapped=True),
    poisson_sampled("C_p(f)", SAMPLED, 0.8, 0.4),
    poisson_sampled("one step of DP-SGD adding", DP_SGD, 0.8, 0.3),
    poisson_sampled("one step of DP-SGD removing", DP_SGD, 0.8, 0.3, swapped=True),
    poisson_sampled_steps(0.9, 0.2, 8),
    list_experiment(0.5, 0.5, 0.5),
    list_experiment(0.9, 0.2),
    table(
        "pair",
        DiscretePair([0.5, 0.3, 0.2, 0.0], [0.1, 0.3, 0.35, 0.25]),
        [0.5, 0.3, 0.2, 0.0],
        [0.1, 0.3, 0.35, 0.25],
    ),
    table(
        "knots",
        PiecewiseLinear(KNOTS),
        [0, 0.125, 0.375, 0.25, 0.25],
        [0.125, 0.375, 0.375, 0.125, 0],
    ),
    two_laplace(0.7, 1.1),
    two_responses(),
    public_mixture(),
]


@pytest.fixture(scope="module", params=EXPERIMENTS, ids=lambda e: e.name)
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


def test_every_mechanism_is_simulated() -> None:
    simulated = {type(e.f) for e in EXPERIMENTS}
    missing = [key for key, kind in MECHANISMS.items() if kind not in simulated]
    assert not missing, "write a sampler from the definition of the mechanism"


def test_the_best_test_is_on_the_curve(simulation: Simulation) -> None:
    f = simulation.f
    assert simulation.best
    for point in simulation.best:
        beta = f.beta(point.fpr)
        assert point.fnr >= beta - point.slack, f"better than possible: {point}"
        assert point.fnr <= beta + f.error + point.slack, f"the curve is too low: {point}"


def test_the_best_test_attains_the_profile(simulation: Simulation) -> None:
    f = simulation.f
    for point in simulation.best:
        if math.isinf(point.loss):
            continue
        gained = 1 - point.fnr - math.exp(point.loss) * point.fpr
        assert gained - point.slack <= f.delta(point.loss) <= gained + f.error + point.slack


def test_a_careless_test_is_above_the_curve(simulation: Simulation) -> None:
    f, (fpr, fnr) = simulation.f, simulation.careless
    slope = (f.beta(0.98 * fpr) - f.beta(fpr)) / (0.02 * fpr)
    variance = fnr * (1 - fnr) + slope**2 * fpr * (1 - fpr)
    assert fnr > f.beta(fpr) + f.error + CHANCE * math.sqrt(variance / DRAWS)
    assert f.admits(fpr=fpr, fnr=fnr)


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
    f = Subsampled(base=GaussianMechanism(noise_multiplier=0.8), sampling_rate=0.5)
    for c in (-0.6, -0.3, 0.0, 0.3, 0.6):
        point = count(c, losses, np.zeros(DRAWS))
        assert point.fnr >= f.beta(point.fpr) - point.slack
        assert point.fnr < 1 - point.fpr - 0.05  # no idle test
