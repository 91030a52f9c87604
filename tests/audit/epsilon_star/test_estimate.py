"""Epsilon* of counts and of fits: exact fractions, dense grids, and what binned scores hide."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import dpviz
from dpviz.audit import AttackScores, BinnedScores, epsilon_star
from dpviz.audit.epsilon_star import (
    EpsilonStar,
    epsilon_star_of_normals,
    raw_epsilon,
    rounding_gap,
    transform_losses,
)
from dpviz.audit.epsilon_star.fits import TransformedLosses, fit_laws
from dpviz.audit.epsilon_star.laws import Normal
from dpviz.audit.roc import threshold_search as blocks
from tests.audit.oracles import (
    clips,
    deltas,
    exact_rates,
    gaussian_losses,
    largest_log_ratios,
    of_losses,
    surviving_rates,
    tied_losses,
)

MEMBER, NONMEMBER = [0.0, 0.0, 1.0, 2.0, 3.0], [0.0, 2.0, 2.0, 3.0, 4.0, 5.0]


def estimate(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> EpsilonStar:
    return epsilon_star(of_losses(member, nonmember), delta=delta, clip=clip)


def same(found: float, expected: float) -> bool:
    return found == pytest.approx(expected, rel=1e-13, abs=1e-13, nan_ok=True)


@given(member=tied_losses, nonmember=tied_losses, delta=deltas, clip=clips)
def test_every_threshold_in_fractions(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    star = estimate(member, nonmember, delta, clip)
    pairs = surviving_rates(member, nonmember, clip)
    if not pairs:
        assert math.isnan(star.value)
        assert "no threshold" in star.reason
        return
    expected = largest_log_ratios(pairs, delta)
    for found, log_ratio in zip(star.log_ratios, expected, strict=True):
        assert same(found, log_ratio)
    assert same(star.value, max(0.0, *expected))
    assert bool(star.reason) == math.isinf(star.value)
    everything = surviving_rates(member, nonmember, None)
    assert same(star.unclipped.value, max(0.0, *largest_log_ratios(everything, delta)))


@given(member=tied_losses, nonmember=tied_losses, delta=deltas, clip=clips)
def test_each_maximum_is_at_a_real_threshold(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    star = estimate(member, nonmember, delta, clip)
    rates = {tau: (t, eta) for tau, t, eta in exact_rates(member, nonmember)}
    for maximum in star.suprema.maxima:
        if not math.isnan(maximum.fpr):
            t, eta = rates[maximum.threshold]  # in the unit of the losses
            assert (maximum.fpr, maximum.fnr) == (float(t), float(eta))


@given(member=tied_losses, nonmember=tied_losses, delta=deltas, clip=clips)
def test_turning_losses_round_renames_the_ratios(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    star = estimate(member, nonmember, delta, clip)
    turned = estimate([-x for x in member], [-x for x in nonmember], delta, clip)
    np.testing.assert_array_equal(turned.log_ratios, star.log_ratios[[2, 3, 0, 1]])
    np.testing.assert_equal(turned.value, star.value)


@given(member=tied_losses, nonmember=tied_losses, delta=deltas, clip=clips)
def test_exchanging_the_classes_renames_the_ratios(
    member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    star = estimate(member, nonmember, delta, clip)
    exchanged = estimate(nonmember, member, delta, clip)
    np.testing.assert_array_equal(exchanged.log_ratios, star.log_ratios[[3, 2, 1, 0]])
    np.testing.assert_equal(exchanged.value, star.value)


def test_a_clip_treats_both_ends_alike() -> None:
    # 59 of 1000 non-members stand apart. 1 - 0.059 is a little more than 0.941 in binary.
    member = [0.0] * 500 + [1.0] * 500
    nonmember = [0.0] * 941 + [1.0] * 59
    high = estimate(member, nonmember, 0.0, 0.059).value
    low = estimate([-x for x in member], [-x for x in nonmember], 0.0, 0.059).value
    np.testing.assert_equal(high, low)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("member_mean", [0.0, -1.0, 1.0])
def test_unclipped_it_is_infinite_leak_or_not(seed: int, member_mean: float) -> None:
    # Without ties the pooled minimum belongs to one class, with a share of 1/n > delta.
    scores = gaussian_losses(seed, member=(member_mean, 1, 300), nonmember=(0, 1, 200))
    star = epsilon_star(scores, delta=1e-5, clip=None)
    assert star.value == math.inf
    assert "beyond some threshold all records are of one class" in star.reason
    assert epsilon_star(scores, delta=1e-5).unclipped.value == math.inf
    assert math.isfinite(epsilon_star(scores, delta=1e-5).value)


def test_no_surviving_threshold_is_undefined_not_zero() -> None:
    star = estimate([0.0, 1.0], [10.0, 11.0], 1e-5, 0.25)
    assert math.isnan(star.value)
    assert star.reason == "no threshold has both FPR and FNR inside (0.25, 0.75)"
    assert star.unclipped.value == math.inf


def test_identical_samples_show_nothing() -> None:
    assert estimate(MEMBER, MEMBER, 1e-5, None).value == 0


@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.1])
@pytest.mark.parametrize("clip", [0.001, 0.25])
def test_cap_of_a_clip(delta: float, clip: float) -> None:
    star = estimate(MEMBER, NONMEMBER, delta, clip)
    assert star.suprema.cap == pytest.approx(math.log((1 - clip - delta) / clip), rel=1e-14)
    assert star.unclipped.cap == math.inf
    # Just inside the window: 99.9 % of the members accused, 0.11 % of the others.
    apart = estimate([0.0] * 9989 + [9.0] * 11, [0.0] * 11 + [9.0] * 9989, 0.0, 0.001)
    assert 6.8 < apart.value < apart.suprema.cap == pytest.approx(math.log(999))


@pytest.mark.parametrize("delta", [0.9995, 1.0])
@pytest.mark.parametrize("method", ["empirical", "normal"])
def test_a_delta_that_leaves_nothing_to_explain_caps_at_zero(delta: float, method: str) -> None:
    scores = gaussian_losses(0, member=(0, 1, 100), nonmember=(1, 1, 100))
    star = epsilon_star(scores, delta=delta, method=method, clip=0.001)
    assert star.value == 0
    assert star.suprema.cap == 0


def test_paper_clip() -> None:
    scores = of_losses(MEMBER, NONMEMBER)
    assert epsilon_star(scores, delta=1e-5).suprema.clip == 0.001
    assert epsilon_star(scores, delta=1e-5, method="normal").suprema.clip == 1e-5


BAD_ARGUMENTS = [
    ({"delta": 2.0}, r"delta must be in \[0, 1\], got 2.0"),
    ({"delta": math.nan}, r"delta must be in \[0, 1\], got nan"),
    (
        {"delta": "1e-5"},
        r"delta must be a number, got '1e-5'; numpy.asarray\(..., float\) converts text",
    ),
    ({"delta": 0.1, "clip": 0.5}, r"clip must be in \[0, 0.5\), got 0.5"),
    ({"delta": 0.1, "clip": -0.1}, r"clip must be in \[0, 0.5\), got -0.1"),
    ({"delta": 0.1, "clip": math.nan}, r"clip must be in \[0, 0.5\), got nan"),
    ({"delta": 0.1, "clip": True}, "clip must be a number, got True"),
    ({"delta": 0.1, "clip": "none"}, "clip must be .* None or 'paper', got 'none'"),
    (
        {"delta": 0.1, "method": "gmm"},
        "method must be one of 'empirical', 'normal', 'mixture', got 'gmm'",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS)
@pytest.mark.parametrize("method", ["empirical", "normal"])
def test_illegal_arguments_are_named(
    arguments: dict[str, object], message: str, method: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        epsilon_star(of_losses(MEMBER, NONMEMBER), **{"method": method, **arguments})


def test_the_repr_names_an_estimate_with_its_clip_and_cap() -> None:
    scores = AttackScores.from_losses(member=[1.0, 2.0, 3.0], nonmember=[2.0, 3.0, 4.0])
    found = epsilon_star(scores, delta=0)
    assert found.value == pytest.approx(np.log(2))  # one threshold survives: (2/3) / (1/3)
    assert repr(found) == (
        f"EpsilonStar(estimate={found.value}, clip=0.001, cap={found.suprema.cap}, unclipped=inf, "
        "delta=0.0, method='empirical', active='m1', n_members=3, n_nonmembers=3, "
        "standard_error=None, notes=())"
    )


@pytest.mark.parametrize(
    ("member", "nonmember", "active", "tail", "against"),
    [
        # Losses below a threshold: three of four members, no non-member but one of five.
        ([0, 0, 0, 3], [0, 2, 2, 3, 3], 0, True, False),
        # Above it: one of two non-members, one of ten members; below it, 5 of 10 and 1 of 2.
        ([1] * 9 + [2], [1, 2, 2, 2], 1, False, False),
        ([1, 2, 2, 2], [1] * 9 + [2], 2, False, True),
        ([0, 2, 2, 3, 3], [0, 0, 0, 3], 3, True, True),
    ],
)
def test_which_ratio_speaks_and_about_which_tail(
    member: list[float], nonmember: list[float], active: int, tail: bool, against: bool
) -> None:
    suprema = estimate(member, nonmember, 0.0, None).suprema
    clipped = estimate(member, nonmember, 0.0, 0.05).suprema
    for found in (suprema, clipped):
        assert found.index_of_largest == active
        assert (found.is_about_low_losses, found.is_of_reversed_attack) == (tail, against)


Law = tuple[float, float]
PAIRS: list[tuple[Law, Law]] = [  # non-member, member
    ((0, 1), (-1, 1)),
    ((0, 1), (3, 1)),
    ((0, 1), (0, 1.2)),
    ((0, 1), (0, 0.8)),
    ((0, 1), (-1, 2)),
    ((0, 1), (2, 0.5)),
    ((5, 0.3), (4, 0.4)),
    ((0, 1), (-0.01, 1)),
]


@lru_cache(1)
def log_tails(p: Law, q: Law) -> list[np.ndarray]:
    """Logs of FPR, TPR, TNR and FNR at a million thresholds."""
    ends = [mean + side * 45 * sd for mean, sd in (p, q) for side in (-1, 1)]
    x = np.linspace(min(ends), max(ends), 1_000_001)
    return [norm.logcdf(x, *p), norm.logcdf(x, *q), norm.logsf(x, *p), norm.logsf(x, *q)]


def on_a_grid(p: Law, q: Law, delta: float, clip: float | None) -> np.ndarray:
    """Largest log m1..m4 over the thresholds."""
    fpr, tpr, tnr, fnr = log_tails(p, q)
    if clip is not None:
        inside = (np.minimum(fpr, tnr) >= np.log(clip)) & (np.minimum(tpr, fnr) >= np.log(clip))
        fpr, tpr, tnr, fnr = fpr[inside], tpr[inside], tnr[inside], fnr[inside]
    found = []
    for top, bottom in [(tpr, fpr), (tnr, fnr), (fnr, tnr), (fpr, tpr)]:
        positive = top > np.log(delta)
        a = top[positive]
        found.append(np.max(a + np.log(-np.expm1(np.log(delta) - a)) - bottom[positive]))
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("delta", "clip"), [(1e-5, None), (1e-300, None), (0.01, None), (1e-5, 1e-5), (1e-6, 0.01)]
)
@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_no_threshold_of_a_dense_grid_does_better(
    p: Law, q: Law, delta: float, clip: float | None
) -> None:
    exact = epsilon_star_of_normals(nonmember=p, member=q, delta=delta, clip=clip)
    grid = on_a_grid(p, q, delta, clip)
    assert np.all(exact.log_ratios >= grid - 1e-9)
    # A step of 1e-4 sd costs little, except at an end of the window.
    np.testing.assert_allclose(exact.log_ratios, grid, rtol=1e-5, atol=2e-3 if clip else 1e-5)
    assert exact.value == max(0, exact.log_ratios.max())
    assert exact.reason == ""


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_rates_at_the_maximum_are_those_of_its_threshold(p: Law, q: Law) -> None:
    for maximum in epsilon_star_of_normals(nonmember=p, member=q, delta=1e-5).maxima:
        assert maximum.fpr == pytest.approx(norm.cdf(maximum.threshold, *p), abs=1e-14)
        assert maximum.fnr == pytest.approx(norm.sf(maximum.threshold, *q), abs=1e-14)


@pytest.mark.parametrize(
    ("q", "diverging"),
    [
        ((0, 1.5), {0, 2}),
        ((3, 1.5), {0, 2}),
        ((0, 0.5), {1, 3}),
        ((-1, 1), {0, 1}),
        ((1, 1), {2, 3}),
    ],
)
def test_without_delta_two_different_laws_diverge(q: Law, diverging: set[int]) -> None:
    found = epsilon_star_of_normals(nonmember=(0, 1), member=q, delta=0.0)
    assert set(np.flatnonzero(np.isposinf(found.log_ratios)).tolist()) == diverging
    assert found.value == math.inf
    assert "delta = 0" in found.reason
    clipped = epsilon_star_of_normals(nonmember=(0, 1), member=q, delta=0.0, clip=0.01)
    assert math.isfinite(clipped.value)


@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-5, 0.7, 1.0])
def test_equal_laws_show_nothing(delta: float) -> None:
    assert epsilon_star_of_normals(nonmember=(1, 2), member=(1, 2), delta=delta).value == 0


@pytest.mark.parametrize("gap", [1e-16, 1e-13, 1e-9, 1e-5])
@pytest.mark.parametrize("sd", [1.0, 1 + 1e-15])
def test_nearly_equal_laws_show_next_to_nothing(gap: float, sd: float) -> None:
    # Two equal samples in another order have means that differ by rounding.
    for mean in (gap, -gap):
        found = epsilon_star_of_normals(nonmember=(0, 1), member=(mean, sd), delta=1e-5)
        assert found.value == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("unit", [1e-200, 1e-3, 1e8, 1e200])
def test_the_unit_of_the_losses_does_not_matter(unit: float) -> None:
    found = epsilon_star_of_normals(
        nonmember=(1 * unit, 1 * unit), member=(0, 1.5 * unit), delta=1e-5
    )
    plain = epsilon_star_of_normals(nonmember=(1, 1), member=(0, 1.5), delta=1e-5)
    np.testing.assert_allclose(found.log_ratios, plain.log_ratios, rtol=1e-10)


def test_losses_may_be_as_large_as_differences_allow() -> None:
    with pytest.raises(ValueError, match=r"member losses must be in \[-1e\+300, 1e\+300\]"):
        AttackScores.from_losses(member=[-1e308, 1.0, 2.0], nonmember=[1.0])
    scores = AttackScores.from_losses(member=[-1e300, 1.0, 2.0], nonmember=[1e300, 3.0, 4.0])
    halved = AttackScores.from_losses(member=[-5e299, 0.5, 1.0], nonmember=[5e299, 1.5, 2.0])
    found, expected = (epsilon_star(s, delta=0.01, method="normal") for s in (scores, halved))
    assert found.value == pytest.approx(expected.value, rel=1e-10)


def test_the_same_losses_in_another_order_show_nothing() -> None:
    losses = np.random.default_rng(0).normal(0, 1, 1000)
    for seed in range(40):
        shuffled = np.random.default_rng(seed).permutation(losses)
        scores = AttackScores.from_losses(member=losses, nonmember=shuffled)
        star = epsilon_star(scores, delta=1e-5, method="normal", clip=None)
        assert star.value == pytest.approx(0, abs=1e-9)


def test_laws_far_apart_leave_no_threshold() -> None:
    found = epsilon_star_of_normals(nonmember=(20, 1), member=(0, 1), delta=1e-5, clip=1e-5)
    assert math.isnan(found.value)
    assert found.reason
    unclipped = epsilon_star_of_normals(nonmember=(20, 1), member=(0, 1), delta=1e-5)
    assert unclipped.value == pytest.approx(284.4, abs=0.05)
    scores = gaussian_losses(0, member=(0, 0.01, 100), nonmember=(5, 0.01, 100))
    star = epsilon_star(scores, delta=1e-5, method="normal")
    assert math.isnan(star.value)
    assert star.reason.startswith("no threshold")
    assert star.unclipped.value > 100


def test_fits_are_mean_and_population_deviation_of_the_turned_transform() -> None:
    scores = gaussian_losses(3, member=(0, 1, 50), nonmember=(1, 2, 80))
    losses = -np.concatenate([scores.member, scores.nonmember])
    u = (losses - losses.min()) / (losses.max() - losses.min())
    p = np.exp(-(u + 1))
    turned = -np.log(p / (1 - p))
    pair = fit_laws(TransformedLosses.of(scores)).pair
    assert pair is not None
    for fit, values in ((pair.member, turned[:50]), (pair.nonmember, turned[50:])):
        assert isinstance(fit, Normal)
        deviation = math.sqrt(np.mean((values - values.mean()) ** 2))
        np.testing.assert_allclose([fit.mean, fit.sd], [values.mean(), deviation], rtol=1e-12)
    member, nonmember = transform_losses(member=losses[:50], nonmember=losses[50:])
    np.testing.assert_allclose(np.r_[member, nonmember], -turned, rtol=1e-12)


@pytest.mark.parametrize("method", ["empirical", "normal"])
def test_the_ratios_name_the_right_tail(method: str) -> None:
    # Some members have far lower losses: low losses hold too many members (m1), none is reversed.
    low = gaussian_losses(5, member=(-0.8, 1.3, 4000), nonmember=(0, 1, 4000))
    star = epsilon_star(low, delta=1e-5, method=method, clip=0.001)
    assert star.suprema.index_of_largest == 0
    assert star.suprema.maxima[0].threshold < -1
    # The same in the high losses is m3; fewer than usual there is m2.
    high = AttackScores.from_losses(member=low.member, nonmember=low.nonmember)
    star = epsilon_star(high, delta=1e-5, method=method, clip=0.001)
    assert star.suprema.index_of_largest == 2
    assert star.suprema.maxima[2].threshold > 1


def test_thresholds_are_losses_and_give_the_rates_back() -> None:
    scores = gaussian_losses(6, member=(0, 1, 20_000), nonmember=(0.7, 1, 20_000))
    for maximum in epsilon_star(scores, delta=0.01, method="normal").suprema.maxima[:2]:
        # Fitted rates against counted ones at the same loss: 5 standard errors and the misfit.
        assert np.mean(-scores.nonmember <= maximum.threshold) == pytest.approx(
            maximum.fpr, abs=0.02
        )
        assert np.mean(-scores.member > maximum.threshold) == pytest.approx(maximum.fnr, abs=0.02)


@pytest.mark.parametrize("method", ["normal", "mixture"])
@pytest.mark.parametrize("constant", ["member", "nonmember"])
@pytest.mark.parametrize("clip", [0.1, None])
def test_a_class_without_spread_is_counted_instead(
    constant: str, method: str, clip: float | None
) -> None:
    spread, flat = [0.0, 1.0, 2.0, 0.5], [0.5, 0.5, 0.5]
    scores = AttackScores.from_losses(
        member=flat if constant == "member" else spread,
        nonmember=flat if constant == "nonmember" else spread,
    )
    star = epsilon_star(scores, delta=0.3, method=method, clip=clip)
    counted = epsilon_star(scores, delta=0.3, clip=clip)
    np.testing.assert_array_equal(star.value, counted.value)
    np.testing.assert_array_equal(star.unclipped.value, counted.unclipped.value)
    which = "members" if constant == "member" else "non-members"
    assert star.notes == (f"all losses of the {which} are equal: counted, not fitted",)
    assert not star.beyond_data
    assert star.standard_error is None


@pytest.mark.parametrize("method", ["normal", "mixture"])
def test_all_losses_equal_show_nothing(method: str) -> None:
    scores = AttackScores.from_losses(member=[0.5, 0.5], nonmember=[0.5])
    star = epsilon_star(scores, delta=1e-5, method=method)
    assert (star.value, star.reason) == (0, "")
    assert star.suprema.clip == 1e-5
    assert star.notes == ("all losses are equal: counted, not fitted",)
    # The empirical form leaves no threshold inside its clip, and says so.
    assert math.isnan(epsilon_star(scores, delta=1e-5).value)
    assert epsilon_star(scores, delta=1e-5, clip=None).value == 0


@pytest.mark.parametrize("method", ["normal", "mixture"])
def test_one_loss_per_class(method: str) -> None:
    apart = AttackScores.from_losses(member=[0.0], nonmember=[1.0])
    star = epsilon_star(apart, delta=1e-5, method=method)
    assert math.isnan(star.value)
    assert "no threshold" in star.reason
    assert star.unclipped.value == math.inf
    assert "beyond some threshold all records are of one class" in star.unclipped.reason


def test_a_maximum_where_there_are_no_data_is_flagged() -> None:
    rng = np.random.default_rng(8)
    scores = AttackScores.from_losses(
        member=rng.gamma(2, 5, 10_000), nonmember=rng.gamma(4, 5, 10_000)
    )
    fitted = epsilon_star(scores, delta=1e-5, method="normal", clip=None)
    assert fitted.beyond_data
    # Ten simulated runs of this experiment gave 15.7 +- 0.6 (delta 1.09e-5); the truth is 11.8.
    assert 12 < fitted.value < 19
    assert not epsilon_star(scores, delta=1e-5).beyond_data


BAD_LAWS = [
    ((0, 0), "sd must be"),
    ((0, -1), "sd must be"),
    ((math.nan, 1), "mean must be"),
    (("0", 1), "mean must be"),
    ((0, True), "sd must be"),
]


@pytest.mark.parametrize(("law", "message"), BAD_LAWS)
def test_illegal_laws_are_named(law: Law, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        epsilon_star_of_normals(nonmember=law, member=(0, 1), delta=1e-5)
    with pytest.raises(ValueError, match="must be"):
        Normal(mean=law[0], sd=law[1])


@pytest.mark.parametrize("delta", [0.5, 0.6, 1.0])
def test_the_papers_clip_leaves_nothing_at_a_large_delta(delta: float) -> None:
    scores = AttackScores.from_losses(member=[0.0, 1.0, 2.0], nonmember=[1.0, 2.0, 4.0])
    star = epsilon_star(scores, delta=delta, method="normal")
    assert star.suprema.clip == delta
    assert math.isnan(star.value)
    assert "no threshold" in star.reason


@pytest.mark.parametrize(
    ("p", "q", "delta", "largest"),
    [  # 60 digits of mpmath, by bisection of psi
        ((0, 1), (0, 1 / 100), 1e-12, 247389.466),
        ((0, 1), (1000, 1), 1e-5, 504263.89),
        ((0, 1), (0, 1 / 300), 1e-5, 818502.4),
        ((0, 1), (0, 1e-5), 1e-300, 6.8624e12),
        ((0, 1), (0, 2.434502643353528e-08), 1e-5, 1.53449e16),
        ((0, 1), (-1e11, 1), 1e-5, 5e21),
    ],
)
def test_ratios_far_beyond_all_floats(p: Law, q: Law, delta: float, largest: float) -> None:
    found = epsilon_star_of_normals(nonmember=p, member=q, delta=delta)
    assert found.value == pytest.approx(largest, rel=1e-5)
    # Reflecting the line and exchanging the laws only renames the ratios.
    mirrored = epsilon_star_of_normals(
        nonmember=(-p[0], p[1]), member=(-q[0], q[1]), delta=delta
    ).log_ratios
    np.testing.assert_allclose(mirrored[[2, 3, 0, 1]], found.log_ratios, rtol=1e-10)


@pytest.mark.parametrize("seed", range(30))
def test_shifted_losses_have_no_finite_value_without_delta(seed: int) -> None:
    # Their standard deviations differ by rounding, which puts the vertex 1e15 away.
    losses = np.random.default_rng(seed).normal(size=200)
    scores = AttackScores.from_losses(member=losses, nonmember=losses + 0.37)
    star = epsilon_star(scores, delta=0, method="normal", transform="none", clip=None)
    assert star.value == math.inf


@pytest.mark.parametrize("spread", [1e-9, 1e-10, 1e-12])
def test_clusters_far_apart_have_an_undefined_value_and_a_huge_unclipped_one(
    spread: float,
) -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores.from_losses(
        member=spread * rng.normal(size=50), nonmember=1 + spread * rng.normal(size=50)
    )
    star = epsilon_star(scores, delta=1e-5, method="normal")
    assert math.isnan(star.value)
    assert star.unclipped.value > 1e15


def transformed(losses: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """log(p / (1 - p)) of p = exp(-(1 + u)), turned so that low is member-like."""
    u = (losses - ends[0]) / (ends[1] - ends[0])
    p = np.exp(-(1 + u))
    return np.asarray(np.log((1 - p) / p))


def extrapolation_by_hand(scores: AttackScores, star: EpsilonStar, form: str) -> dict[str, Any]:
    members, nonmembers = -scores.member, -scores.nonmember
    pooled = np.concatenate([members, nonmembers])
    ends = float(pooled.min()), float(pooled.max())
    tau = star.suprema.maxima[star.suprema.index_of_largest].threshold
    x, *classes = (
        transformed(np.atleast_1d(v), ends) if form == "paper" else np.atleast_1d(v)
        for v in (np.array(tau), members, nonmembers)
    )
    z = [(float(x[0]) - c.mean()) / c.std() for c in classes]
    tails = [
        (c.size * tail(d), (name, end))
        for name, c, d in zip(("members", "non-members"), classes, z, strict=True)
        for end, tail in (("near", norm.cdf), ("far", norm.sf))
    ]
    return {
        "z_member": z[0],
        "z_nonmember": z[1],
        "records": min(tails)[0],
        "tail": min(tails)[1],
        "is_outside": not ends[0] <= tau <= ends[1],
    }


def check(scores: AttackScores, form: Any, **arguments: Any) -> EpsilonStar:
    star = epsilon_star(scores, method="normal", transform=form, **arguments)
    assert star.extrapolation is not None
    expected = extrapolation_by_hand(scores, star, form)
    for name in ("z_member", "z_nonmember", "records"):
        assert getattr(star.extrapolation, name) == pytest.approx(expected[name], rel=1e-6)
    assert star.extrapolation.tail == expected["tail"]
    assert star.extrapolation.is_outside == expected["is_outside"]
    beyond = expected["records"] < 1 or expected["is_outside"]
    assert star.extrapolation.is_beyond_data == star.beyond_data == beyond
    return star


LEAKS: list[tuple[tuple[float, float, int], tuple[float, float, int]]] = [
    ((-1, 1, 3000), (0, 1.2, 2000)),
    ((1, 1, 500), (0, 1, 900)),
    ((0, 1.5, 400), (0, 1, 4000)),
    ((0, 0.5, 4000), (0, 1, 400)),
]


@pytest.mark.parametrize(("member", "nonmember"), LEAKS)
@pytest.mark.parametrize("form", ["paper", "none"])
@pytest.mark.parametrize("clip", [None, 0.01, "paper"])
def test_numbers_are_those_made_by_hand(
    member: tuple[float, float, int], nonmember: tuple[float, float, int], form: str, clip: Any
) -> None:
    star = check(
        gaussian_losses(2, member=member, nonmember=nonmember), form, delta=1e-3, clip=clip
    )
    if clip == 0.01:
        assert not star.beyond_data


def test_the_gamma_sample_is_judged_far_outside_its_data() -> None:
    scores = dpviz.read_sample("gamma")
    star = check(scores, "paper", delta=1e-5, clip=None)
    assert star.beyond_data
    assert star.extrapolation is not None
    # Simulated beforehand: the maximum lies 5.5 to 8.3 standard deviations of the members out.
    assert 5 < abs(star.extrapolation.z_member) < 9
    assert star.extrapolation.records < 0.1
    clipped = check(scores, "paper", delta=1e-5, clip=0.01)
    assert not clipped.beyond_data
    assert clipped.extrapolation is not None
    # A rate of at least 0.01 of 5000 records in the thinnest tail, by the fit.
    assert clipped.extrapolation.records >= 50 * (1 - 1e-9)


def test_scores_are_judged_as_the_losses_they_are() -> None:
    scores = gaussian_losses(2, member=(-1, 1, 500), nonmember=(0, 1.2, 500))
    same = AttackScores(member=scores.member, nonmember=scores.nonmember)
    first, second = (epsilon_star(s, delta=1e-3, method="normal") for s in (scores, same))
    assert first.extrapolation == second.extrapolation
    places = [s.suprema.maxima[s.suprema.index_of_largest].threshold for s in (first, second)]
    assert places[0] == -places[1]


def test_nothing_is_extrapolated_where_nothing_is_fitted_or_found() -> None:
    leak = gaussian_losses(2, member=(-1, 1, 50), nonmember=(0, 1, 50))
    assert epsilon_star(leak, delta=0.01).extrapolation is None
    apart = gaussian_losses(2, member=(-50, 1, 50), nonmember=(0, 1, 50))
    separated = epsilon_star(apart, delta=0.01, method="normal")
    assert math.isnan(separated.value)
    assert separated.extrapolation is None
    equal = AttackScores.from_losses(member=[0.0, 1.0, 2.0], nonmember=[0.0, 1.0, 2.0])
    assert epsilon_star(equal, delta=0.01, method="normal").extrapolation is None


def raw_by_hand(scores: AttackScores, delta: float, least: int) -> float:
    thresholds = np.unique(np.concatenate([scores.member, scores.nonmember])).tolist()
    return max(
        ratio_of_counts(
            sum(score >= threshold for score in scores.member),
            sum(score >= threshold for score in scores.nonmember),
            scores,
            delta,
            least,
        )
        for threshold in thresholds
    )


def ratio_of_counts(tp: float, fp: float, scores: AttackScores, delta: float, least: int) -> float:
    n, m = len(scores.member), len(scores.nonmember)
    found = 0.0
    for above, of, below, of_below in (
        (tp, n, fp, m),
        (m - fp, m, n - tp, n),
        (n - tp, n, m - fp, m),
        (fp, m, tp, n),
    ):
        if below >= least and above / of > delta:
            found = max(found, math.log((above / of - delta) / (below / of_below)))
    return found


@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize("least", [1, 3, 10])
def test_all_thresholds_by_hand(delta: float, least: int) -> None:
    rng = np.random.default_rng(3)
    for shift, n in ((1.0, 40), (-1.0, 25), (0.2, 31)):
        scores = AttackScores(
            member=rng.normal(shift, 1, n).round(1), nonmember=rng.normal(0, 1, 30).round(1)
        )
        found = raw_epsilon(scores, delta=delta, min_count=least)
        assert found.value == pytest.approx(raw_by_hand(scores, delta, least), rel=1e-12)
        at = found.at
        assert at is not None
        tp, fp = round((1 - at.fnr) * n), round(at.fpr * 30)
        there = ratio_of_counts(tp, fp, scores, delta, least)
        assert found.value == pytest.approx(there, rel=1e-12)


def test_too_few_records_say_nothing() -> None:
    scores = AttackScores(member=[1.0, 2.0], nonmember=[0.0, 1.0])
    found = raw_epsilon(scores, min_count=50)
    assert math.isnan(found.value)
    assert found.at is None
    with pytest.raises(ValueError, match=r"min_count must be"):
        raw_epsilon(scores, min_count=0)


# Many scores to a cell of 10 bits, where [1, 2) has two cells.
scores_of_one_class = st.lists(
    st.integers(0, 60).map(lambda i: 0.5 + i / 16), min_size=1, max_size=60
)


@pytest.mark.slow
@pytest.mark.parametrize("n_blocks", [1, 2, 4096])
@given(member=scores_of_one_class, nonmember=scores_of_one_class, delta=deltas, clip=clips)
def test_epsilon_star_of_the_scores_is_within_the_gap(
    n_blocks: int, member: list[float], nonmember: list[float], delta: float, clip: float | None
) -> None:
    scores = AttackScores(member=member, nonmember=nonmember)
    binned = BinnedScores.of(scores, bits=10)
    usual, blocks.BLOCKS = blocks.BLOCKS, n_blocks
    try:
        gap = rounding_gap(binned, delta=delta, clip=clip)
        found = epsilon_star(binned, delta=delta, clip=clip).value
    finally:
        blocks.BLOCKS = usual
    true = epsilon_star(scores, delta=delta, clip=clip).value
    assert gap >= 0
    assert gap == rounding_gap(binned, delta=delta, clip=clip)
    if math.isnan(found):
        assert math.isnan(true) or gap == math.inf
    else:
        assert found <= true <= found + gap + 1e-12


def test_the_gap_is_that_of_the_best_cell() -> None:
    # From above: (members, non-members) = (3, 1), (4, 2), (3, 7), in cells from 2, 1 and 0.
    binned = BinnedScores(
        thresholds=[0.0, 1.0, 2.0], member_counts=[3, 4, 3], nonmember_counts=[7, 2, 1]
    )
    found = epsilon_star(binned, delta=0, clip=0.15).value
    assert found == pytest.approx(math.log(0.7 / 0.3))
    # Inside the second cell TPR reaches 0.7 while FPR is at least 0.2: the smallest above 0.15.
    # For m2, TNR reaches 0.8, the largest below 0.85, while FNR is at least 0.3: less.
    gap = rounding_gap(binned, delta=0, clip=0.15)
    assert gap == pytest.approx(math.log(0.7 / 0.2) - found)
    # With 0.2 excluded, FPR is at least 0.3 and TNR at most 0.7.
    assert epsilon_star(binned, delta=0, clip=0.2).value == found
    assert rounding_gap(binned, delta=0, clip=0.2) == pytest.approx(0, abs=1e-15)


def test_without_a_clip_the_highest_cell_may_hold_anything() -> None:
    binned = BinnedScores(thresholds=[0.0, 1.0], member_counts=[1, 3], nonmember_counts=[3, 1])
    assert epsilon_star(binned, delta=1e-3, clip=None).value < math.inf
    assert rounding_gap(binned, delta=1e-3, clip=None) == math.inf


def test_an_infinite_estimate_hides_nothing() -> None:
    binned = BinnedScores(thresholds=[0.0, 1.0], member_counts=[1, 3], nonmember_counts=[3, 0])
    assert rounding_gap(binned, delta=1e-3, clip=None) == 0


def test_a_fine_grid_hides_little() -> None:
    rng = np.random.default_rng(1)
    scores = AttackScores(member=rng.normal(1, 1, 100_000), nonmember=rng.normal(0, 1, 100_000))
    coarse, fine = (
        rounding_gap(BinnedScores.of(scores, bits=bits), delta=1e-5) for bits in (14, 20)
    )
    assert 0 < fine < 0.2 * coarse


@pytest.mark.parametrize(("name", "value"), [("delta", 1.5), ("clip", 0.5)])
def test_illegal_arguments_of_the_gap_are_named(name: str, value: float) -> None:
    binned = BinnedScores(thresholds=[0.0], member_counts=[1], nonmember_counts=[1])
    with pytest.raises(ValueError, match=f"{name} must be"):
        rounding_gap(binned, **{"delta": 0.0, name: value})
