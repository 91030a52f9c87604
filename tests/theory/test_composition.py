"""Composition and group privacy against closed forms and exact fractions."""

import math
import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from dpviz.theory import (
    ApproximateDP,
    Composed,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    GaussianMechanism,
    GroupPrivacy,
    LaplaceMechanism,
    OneWaySubsampled,
    PublicMixture,
    PureDP,
    RandomizedResponse,
    RenyiDP,
    Subsampled,
    SubsampledGaussian,
    TradeoffFunction,
    UniformMechanism,
)
from dpviz.theory import composition as accounting
from dpviz.theory.mechanisms.subsampled_gaussian import PoissonReplaceOne
from dpviz.theory.polyline import lower_hull
from tests.slow import parametrize
from tests.theory.contour import Steps

X = np.unique(np.r_[np.geomspace(1e-12, 1, 200), np.linspace(0, 1, 101)])


@pytest.mark.parametrize(
    "f",
    [
        LaplaceMechanism(epsilon=1.0, adjacency="add_remove"),
        LaplaceMechanism(epsilon=6.0, adjacency="add_remove"),
        GaussianDP(mu=0.7, adjacency="add_remove"),
        DiscreteLaplaceMechanism(scale=1.7, sensitivity=3, adjacency="add_remove"),
        UniformMechanism(width=5.0, adjacency="add_remove"),
    ],
)
def test_noise_over_two_steps_is_noise_over_twice_the_shift(f: TradeoffFunction) -> None:
    # Location families chain exactly: f(1 - f) is the curve of the doubled shift.
    followed = f.beta(np.minimum(f.tpr(X), 1.0))
    np.testing.assert_allclose(f.to_replace_one().beta(X), followed, rtol=0, atol=1e-12)


@pytest.mark.parametrize("epsilon", [1.0, 12.0, 50.0, 800.0])
def test_two_steps_of_randomized_response(epsilon: float) -> None:
    f = RandomizedResponse(epsilon=epsilon, categories=3, adjacency="add_remove")
    two, x = f.to_replace_one(), np.append(np.geomspace(1e-250, 1, 200), 0.0)
    np.testing.assert_allclose(two.tpr(x), f.tpr(f.tpr(x)), rtol=1e-9, atol=0)
    assert two.adjacency == "replace_one"


def test_an_order_that_cannot_occur_twice_is_not_followed_twice() -> None:
    # Replacing one record removes one and adds one: T(R, Q) with R, Q shifted to opposite sides.
    base = GaussianDP(mu=3.0, adjacency="add_remove")
    one_way = OneWaySubsampled(base=base, sampling_rate=0.3, adjacency="add_remove")
    rng = np.random.default_rng(0)
    n = 400_000
    sampled = rng.random((2, n)) < 0.3
    removed = rng.normal(size=n) - 3 * sampled[0]
    added = rng.normal(size=n) + 3 * sampled[1]
    claim = one_way.to_replace_one()
    for threshold in (-1.0, 0.0, 1.0, 2.5):
        fpr, fnr = (removed >= threshold).mean(), (added < threshold).mean()
        assert fnr >= claim.beta(float(fpr)) - 5 * math.sqrt(0.25 / n)


def test_composing_the_curve_of_approximate_claims_exactly() -> None:
    # Four steps of randomized response with e^epsilon = 3, each revealing all with 1/10.
    f = Composed([ApproximateDP(epsilon=math.log(3), delta=0.1)] * 4)
    kept = Fraction(9, 10) ** 4
    atoms = [(Fraction(math.comb(4, j) * 3**j, 4**4), Fraction(3) ** (2 * j - 4)) for j in range(5)]
    for power in (0, 1, 2):
        grown = Fraction(3) ** power
        pure = sum((q * max(Fraction(0), 1 - grown / ratio) for q, ratio in atoms), Fraction(0))
        expected = 1 - kept + kept * pure
        assert f.delta(power * math.log(3)) == pytest.approx(float(expected), rel=1e-12)


