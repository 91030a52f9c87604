"""The privacy loss, the central limit, duality, and risk functions without golden values."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, log_ndtr, ndtr, ndtri, ndtri_exp

from dpviz.theory import (
    ApproximateDP,
    Composed,
    DiscretePair,
    GaussianDP,
    GroupPrivacy,
    LaplaceMechanism,
    OneWaySubsampled,
    PrivacyLoss,
    PublicMixture,
    PureDP,
    Subsampled,
    SubsampledGaussian,
    TradeoffFunction,
    clt,
    profile,
    risk,
)
from dpviz.theory.mechanisms.subsampled_gaussian import PoissonReplaceOne
from dpviz.theory.profile import loss_at
from dpviz.theory.statements import smallest_mu
from dpviz.theory.tradeoff import Adjacency
from tests.slow import parametrize

X = np.unique(np.r_[np.geomspace(1e-10, 1, 60), np.linspace(0, 1, 41)])
SEVERAL = (
    GaussianDP(mu=1.3),
    LaplaceMechanism(epsilon=2.0),
    ApproximateDP(epsilon=1.0, delta=0.1),
)


def test_the_tail_of_the_loss_is_not_delta() -> None:
    # Laplace noise reaches its largest loss half of the time, and is (s, 0)-DP.
    f = LaplaceMechanism(epsilon=1.0)
    assert PrivacyLoss(f).tail(1.0) == pytest.approx(0.5, abs=1e-15)
    assert f.delta(1.0) == 0
    # Gaussian, mu = 1: 0.309 against 0.127 at epsilon 1.
    g = GaussianDP(mu=1.0)
    assert PrivacyLoss(g).tail(1.0) == pytest.approx(ndtr(-0.5), rel=1e-14)
    assert g.delta(1.0) == pytest.approx(0.12693673750664395, rel=1e-13)


def test_the_loss_of_a_discrete_pair_is_counted() -> None:
    loss = PrivacyLoss(DiscretePair([0.5, 0.25, 0.25, 0.0], [0.125, 0.25, 0.5, 0.125]))
    at = math.log(2)
    assert loss.tail(at) == 0.625
    assert loss.above(at) == 0.125
    assert loss.tail(at, member=False) == 0.25
    assert loss.above(math.inf) == 0
    assert loss.tail(math.inf) == 0.125
    assert loss.mean() == math.inf
    assert loss.mean(member=False) == pytest.approx(0.5 * math.log(0.25) + 0.25 * at)


@pytest.mark.parametrize("mu", [1e-6, 0.3, 2.0, 10.0])
def test_the_loss_of_a_gaussian_has_the_moments_of_its_normal_law(mu: float) -> None:
    loss = PrivacyLoss(GaussianDP(mu=mu))
    assert loss.mean() == pytest.approx(mu**2 / 2, rel=1e-6)
    assert loss.mean(member=False) == pytest.approx(-(mu**2) / 2, rel=1e-6)
    second = loss.expectation(np.square)
    assert second == pytest.approx(mu**2 + mu**4 / 4, rel=1e-9)


def test_a_converse_of_the_tail_bound() -> None:
    # Pr[L > e'] <= delta(e) / (1 - e^(e - e')) for e' > e.
    for f in (
        GaussianDP(mu=1.0),
        LaplaceMechanism(epsilon=2.0),
        ApproximateDP(epsilon=1, delta=0.1),
    ):
        for low, high in [(0.1, 0.5), (0.5, 1.5), (1.0, 1.9)]:
            bound = f.delta(low) / -math.expm1(low - high)
            assert PrivacyLoss(f).above(high) <= bound + 1e-15


def test_the_central_limit_of_subsampled_gaussians() -> None:
    # The limit of small rates, with c = rate sqrt(times) (Dong, Roth and Su, corollary 5.4):
    # mu = sqrt 2 c sqrt(e^(1/s^2) Phi(1.5/s) + 3 Phi(-.5/s) - 2).
    rate, times, noise = 1e-4, 10**7, 1.0
    found = clt(Subsampled(base=GaussianDP(mu=1 / noise), sampling_rate=rate), times=times)
    inner = math.exp(noise**-2) * ndtr(1.5 / noise) + 3 * ndtr(-0.5 / noise) - 2
    assert found.mu == pytest.approx(math.sqrt(2 * inner * times) * rate, rel=1e-3)


def test_the_central_limit_encloses_the_exact_composition() -> None:
    found = clt(PureDP(epsilon=0.1), times=100)
    assert found.is_applicable
    exact = Composed([PureDP(epsilon=0.1)] * 100).beta(X)
    low, high = found.bounds(X)
    assert np.all((low <= exact) & (exact <= high))
    assert np.all((high - low)[np.abs(X - 0.5) < 0.1] < 0.25)
    assert not hasattr(found, "beta")  # no guarantee, so no guarantee's methods
    assert not isinstance(found, TradeoffFunction)


def test_a_hopeless_central_limit_says_so() -> None:
    found = clt(PureDP(epsilon=3.0), times=1)
    assert not found.is_applicable
    low, high = found.bounds(0.3)
    assert (float(low), float(high)) == (0.0, 0.7)


@pytest.mark.parametrize(
    "f", [GaussianDP(mu=1.0), LaplaceMechanism(epsilon=1.5), ApproximateDP(epsilon=1, delta=0.05)]
)
def test_curve_and_profile_are_found_from_each_other(f: TradeoffFunction) -> None:
    epsilons = np.array([-2.0, -0.5, 0.0, 0.3, 1.0, 3.0])
    found = profile.delta_of_tpr(f.tpr, epsilons, kinks=f.kinks)
    np.testing.assert_allclose(found, f.delta(epsilons), rtol=0, atol=1e-13)
    back = profile.tpr_of_delta(f.delta, X)
    np.testing.assert_allclose(back, f.tpr(X), rtol=0, atol=1e-8)  # at a kink, half the digits
    assert np.all(back >= f.tpr(X) - 1e-13)  # from above: no guarantee is invented
    deltas = np.array([0.1, 0.06, 0.2])
    by_curve = profile.epsilon_of_tpr(f.tpr, deltas, kinks=f.kinks)
    np.testing.assert_allclose(by_curve, f.epsilon(deltas), rtol=0, atol=1e-9)


def test_smallest_mu_is_that_of_the_test_with_the_hypotheses_exchanged() -> None:
    # beta and its inverse lie above the same Gaussians, which are their own inverses.
    f = OneWaySubsampled(base=GaussianDP(mu=1.5), sampling_rate=0.3)
    assert smallest_mu(f) == smallest_mu(f.inverse()) == 1.5


def test_smallest_mu_is_the_smallest() -> None:
    f = LaplaceMechanism(epsilon=1.0)
    mu = smallest_mu(f)
    assert np.all(f.beta(X) >= GaussianDP(mu=mu).beta(X) - 1e-14)
    touching = f.fpr_of_loss(0.0)
    assert f.beta(touching) < GaussianDP(mu=mu * (1 - 1e-6)).beta(touching)
    assert smallest_mu(ApproximateDP(epsilon=1.0, delta=1e-9)) == math.inf
    with pytest.raises(
        ValueError, match="f must be a Gaussian guarantee or a guarantee of bounded loss"
    ):
        smallest_mu(PoissonReplaceOne(mu=1.0, sampling_rate=0.1))


def test_smallest_mu_of_dp_sgd_is_that_of_all_steps_on_all_records() -> None:
    gaussians = GaussianDP(mu=1.5)
    once = Subsampled(base=gaussians, sampling_rate=0.1)
    # Logarithms of tail probabilities reach FPRs far below every float.
    z = np.array([-1e2, -1e3, -1e5])
    log_tpr = np.logaddexp(
        np.log(0.1) + log_ndtr(z + 1.5), np.log(0.9) + log_ndtr(z)
    )  # with the record
    reached = ndtri_exp(log_tpr) - z
    assert np.all(np.diff(reached) > 0)
    assert reached[-1] <= smallest_mu(once) == 1.5 < reached[-1] + 1e-4
    # 16 steps: rejecting by the sum, with all 16 samples having the record.
    given = {"noise_multiplier": 1 / 1.5, "sampling_rate": 0.1, "steps": 16}
    lower = ndtri_exp(16 * np.log(0.1) + log_ndtr(z[-1] + 4 * 1.5)) - z[-1]
    # A sum moves by twice as much if a record of the sample is replaced: so much more noise.
    fixed = {"noise_multiplier": 2 / 1.5, "adjacency": "replace_one", "sampling": "fixed_size"}
    for f in (
        SubsampledGaussian(**given),
        SubsampledGaussian(**{**given, **fixed}),
        Composed([once] * 16),
        Composed([SubsampledGaussian(**{**given, **fixed, "steps": 7})] + [once] * 9),
    ):
        assert lower <= smallest_mu(f) == pytest.approx(6.0, rel=1e-12)
        assert np.all(f.beta(X) >= GaussianDP(mu=6.0).beta(X) - f.error)
    assert lower > 6.0 - 1e-3
    nothing = PureDP(epsilon=0.0)
    sampled = Subsampled(base=nothing, sampling_rate=0.5)
    assert smallest_mu(Composed([gaussians, nothing, sampled])) == 1.5


def test_smallest_mu_of_a_composition_is_not_infinite_for_its_computed_curve() -> None:
    # The curve counts losses beyond a grid as infinite, the mechanism hides everything somewhat.
    f = Composed([GaussianDP(mu=1.0), LaplaceMechanism(epsilon=1.0)])
    with pytest.raises(
        ValueError, match="f must be a Gaussian guarantee or a guarantee of bounded loss"
    ):
        smallest_mu(f)
    of_one = -2 * ndtri(math.exp(-1 / 2) / 2)
    of_two = smallest_mu(Composed([LaplaceMechanism(epsilon=1.0)] * 2))
    assert of_one < of_two < math.sqrt(2) * of_one + 1e-3
    assert (
        smallest_mu(Composed([GaussianDP(mu=1.0), ApproximateDP(epsilon=0.0, delta=0.1)]))
        == math.inf
    )


def test_relative_risk_and_odds_by_counting() -> None:
    # e^epsilon = 3: at FPR 1 % TPR is 3 %. Of 1000 people 100 are members: 3 and 9 are accused.
    f, at = PureDP(epsilon=math.log(3)), {"fpr": 0.01, "prior": 0.1}
    assert risk.ppv(f, **at) == pytest.approx(3 / 12, rel=1e-13)
    assert risk.relative_risk(f, **at) == pytest.approx(2.5, rel=1e-13)
    assert risk.posterior_odds(f, **at) == pytest.approx(3 / 9, rel=1e-13)
    assert risk.accuracy(f, **at) == pytest.approx((3 + 891) / 1000, rel=1e-13)
    assert risk.npv(f, **at) == pytest.approx(891 / (891 + 97), rel=1e-13)
    assert risk.f1(f, **at) == pytest.approx(2 * 3 / (2 * 3 + 9 + 97), rel=1e-13)


def test_at_the_ends_the_limits_are_given() -> None:
    f = PureDP(epsilon=1.0)
    assert risk.posterior_odds(f, fpr=0.0, prior=0.5) == pytest.approx(math.e)
    assert risk.npv(f, fpr=1.0, prior=0.5) == pytest.approx(expit(1.0))
    assert risk.ppv(GaussianDP(mu=1.0), fpr=0.0, prior=1e-9) == 1.0
    assert risk.posterior_odds(GaussianDP(mu=1.0), fpr=0.0, prior=0.5) == math.inf


def test_accuracy_says_nothing_where_precision_still_does() -> None:
    f, prior = PureDP(epsilon=1.0), 0.1
    assert risk.best_accuracy(f, prior=prior) == 1 - prior
    assert risk.ppv(f, fpr=0.01, prior=prior) > 2 * prior


@pytest.mark.parametrize("prior", [1e-6, 0.1, 0.7])
def test_the_expected_posterior_keeps_the_prior_on_average(prior: float) -> None:
    # p E_Q[post] + (1 - p) E_P[post] = p.
    for f in (
        GaussianDP(mu=1.3),
        LaplaceMechanism(epsilon=2.0),
        ApproximateDP(epsilon=1, delta=0.1),
    ):
        shift = math.log(prior / (1 - prior))
        member = risk.expected_posterior(f, prior=prior)
        other = PrivacyLoss(f).expectation(lambda loss, s=shift: expit(loss + s), member=False)
        assert prior * member + (1 - prior) * other == pytest.approx(prior, rel=1e-9)


def test_no_range_of_posteriors_beyond_pure_dp() -> None:
    low, high = risk.posterior_bounds(epsilon=math.log(3), prior=0.25)
    assert (low, high) == pytest.approx((0.1, 0.5), rel=1e-13)


def test_the_loss_of_a_mixture_and_of_a_sampled_pair_by_their_parts() -> None:
    # KL of Laplace noise: s - 1 + e^-s; of the Gaussian: mu^2 / 2.
    parts = [GaussianDP(mu=1.0), LaplaceMechanism(epsilon=2.0)]
    mixture = PublicMixture(parts, weights=[0.25, 0.75])
    expected = 0.25 * 0.5 + 0.75 * (1 + math.exp(-2))
    assert PrivacyLoss(mixture).mean() == pytest.approx(expected, rel=1e-9)
    # By simulation: log(1 - p + p e^L) of outputs of (1 - p) P + p Q.
    rng, n = np.random.default_rng(0), 1_000_000
    output = rng.normal(size=n) + 2.0 * (rng.random(n) < 0.1)
    losses = np.log(0.9 + 0.1 * np.exp(2.0 * output - 2.0))
    found = PrivacyLoss(OneWaySubsampled(base=GaussianDP(mu=2.0), sampling_rate=0.1)).mean()
    assert found == pytest.approx(losses.mean(), abs=5 * losses.std() / math.sqrt(n))


def test_the_other_order_keeps_the_mass_at_its_largest_loss() -> None:
    """Of Laplace noise, sampled: half of the outputs lie where the loss is largest."""
    f = OneWaySubsampled(base=LaplaceMechanism(epsilon=1.0), sampling_rate=0.8).inverse()
    largest = -math.log(0.2 + 0.8 * math.exp(-1))
    loss = PrivacyLoss(f)
    for below in (1e-13, 1e-9, 1e-7):
        assert loss.tail(largest * (1 - below)) == pytest.approx(0.5, abs=2 * below)
    assert loss.tail(largest + 1e-9) == 0.0
    # 0.2 + 0.8 e^-1 of it is left where the record was in the sample with probability 0.8.
    assert loss.tail(largest - 1e-9, member=False) == pytest.approx(math.exp(-largest) / 2)


def test_a_mass_that_rounding_made_larger_is_that_mass() -> None:
    infinite = float(np.nextafter(0.5, 1))
    p = math.exp(-7) / 2
    f = DiscretePair([0.0, p, 1 - p], [infinite, 1 - infinite, 0.0])
    assert f.epsilon(0.5) == pytest.approx(7.0, rel=1e-12)
    assert f.epsilon(0.5 - 1e-9) == math.inf


def test_means_of_large_and_of_infinite_losses() -> None:
    """KL of N(mu, 1) from N(0, 1) is mu^2 / 2; a proof of either class has an infinite loss."""
    assert PrivacyLoss(GaussianDP(mu=1e154)).mean() == pytest.approx(5e307)
    group = PrivacyLoss(GroupPrivacy(ApproximateDP(epsilon=0.2, delta=0.01), size=5))
    assert (group.mean(), group.mean(member=False)) == (np.inf, -np.inf)
    with pytest.raises(OverflowError, match="must be finite, got inf; give a guarantee"):
        PrivacyLoss(GaussianDP(mu=1e300)).mean()


def test_an_expectation_that_needs_breaks_says_so() -> None:
    loss = PrivacyLoss(GaussianDP(mu=1.0))

    def step(losses: np.ndarray) -> np.ndarray:
        return np.where(losses > 0.3, 1.0, 0.0)

    with pytest.raises(ArithmeticError, match="breaks must list the losses at which"):
        loss.expectation(step)
    assert loss.expectation(step, breaks=(0.3,)) == pytest.approx(loss.tail(0.3), rel=1e-9)


def test_the_central_limit_of_one_order_encloses_it_too() -> None:
    """P = (0.55, 0.45) and Q = (0.5, 0.5), 400 times: the exact curve is binomial."""
    f, n = DiscretePair([0.55, 0.45], [0.5, 0.5]), 400
    k = np.arange(n + 1)
    fpr, fnr = stats.binom.sf(k, n, 0.45), stats.binom.cdf(k, n, 0.5)
    for pair, x, y in ((f, fpr, fnr), (f.inverse(), fnr, fpr)):
        found = clt(pair, times=n)
        assert found.is_applicable
        low, high = found.bounds(x)
        assert np.all((low <= y + 1e-15) & (y <= high + 1e-15))
        np.testing.assert_allclose(found.approximate_beta(x), y, rtol=0, atol=0.03)
    assert clt(f, times=n).ratio * clt(f.inverse(), times=n).ratio == pytest.approx(1)


def test_tails_of_a_subsampled_law_below_zero() -> None:
    """Of the symmetric law: P(L >= -e) under members is P(L <= e) under non-members."""
    loss = PrivacyLoss(Subsampled(base=LaplaceMechanism(epsilon=1.0), sampling_rate=0.8))
    for epsilon in (0.1, 0.5, 0.8):
        expected = 1 - loss.above(epsilon, member=False)
        assert loss.tail(-epsilon) == pytest.approx(expected, rel=1e-9)


def test_losses_from_a_curve_near_both_ends() -> None:
    f, x = GaussianDP(mu=1.0), np.array([1e-9, 1e-3, 0.5, 0.999])
    expected = -ndtri(x) - 0.5  # of the threshold at which this FPR is reached
    np.testing.assert_allclose(loss_at(f.tpr, f.beta, x, kinks=()), expected, rtol=1e-8)


def test_a_loss_that_is_never_reached_has_the_fpr_zero() -> None:
    """Laplace noise of epsilon 1: no loss above 1; of at least 0.5, where the FPR is e^-.75 / 2."""
    f = LaplaceMechanism(epsilon=1.0)
    found = profile.fpr_of_loss(f.tpr, f.beta, np.array([2.0, 0.5]), kinks=f.kinks)
    assert found.tolist() == [0.0, pytest.approx(math.exp(-0.75) / 2, rel=1e-9)]


@pytest.mark.slow
@parametrize("epsilon", [0.5, 1.0, 2.5, 3.0], slow_but=[1.0])
def test_losses_with_mass_keep_all_of_it_although_they_are_computed_with_rounding(
    epsilon: float,
) -> None:
    """Laplace noise: a loss of epsilon has mass e^-epsilon / 2 under P, one of -epsilon 1/2."""

    @dataclass(frozen=True, kw_only=True)
    class OfTwo(TradeoffFunction):
        size: float
        adjacency: Adjacency = "replace_one"

        @property
        def kinks(self) -> tuple[float, ...]:
            return (math.exp(-self.size) / 2, 0.5)

        def _beta(self, alpha: np.ndarray) -> np.ndarray:
            return np.asarray(LaplaceMechanism(epsilon=self.size).beta(alpha))

        def _tpr(self, fpr: np.ndarray) -> np.ndarray:
            return np.asarray(LaplaceMechanism(epsilon=self.size).tpr(fpr))

    f, at = OfTwo(size=epsilon), np.array([-epsilon - 1, -epsilon, epsilon, epsilon + 1e-6])
    assert f.fpr_of_loss(at).tolist() == [1.0, 1.0, math.exp(-epsilon) / 2, 0.0]
    x = np.geomspace(1e-280, 1, 500)
    little = Composed([f, PureDP(epsilon=1e-9)])
    assert np.all(little.beta(x) <= LaplaceMechanism(epsilon=epsilon).beta(x) + 1e-12)


def test_a_mixture_bends_where_a_part_of_it_does() -> None:
    """Laplace noise bends at losses of 1 and -1; Gaussian noise has them at 1.5 and -0.5."""
    half = math.exp(-1) / 2
    gaussian = stats.norm.sf([1.5, 1.5, -0.5, -0.5])
    mixture = PublicMixture(
        [LaplaceMechanism(epsilon=1.0), GaussianDP(mu=1.0)], weights=[0.25, 0.75]
    )
    expected = 0.25 * np.array([0, half, 0.5, 1]) + 0.75 * gaussian
    np.testing.assert_allclose(mixture.kinks, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("rate", "mean"),
    [(1.0, -200.0), (1 - 1e-15, -34.539575992340881), (1 - 1e-12, -27.631043237893)],
)
def test_the_mean_of_a_loss_that_sampling_hardly_changes(rate: float, mean: float) -> None:
    """E_P[log(1 - p + p e^L)] with 40 digits, by mpmath's `quad` over the Normal density."""
    loss = PrivacyLoss(OneWaySubsampled(base=GaussianDP(mu=20.0), sampling_rate=rate))
    assert loss.mean(member=False) == pytest.approx(mean, rel=1e-12)


def test_tails_of_a_loss_near_the_least_that_sampling_leaves() -> None:
    """The base's loss is log(e^epsilon - (1 - p)) - log p there; 1 - p is 1 / 2^53."""
    unsampled = 2.0**-53
    sampled = OneWaySubsampled(base=GaussianDP(mu=8.0), sampling_rate=1 - unsampled)
    epsilon = math.log(2.3 * unsampled)
    expected = ndtr(-4 - math.log(1.3 * unsampled) / 8)
    assert sampled.fpr_of_loss(epsilon) == pytest.approx(expected, rel=1e-12)
