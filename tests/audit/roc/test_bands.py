"""Simultaneous limits against exact integrals and brute force, and how often the truth leaves."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from scipy.special import betaincinv
from scipy.stats import beta, laplace, norm

from benchmarks.methods.all_thresholds import local_levels
from benchmarks.methods.upper_limits import upper_limits_of_rates
from dpviz.audit import AttackCurve, AttackScores
from dpviz.audit.bounds.result import BoundRequest
from dpviz.audit.roc.bands import (
    CurveBand,
    calibrated_level,
    curve_band,
    dkw_margin,
    local_level,
    noncrossing_probability,
)
from dpviz.theory import ApproximateDP, GaussianDP, PureDP
from tests.audit.oracles import tied_losses
from tests.slow import parametrize


def by_integration(boundaries: list[Fraction]) -> float:
    """``n! * integral over b_1 <= u_1 <= ... <= u_n <= 1, b_i <= u_i``, polynomials, no rounding.

    F_i(x), the volume below x of the first i numbers, is the integral of F_(i-1) from b_i to x.
    """
    polynomial = [Fraction(1)]
    for b in boundaries:
        integral = [Fraction(0)] + [c / (k + 1) for k, c in enumerate(polynomial)]
        integral[0] = -sum(c * b**k for k, c in enumerate(integral))
        polynomial = integral
    return float(sum(polynomial) * math.factorial(len(boundaries)))


def is_just_below(found: float, exact: float) -> bool:
    """Whether counts that are dropped made a coverage smaller, never larger, and not by much."""
    return exact - 2e-8 <= found <= exact + 1e-11


def share_of_uniforms(boundaries: np.ndarray, runs: int, seed: int) -> float:
    rng, kept = np.random.default_rng(seed), 0
    for _ in range(10):
        ordered = np.sort(rng.random((runs // 10, boundaries.size)), axis=1)
        kept += int(np.sum(np.all(ordered >= boundaries, axis=1)))
    return kept / runs


@pytest.mark.parametrize("b", [0, 1e-12, 0.3, 0.999, 1])
def test_one_number_is_above_its_boundary(b: float) -> None:
    assert noncrossing_probability([b]) == pytest.approx(1 - b, abs=1e-12)


@pytest.mark.parametrize("b", [0, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("more", [0, 0.05, 0.1])
def test_two_numbers_in_closed_form(b: float, more: float) -> None:
    expected = (1 - b) ** 2 - more**2
    assert noncrossing_probability([b, b + more]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_up_to_twelve_numbers_by_exact_integration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 13))
    numerators = np.sort(rng.integers(0, 65, n)) if seed % 2 else np.sort(rng.integers(0, 9, n))
    boundaries = [Fraction(int(k), 64) for k in numerators]
    found = noncrossing_probability([float(b) for b in boundaries])
    assert is_just_below(found, by_integration(boundaries))


@pytest.mark.parametrize("n", [1, 2, 10, 100, 1500])
@pytest.mark.parametrize("slope", [0.02, 0.3, 0.9])
def test_a_line_through_zero_is_crossed_as_daniels_says(n: int, slope: float) -> None:
    # P(empirical distribution function <= t / slope everywhere) = 1 - slope (Daniels, 1945).
    found = noncrossing_probability(slope * np.arange(1, n + 1) / n)
    assert is_just_below(found, 1 - slope)


@pytest.mark.parametrize(("n", "local"), [(5, 0.02), (25, 0.01), (60, 0.001)])
def test_simulated_uniform_numbers_cross_as_often(n: int, local: float) -> None:
    boundaries = beta.ppf(local, np.arange(1, n + 1), n - np.arange(n))
    p, runs = noncrossing_probability(boundaries), 200_000
    spread = math.sqrt(p * (1 - p) / runs)
    assert share_of_uniforms(boundaries, runs, n) == pytest.approx(p, abs=4 * spread)


def test_boundaries_at_the_ends() -> None:
    assert noncrossing_probability(np.zeros(500)) == pytest.approx(1, abs=1e-9)
    assert noncrossing_probability(np.ones(500)) == 0
    assert noncrossing_probability([0.0, 0.0, 1.0]) == 0


@pytest.mark.parametrize("level", [0.05, 0.025])
@pytest.mark.parametrize("n", [1, 5, 50, 200, 1000])
def test_the_table_holds_the_calibrated_levels(n: int, level: float) -> None:
    found = calibrated_level(n, confidence_level=1 - level)
    assert found == pytest.approx(local_level(n, confidence_level=1 - level), rel=1e-5)
    boundaries = betaincinv(np.arange(1, n + 1), n + 1 - np.arange(1, n + 1), found)
    assert 1 - noncrossing_probability(boundaries) == pytest.approx(level, rel=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 30, 150, 201])
@pytest.mark.parametrize("level", [0.19, 0.05, 0.03, 0.0071])
def test_between_the_tabulated_entries_the_level_is_on_the_safe_side(n: int, level: float) -> None:
    exact = calibrated_level(n, confidence_level=1 - level)
    assert local_level(n, confidence_level=1 - level) <= exact * (1 + 1e-6)


@pytest.mark.parametrize("level", [0.1, 0.05, 0.025, 0.01])
def test_local_levels_lie_between_bonferroni_and_the_level_and_fall_with_n(level: float) -> None:
    sizes = [1, 2, 5, 10, 100, 1000, 10_000, 100_000, 1_000_000]
    locals_ = np.array([local_level(n, confidence_level=1 - level) for n in sizes])
    assert np.all(np.diff(locals_) < 0)
    assert np.all(locals_ >= level / np.array(sizes) * (1 - 1e-8))
    assert np.all(locals_ <= level)


@pytest.mark.parametrize(("n", "level"), [(1, 0.05), (3, 0.05), (15, 0.05), (60, 1e-6)])
def test_of_few_records_no_level_is_lost(n: int, level: float) -> None:
    local = local_level(n, confidence_level=1 - level)
    limits = beta.ppf(local, np.arange(1, n + 1), np.arange(n, 0, -1))
    assert 1 - noncrossing_probability(limits) == pytest.approx(level, rel=1e-5)
    assert local <= calibrated_level(n, confidence_level=1 - level)


@pytest.mark.parametrize("confidence", [1e-9, 1 - 1e-9])
def test_what_cannot_be_calibrated_is_refused_with_the_nearest_that_can(confidence: float) -> None:
    said = re.escape(f"confidence_level must be in [1e-06, 0.999999], got {confidence}")
    with pytest.raises(ValueError, match=f"^{said}$"):
        calibrated_level(20, confidence_level=confidence)
    nearest = min(max(confidence, 1e-6), 1 - 1e-6)
    assert calibrated_level(20, confidence_level=nearest) > 0


@pytest.mark.parametrize("n", [1, 3, 99])
def test_next_to_no_confidence_gives_a_level_below_that_of_more(n: int) -> None:
    least = local_level(n, confidence_level=1e-9)
    assert local_level(n, confidence_level=0.01) < least == local_level(n, confidence_level=1e-6)


@pytest.mark.parametrize("n", [1, 37, 5000, 10**6])
def test_more_confidence_means_a_smaller_level(n: int) -> None:
    found = [local_level(n, confidence_level=c) for c in np.linspace(0.5, 0.9999, 60)]
    assert np.all(np.diff(found) <= 0)


@pytest.mark.parametrize(
    ("n", "confidence"),
    [
        (10**6 + 1, 0.95),
        (10**9, 0.5),
        (100, 0.9995),
        (1, 1 - 1e-9),
        (20, 1 - 1e-9),
        (99, 1 - 1e-15),
    ],
)
def test_beyond_the_table_the_level_is_shared(n: int, confidence: float) -> None:
    assert local_level(n, confidence_level=confidence) == pytest.approx(
        (1 - confidence) / n, rel=1e-9
    )


@pytest.mark.parametrize(("n", "confidence"), [(50, 0.95), (200, 0.9)])
def test_limits_hold_at_all_thresholds_of_a_continuous_law_as_often_as_said(
    n: int, confidence: float
) -> None:
    runs = 8000
    limits = upper_limits_of_rates(np.arange(n + 1), n, local_level(n, confidence_level=confidence))
    ordered = np.sort(np.random.default_rng(n).random((runs, n)), axis=1)
    # With i records seen, the law can come as near to U_(i+1) as one likes.
    share = np.mean(np.all(ordered <= limits[:-1], axis=1))
    error = 4 * math.sqrt(confidence * (1 - confidence) / runs)
    assert share == pytest.approx(confidence, abs=error)


@pytest.mark.parametrize(
    "masses", [[0.5, 0.5], [0.02] * 5 + [0.9], [0.2] * 5, [0.97, 0.01, 0.01, 0.01]]
)
def test_limits_hold_at_all_thresholds_of_a_law_with_ties(masses: list[float]) -> None:
    n, runs, confidence = 50, 8000, 0.95
    limits = upper_limits_of_rates(np.arange(n + 1), n, local_level(n, confidence_level=confidence))
    counts = np.random.default_rng(1).multinomial(n, masses, runs).cumsum(axis=1)
    cdf = np.minimum(np.cumsum(masses), 1)
    share = np.mean(np.all(cdf <= limits[counts], axis=1))
    assert share >= confidence - 3 * math.sqrt(confidence * (1 - confidence) / runs)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 77, 400])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.999])
def test_the_margin_is_exceeded_at_most_as_often_as_said(n: int, confidence: float) -> None:
    margin = dkw_margin(n, confidence_level=confidence)
    assert margin == pytest.approx(math.sqrt(math.log(1 / (1 - confidence)) / (2 * n)), rel=1e-12)
    # U_(i+1) <= i / n + margin for all i; the mirror image is a boundary from below.
    boundaries = np.maximum(np.arange(1, n + 1) / n - margin, 0)
    assert noncrossing_probability(boundaries) >= confidence - 1e-9


@pytest.mark.parametrize("n", [0, -1, 2.5, math.nan, math.inf, True, "3"])
def test_illegal_sizes_are_named(n: float) -> None:
    for function in (dkw_margin, local_level, calibrated_level):
        with pytest.raises(ValueError, match=rf"^n must be .*, got {n!r}"):
            function(n, confidence_level=0.95)


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 1.1, math.nan])
def test_illegal_confidence_is_named(confidence: float) -> None:
    for function in (dkw_margin, local_level, calibrated_level):
        with pytest.raises(ValueError, match=r"^confidence_level must be .*, got"):
            function(10, confidence_level=confidence)


def test_massarts_constant_needs_one_half_at_least() -> None:
    with pytest.raises(ValueError, match=r"^confidence_level must be in \[0\.5, 1\), got 0\.49"):
        dkw_margin(10, confidence_level=0.49)


@pytest.mark.parametrize("boundaries", [[], [0.5, 0.4], [[0.1], [0.2]], 0.3])
def test_boundaries_ascend_in_one_vector(boundaries: list[float]) -> None:
    with pytest.raises(ValueError, match="boundaries must be a non-empty nondecreasing vector"):
        noncrossing_probability(boundaries)


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan])
def test_boundaries_are_probabilities(bad: float) -> None:
    with pytest.raises(ValueError, match=r"boundaries must be in \[0, 1\], got"):
        noncrossing_probability([0.1, bad])


CONFIDENCE = 0.95
SIZES = [(50, 50), (500, 500), (60, 900), (900, 60)]


def curve_of(member: object, nonmember: object) -> AttackCurve:
    return AttackCurve.from_scores(AttackScores(member=member, nonmember=nonmember))


@dataclass(frozen=True)
class Known:
    """A pair of laws with their true curve: FPR and FNR of "score >= threshold".

    `best` is the lowest FNR at an FPR of a random choice between two thresholds.
    """

    draw: Callable[[np.random.Generator, int, bool], np.ndarray]
    fpr: np.ndarray
    fnr: np.ndarray
    thresholds: np.ndarray
    best: Callable[[np.ndarray], np.ndarray]
    epsilon: float = math.inf
    mu: float = math.inf


GRID = np.linspace(-40, 40, 4001)
MASSES = np.array([0.5, 0.2, 0.15, 0.1, 0.05])


def of_law(law: object, shift: float, **truth: float) -> Known:
    return Known(
        draw=lambda rng, n, member: law.rvs(size=n, random_state=rng) + shift * member,
        fpr=law.sf(GRID),
        fnr=law.cdf(GRID - shift),
        thresholds=GRID,
        # Of a reversed attack the best choice is between nobody and everybody.
        best=lambda fpr: law.cdf(law.isf(fpr) - max(shift, 0.0)),
        **truth,
    )


def of_masses(nonmember: np.ndarray, member: np.ndarray, **truth: float) -> Known:
    """Scores 0, 1, 2, ... with these probabilities."""
    values = np.arange(nonmember.size)
    fpr = np.append(np.cumsum(nonmember[::-1])[::-1], 0.0)
    fnr = np.append(1 - np.cumsum(member[::-1])[::-1], 1.0)
    return Known(
        draw=lambda rng, n, is_member: rng.choice(
            values, n, p=member if is_member else nonmember
        ).astype(float),
        fpr=fpr,
        fnr=fnr,
        thresholds=np.arange(nonmember.size + 1) - 0.5,
        best=lambda x: np.interp(x, fpr[::-1], fnr[::-1]),
        **truth,
    )


HEADS = 1 / (1 + math.exp(-1.0))
LAWS = {
    "gaussian": of_law(norm, 1.0, mu=1.0),
    "laplace": of_law(laplace, 1.0, epsilon=1.0),
    "null": of_law(norm, 0.0, epsilon=0.0, mu=0.0),
    "reversed": of_law(norm, -1.0, epsilon=0.0, mu=0.0),
    "randomized response": of_masses(
        np.array([HEADS, 1 - HEADS]), np.array([1 - HEADS, HEADS]), epsilon=1.0
    ),
    "five values": of_masses(MASSES, MASSES[::-1], epsilon=math.log(10)),
}


def at_least(ascending: np.ndarray, places: np.ndarray) -> np.ndarray:
    return ascending.size - np.searchsorted(ascending, places, side="left")


def limits(count: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Clopper-Pearson limits of a quarter of the level, from quantiles of scipy.stats."""
    level = local_level(n, confidence_level=1 - (1 - CONFIDENCE) / 4)
    low = np.where(count > 0, beta.ppf(level, np.maximum(count, 1), n - count + 1), 0)
    high = np.where(count < n, beta.isf(level, count + 1, np.maximum(n - count, 1)), 1)
    return low, high