def test_two_gaussians_through_the_grid_stay_below_the_closed_form() -> None:
    f, g = GaussianDP(mu=0.6), GaussianDP(mu=0.8)
    found = accounting.compose({f: 1, g: 1})
    gap = GaussianDP(mu=1.0).beta(X) - found.beta(X)
    assert np.all(gap >= -1e-12)
    assert np.all(gap <= found.error)
    assert found.error <= 1e-4


@pytest.mark.parametrize("times", [10, 100])
def test_masses_at_single_losses_stay_within_the_stated_error(times: int) -> None:
    f = RandomizedResponse(epsilon=0.1)
    found = accounting.compose({f: times})
    gap = Composed([f] * times).beta(X) - found.beta(X)
    assert np.all(gap >= -1e-12)
    assert np.all(gap <= found.error)


def test_a_finer_grid_is_never_less_safe() -> None:
    f, exact = GaussianDP(mu=0.5), GaussianDP(mu=0.5 * math.sqrt(3))
    gaps = [
        exact.beta(X) - accounting.compose({f: 3}, accuracy=accuracy).beta(X)
        for accuracy in (1e-3, 1e-5, 1e-6)
    ]
    assert all(np.all(gap >= -1e-12) for gap in gaps)
    assert gaps[0].max() > gaps[1].max() > gaps[2].max()


FEW, MANY = (0.01, 0.01, 2), (1e-3, 1e-3, 1000)
SPLIT = (0.03, 1 / 3, 3)  # tilted, nearly all mass is at one loss


@parametrize(
    ("noise", "rate", "steps", "adjacency"),
    [
        (*run, adjacency)
        for run in (FEW, MANY, SPLIT)
        for adjacency in ("add_remove", "replace_one")
    ],
    slow_but=[(*FEW, "add_remove"), (*MANY, "replace_one"), (*SPLIT, "add_remove")],
)
def test_dp_sgd_without_noise_reveals_who_was_sampled(
    noise: float, rate: float, steps: int, adjacency: Any
) -> None:
    f = SubsampledGaussian(
        noise_multiplier=noise, sampling_rate=rate, steps=steps, adjacency=adjacency
    )
    assert f.delta(1.0) == pytest.approx(1 - (1 - rate) ** steps, rel=0.03)
    assert f.delta(1.0) >= 1 - (1 - rate) ** steps - 1e-9 or adjacency == "replace_one"


def test_subsampling_a_claim_amplifies_it() -> None:
    f = Subsampled(base=ApproximateDP(epsilon=1.0, delta=0.1), sampling_rate=0.2)
    smaller = math.log1p(0.2 * math.expm1(1.0))
    assert f.delta(smaller) == pytest.approx(0.02, rel=1e-12)
    assert f.epsilon(0.02 * (1 + 1e-15)) == pytest.approx(smaller, rel=1e-12)


def test_group_privacy_of_a_gaussian_is_a_gaussian() -> None:
    f = GroupPrivacy(GaussianDP(mu=0.5), size=3)
    np.testing.assert_allclose(f.beta(X), GaussianDP(mu=1.5).beta(X), rtol=0, atol=1e-12)
    assert f.delta(1.0) == pytest.approx(GaussianDP(mu=1.5).delta(1.0), rel=1e-9)
    assert f.epsilon(1e-5) == pytest.approx(GaussianDP(mu=1.5).epsilon(1e-5), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "rate", "steps"),
    [(1.0, 0.01, 1000), (0.5, 0.01, 1000), (1.0, 0.1, 300), (0.7, 0.02, 3000), (0.3, 0.1, 300)],
)
def test_dp_sgd_for_a_replaced_record_is_the_exact_pair(
    noise: float, rate: float, steps: int
) -> None:
    f = SubsampledGaussian(noise_multiplier=noise, sampling_rate=rate, steps=steps)
    exact = Steps.poisson(noise, rate, steps, shifts=(-1.0, 1.0))
    for delta in (1e-5, 1e-14):
        assert 1 <= f.to_replace_one().epsilon(delta) / exact.epsilon(delta) <= 1.0005


