"""The largest TPR - FPR: by every threshold, and how often its limits hold."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import binom, norm

from dpviz.audit import AttackCurve, AttackScores, BinnedScores
from dpviz.audit.roc.advantage import advantage
from tests.audit.oracles import tied_losses

Draw = Callable[[np.random.Generator, int], np.ndarray]


def normal(mu: float) -> Draw:
    return lambda rng, n: rng.normal(mu, 1, n)


def coin(p: float) -> Draw:
    return lambda rng, n: (rng.random(n) < p).astype(float)


LAWS = {
    "gaussian": (normal(1), normal(0), float(2 * norm.cdf(0.5) - 1)),
    "null": (normal(0), normal(0), 0.0),
    "reversed": (normal(-1), normal(0), 0.0),
    "ties": (coin(0.7), coin(0.3), 0.4),
    "apart": (normal(20), normal(0), 1.0),
}


@given(member=tied_losses, nonmember=tied_losses)
def test_it_is_the_largest_of_all_thresholds(member: list[float], nonmember: list[float]) -> None:
    found = advantage(AttackScores(member=member, nonmember=nonmember))
    tried = [
        sum(s >= t for s in member) / len(member) - sum(s >= t for s in nonmember) / len(nonmember)
        for t in [math.inf, *member, *nonmember]
    ]
    assert found.value == pytest.approx(max(tried), abs=1e-15)
    assert found.at.tpr - found.at.fpr == found.value
    assert found.at.true_positives == sum(s >= found.at.threshold for s in member)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("sizes", [(20, 20), (500, 500), (50, 700)])
def test_limits_hold_the_true_advantage(name: str, sizes: tuple[int, int]) -> None:
    member, nonmember, truth = LAWS[name]
    rng, runs, false = np.random.default_rng(sizes[0]), 400, 0
    for _ in range(runs):
        scores = AttackScores(member=member(rng, sizes[0]), nonmember=nonmember(rng, sizes[1]))
        found = advantage(scores)
        assert 0 <= found.low <= found.value <= found.high <= 1
        false += not found.low <= truth <= found.high
    assert false <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


@pytest.mark.parametrize(("n", "m"), [(900, 2500), (400, 400), (30, 4000)])
@pytest.mark.parametrize("level", [0.05, 0.5])
def test_the_margins_are_quantiles_of_sums(n: int, m: int, level: float) -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(1, 1, n), nonmember=rng.normal(0, 1, m))
    found = advantage(scores, confidence_level=1 - level)
    assert found.confidence_level == 1 - level
    draws, scale = 400_000, np.array([n, m]) ** -0.5
    # P(X > x) = exp(-2 x^2), and x at least where that is 1/2.
    suprema = np.sqrt(np.maximum(rng.exponential(size=(draws, 2)), math.log(2)) / 2) @ scale
    normals = np.maximum(rng.normal(size=(draws, 2)), 0) @ scale / 2 + 1 / n + 1 / m
    for margin, drawn in ((found.value - found.low, suprema), (found.high - found.value, normals)):
        assert margin == pytest.approx(np.quantile(drawn, 1 - level / 2), rel=0.01)


def test_the_margin_of_very_unequal_classes_is_that_of_the_smaller() -> None:
    counts = np.full(2, 10**12) // 2
    found = advantage(
        BinnedScores(thresholds=[0, 1], member_counts=counts, nonmember_counts=[5, 5])
    )
    margin = 1 / 10 + norm.ppf(0.975) / (2 * math.sqrt(10))
    assert found.high - found.value == pytest.approx(margin, abs=1e-5)


def test_the_upper_limit_holds_for_all_rates_of_a_few_records() -> None:
    """P(measured TPR - FPR < true - margin) at one threshold, by all counts."""
    rates = np.linspace(0, 1, 31)
    for n, m in ((5, 5), (3, 12), (25, 20)):
        scores = AttackScores(member=np.ones(n), nonmember=np.ones(m))
        margin = advantage(scores, confidence_level=0.6).high  # its value is 0
        of_p, of_q = (binom.pmf(np.arange(k + 1)[:, None], k, rates).T for k in (n, m))
        differences = np.arange(n + 1)[:, None] / n - np.arange(m + 1) / m
        worst = max(
            of_p[i] @ (differences < rates[i] - rates[j] - margin) @ of_q[j]
            for i in range(rates.size)
            for j in range(i + 1)
        )
        assert 0.01 < worst <= 0.2


def test_where_nothing_leaks_the_estimate_is_about_as_large_as_said() -> None:
    # Kolmogorov's one-sided statistic has mean sqrt(pi / 8) = 0.627 in units of its scale.
    rng, n, m = np.random.default_rng(1), 900, 400
    values = [
        advantage(AttackScores(member=rng.normal(size=n), nonmember=rng.normal(size=m))).value
        for _ in range(400)
    ]
    assert np.mean(values) == pytest.approx(0.6267 * math.sqrt(1 / n + 1 / m), rel=0.1)


def test_a_reversed_attack_has_no_advantage() -> None:
    found = advantage(AttackScores(member=[0.0, 1.0], nonmember=[2.0, 3.0]))
    assert (found.value, found.low) == (0, 0)
    assert (found.at.fpr, found.at.tpr) == (0, 0)


def test_two_records_say_nothing() -> None:
    found = advantage(AttackScores(member=[1.0], nonmember=[0.0]))
    assert (found.value, found.low, found.high) == (1, 0, 1)


def test_a_curve_and_its_scores_say_the_same() -> None:
    rng = np.random.default_rng(2)
    scores = AttackScores(member=rng.normal(1, 1, 50), nonmember=rng.normal(0, 1, 40))
    assert advantage(AttackCurve.from_scores(scores)) == advantage(scores)


@pytest.mark.parametrize("level", [0, 1, -1, math.nan, "0.9"])
def test_an_illegal_confidence_is_named(level: float) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level must be"):
        advantage(AttackScores(member=[1.0], nonmember=[0.0]), confidence_level=level)
