"""Rényi divergences and rho against definitions, other libraries and published values."""

import math
from itertools import pairwise

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import privacy_loss_mechanism
from dp_accounting.rdp import RdpAccountant
from scipy import integrate, stats

from dpviz.theory import (
    ApproximateDP,
    Composed,
    DiscreteGaussianMechanism,
    DiscretePair,
    ExponentialMechanism,
    GaussianMechanism,
    LaplaceMechanism,
    OneWaySubsampled,
    PureDP,
    RandomizedResponse,
    RenyiDP,
    SubsampledGaussian,
    TradeoffFunction,
    UniformMechanism,
    ZeroConcentratedDP,
)
from dpviz.theory.renyi_divergence import renyi_divergence, smallest_rho

SGD = {"noise_multiplier": 1.0, "sampling_rate": 0.01, "steps": 1000}
RARE = {"noise_multiplier": 2.0, "sampling_rate": 1e-6, "steps": 10}


def of_accountant(event: dp_event.DpEvent, orders: list[float]) -> np.ndarray:
    accountant = RdpAccountant(orders=orders)
    accountant.compose(event)
    return np.asarray(accountant.rdp)


def dp_sgd(noise_multiplier: float, sampling_rate: float, steps: int) -> dp_event.DpEvent:
    step = dp_event.PoissonSampledDpEvent(sampling_rate, dp_event.GaussianDpEvent(noise_multiplier))
    return dp_event.SelfComposedDpEvent(step, steps)


@pytest.mark.parametrize("setting", [SGD, RARE, {**SGD, "noise_multiplier": 0.4}])
def test_dp_sgd_is_that_of_dp_accounting_at_whole_orders(setting: dict[str, float]) -> None:
    orders = [2.0, 3.0, 8.0, 33.0, 256.0]
    theirs = of_accountant(dp_sgd(**setting), orders)
    ours = renyi_divergence(SubsampledGaussian(**setting), np.array(orders))
    # Theirs sums moments near 1, which keeps no more digits of small ones.
    np.testing.assert_allclose(ours, theirs, rtol=1e-9 if setting is not RARE else 1e-3)


def test_between_whole_orders_it_is_a_bound_and_a_near_one() -> None:
    orders = [1.25, 1.5, 2.5, 4.5, 10.9]
    theirs = of_accountant(dp_sgd(**SGD), orders)
    ours = renyi_divergence(SubsampledGaussian(**SGD), np.array(orders))
    assert np.all((ours >= theirs * (1 - 1e-9)) & (ours <= 2 * theirs))


def test_composition_adds_up_what_dp_accounting_adds_up() -> None:
    events = [dp_event.GaussianDpEvent(3.0), dp_event.LaplaceDpEvent(2.0), dp_sgd(**SGD)]
    orders = [2.0, 5.0, 20.0]
    theirs = of_accountant(dp_event.ComposedDpEvent(events), orders)
    both = Composed(
        [
            GaussianMechanism(noise_multiplier=3.0, adjacency="add_remove"),
            LaplaceMechanism(epsilon=0.5, adjacency="add_remove"),
            SubsampledGaussian(**SGD),
        ]
    )
    np.testing.assert_allclose(renyi_divergence(both, np.array(orders)), theirs, rtol=1e-9)


@pytest.mark.parametrize("order", [1.0, 1.001, 2.5, 40.0])
def test_noise_is_as_an_integral_over_outputs(order: float) -> None:
    for f, law in [
        (GaussianMechanism(noise_multiplier=2.0), stats.norm(scale=2)),
        (LaplaceMechanism(epsilon=0.5), stats.laplace(scale=2)),
    ]:

        def integrand(y: float, law: stats.rv_continuous = law) -> float:
            loss = law.logpdf(y - 1) - law.logpdf(y)
            grown = loss if order == 1 else math.exp((order - 1) * loss) - 1
            return grown * law.pdf(y - 1)

        points = [-60, 0, 1, 2, order, 60] if order > 2 else [-60, 0, 1, 60]
        moment = sum(
            integrate.quad(integrand, a, b, epsabs=1e-13, limit=400)[0] for a, b in pairwise(points)
        )
        expected = moment if order == 1 else math.log1p(moment) / (order - 1)
        assert renyi_divergence(f, order) == pytest.approx(expected, rel=1e-8)


def test_finitely_many_outputs_are_summed_both_ways_round() -> None:
    p, q = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])
    for order in (1.5, 3.0):
        ways = [
            np.log(np.sum(a**order * b ** (1 - order))) / (order - 1) for a, b in ((p, q), (q, p))
        ]
        assert renyi_divergence(DiscretePair(p, q), order) == pytest.approx(max(ways), rel=1e-12)
    sampled = OneWaySubsampled(base=PureDP(epsilon=2.0), sampling_rate=0.3)
    (a, b), rate = (1 / (1 + math.exp(2)), 1 / (1 + math.exp(-2))), 0.3
    mixed = np.array([a, b]), np.array([a + rate * (b - a), b - rate * (b - a)])
    expected = max(np.log(np.sum(x**4 * y**-3)) / 3 for x, y in (mixed, mixed[::-1]))
    assert renyi_divergence(sampled, 4.0) == pytest.approx(expected, rel=1e-12)


