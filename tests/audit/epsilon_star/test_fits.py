"""Fitted laws: what mixtures recover and refuse, and tests that reject where a law is wrong."""

import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.mixture import GaussianMixture

import dpviz
from dpviz.audit import AttackScores, epsilon_star, goodness_of_fit
from dpviz.audit.epsilon_star import GoodnessOfFit, epsilon_star_of_mixtures
from dpviz.audit.epsilon_star.fits import (
    ClassFitTests,
    FittedLaws,
    TransformedLosses,
    extreme_loss,
    fit_laws,
    ks_by_components,
    quantile_pairs,
)
from dpviz.audit.epsilon_star.laws import Law, Mixture, Normal
from dpviz.audit.scores.base import SortedSample
from tests.audit.oracles import gaussian_losses, of_losses

TWO_HILLS = ((0.7, 0.0, 1.0), (0.3, 8.0, 0.5))
"""Weight, mean and standard deviation."""


def two_hills(rng: np.random.Generator, n: int) -> np.ndarray:
    first = rng.random(n) < TWO_HILLS[0][0]
    return np.where(first, rng.normal(*TWO_HILLS[0][1:], n), rng.normal(*TWO_HILLS[1][1:], n))


def hilly_scores(n: int, seed: int = 0) -> AttackScores:
    """Members from two hills, non-members from one."""
    rng = np.random.default_rng(seed)
    return AttackScores.from_losses(member=two_hills(rng, n), nonmember=rng.normal(3, 2, n))


def fitted(scores: AttackScores, **form: Any) -> FittedLaws:
    return fit_laws(TransformedLosses.of(scores, "none"), method="mixture", **form)


def laws_of(fits: FittedLaws) -> tuple[Law, Law]:
    assert fits.pair is not None
    return fits.pair.member, fits.pair.nonmember


def count(law: Law) -> int:
    return len(law.components) if isinstance(law, Mixture) else 1


def independent_choice(x: np.ndarray, *, most: int, seed: int) -> tuple[int, float]:
    """The number with the smallest BIC, counted from the densities, and its lead."""
    scaled = (x - x.mean()) / x.std()
    found = []
    for k in range(1, most + 1):
        fit = GaussianMixture(k, random_state=seed, max_iter=200).fit(scaled[:, None])
        logs = norm.logpdf(
            scaled[:, None], fit.means_[:, 0], np.sqrt(fit.covariances_[:, 0, 0])
        ) + np.log(fit.weights_)
        likelihood = logsumexp(logs, axis=1).sum()
        found.append((3 * k - 1) * math.log(x.size) - 2 * likelihood)
    first, second = np.sort(found)[:2]
    return 1 + int(np.argmin(found)), float(second - first)


def test_two_hills_are_found_where_they_are() -> None:
    n = 4000
    scores = hilly_scores(n)
    fits = fitted(scores, components=2)
    member, _ = laws_of(fits)
    assert isinstance(member, Mixture)
    ends = fits.sample.transform
    spread = ends.high - ends.low
    order = np.argsort(member.means)
    for (weight, mean, sd), i in zip(TWO_HILLS, order, strict=True):
        size = n * weight
        # Four standard errors; the hills overlap in about one record of ten thousand.
        assert member.weights[i] == pytest.approx(weight, abs=4 * math.sqrt(0.21 / n))
        assert ends.low + spread * member.means[i] == pytest.approx(mean, abs=4 * sd / size**0.5)
        assert spread * member.sds[i] == pytest.approx(sd, abs=4 * sd / (2 * size) ** 0.5)
    assert fits.notes == ("components: 2 for members, 2 for non-members",)


@pytest.mark.parametrize("clip", [None, 0.01])
def test_the_estimate_is_that_of_the_fitted_laws_in_the_unit_of_the_losses(
    clip: float | None,
) -> None:
    scores = hilly_scores(2000, seed=4)
    ends = fitted(scores, components=2).sample.transform
    spread = ends.high - ends.low
    parts = []
    for law in laws_of(fitted(scores, components=2)):
        assert isinstance(law, Mixture)
        parts.append((law.weights, ends.low + spread * law.means, spread * law.sds))
    member, nonmember = parts
    expected = epsilon_star_of_mixtures(nonmember=nonmember, member=member, delta=0.01, clip=clip)
    form: dict[str, Any] = {"method": "mixture", "components": 2, "transform": "none"}
    star = epsilon_star(scores, delta=0.01, clip=clip, **form)
    assert star.value > 0
    np.testing.assert_allclose(star.log_ratios, expected.log_ratios, atol=3e-4)
    active = star.suprema.index_of_largest
    assert active == expected.index_of_largest
    place = expected.maxima[active].threshold
    assert star.suprema.maxima[active].threshold == pytest.approx(place, abs=1e-3 * spread)


