"""Bounds from counts: exact coverage over all outcomes, closed forms, draws of the posterior."""

import math
from bisect import bisect_left
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv
from scipy.stats import beta, binom, norm

from dpviz.audit import lower_bound_from_counts
from dpviz.audit.bounds import EpsilonBound, Evidence, joint_beta_cdf, joint_beta_epsilon
from tests.slow import parametrize

METHODS = ["clopper_pearson", "jeffreys", "joint_beta", "gdp"]


def bound_of(
    fp: int,
    m: int,
    fn: int,
    n: int,
    *,
    delta: float = 0.0,
    confidence_level: float = 0.95,
    method: str = "clopper_pearson",
) -> EpsilonBound:
    return lower_bound_from_counts(
        false_positives=fp,
        n_nonmembers=m,
        false_negatives=fn,
        n_members=n,
        delta=delta,
        confidence_level=confidence_level,
        method=method,
    )


def implied(fpr: float, fnr: float, delta: float) -> float:
    """The larger of log((1 - fnr - delta) / fpr) and log((1 - fpr - delta) / fnr), at least 0."""
    return max(
        [0.0]
        + [
            math.log((1 - a - delta) / b)
            for a, b in ((fnr, fpr), (fpr, fnr))
            if 1 - a - delta > 0 and b > 0
        ]
    )


def evidence_of(bound: EpsilonBound) -> Evidence:
    (evidence,) = bound.evidence
    assert isinstance(evidence, Evidence)
    return evidence


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 9), (7, 7), (5, 20)])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.2])
@pytest.mark.parametrize("method", ["clopper_pearson", "jeffreys"])
def test_limits_are_quantiles_and_imply_the_bound(
    n: int, m: int, delta: float, method: str
) -> None:
    prior = (1, 0) if method == "clopper_pearson" else (0.5, 0.5)
    for fp in range(m + 1):
        for fn in range(n + 1):
            bound = bound_of(fp, m, fn, n, delta=delta, method=method)
            limits = [
                1.0 if x == size else beta.ppf(0.975, x + prior[0], size - x + prior[1])
                for x, size in ((fp, m), (fn, n))
            ]
            evidence = evidence_of(bound)
            np.testing.assert_allclose([evidence.fpr_upper, evidence.fnr_upper], limits, rtol=1e-9)
            assert bound.low == pytest.approx(implied(*limits, delta), rel=1e-8, abs=1e-12)
            counts = (evidence.false_positives, evidence.false_negatives, evidence.threshold)
            assert counts == (fp, fn, None)


@pytest.mark.parametrize("delta", [0.0, 0.1])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 2.0])
@parametrize(("n", "m"), [(3, 3), (5, 9), (12, 12)], slow_but=[(5, 9)])
def test_the_exact_bound_exceeds_epsilon_at_most_as_rarely_as_said(
    n: int, m: int, epsilon: float, delta: float
) -> None:
    for level in (0.6, 0.95):
        lows = np.array(
            [
                [
                    bound_of(fp, m, fn, n, delta=delta, confidence_level=level).low
                    for fn in range(n + 1)
                ]
                for fp in range(m + 1)
            ]
        )
        for fpr in np.linspace(0, 1 - delta, 21):  # every attack on the edge of the region
            fnr = max(
                0.0,
                1 - delta - math.exp(epsilon) * fpr,
                math.exp(-epsilon) * (1 - delta - fpr),
            )
            chances = np.outer(
                binom.pmf(np.arange(m + 1), m, fpr), binom.pmf(np.arange(n + 1), n, fnr)
            )
            assert np.sum(chances[lows > epsilon + 1e-9]) <= 1 - level + 1e-12


@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.1])
def test_the_gaussian_bound_has_the_mu_of_its_limits(delta: float) -> None:
    for fp, fn in ((0, 0), (3, 20), (50, 10), (40, 45)):
        bound = bound_of(fp, 100, fn, 100, delta=delta, method="gdp")
        limits = [beta.ppf(0.975, x + 1, 100 - x) for x in (fp, fn)]
        mu = -sum(norm.ppf(limits))
        if mu <= 0:
            assert bound.low == 0
            continue

        def excess(e: float, mu: float = mu) -> float:
            log_tail = e + norm.logcdf(-mu / 2 - e / mu)
            return norm.cdf(mu / 2 - e / mu) - math.exp(log_tail) - delta

        expected = brentq(excess, 0, 200, xtol=1e-12) if excess(0) > 0 else 0.0
        assert bound.low == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert bound_of(0, 100, 0, 100, delta=0.0, method="gdp").low == math.inf