def test_one_step_after_another_is_all_of_them() -> None:
    """Both orders of the pair are composed, and only then the worse one counts."""
    steps = 100
    one = SubsampledGaussian(noise_multiplier=0.7, sampling_rate=0.05)
    orders = [Steps.poisson(0.7, 0.05, steps, shifts=shifts) for shifts in ((0, 1), (1, 0))]
    exact = max(order.epsilon(1e-5) for order in orders)
    for parts in ([one] * steps, [Composed([one] * 60), Composed([one] * 40)]):
        assert 1 <= Composed(parts).epsilon(1e-5) / exact <= 1.0005
    replaced = Steps.poisson(0.7, 0.05, steps, shifts=(-1, 1)).epsilon(1e-5)
    assert 1 <= Composed([one] * steps).to_replace_one().epsilon(1e-5) / replaced <= 1.0005


def test_each_part_is_asked_a_bounded_number_of_times() -> None:
    """So that a composition of many parts takes a time proportional to their number."""
    asked = 0

    class Counted(GaussianDP):
        @property
        def is_symmetric(self) -> bool:
            nonlocal asked
            asked += 1
            return True

    parts = [Counted(mu=0.01 * i) for i in range(1, 101)]
    assert Composed(parts).delta(1.0) > 0
    assert asked <= 5 * len(parts)
    asked = 0
    assert Composed(parts[:1] * 100_000).delta(1.0) == pytest.approx(
        GaussianDP(mu=0.01 * math.sqrt(100_000)).delta(1.0), rel=1e-9
    )
    assert asked <= 5


SKEWED = np.geomspace(1, 1e-9, 30)


@pytest.mark.slow
@pytest.mark.parametrize("masses", [SKEWED, SKEWED[::-1], np.ones(30), np.eye(30)[7]])
@pytest.mark.parametrize("times", [2, 50, 1000])
def test_the_ends_of_a_sum_hold_all_but_a_mass_of_1e_15(masses: np.ndarray, times: int) -> None:
    masses = masses / masses.sum()
    exact = np.ones(1)
    for _ in range(times):
        exact = np.convolve(exact, masses)
    first, found, error = accounting.masses_of_sum(masses, times)
    last = first + len(found)
    # Sums of positive terms: outside, the relative error of each is at most some 1e-13.
    assert exact[:first].sum() + exact[last:].sum() <= accounting.CUT_MASS
    assert np.abs(found - exact[first:last]).sum() <= error <= 1e-11
    spread = math.sqrt(times * (masses @ np.arange(30) ** 2 - (masses @ np.arange(30)) ** 2) + 1)
    assert len(found) <= 40 * spread + 60  # and hardly more


def test_sums_of_many_different_losses_stay_short() -> None:
    rng, exact = np.random.default_rng(0), np.ones(1)
    parts = [rng.dirichlet(np.ones(10 + i % 7)) for i in range(101)]
    for part in parts:
        exact = np.convolve(exact, part)
    first, found, lost = accounting.convolution(parts)
    np.testing.assert_allclose(found, exact[first : first + len(found)], rtol=0, atol=1e-15)
    outside = exact[:first].sum() + exact[first + len(found) :].sum()
    assert outside <= lost + 1e-15 <= 1e-12
    assert len(found) < len(exact) / 2


def test_equal_parts_in_any_order_are_all_their_outputs_together() -> None:
    rates = [0.3, 0.1, 0.3, 0.2, 0.1, 0.3]
    losses, chances = np.zeros(1), np.ones(1)
    for rate in rates:  # every combination of outputs
        losses = np.add.outer(losses, [-rate, rate]).ravel()
        chances = np.multiply.outer(chances, 1 / (1 + np.exp([rate, -rate]))).ravel()
    a, b, c = (PureDP(epsilon=rate) for rate in (0.3, 0.1, 0.2))
    for parts in (
        [PureDP(epsilon=rate) for rate in rates],
        [a, b, a, c, b, a],
        [Composed([a, a]), Composed([b, Composed([b, c])]), a],
    ):
        whole = Composed(parts)
        for epsilon in (0.0, 0.4, 1.2):
            gain = np.maximum(0.0, -np.expm1(epsilon - losses))
            assert whole.delta(epsilon) == pytest.approx(gain @ chances, rel=1e-12, abs=1e-15)