@pytest.mark.slow
def test_bic_chooses_what_an_independent_loop_chooses() -> None:
    rng = np.random.default_rng(11)
    three = np.concatenate([rng.normal(m, s, 250) for m, s in ((-9, 1), (0, 0.6), (7, 1.5))])
    scores = AttackScores.from_losses(member=three, nonmember=rng.normal(1, 4, 600))
    found = [count(law) for law in laws_of(fitted(scores))]
    for x, number in zip((-scores.member, -scores.nonmember), found, strict=True):
        expected, lead = independent_choice(x, most=6, seed=5)
        assert lead > 5
        assert number == expected
    assert found == [3, 1]


@pytest.mark.slow
def test_bic_does_not_follow_a_slight_second_hill_as_aic_would() -> None:
    rng = np.random.default_rng(26)
    rng.normal(size=750)
    slight = np.concatenate([rng.normal(0, 1, 300), rng.normal(2.1, 1, 300)])
    number, lead = independent_choice(slight, most=3, seed=5)
    assert (number, lead > 10) == (1, True)
    scores = AttackScores.from_losses(member=slight, nonmember=slight[:40])
    assert count(laws_of(fitted(scores))[0]) == 1


def test_the_ks_rule_takes_one_component_for_normal_losses() -> None:
    chosen = [
        count(law)
        for seed in range(12)
        for law in laws_of(
            fitted(
                gaussian_losses(seed, member=(0, 1, 600), nonmember=(1, 2, 600)),
                components="ks",
                seed=seed,
            )
        )
    ]
    # A test at 0.05 rejects one in twenty: 23 expected of 24, standard deviation 1.1.
    assert chosen.count(1) >= 19


def test_the_ks_rule_needs_two_components_for_two_hills() -> None:
    for seed in range(4):
        member, _ = laws_of(fitted(hilly_scores(2000, seed), components="ks", seed=seed))
        assert count(member) >= 2


def test_one_component_is_the_normal_form() -> None:
    scores = gaussian_losses(3, member=(0, 1, 800), nonmember=(0.5, 1.4, 900))
    forms = {"delta": 1e-5, "clip": None}
    one = epsilon_star(scores, method="mixture", components=1, **forms)
    normal = epsilon_star(scores, method="normal", **forms)
    # scikit-learn adds 1e-6 to a variance of 1.
    np.testing.assert_allclose(one.log_ratios, normal.log_ratios, rtol=1e-4)
    assert all(isinstance(law, Normal) for law in laws_of(fitted(scores, components=1)))


@pytest.mark.parametrize(("n", "is_drawn"), [(10_000, False), (10_001, True)])
def test_more_than_ten_thousand_losses_are_drawn_from(n: int, is_drawn: bool) -> None:
    scores = gaussian_losses(1, member=(0, 1, n), nonmember=(0, 1, 50))
    fits = fitted(scores, components=1)
    assert any("10000 losses" in note for note in fits.notes) == is_drawn
    member, nonmember = laws_of(fits)
    assert isinstance(member, Normal)
    assert isinstance(nonmember, Normal)
    mean, sd = fits.sample.member.mean_and_sd
    distance = abs(member.mean - mean) / sd
    assert (distance > 1e-12) == is_drawn
    assert distance < 1e-3
    assert nonmember.mean == pytest.approx(fits.sample.nonmember.mean_and_sd[0], rel=1e-12)


