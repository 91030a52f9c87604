"""Simultaneous limits against exact integrals, Daniels' theorem and simulation."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import beta

from dpviz.audit.roc.bands import calibrated_level, dkw_margin, local_level, noncrossing_probability
from dpviz.audit.roc.intervals import upper_rates


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
    limits = upper_rates(np.arange(n + 1), n, local_level(n, confidence_level=confidence))
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
    limits = upper_rates(np.arange(n + 1), n, local_level(n, confidence_level=confidence))
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