def test_sampling_is_kept_under_another_adjacency_and_named() -> None:
    f = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.1, steps=10)
    two = f.to_replace_one()
    assert (f.adjacency, two.adjacency) == ("add_remove", "replace_one")
    assert two == f.with_parameters(adjacency="replace_one")
    assert two == SubsampledGaussian(**two.parameters, adjacency="replace_one")
    assert two.with_parameters(adjacency="add_remove") == f
    assert (f.sampling, two.sampling) == ("poisson", "poisson")
    # Two steps of adding or removing a record lose more than the exact pair.
    assert np.all(two.beta(X) >= f.beta(np.minimum(f.tpr(X), 1)) - 1e-4)
    assert two.epsilon(1e-5) < 0.8 * GroupPrivacy(f.curve, size=2).epsilon(1e-5)
    fixed = two.with_parameters(sampling="fixed_size")
    assert fixed == SubsampledGaussian(**fixed.parameters, adjacency="replace_one")
    with pytest.raises(ValueError, match="adjacency must be 'replace_one' for samples of a fixed"):
        fixed.with_parameters(adjacency="add_remove")
    with pytest.raises(ValueError, match="sampling must be one of"):
        f.with_parameters(sampling="by hand")


@pytest.mark.parametrize("rates", [(1.0, 1.0, 1.0, 0.5, 0.5), (1.0, 0.77, 0.7)])
def test_finite_losses_stay_finite_at_every_delta(rates: tuple[float, ...]) -> None:
    """With mass 2^-k at the largest loss s, delta is at least 2^-k (1 - e^(epsilon - s))."""
    f, largest = Composed([LaplaceMechanism(epsilon=rate) for rate in rates]), sum(rates)
    assert f.epsilon(0.0) == pytest.approx(largest, rel=1e-12)
    assert f.tpr(0.0) == 0.0
    for delta in (1e-14, 1e-10):
        least = largest + math.log1p(-delta * 2.0 ** len(rates))
        assert least - 1e-12 <= f.epsilon(delta) <= largest


@pytest.mark.slow
@parametrize(
    ("rate", "times"), [(0.1, 100), (0.01, 5000), (8.0, 100)], slow_but=[(0.1, 100), (8.0, 100)]
)
def test_losses_that_end_do_so_however_rare_the_largest_ones_are(rate: float, times: int) -> None:
    f = Composed([LaplaceMechanism(epsilon=rate)] * times)
    found = [f.epsilon(delta) for delta in (1e-20, 1e-26, 1e-50, 0.0)]
    assert found[0] < found[1] < times * rate
    assert found[2:] == pytest.approx([times * rate, times * rate])
    assert f.tpr(0.0) == 0
    assert f.is_symmetric


@pytest.mark.parametrize(
    "strong",
    [LaplaceMechanism(epsilon=60.0), GaussianDP(mu=30.0), LaplaceMechanism(epsilon=40.0)],
)
@pytest.mark.parametrize("weak", [PureDP(epsilon=1e-9), LaplaceMechanism(epsilon=1e-9)])
def test_the_stated_error_is_true_beside_next_to_nothing(
    strong: TradeoffFunction, weak: TradeoffFunction
) -> None:
    x = np.geomspace(1e-290, 1, 400)
    both = Composed([strong, weak])
    gap = strong.beta(x) - both.beta(x)
    assert both.error <= 1e-4
    assert gap.min() >= -1e-12
    assert gap.max() <= both.error + 1e-8