def test_rho_is_the_largest_ratio_to_the_order() -> None:
    orders = 1 + np.geomspace(1e-4, 1e4, 401)
    for f in (
        PureDP(epsilon=3.0),
        LaplaceMechanism(epsilon=6.0),
        DiscretePair([0.7, 0.3], [0.1, 0.9]),
    ):
        reached = float(np.max(renyi_divergence(f, orders) / orders))
        assert reached * (1 - 1e-9) <= smallest_rho(f) <= reached * (1 + 1e-3)
    assert smallest_rho(PureDP(epsilon=1.0)) <= 0.5  # Bun and Steinke, proposition 1.4


def test_rho_of_a_small_epsilon_whose_ratio_hardly_changes_with_the_order() -> None:
    for epsilon in (0.1, 1e-4):
        exact = epsilon * math.tanh(epsilon / 2)  # at order 1: Kullback and Leibler
        assert exact <= smallest_rho(PureDP(epsilon=epsilon)) <= exact * (1 + 2e-5)


@pytest.mark.parametrize("epsilon", [1e-5, 1e-9, 1e-17])
def test_small_divergences_are_half_the_order_times_the_mean_square_of_the_loss(
    epsilon: float,
) -> None:
    orders = np.array([1.0, 1.001, 2.0, 32.0])
    three = RandomizedResponse(epsilon=epsilon, categories=3)  # a loss of 0 in a third of cases
    for f, mean_square in ((LaplaceMechanism(epsilon=epsilon), 1.0), (three, 2 / 3)):
        expected = orders / 2 * epsilon**2 * mean_square
        assert renyi_divergence(f, orders) == pytest.approx(expected, rel=1e-3)


def test_rho_that_is_known() -> None:
    assert smallest_rho(ZeroConcentratedDP(rho=0.3)) == 0.3
    assert smallest_rho(Composed([ZeroConcentratedDP(rho=0.3)] * 3)) == pytest.approx(0.9)
    # Sampling hardly helps at large orders, where the record is as good as known to be sampled.
    assert smallest_rho(SubsampledGaussian(**SGD)) == pytest.approx(500)
    assert smallest_rho(PureDP(epsilon=0.0)) == 0
    for f in (
        ApproximateDP(epsilon=1.0, delta=1e-9),
        UniformMechanism(width=9.0),
        RenyiDP(orders=[2], epsilons=[1]),
    ):
        assert smallest_rho(f) == math.inf


def test_nothing_is_known_where_no_theorem_helps() -> None:
    for sampling in ("poisson", "fixed_size"):
        replaced = SubsampledGaussian(**SGD, adjacency="replace_one", sampling=sampling)
        assert renyi_divergence(replaced, 2.0) == math.inf
    with pytest.raises(ValueError, match=r"order must be in \[1, inf\), got 0.5"):
        renyi_divergence(replaced, 0.5)


def bounded_range(epsilon: float, t: float) -> TradeoffFunction:
    """Two groups of candidates whose losses are t and t - epsilon."""
    share = (math.exp(-t) - math.exp(-epsilon)) / (1 - math.exp(-epsilon))
    p = np.array([share, 1 - share])
    return DiscretePair(p, p * np.exp([t, t - epsilon]))


def test_no_exponential_mechanism_is_below_the_curve_and_some_touch_it() -> None:
    claim, x = ExponentialMechanism(epsilon=2.0), np.linspace(0, 1, 201)
    lowest = np.min(
        [bounded_range(2.0, t).beta(x) for t in np.linspace(0.001, 1.999, 2001)], axis=0
    )
    assert np.all(claim.beta(x) <= lowest + 1e-12)
    np.testing.assert_allclose(claim.beta(x), lowest, rtol=0, atol=4e-4)  # between the t tried
    rng = np.random.default_rng(7)
    for _ in range(200):  # qualities move by 1 at most, epsilon = 2
        quality = rng.uniform(-4, 4, 6)
        moved = quality + rng.choice([-1, 1], 6)
        p, q = (np.exp(each) / np.exp(each).sum() for each in (quality, moved))
        assert np.all(DiscretePair(p, q).beta(x) >= claim.beta(x) - 1e-12)
        assert DiscretePair(p, q).delta(0.7) <= claim.delta(0.7) + 1e-12
        assert renyi_divergence(DiscretePair(p, q), 3.0) <= renyi_divergence(claim, 3.0)


@pytest.mark.parametrize(("noise", "sensitivity"), [(1.0, 1), (2.5, 3), (20.0, 4)])
def test_discrete_gaussian_is_that_of_dp_accounting(noise: float, sensitivity: int) -> None:
    theirs = privacy_loss_mechanism.DiscreteGaussianPrivacyLoss(noise, sensitivity)
    ours = DiscreteGaussianMechanism(noise=noise, sensitivity=sensitivity)
    for epsilon in (0.1, 1.0, 3.0):
        assert ours.delta(epsilon) == pytest.approx(theirs.get_delta_for_epsilon(epsilon), abs=1e-9)
