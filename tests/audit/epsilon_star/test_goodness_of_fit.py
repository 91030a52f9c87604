"""Tests of fitted laws: uniform where the law is right, rejecting where it is wrong."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import dpviz
from dpviz.audit import AttackScores, GoodnessOfFit, goodness_of_fit
from dpviz.audit.epsilon_star.fits import ClassFit, ks_by_components, quantile_pairs, range_end
from dpviz.audit.epsilon_star.laws import Mixture, Normal
from dpviz.audit.scores.base import SortedSample
from tests.audit.oracles import gaussian_losses, of_losses


def fits(found: GoodnessOfFit) -> tuple[ClassFit, ClassFit]:
    assert found.member is not None
    assert found.nonmember is not None
    return found.member, found.nonmember


def gamma_losses(seed: int, n: int) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores.from_losses(member=rng.gamma(2, 5, n), nonmember=rng.gamma(4, 5, n))


@pytest.mark.slow
def test_p_values_of_a_right_model_are_uniform() -> None:
    one_sample, two_sample = [], []
    for seed in range(200):
        scores = gaussian_losses(seed, member=(-1, 2, 2500), nonmember=(0, 1, 2500))
        for fit in fits(goodness_of_fit(scores, transform="none", held_out=100, seed=seed)):
            one_sample.append(fit.p_value)
            two_sample.append(fit.two_sample_p_value)
    assert stats.kstest(one_sample, "uniform").pvalue > 0.001
    for values in (one_sample, two_sample):
        for a in (0.05, 0.2, 0.5):
            assert np.mean(np.array(values) <= a) <= a + 4 * math.sqrt(a * (1 - a) / len(values))
    # Steps of 1/100 in its distance make the two-sample test cautious, not idle.
    assert np.mean(np.array(two_sample) <= 0.2) > 0.1


def test_a_wrong_model_is_rejected_with_enough_held_out() -> None:
    for seed in range(10):
        found = goodness_of_fit(gamma_losses(seed, 5000), held_out=1000, seed=seed)
        assert found.rejected == ("members", "non-members")
        assert all(fit.n_held_out == 1000 for fit in fits(found))
    assert goodness_of_fit(dpviz.read_sample("gamma")).rejected == ("members", "non-members")


@pytest.mark.slow
def test_a_wrong_model_often_passes_with_few_held_out() -> None:
    def independent(seed: int) -> float:
        rng = np.random.default_rng([seed, 99])
        members, nonmembers = rng.gamma(2, 5, 5000), rng.gamma(4, 5, 5000)
        low, high = min(members.min(), nonmembers.min()), max(members.max(), nonmembers.max())
        x = -np.log(np.expm1(1 + (members - low) / (high - low)))
        return float(stats.kstest(x[:100], stats.norm(x[100:].mean(), x[100:].std()).cdf).pvalue)

    runs = 100
    accepted = np.mean(
        [
            fits(goodness_of_fit(gamma_losses(seed, 5000), held_out=100, seed=seed))[0].p_value
            > 0.05
            for seed in range(runs)
        ]
    )
    # Simulated beforehand: 56 to 68 %; a share of 100 runs has a standard deviation of 5 %.
    assert 0.4 <= accepted <= 0.8
    expected = np.mean([independent(seed) > 0.05 for seed in range(runs)])
    assert accepted == pytest.approx(expected, abs=4 * math.sqrt(2 * 0.24 / runs))


def test_the_test_is_scipys_on_losses_that_were_held_out() -> None:
    # Half of 8 losses is held out: some split of each class gives the distances found.
    member, nonmember = np.array([0.0, 1, 2, 4, 7, 9, 10, 16]), np.arange(4.0)
    found = goodness_of_fit(
        AttackScores.from_losses(member=member, nonmember=nonmember), transform="none"
    )
    for losses, fit in zip((member, nonmember), fits(found), strict=True):
        n = losses.size
        assert fit.n_held_out == n // 2
        distances = []
        for bits in range(2**n):
            tested = np.array([bits >> i & 1 for i in range(n)], bool)
            rest = losses[~tested]
            if tested.sum() == n // 2:
                law = stats.norm(rest.mean(), rest.std())
                result = stats.kstest(losses[tested], law.cdf)
                distances.append((result.statistic, result.pvalue))
        nearest = min(distances, key=lambda pair: abs(pair[0] - fit.distance))
        assert fit.distance == pytest.approx(nearest[0], abs=1e-9)
        assert fit.p_value == pytest.approx(nearest[1], abs=1e-9)


def test_the_same_seed_gives_the_same_result_and_another_does_not() -> None:
    scores = gamma_losses(0, 300)
    for form in ({}, {"method": "mixture", "components": 2}, {"transform": "none"}):
        arguments: dict[str, Any] = {"held_out": 50, **form}
        first = goodness_of_fit(scores, seed=1, **arguments)
        assert goodness_of_fit(scores, seed=1, **arguments) == first
        assert goodness_of_fit(scores, seed=2, **arguments) != first


def test_a_mixture_that_fits_is_not_rejected_where_a_normal_law_is() -> None:
    rng = np.random.default_rng(5)

    def hills(n: int) -> np.ndarray:
        return np.where(rng.random(n) < 0.5, rng.normal(-4, 1, n), rng.normal(4, 1, n))

    scores = AttackScores.from_losses(member=hills(3000), nonmember=hills(3000))
    both = {"transform": "none", "held_out": 500}
    assert goodness_of_fit(scores, **both).rejected == ("members", "non-members")
    mixture = goodness_of_fit(scores, method="mixture", components=2, **both)
    assert min(fit.p_value for fit in fits(mixture)) > 0.001


def test_only_the_rejected_class_is_named() -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores.from_losses(
        member=rng.normal(0, 1, 4000), nonmember=rng.exponential(1, 4000)
    )
    assert goodness_of_fit(scores, transform="none").rejected == ("non-members",)


@pytest.mark.parametrize(
    ("member", "nonmember"),
    [
        ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0, 3.0]),
        ([0.0, 1.0, 2.0, 3.0], [5.0]),
        ([1.0] * 50, [0.0, 1.0, 2.0, 3.0]),
    ],
)
def test_too_few_losses_or_no_spread_give_no_test(
    member: list[float], nonmember: list[float]
) -> None:
    found = goodness_of_fit(of_losses(member, nonmember))
    assert (found.member, found.nonmember, found.rejected) == (None, None, ())
    enough = goodness_of_fit(of_losses([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 4.0]))
    assert all(fit.n_held_out == 2 for fit in fits(enough))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"held_out": 1}, "held_out must be a whole number of at least 2"),
        ({"held_out": 2.5}, "held_out must be"),
        ({"method": "empirical"}, "method must be one of"),
        ({"transform": "log"}, "transform must be one of"),
        ({"components": 0}, "components must be"),
    ],
)
def test_illegal_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        goodness_of_fit(gamma_losses(0, 20), **arguments)


def test_one_extreme_loss_is_the_end_of_the_range() -> None:
    # Pooled 0 .. 20; without the 20 it would end at 4: 16 of 20.
    end = range_end(of_losses([0.0, 1.0, 4.0], [0.5, 2.0, 20.0]))
    assert (end.loss, end.share, end.is_influential) == (20, 0.8, True)
    end = range_end(of_losses([0.0, 1.0, -12.0], [0.5, 2.0]))
    assert end.loss == -12
    assert end.share == pytest.approx(12 / 14)


def test_scores_and_losses_name_the_same_record() -> None:
    losses, scores = [3.0, 1.0, -12.0], [-3.0, -1.0, 12.0]
    of_loss = range_end(of_losses(losses, [0.5, 2.0]))
    of_score = range_end(AttackScores(member=scores, nonmember=[-0.5, -2.0]))
    assert (of_loss.loss, of_score.loss) == (-12, 12)
    assert of_loss.share == of_score.share == 12.5 / 15


@pytest.mark.parametrize(
    ("member", "nonmember", "share"),
    [
        ([5.0], [5.0], 0.0),
        ([0.0], [4.0], 1.0),
        ([0.0, 0.0], [4.0, 4.0], 0.0),
        ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], 0.0),
        ([0.0, 2.0, 10.0], [1.0, 8.0], 0.2),
    ],
)
def test_a_range_that_no_single_loss_decides(
    member: list[float], nonmember: list[float], share: float
) -> None:
    end = range_end(of_losses(member, nonmember))
    assert end.share == share
    assert end.is_influential == (share >= 0.2)


@given(
    member=st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=6),
    nonmember=st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=6),
)
def test_the_share_is_what_removing_any_one_loss_saves(
    member: list[float], nonmember: list[float]
) -> None:
    pooled = sorted(member + nonmember)
    spread = pooled[-1] - pooled[0]
    saved = [
        spread - (max(rest) - min(rest))
        for rest in (pooled[:i] + pooled[i + 1 :] for i in range(len(pooled)))
    ]
    end = range_end(of_losses(member, nonmember))
    assert end.share == pytest.approx(max(saved) / spread if spread else 0)
    assert end.loss in (pooled[0], pooled[-1])


@pytest.mark.parametrize("n", [1, 2, 7, 119, 120, 121, 5000, 100_001])
def test_quantiles_of_a_perfect_sample_lie_on_the_diagonal(n: int) -> None:
    law = Normal(mean=3.0, sd=0.5)
    x = stats.norm.ppf((np.arange(n) + 0.5) / n, 3.0, 0.5)
    if n == 1:
        x = np.array([3.0])
        with np.errstate(invalid="ignore"):
            assert quantile_pairs(SortedSample(x), law).shape[1] == 2
        return
    pairs = quantile_pairs(SortedSample(x), law)
    assert pairs.shape[1] == 2
    assert 2 <= len(pairs) <= 120
    np.testing.assert_allclose(pairs[:, 0], pairs[:, 1], atol=1e-9)
    assert np.all(np.diff(pairs, axis=0) >= -1e-12)
    standard = (x - x.mean()) / x.std()
    assert (pairs[0, 1], pairs[-1, 1]) == pytest.approx((standard[0], standard[-1]), abs=1e-12)


def test_quantiles_of_a_sample_stay_near_its_law_and_leave_a_wrong_one() -> None:
    x = np.sort(np.random.default_rng(0).normal(3, 2, 20_000))
    near = quantile_pairs(SortedSample(x), Normal(mean=3, sd=2))
    middle = np.abs(near[:, 0]) < 2
    # A quantile at +-2 has a standard error of about 3 / sqrt(n).
    assert np.abs(near[middle, 0] - near[middle, 1]).max() < 12 / math.sqrt(20_000)
    assert np.all(np.diff(near, axis=0) >= 0)
    wide = quantile_pairs(SortedSample(x), Normal(mean=3, sd=4))
    assert wide[0, 0] == pytest.approx(2 * near[0, 0], rel=0.05)
    np.testing.assert_array_equal(wide[:, 1], near[:, 1])


def test_the_most_extreme_records_come_one_by_one() -> None:
    x = np.sort(np.random.default_rng(1).gamma(2, 5, 5000))
    pairs = quantile_pairs(SortedSample(x), Mixture([0.5, 0.5], [5.0, 15.0], [3.0, 6.0]))
    standard = (x - x.mean()) / x.std()
    np.testing.assert_allclose(pairs[:5, 1], standard[:5], rtol=1e-12)
    np.testing.assert_allclose(pairs[-5:, 1], standard[-5:], rtol=1e-12)
    assert np.all(np.diff(pairs, axis=0) >= 0)


def test_the_table_of_components_begins_with_one() -> None:
    scores = gaussian_losses(6, member=(0, 1, 200), nonmember=(1, 1, 300))
    table = ks_by_components(scores, most=1, held_out=50)
    fit = goodness_of_fit(scores, method="mixture", components=1, held_out=50)
    assert fit.member is not None
    assert fit.nonmember is not None
    np.testing.assert_allclose(table.p_values[0], [fit.member.p_value, fit.nonmember.p_value])


def test_a_p_value_at_the_level_rejects() -> None:
    at, above = (
        ClassFit(n_held_out=10, distance=0.4, p_value=p, two_sample_p_value=0.5)
        for p in (0.05, 0.0501)
    )
    assert GoodnessOfFit(member=above, nonmember=at).rejected == ("non-members",)