@pytest.mark.parametrize("strong", [LaplaceMechanism(epsilon=800.0), GaussianDP(mu=100.0)])
def test_losses_too_large_for_the_grid_are_not_lost(strong: TradeoffFunction) -> None:
    """Where e^-loss is below every float, composition is on the safe side."""
    both = Composed([strong, LaplaceMechanism(epsilon=0.5)])
    x = np.geomspace(1e-300, 1, 50)
    assert np.all(both.beta(x) <= strong.beta(x) + 1e-12)
    assert both.epsilon(1e-5) >= strong.epsilon(1e-5)


def test_a_rounding_of_1_is_no_mass_without_a_loss() -> None:
    strong = GaussianDP(mu=30)
    with_less = Composed([strong, LaplaceMechanism(epsilon=1e-9)])
    fpr = np.geomspace(1e-30, 1e-3, 28)
    assert np.all(with_less.beta(fpr) <= strong.beta(fpr))  # next to 3e-16, which a sum lacked


def test_errors_add_up_and_adjacency_is_kept() -> None:
    part = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.1, steps=10)
    whole = Composed([part, PureDP(epsilon=0.1, adjacency="add_remove")])
    assert whole.error >= part.error
    for f in (whole, whole.inverse(), whole.min_symmetrized(), whole.max_symmetrized()):
        assert f.adjacency == "add_remove"
        assert f.error == whole.error


def test_a_mixture_of_mechanisms_that_favour_one_order_is_converted_as_a_whole() -> None:
    parts: list[TradeoffFunction] = [
        OneWaySubsampled(
            base=GaussianDP(mu=3.0, adjacency="add_remove"),
            sampling_rate=0.3,
            adjacency="add_remove",
        ),
        GaussianDP(mu=2.0, adjacency="add_remove"),
    ]
    mixture = PublicMixture(parts, weights=[0.5, 0.5])
    two, either = mixture.to_replace_one(), mixture.min_symmetrized()
    assert two.adjacency == "replace_one"
    assert two.tpr(0.1) == pytest.approx(either.tpr(either.tpr(0.1)), abs=1e-9)


def test_losses_beyond_floats_are_kept_or_called_infinite() -> None:
    far = GroupPrivacy(GaussianDP(mu=20.0), size=2)  # the Gaussian of mu = 40
    assert far.delta(699.0) >= GaussianDP(mu=40.0).delta(699.0)
    assert far.epsilon(1e-5) >= GaussianDP(mu=40.0).epsilon(1e-5)
    wide = RandomizedResponse(epsilon=400.0, adjacency="add_remove").to_replace_one()
    assert wide.epsilon(0.0) == 800
    assert wide.delta(791.0) == pytest.approx(1 - math.exp(-9), rel=1e-6)


def test_a_sampled_mechanism_that_hides_nothing_reveals_who_was_sampled() -> None:
    f = Subsampled(base=GaussianDP(mu=80.0), sampling_rate=0.1)
    assert f.tpr(1e-5) == pytest.approx(0.10001, rel=1e-3)
    assert f.tpr(0.1) == pytest.approx(0.2, rel=1e-12)


@pytest.mark.parametrize(("p", "q", "largest"), [(0.0, 1e-20, math.inf), (1e-25, 1e-20, 11.512925)])
def test_rare_outputs_survive_symmetrisation(p: float, q: float, largest: float) -> None:
    f = DiscretePair([p, 0.4, 0.6], [q, 0.5, 0.5]).min_symmetrized()
    assert f.epsilon(0.0) == pytest.approx(largest)
    assert f.tpr(p) == pytest.approx(q, rel=1e-12)


def test_group_privacy_has_the_epsilon_of_the_larger_gaussian() -> None:
    for mu, size, delta in [(3.0, 2, 1e-3), (2.0, 2, 1e-10), (5.0, 3, 1e-5)]:
        group = GroupPrivacy(GaussianDP(mu=mu), size=size)
        assert group.epsilon(delta) == pytest.approx(
            GaussianDP(mu=size * mu).epsilon(delta), rel=1e-6
        )