def test_few_losses_get_few_components() -> None:
    scores = AttackScores.from_losses(member=[0.0, 0.0, 1.0, 5.0, 6.0], nonmember=[1.0, 2.0])
    member, nonmember = laws_of(fitted(scores, components=20))
    assert (count(member), count(nonmember)) == (2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("components", [2, "bic", "ks"])
def test_the_same_seed_gives_the_same_fit(components: Any) -> None:
    scores = hilly_scores(60)
    form: dict[str, Any] = {"delta": 0.01, "method": "mixture", "components": components}
    first, again = (epsilon_star(scores, **form, rng=3) for _ in range(2))
    np.testing.assert_array_equal(first.log_ratios, again.log_ratios)
    assert first.notes == again.notes


@pytest.mark.parametrize("unit", [1e-250, 1e5])
def test_the_unit_of_the_losses_does_not_matter(unit: float) -> None:
    scores = hilly_scores(300)
    scaled = AttackScores.from_losses(-unit * scores.member, -unit * scores.nonmember)
    stars = [
        epsilon_star(s, delta=0.01, method="mixture", components=2, transform="none")
        for s in (scores, scaled)
    ]
    assert stars[1].value == pytest.approx(stars[0].value, rel=1e-6)


@pytest.mark.parametrize("components", [25, 0, 21, -1, "aic", 2.5, math.nan, True, None])
@pytest.mark.parametrize("method", ["mixture", "normal", "empirical"])
def test_illegal_numbers_of_components_are_named(components: Any, method: Any) -> None:
    scores = AttackScores.from_losses(member=[0.0, 1.0], nonmember=[1.0, 2.0])
    with pytest.raises(ValueError, match="components must be"):
        epsilon_star(scores, delta=0.1, method=method, components=components)


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sklearn", "sklearn.mixture", "sklearn.exceptions"):
        monkeypatch.setitem(sys.modules, name, None)
    scores = hilly_scores(50)
    for components in (2, "bic", "ks"):
        with pytest.raises(ImportError, match=r"dpviz\[mixture\]"):
            epsilon_star(scores, delta=0.1, method="mixture", components=components)
    assert epsilon_star(scores, delta=0.1, method="normal").value >= 0


def test_a_mixture_of_many_losses_is_fitted_to_some_of_all() -> None:
    scores = gaussian_losses(3, member=(0, 1, 12_000), nonmember=(4, 1, 12_000))
    fits = fitted(scores, components=1)
    for law, every in zip(laws_of(fits), (fits.sample.member, fits.sample.nonmember), strict=True):
        mean, sd = every.mean_and_sd
        assert isinstance(law, Normal)
        assert law.mean == pytest.approx(mean, abs=5 * sd / math.sqrt(10_000))
        assert law.sd == pytest.approx(sd, rel=0.05)
    assert "fitted to 10000 losses per class drawn at random" in fits.notes


def fits(found: GoodnessOfFit) -> tuple[ClassFitTests, ClassFitTests]:
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
        for fit in fits(goodness_of_fit(scores, transform="none", held_out=100, rng=seed)):
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
        found = goodness_of_fit(gamma_losses(seed, 5000), held_out=1000, rng=seed)
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
            fits(goodness_of_fit(gamma_losses(seed, 5000), held_out=100, rng=seed))[0].p_value
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
        first = goodness_of_fit(scores, rng=1, **arguments)
        assert goodness_of_fit(scores, rng=1, **arguments) == first
        assert goodness_of_fit(scores, rng=2, **arguments) != first


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
    end = extreme_loss(of_losses([0.0, 1.0, 4.0], [0.5, 2.0, 20.0]))
    assert (end.loss, end.share, end.is_influential) == (20, 0.8, True)
    end = extreme_loss(of_losses([0.0, 1.0, -12.0], [0.5, 2.0]))
    assert end.loss == -12
    assert end.share == pytest.approx(12 / 14)


def test_scores_and_losses_name_the_same_record() -> None:
    losses, scores = [3.0, 1.0, -12.0], [-3.0, -1.0, 12.0]
    of_loss = extreme_loss(of_losses(losses, [0.5, 2.0]))
    of_score = extreme_loss(AttackScores(member=scores, nonmember=[-0.5, -2.0]))
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
    end = extreme_loss(of_losses(member, nonmember))
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
    end = extreme_loss(of_losses(member, nonmember))
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
        ClassFitTests(n_held_out=10, distance=0.4, p_value=p, two_sample_p_value=0.5)
        for p in (0.05, 0.0501)
    )
    assert GoodnessOfFit(member=above, nonmember=at).rejected == ("non-members",)