@pytest.mark.parametrize("method", METHODS)
def test_the_bound_falls_with_errors_with_delta_and_with_confidence(method: str) -> None:
    def low(fp: int, fn: int, delta: float, level: float) -> float:
        return bound_of(fp, 50, fn, 40, delta=delta, confidence_level=level, method=method).low

    # Up to a third wrong: beyond that the two-sided region of joint_beta turns round.
    for chain in (
        [low(fp, 5, 1e-3, 0.95) for fp in range(0, 17, 5)],
        [low(5, fn, 1e-3, 0.95) for fn in range(0, 14, 4)],
        [low(3, 8, delta, 0.95) for delta in (1e-9, 1e-5, 0.01, 0.1, 0.3, 1)],
        [low(3, 8, 1e-3, level) for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.9999)],
    ):
        assert np.all(np.diff(chain) <= 1e-7)
        assert chain[0] > chain[-1] >= 0
    assert low(3, 8, 1.0, 0.95) == 0


@pytest.mark.parametrize("method", METHODS)
def test_more_records_with_the_same_rates_show_more(method: str) -> None:
    lows = [bound_of(k, 10 * k, 2 * k, 10 * k, delta=1e-5, method=method).low for k in (1, 5, 50)]
    assert np.all(np.diff(lows) > 0)


def posterior_draws(counts: tuple[int, int, int, int], delta: float, runs: int) -> np.ndarray:
    """Smallest epsilon whose region holds each of many draws of both rates."""
    fp, tn, fn, tp = counts
    rng = np.random.default_rng(sum(counts))
    t, eta = rng.beta(fp + 0.5, tn + 0.5, runs), rng.beta(fn + 0.5, tp + 0.5, runs)
    found = np.zeros(runs)
    with np.errstate(divide="ignore", invalid="ignore"):
        for top, bottom in ((1 - eta, t), (1 - t, eta), (eta, 1 - t), (t, 1 - eta)):
            found = np.fmax(found, np.log(np.maximum(top - delta, 0) / bottom))
    return found


COUNTS = [
    (5, 45, 10, 40),
    (0, 50, 0, 50),
    (0, 10, 3, 0),
    (1, 0, 0, 1),
    (0, 0, 0, 0),
    (45, 5, 40, 10),
    (25, 25, 26, 24),
    (0, 2000, 1990, 10),
    (159, 341, 177, 323),
    (300, 700, 2, 18),
]


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_the_posterior_share_is_that_of_draws(
    counts: tuple[int, int, int, int], delta: float
) -> None:
    runs = 200_000
    drawn = posterior_draws(counts, delta, runs)
    names = ("false_positives", "true_negatives", "false_negatives", "true_positives")
    arguments: Any = {**dict(zip(names, counts, strict=True)), "delta": delta}
    for epsilon in (0.0, 0.7, 3.0):
        p = joint_beta_cdf(epsilon, **arguments)
        error = 4 * math.sqrt(max(p * (1 - p), 1 / runs) / runs)
        assert np.mean(drawn <= epsilon) == pytest.approx(p, abs=error)
    for level in (0.5, 0.95):
        low = joint_beta_epsilon(**arguments, confidence_level=level)
        error = 4 * math.sqrt(level * (1 - level) / runs)
        if low > 0:
            assert joint_beta_cdf(low, **arguments) == pytest.approx(1 - level, abs=1e-8)
            assert np.mean(drawn > low) == pytest.approx(level, abs=error)
        else:
            assert joint_beta_cdf(0.0, **arguments) >= 1 - level


def test_the_posterior_share_grows_from_its_value_at_zero_to_one() -> None:
    arguments: Any = {
        "false_positives": 7,
        "true_negatives": 43,
        "false_negatives": 12,
        "true_positives": 38,
        "delta": 0.02,
    }
    shares = [joint_beta_cdf(e, **arguments) for e in np.linspace(0, 30, 61)]
    assert np.all(np.diff(shares) >= -1e-9)
    assert joint_beta_cdf(math.inf, **arguments) == 1


@pytest.mark.parametrize("counts", COUNTS)
def test_classes_and_guesses_may_change_names(counts: tuple[int, int, int, int]) -> None:
    fp, tn, fn, tp = counts

    def share(a: int, b: int, c: int, d: int) -> float:
        return joint_beta_cdf(
            0.8,
            false_positives=a,
            true_negatives=b,
            false_negatives=c,
            true_positives=d,
            delta=0.01,
        )

    expected = share(fp, tn, fn, tp)
    assert share(fn, tp, fp, tn) == pytest.approx(expected, abs=1e-7)
    assert share(tn, fp, tp, fn) == pytest.approx(expected, abs=1e-7)