def test_one_computed_part_keeps_its_error_and_no_more() -> None:
    dp_sgd = SubsampledGaussian(
        noise_multiplier=1.0, sampling_rate=0.1, steps=10, adjacency="replace_one"
    )
    mixture = PublicMixture([dp_sgd, LaplaceMechanism(epsilon=1.0)], weights=[0.5, 0.5])
    for f in (dp_sgd, mixture, GroupPrivacy(dp_sgd)):
        alone = Composed([f])
        assert alone.error == f.error > 0
        assert alone.inverse().error == f.error
        np.testing.assert_allclose(alone.beta(X), f.beta(X), rtol=0, atol=1e-12)
    assert Composed([mixture, PureDP(epsilon=0.1)]).error > mixture.error
    assert Composed([mixture, mixture]).error >= 2 * mixture.error


def test_gaussians_under_another_name_add_up_in_closed_form() -> None:
    everybody = SubsampledGaussian(
        noise_multiplier=4.0, sampling_rate=1.0, steps=4, adjacency="replace_one"
    )
    whole = Composed([everybody, GaussianDP(mu=2.0)])
    assert whole.error == 0
    np.testing.assert_array_equal(whole.beta(X), GaussianDP(mu=math.sqrt(5)).beta(X))


def test_a_composition_in_a_composition_is_taken_apart() -> None:
    one = OneWaySubsampled(base=LaplaceMechanism(epsilon=1.0), sampling_rate=0.3)
    other = OneWaySubsampled(base=GaussianDP(mu=1.0), sampling_rate=0.5)
    nested, flat = Composed([Composed([one, one]), other]), Composed([one, one, other])
    assert nested.error == flat.error
    assert nested.tpr(0.01) == flat.tpr(0.01)


def test_replacing_a_record_that_is_always_sampled_moves_the_noise_by_twice_mu() -> None:
    everybody = PoissonReplaceOne(mu=1.0, sampling_rate=1.0)
    np.testing.assert_allclose(everybody.tpr(X), GaussianDP(mu=2.0).tpr(X), rtol=1e-12)


@pytest.mark.parametrize("sampling", ["poisson", "fixed_size"])
@pytest.mark.parametrize("adjacency", ["add_remove", "replace_one"])
def test_the_noise_multiplier_has_one_meaning(sampling: str, adjacency: str) -> None:
    """A replacement moves a sum by twice what one record adds, however the records are sampled."""
    if (sampling, adjacency) == ("fixed_size", "add_remove"):
        return
    shift = 2.0 if adjacency == "replace_one" else 1.0
    exact = GaussianDP(mu=shift / 0.8, adjacency=adjacency)
    noise = {"noise_multiplier": 0.8, "adjacency": adjacency}
    assert GaussianMechanism(**noise).mu == exact.mu
    sampled = SubsampledGaussian(**noise, sampling_rate=1.0, sampling=sampling)
    np.testing.assert_array_equal(sampled.beta(X), exact.beta(X))
    nearly = SubsampledGaussian(**noise, sampling_rate=1 - 1e-9, sampling=sampling)
    np.testing.assert_allclose(nearly.beta(X), exact.beta(X), rtol=0, atol=1e-8)
    # To replace a record is to remove one and to add one.
    replaced = GaussianMechanism(noise_multiplier=0.8, adjacency="replace_one")
    assert GaussianMechanism(noise_multiplier=0.8).to_replace_one() == replaced