def runs_of(name: str, sizes: tuple[int, int], runs: int) -> list[tuple[CurveBand, AttackScores]]:
    rng, found = np.random.default_rng(len(name) + sizes[0]), []
    for _ in range(runs):
        scores = AttackScores(
            member=LAWS[name].draw(rng, sizes[0], True),
            nonmember=LAWS[name].draw(rng, sizes[1], False),
        )
        found.append((curve_band(AttackCurve.from_scores(scores)), scores))
    return found


def most_allowed(runs: int) -> float:
    """False statements among so many at 0.05, with three standard errors."""
    return 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


def height_of(staircase: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Its height right of some places, where it is lowest."""
    return staircase[np.searchsorted(staircase[:, 0], x, side="right") - 1, 1]


@given(member=tied_losses, nonmember=tied_losses)
def test_limits_are_those_of_a_beta_law_at_every_vertex_of_tied_scores(
    member: list[float], nonmember: list[float]
) -> None:
    band = curve_band(curve_of(member, nonmember))
    thresholds = np.array([math.inf, *sorted({*member, *nonmember}, reverse=True)])
    accused = np.array([sum(s >= t for s in nonmember) for t in thresholds])
    missed = np.array([sum(s < t for s in member) for t in thresholds])
    np.testing.assert_allclose(band.fpr, accused / len(nonmember), rtol=1e-15)
    np.testing.assert_allclose(band.fnr, missed / len(member), rtol=1e-15)
    for found, expected in zip(
        (band.fpr_low, band.fpr_high, band.fnr_low, band.fnr_high),
        (*limits(accused, len(nonmember)), *limits(missed, len(member))),
        strict=True,
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("name", LAWS)
@parametrize("sizes", SIZES, slow_but=SIZES[:1])
def test_both_true_rates_are_inside_at_all_thresholds_at_once(
    name: str, sizes: tuple[int, int]
) -> None:
    law, (n, m), runs = LAWS[name], sizes, 200
    rng, outside = np.random.default_rng(sum(sizes)), 0
    # Limits of every count, for thresholds of the whole line and not of the sample alone.
    of_members, of_nonmembers = limits(np.arange(n + 1), n), limits(np.arange(m + 1), m)
    for _ in range(runs):
        missed = n - at_least(np.sort(law.draw(rng, n, True)), law.thresholds)
        accused = at_least(np.sort(law.draw(rng, m, False)), law.thresholds)
        inside = (of_members[0][missed] <= law.fnr) & (law.fnr <= of_members[1][missed])
        inside &= (of_nonmembers[0][accused] <= law.fpr) & (law.fpr <= of_nonmembers[1][accused])
        outside += not inside.all()
    assert outside <= most_allowed(runs)


@parametrize("name", LAWS, slow_but=["null", "randomized response"])
@parametrize("sizes", [(50, 50), (60, 900), (900, 60)], slow_but=[(50, 50)])
def test_the_true_curve_is_between_both_lines_and_the_bounds_below_the_truth(
    name: str, sizes: tuple[int, int]
) -> None:
    law, runs = LAWS[name], 100
    false = {"upper": 0, "lower": 0, "epsilon": 0, "delta": 0, "mu": 0, "gap": 0}
    # Ties told apart at random, too: places on the straight pieces between two thresholds.
    true_x = np.concatenate([law.fpr, (law.fpr[1:] + law.fpr[:-1]) / 2])
    true_y = np.concatenate([law.fnr, (law.fnr[1:] + law.fnr[:-1]) / 2])
    true_delta = max(0.0, float(np.max(1 - law.fnr - math.exp(0.5) * law.fpr)))
    true_delta = max(true_delta, float(np.max(1 - law.fpr - math.exp(0.5) * law.fnr)))
    for band, _ in runs_of(name, sizes, runs):
        x, y = band.upper.T
        false["upper"] += np.any(law.best(x) > y + 1e-12)
        false["lower"] += np.any(height_of(band.lower, true_x) > true_y + 1e-12)
        false["epsilon"] += band.smallest_epsilon(0.0) > law.epsilon
        false["delta"] += band.smallest_delta(0.5) > true_delta
        false["mu"] += band.smallest_mu() > law.mu
        if math.isfinite(law.epsilon):
            false["gap"] += band.gap(PureDP(epsilon=law.epsilon)).margin > 0
        if math.isfinite(law.mu):
            false["gap"] += band.gap(GaussianDP(mu=law.mu)).margin > 0
    assert max(false.values()) <= most_allowed(runs), false


def test_a_reversed_attack_shows_nothing() -> None:
    for band, _ in runs_of("reversed", (500, 500), 20):
        assert band.smallest_epsilon(0.0) == 0
        assert band.smallest_delta(0.0) == 0
        assert band.smallest_mu() == 0
        assert band.gap(PureDP(epsilon=0.0)).margin <= 0


@pytest.mark.parametrize("member", [0.0, 1.0, -1.0])
def test_two_records_say_nothing(member: float) -> None:
    band = curve_band(curve_of([member], [0.0]))
    assert band.smallest_epsilon(0.0) == 0
    assert band.smallest_mu() == 0
    assert band.gap(PureDP(epsilon=0.0)).margin <= 0
    level = (1 - CONFIDENCE) / 4
    assert band.fpr_high[0] == pytest.approx(1 - local_level(1, confidence_level=1 - level))
    assert band.upper[[0, -1]].tolist() == [[0, 1], [1, 0]]
    assert band.lower[-1, 0] == 1


@pytest.mark.parametrize("name", ["gaussian", "five values", "reversed"])
@pytest.mark.parametrize("sizes", [(30, 30), (4000, 3000)])
def test_lines_run_from_side_to_side_and_fall(name: str, sizes: tuple[int, int]) -> None:
    ((band, _),) = runs_of(name, sizes, 1)
    for line in (band.upper, band.lower):
        assert len(line) <= 512
        assert (line[0, 0], line[-1, 0]) == (0, 1)
        assert np.all(np.diff(line[:, 0]) >= 0)
        assert np.all(np.diff(line[:, 1]) <= 0)
        assert np.all((line >= 0) & (line <= 1))
    assert np.all(np.diff(band.upper[:, 0]) > 0)
    assert np.all(np.diff(band.fpr) >= 0)
    for low, rate, high in (
        (band.fpr_low, band.fpr, band.fpr_high),
        (band.fnr_low, band.fnr, band.fnr_high),
    ):
        assert np.all((low <= rate) & (rate <= high))
        assert not any(each.flags.writeable for each in (low, rate, high))
    # Every corner of the staircase is a statement of one of the limits.
    for x, y in zip(band.fpr_low, band.fnr_low, strict=True):
        if x > 0:
            assert height_of(band.lower, np.array([x * (1 - 1e-9)]))[0] >= y


def test_the_staircase_is_the_highest_that_the_limits_allow() -> None:
    ((band, _),) = runs_of("gaussian", (80, 70), 1)
    places = (band.fpr_low[1:] + band.fpr_low[:-1]) / 2
    expected = [max(band.fnr_low[band.fpr_low > x], default=0.0) for x in places]
    np.testing.assert_allclose(height_of(band.lower, places), expected)


def test_a_random_choice_between_thresholds_may_be_below_the_staircase() -> None:
    # A quarter of the non-members has the highest score, half of them the one of all members.
    n = 200_000
    band = curve_band(
        curve_of(np.full(n, 1.0), np.repeat([2.0, 1.0, 0.0], [n // 4, n // 2, n // 4]))
    )
    # Accusing from 1 on, or nobody, at random: FPR 0.2 and FNR 1 - 0.2 / 0.75.
    mixed = 1 - 0.2 / 0.75
    staircase = height_of(band.lower, np.array([0.2]))[0]
    assert staircase > 0.99 > mixed
    # The hull of the staircase goes from (0, 1) to where it falls to 0, and covers it.
    falls = band.lower[band.lower[:, 1] > 0, 0].max()
    assert band.lower[0, 1] * (1 - 0.2 / falls) <= mixed
    assert 0.24 < falls < 0.25


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.5, 2.0])
@pytest.mark.parametrize("n", [2000, 40_000])
def test_few_thresholds_say_almost_as_much_as_all(mu: float, n: int) -> None:
    rng = np.random.default_rng(n)
    scores = AttackScores(member=rng.normal(mu, 1, n), nonmember=rng.normal(0, 1, n))
    band = curve_band(AttackCurve.from_scores(scores))
    assert band.fpr.size <= 250
    for delta in (0.0, 1e-5, 1e-2):
        # The scan spends two of the band's four levels, at the same local level each.
        request = BoundRequest(delta=delta, confidence_level=0.975)
        every = local_levels(scores, request)
        found = band.smallest_epsilon(delta)
        assert every.low - 0.05 <= found <= every.low + 1e-9


def test_the_smallest_claims_touch_the_band() -> None:
    ((band, _),) = runs_of("gaussian", (900, 60), 1)
    ((mirrored, _),) = runs_of("gaussian", (60, 900), 1)
    for each in (band, mirrored):
        for delta in (0.0, 0.01, 0.1):
            epsilon = each.smallest_epsilon(delta)
            assert epsilon > 0
            assert each.gap(ApproximateDP(epsilon=epsilon, delta=delta)).margin <= 1e-12
            smaller = ApproximateDP(epsilon=epsilon * 0.99, delta=delta)
            assert each.gap(smaller).margin > 0
        delta = each.smallest_delta(0.3)
        assert delta > 0
        assert each.gap(ApproximateDP(epsilon=0.3, delta=delta)).margin <= 1e-12
        assert each.gap(ApproximateDP(epsilon=0.3, delta=delta * 0.99)).margin > 0
        mu = each.smallest_mu()
        assert mu > 0
        assert each.gap(GaussianDP(mu=mu)).margin <= 1e-12
        assert each.gap(GaussianDP(mu=mu * 0.99)).margin > 0


def test_no_place_on_the_upper_line_is_farther_below_a_claim_than_the_gap() -> None:
    ((band, _),) = runs_of("gaussian", (500, 500), 1)
    claim = GaussianDP(mu=0.3)
    x = np.linspace(0, 1, 200_001)
    heights = claim.beta(x) - np.interp(x, band.upper[:, 0], band.upper[:, 1])
    gap = band.gap(claim)
    assert gap.margin == pytest.approx(heights.max(), abs=1e-5)
    assert gap.margin >= heights.max()
    assert claim.beta(gap.fpr) - gap.fnr == pytest.approx(gap.margin)


def test_more_confidence_is_a_wider_band() -> None:
    rng = np.random.default_rng(1)
    curve = curve_of(rng.normal(1, 1, 300), rng.normal(0, 1, 300))
    bands = [curve_band(curve, confidence_level=level) for level in (0.5, 0.9, 0.95, 0.99)]
    for narrow, wide in pairwise(bands):
        assert np.all(narrow.fpr_high <= wide.fpr_high)
        assert np.all(narrow.fnr_low >= wide.fnr_low)
        assert narrow.smallest_mu() > wide.smallest_mu()


@pytest.mark.parametrize("most", [16, 40, 250])
@pytest.mark.parametrize("name", ["gaussian", "five values", "reversed"])
def test_at_most_so_many_thresholds_are_kept_ends_among_them(name: str, most: int) -> None:
    ((_, scores),) = runs_of(name, (3000, 2000), 1)
    curve = AttackCurve.from_scores(scores)
    band = curve_band(curve, most=most)
    assert band.fpr.size <= most
    assert (band.fpr[0], band.fnr[0], band.fpr[-1], band.fnr[-1]) == (0, 1, 1, 0)
    vertices = set(zip(curve.fpr.tolist(), curve.fnr.tolist(), strict=True))
    assert set(zip(band.fpr.tolist(), band.fnr.tolist(), strict=True)) <= vertices


def test_the_box_of_a_threshold_has_its_limits_in_the_band() -> None:
    curve = curve_of(np.arange(9.0) + 2.5, np.arange(7.0))
    band = curve_band(curve)
    for i in range(band.fpr.size):
        box = band.box(curve.point(i))
        found = (box.fpr_low, box.fpr_high, box.fnr_low, box.fnr_high)
        of_band = (band.fpr_low, band.fpr_high, band.fnr_low, band.fnr_high)
        assert found == tuple(float(limits[i]) for limits in of_band)


def test_thresholds_are_left_out_only_if_there_are_more() -> None:
    even, odd = np.arange(0.0, 20, 2), np.arange(1.0, 20, 2)
    assert curve_band(curve_of(even[:8], odd[:7]), most=16).fpr.size == 16
    assert curve_band(curve_of(even[:8], odd[:8]), most=16).fpr.size <= 16


def test_both_tails_are_kept_down_to_single_errors() -> None:
    ((_, scores),) = runs_of("gaussian", (3000, 2000), 1)
    curve = AttackCurve.from_scores(scores)
    fp, fn = curve.false_positives, curve.false_negatives
    band = curve_band(curve)
    kept = set(zip((band.fpr * 2000).round(), (band.fnr * 3000).round(), strict=True))
    for errors in range(3):
        assert (errors, fn[fp <= errors].min()) in kept
        assert (fp[fn <= errors].min(), errors) in kept


def test_a_band_without_a_tabulated_level_says_so() -> None:
    curve = curve_of(np.arange(130.0), np.arange(120.0))
    assert curve_band(curve).notes == ()
    notes = curve_band(curve, confidence_level=0.999).notes
    assert len(notes) == 2
    assert "120 records at 0.00025:" in notes[0]  # a quarter of 0.001
    # Of fewer than 100 records the levels are computed.
    few = curve_of(np.arange(30.0), np.arange(20.0))
    assert curve_band(few, confidence_level=0.999).notes == ()


@pytest.mark.parametrize("level", [0, 1, 1.5, -0.1, math.nan, "0.95"])
def test_an_illegal_confidence_is_named(level: float) -> None:
    with pytest.raises(ValueError, match=rf"^confidence_level must be .* got {level!r}"):
        curve_band(curve_of([1.0], [0.0]), confidence_level=level)


@pytest.mark.parametrize("most", [15, 251, 20.5, math.inf])
def test_an_illegal_number_of_thresholds_is_named(most: float) -> None:
    with pytest.raises(ValueError, match=r"^most must be a whole number from 16 to 250, got"):
        curve_band(curve_of([1.0], [0.0]), most=most)


def test_illegal_parameters_of_a_claim_are_named() -> None:
    band = curve_band(curve_of([1.0], [0.0]))
    with pytest.raises(ValueError, match=r"^delta must be in \[0, 1\], got 2"):
        band.smallest_epsilon(2)
    for epsilon in (-1, math.inf, math.nan):
        with pytest.raises(ValueError, match=r"^epsilon must be in \[0, inf\), got"):
            band.smallest_delta(epsilon)
    with pytest.raises(ValueError, match=r"^claim must be a trade-off function"):
        band.gap(1.0)


def test_the_band_says_what_it_is() -> None:
    text = repr(curve_band(curve_of([1.0, 2.0], [0.0])))
    assert text == "CurveBand(confidence_level=0.95, n_members=2, n_nonmembers=1, thresholds=4)"


def test_of_one_record_in_each_class_a_quarter_of_the_error_goes_to_each_limit() -> None:
    # P(U > 1 - a) = a for the one non-member; four such limits have an error of 4 a = 0.05.
    band = curve_band(curve_of([1.0], [0.0]))
    assert band.fpr_high[0] == pytest.approx(1 - 0.0125, rel=1e-9)
    assert band.fnr_high[-1] == pytest.approx(1 - 0.0125, rel=1e-9)
    assert band.fpr_low[-1] == pytest.approx(0.0125, rel=1e-9)
    assert curve_band(curve_of([1.0], [0.0]), confidence_level=0.8).fpr_high[0] == pytest.approx(
        0.95
    )