def posterior_sum(counts: tuple[int, int, int, int], epsilon: float, delta: float) -> float:
    """Mean over quantiles of the FPR of what the region leaves to the FNR."""
    fp, tn, fn, tp = counts
    quantiles = (np.arange(20_000) + 0.5) / 20_000
    fpr, tnr = betaincinv(fp + 0.5, tn + 0.5, quantiles), betaincinv(tn + 0.5, fp + 0.5, quantiles)
    grown = math.exp(epsilon)
    fnr, tpr = (
        np.maximum.reduce([1 - delta - grown * x, (1 - x - delta) / grown, np.zeros_like(x)])
        for x in (fpr, tnr)
    )
    outside = betainc(fn + 0.5, tp + 0.5, fnr) + np.flip(betainc(tp + 0.5, fn + 0.5, tpr))
    return float(1 - np.mean(outside))


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.2])
@pytest.mark.parametrize(
    ("counts", "epsilon"),
    [
        ((5, 10, 500_000, 500_000), 0.3),  # one rate known much better than the other
        ((500_000, 500_000, 10, 5), 0.3),
        ((100_000, 900_000, 3, 7), 1.6),
        ((3, 7, 1000, 999_000), 3.0),
        ((1000, 999_000, 500_000, 500_000), 6.2),
        ((500_000, 500_000, 500_000, 500_000), 0.003),
        ((2 * 10**6, 18 * 10**6, 10**7, 10**7), 1.608),
        ((0, 10**6, 0, 10**6), 13.8),
        ((0, 1, 0, 10_000), 10.0),
        ((20, 0, 0, 30), 3.0),
        ((1, 2, 2, 1), 1.0),
    ],
)
def test_the_posterior_share_is_that_of_a_fine_sum(
    counts: tuple[int, int, int, int], epsilon: float, delta: float
) -> None:
    names = ("false_positives", "true_negatives", "false_negatives", "true_positives")
    found = joint_beta_cdf(epsilon, **dict(zip(names, counts, strict=True)), delta=delta)
    assert found == pytest.approx(posterior_sum(counts, epsilon, delta), abs=3e-5)


@pytest.mark.parametrize("counts", [*COUNTS, (0, 10**6, 0, 10**6), (500_000,) * 4])
def test_extreme_levels_keep_their_order(counts: tuple[int, int, int, int]) -> None:
    names = ("false_positives", "true_negatives", "false_negatives", "true_positives")
    arguments: Any = dict(zip(names, counts, strict=True))
    for delta in (0.0, 1e-5, 1.0):
        lows = [
            joint_beta_epsilon(**arguments, delta=delta, confidence_level=level)
            for level in (1e-12, 1e-6, 0.5, 1 - 1e-6, 1 - 1e-12)
        ]
        assert np.all(np.diff(lows) <= 1e-8)
        assert 0 <= lows[-1] <= lows[0] < math.inf
    assert joint_beta_epsilon(**arguments, delta=0.0, confidence_level=1e-20) == math.inf


@pytest.mark.parametrize("seed", range(2))
def test_every_table_of_counts_has_a_posterior_bound(seed: int) -> None:
    rng, failed = np.random.default_rng(seed), []
    for _ in range(30):
        n = int(rng.choice([1, 3, 20, 60, 200, 500, 1000, 10_000]))
        fp = int(rng.integers(0, n + 1))
        # Mostly near the diagonal, where an attack shows little.
        near = n - fp + round(rng.normal(0, math.sqrt(n)))
        fn = min(max(near, 0), n) if rng.random() < 0.7 else int(rng.integers(0, n + 1))
        delta = float(rng.choice([0.0, 1e-5, 0.01]))
        try:
            low = bound_of(fp, n, fn, n, delta=delta, method="joint_beta").low
        except ValueError as error:
            failed.append((fp, n, fn, n, delta, str(error)))
            continue
        assert low >= 0
    assert not failed