def test_samples_of_a_fixed_size_are_of_this_pair() -> None:
    """One step: (1 - p) N(0, 1) + p N(mu, 1) either way round, mu = 2 / sigma, by integration."""
    f = SubsampledGaussian(
        noise_multiplier=2.0, sampling_rate=0.2, adjacency="replace_one", sampling="fixed_size"
    )
    y = np.linspace(-14, 15, 400_001)
    p = np.exp(-(y**2) / 2) / math.sqrt(2 * math.pi)
    q = 0.8 * p + 0.2 * np.exp(-((y - 1) ** 2) / 2) / math.sqrt(2 * math.pi)
    for epsilon in (0.05, 0.2, 0.5):
        areas = [np.sum(np.maximum(a - np.exp(epsilon) * b, 0)) for a, b in ((p, q), (q, p))]
        assert f.delta(epsilon) == pytest.approx(max(areas) * (y[1] - y[0]), rel=1e-6)


# Claims that are short to write cost little.


@pytest.mark.parametrize("rates", [(0.5,), (0.5, 0.4), (0.9,) * 20])
def test_sampling_from_samples_is_sampling_at_the_product_of_the_rates(
    rates: tuple[float, ...],
) -> None:
    """The slope of ``C_p(f)`` is below -1 where that of f is, and ``q f_p + (1 - q) Id = f_pq``."""
    f: TradeoffFunction = LaplaceMechanism(epsilon=3.0)
    for rate in rates:
        f = Subsampled(base=f, sampling_rate=rate)
    rate = float(np.prod(rates))
    for epsilon in (0.0, 0.1, 0.7):
        loss = np.log1p(np.expm1(epsilon) / rate)  # before sampling
        delta = rate * -np.expm1((loss - 3.0) / 2)  # the profile of Laplace noise
        assert f.delta(epsilon) == pytest.approx(max(delta, 0.0), rel=1e-12)
    assert f.epsilon(0.0) == pytest.approx(np.log1p(rate * np.expm1(3.0)), rel=1e-12)
    # Brute force: the convex hull of one order's curve and of its mirror image.
    x = np.linspace(0, 1, 20_001)
    one_way = rate * LaplaceMechanism(epsilon=3.0).beta(x) + (1 - rate) * (1 - x)
    places = np.concatenate([np.column_stack([x, one_way]), np.column_stack([one_way, x])])
    hull = lower_hull(places)
    assert f.beta(x) == pytest.approx(np.interp(x, *hull.T), abs=1e-7)


def test_a_sampled_claim_keeps_its_own_curve_in_a_composition() -> None:
    """A claim ``C_p(f)`` may be that of another pair than ``f_p``: each order is bounded by it."""
    claim = Subsampled(
        base=ApproximateDP(epsilon=1.0, delta=0.1, adjacency="add_remove"),
        sampling_rate=0.5,
        adjacency="add_remove",
    )
    sampled = Subsampled(base=claim, sampling_rate=0.5, adjacency="add_remove")
    one_way = OneWaySubsampled(base=claim, sampling_rate=0.5, adjacency="add_remove")
    both = Composed([one_way] * 2).min_symmetrized()
    x = np.linspace(0, 1, 101)
    assert Composed([sampled] * 2).beta(x) == pytest.approx(both.beta(x), abs=1e-9)
    # The pair of two samples alone would be better.
    other = Subsampled(base=claim.base, sampling_rate=0.25, adjacency="add_remove")
    assert np.all(Composed([sampled] * 2).beta(x) <= Composed([other] * 2).beta(x) + 1e-12)


@pytest.mark.parametrize(("noise", "rate", "steps"), [(0.3, 0.5, 10**7), (1e-3, 0.999, 10**7)])
def test_dp_sgd_without_any_privacy_takes_no_more_memory_than_other_dp_sgd(
    noise: float, rate: float, steps: int
) -> None:
    tracemalloc.start()
    f = SubsampledGaussian(noise_multiplier=noise, sampling_rate=rate, steps=steps)
    assert (f.tpr(1e-9), f.epsilon(1e-5), f.delta(100.0)) == (1.0, np.inf, 1.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300e6


def test_large_total_losses_are_rounded_to_a_safe_side_that_is_near() -> None:
    # At this rate the Gaussian mechanism without sampling has almost the same curve.
    f = SubsampledGaussian(noise_multiplier=100.0, sampling_rate=1 - 1e-6, steps=10**7)
    gaussian = GaussianDP(mu=10**3.5 / 100.0).epsilon(1e-5)
    assert gaussian * (1 - 1e-5) < f.epsilon(1e-5) < gaussian * (1 + 2e-3)


def test_claims_that_would_take_minutes_are_refused_with_a_way_out() -> None:
    different = [LaplaceMechanism(epsilon=0.01 + i / 10**6) for i in range(1001)]
    with pytest.raises(ValueError, match="mechanisms must be at most 1000 different"):
        Composed(different).tpr(0.1)
    assert Composed([GaussianDP(mu=0.01 + i / 10**6) for i in range(1001)]).tpr(0.1) > 0.1
    with pytest.raises(ValueError, match="orders must be a non-empty vector of at most 1000"):
        RenyiDP(orders=np.arange(2, 1003), epsilons=np.ones(1001))
    with pytest.raises(ValueError, match=r"size must be at most 100 .* noise at 101 times"):
        GroupPrivacy(LaplaceMechanism(epsilon=0.01), size=101).tpr(0.1)
    way_out = r"noise at 11 times .*, sampled at rate min\(1, 11 sampling_rate\)"
    for adjacency in ("add_remove", "replace_one"):
        noise = SubsampledGaussian(noise_multiplier=1, sampling_rate=0.1, adjacency=adjacency)
        with pytest.raises(ValueError, match=rf"size must be at most 10 .* got 11; .*{way_out}"):
            GroupPrivacy(noise, size=11).tpr(0.1)
    pairs = Composed([LaplaceMechanism(epsilon=0.1 + i / 1000) for i in range(20)])
    with pytest.raises(ValueError, match=r"at most 100000 corners, got 1000; .* size is 4[0-9]$"):
        GroupPrivacy(pairs, size=1000).tpr(0.1)


@pytest.mark.parametrize("size", [2, 3, 50])
def test_the_map_of_a_group_is_that_of_one_step_so_many_times(size: int) -> None:
    base = RenyiDP(orders=(2.0,), epsilons=(0.1,))
    x = np.append(0.0, np.geomspace(1e-300, 1, 400))
    tpr = x
    for _ in range(size):
        tpr = base.tpr(tpr)
    assert GroupPrivacy(base, size=size).tpr(x) == pytest.approx(tpr, rel=1e-9)


@pytest.mark.parametrize(("noise", "rate"), [(1e6, 1e-9), (300.0, 0.999)])
def test_the_rounding_of_ten_million_steps_stays_within_the_stated_error(
    noise: float, rate: float
) -> None:
    """By the central limit theorem, whose error is below 1e-6 here (Dong et al., theorem 5)."""
    sgd = SubsampledGaussian(noise_multiplier=noise, sampling_rate=rate, steps=10**7)
    limit = GaussianDP(mu=rate * np.sqrt(1e7 * np.expm1(noise**-2)))
    assert -1e-6 <= sgd.delta(0.0) - limit.delta(0.0) <= sgd.error
    x = np.array([1e-9, 1e-3, 0.1, 0.5])
    gap = sgd.tpr(x) - limit.tpr(x)
    assert (gap >= -1e-6).all()
    assert (gap <= sgd.error + 1e-6).all()


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_a_larger_sample_gives_the_guarantee_that_large_groups_are_referred_to(rate: float) -> None:
    """Against the exact trade-off of 3 records: 0 to 3 of them are in a Poisson sample."""
    mu, size = 0.5, 3
    t = np.linspace(-8, 12, 4001)
    in_sample = binom.pmf(np.arange(size + 1), size, rate)
    tpr = sum(share * norm.sf(t - k * mu) for k, share in enumerate(in_sample))
    way_out = Subsampled(base=GaussianDP(mu=size * mu), sampling_rate=min(1.0, size * rate))
    assert (way_out.tpr(norm.sf(t)) >= tpr - 1e-12).all()
    assert (way_out.beta(tpr) <= norm.cdf(t) + 1e-12).all()