@pytest.mark.parametrize(
    ("counts", "epsilon", "delta"),
    [((2, 58, 58, 2), 0.05, 0.0), ((43, 157, 154, 46), 0.01, 0.0), ((43, 157, 154, 46), 0.0, 0.01)],
)
def test_a_piece_of_the_posterior_too_narrow_to_matter_does_no_harm(
    counts: tuple[int, int, int, int], epsilon: float, delta: float
) -> None:
    names = ("false_positives", "true_negatives", "false_negatives", "true_positives")
    found = joint_beta_cdf(epsilon, **dict(zip(names, counts, strict=True)), delta=delta)
    drawn = np.mean(posterior_draws(counts, delta, 200_000) <= epsilon)
    assert found == pytest.approx(drawn, abs=2e-3)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"false_positives": 11}, r"false_positives must be .* from 0 to 10, got 11"),
    ({"false_negatives": 21}, r"false_negatives must be .* from 0 to 20, got 21"),
    ({"false_positives": -1}, r"false_positives must be .*, got -1"),
    ({"false_negatives": 1.5}, r"false_negatives must be .*, got 1\.5"),
    ({"n_members": 0}, r"n_members must be .*, got 0"),
    ({"n_nonmembers": math.nan}, r"n_nonmembers must be .*, got nan"),
    ({"delta": -0.1}, r"delta must be .*, got -0\.1"),
    ({"delta": 1.1}, r"delta must be .*, got 1\.1"),
    ({"confidence_level": 1.0}, r"confidence_level must be .*, got 1\.0"),
    ({"confidence_level": 0.0}, r"confidence_level must be .*, got 0\.0"),
    ({"method": "rank"}, r"method must be one of 'clopper_pearson', .*'gdp', got 'rank'"),
    ({"applies_to": "model"}, r"applies_to must be one of 'instance', 'mechanism', got 'model'"),
]


@pytest.mark.parametrize(("changed", "message"), BAD)
def test_bad_input_is_named_with_its_value(changed: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "false_positives": 1,
        "n_nonmembers": 10,
        "false_negatives": 2,
        "n_members": 20,
        "delta": 0.0,
    }
    with pytest.raises(ValueError, match=message):
        lower_bound_from_counts(**{**arguments, **changed})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"epsilon": -1.0}, r"epsilon must be .*, got -1"),
        ({"epsilon": math.nan}, r"epsilon must be .*, got nan"),
        ({"delta": 2.0}, r"delta must be .*, got 2"),
        ({"true_negatives": -1}, r"true_negatives must be .*, got -1"),
        ({"true_positives": 0.5}, r"true_positives must be .*, got 0\.5"),
    ],
)
def test_bad_input_of_the_posterior_is_named(changed: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "epsilon": 1.0,
        "false_positives": 1,
        "true_negatives": 2,
        "false_negatives": 3,
        "true_positives": 4,
        "delta": 0.0,
    }
    arguments.update(changed)
    with pytest.raises(ValueError, match=message):
        joint_beta_cdf(arguments.pop("epsilon"), **arguments)


def test_the_posterior_is_of_all_four_counts() -> None:
    """1 of 10 non-members flagged, 3 of 20 members missed: 9 and 17 are right."""
    for delta in (0.0, 0.01):
        expected = joint_beta_epsilon(
            false_positives=1,
            true_negatives=9,
            false_negatives=3,
            true_positives=17,
            delta=delta,
            confidence_level=0.95,
        )
        found = bound_of(1, 10, 3, 20, delta=delta, method="joint_beta").low
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"delta": 1.01}, r"delta must be in \[0, 1\], got 1.01"),
        ({"delta": 0, "confidence_level": 1.0}, r"confidence_level must be in \(0, 1\), got 1"),
    ],
)
def test_what_is_no_probability_is_named(given: dict[str, float], message: str) -> None:
    counts = {"false_positives": 1, "n_nonmembers": 9, "false_negatives": 1, "n_members": 9}
    with pytest.raises(ValueError, match=message):
        lower_bound_from_counts(**counts, **given)


def test_jeffreys_limits_of_two_rates_can_be_false_together_more_often_than_they_say() -> None:
    # Summed over all false positives that are not too rare. In benchmarks/peers.py, too.
    n, m, fpr, tpr = 400, 600, 0.0044, 0.985
    truth, chance = math.log(tpr / fpr), 0.0
    for fp in range(16):
        first = bisect_left(
            range(n + 1),
            True,
            key=lambda tp, fp=fp: bound_of(fp, m, n - tp, n, method="jeffreys").low > truth,
        )
        chance += binom.pmf(fp, m, fpr) * binom.sf(first - 1, n, tpr)
    # By SciPy's distributions alone.
    a = np.arange(17)
    high = beta.ppf(0.975, a + 0.5, m - a + 0.5)
    found = np.arange(1, n + 1)
    low = beta.ppf(0.025, found + 0.5, n - found + 0.5)
    needed = 1 + np.searchsorted(low, tpr / fpr * high, "right")
    assert chance == pytest.approx(binom.pmf(a, m, fpr) @ binom.sf(needed - 1, n, tpr), abs=1e-6)
    assert chance > 0.07
