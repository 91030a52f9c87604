"""The area under the curve: all pairs by hand, DeLong's formula, and how often limits hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import brentq
from scipy.stats import norm, t

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.roc.area_and_advantage import AUC_METHODS, auc_interval
from tests.audit.oracles import tied_losses
from tests.slow import parametrize


def of(member: object, nonmember: object) -> AttackScores:
    return AttackScores(member=member, nonmember=nonmember)


def normal(rng: np.random.Generator, mu: float, n: int, m: int | None = None) -> AttackScores:
    return of(rng.normal(mu, 1, n), rng.normal(0, 1, m or n))


def psi(a: float, b: float) -> float:
    return 1.0 if a > b else 0.5 if a == b else 0.0


@given(member=tied_losses, nonmember=tied_losses)
def test_the_standard_error_is_delongs(member: list[float], nonmember: list[float]) -> None:
    found = auc_interval(of(member, nonmember))
    n, m = len(member), len(nonmember)
    if min(n, m) == 1:
        assert math.isnan(found.standard_error)
        return
    of_members = [sum(psi(a, b) for b in nonmember) / m for a in member]
    of_nonmembers = [sum(psi(a, b) for a in member) / n for b in nonmember]
    area = sum(of_members) / n
    s10 = sum((v - area) ** 2 for v in of_members) / (n - 1)
    s01 = sum((v - area) ** 2 for v in of_nonmembers) / (m - 1)
    assert found.standard_error == pytest.approx(math.sqrt(s10 / n + s01 / m), abs=1e-12)


def test_limits_are_wilsons_with_one_record_more_in_each_class() -> None:
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(1, 1, 30), rng.normal(0, 1, 70)
    found = auc_interval(of(member, nonmember), confidence_level=0.9)
    of_members = np.append([np.mean(each > nonmember) for each in member], 0.5)
    of_nonmembers = np.append([np.mean(member > each) for each in nonmember], 0.5)
    variances = [each.var(ddof=1) / each.size for each in (of_members, of_nonmembers)]
    freedom = sum(variances) ** 2 / (variances[0] ** 2 / 30 + variances[1] ** 2 / 70)
    quantile = t(freedom).ppf(0.95)
    for limit in (found.low, found.high):
        # Wilson's limits have a variance in proportion to x (1 - x).
        spread = sum(variances) * limit * (1 - limit) / (found.value * (1 - found.value))
        assert abs(limit - found.value) == pytest.approx(quantile * math.sqrt(spread), rel=1e-9)
    assert found.low < found.value < found.high
    assert found.is_approximate
    assert found.note.startswith("approximate")


@pytest.mark.parametrize("sizes", [(60, 1000), (1000, 60)])
def test_areas_near_1_are_held(sizes: tuple[int, int]) -> None:
    rng, runs, missed = np.random.default_rng(3), 300, 0
    truth = float(norm.cdf(3 / math.sqrt(2)))
    for _ in range(runs):
        found = auc_interval(normal(rng, 3, *sizes))
        missed += not found.low <= truth <= found.high
    assert missed <= 0.05 * runs  # 9 % on the logit scale, with DeLong's own variance


def test_bootstrap_and_delong_agree() -> None:
    scores = normal(np.random.default_rng(1), 1, 300, 200)
    by_delong, by_bootstrap = auc_interval(scores), auc_interval(scores, method="bootstrap")
    assert by_bootstrap.value == by_delong.value
    # 1000 resamples know a standard deviation to about 2 %.
    assert by_bootstrap.standard_error == pytest.approx(by_delong.standard_error, rel=0.1)
    assert by_bootstrap.low == pytest.approx(by_delong.low, abs=0.01)
    assert by_bootstrap.high == pytest.approx(by_delong.high, abs=0.01)
    assert by_bootstrap.is_approximate
    assert auc_interval(scores, method="bootstrap", resamples=1000) == by_bootstrap
    assert auc_interval(scores, method="bootstrap", seed=1).low != by_bootstrap.low


def test_resampled_areas_of_tied_scores_have_the_mean_of_the_sample() -> None:
    rng = np.random.default_rng(2)
    scores = of(rng.integers(0, 4, 90) + rng.integers(0, 2, 90), rng.integers(0, 4, 70))
    found = auc_interval(scores, method="bootstrap", resamples=4000, confidence_level=0.5)
    assert (found.low + found.high) / 2 == pytest.approx(found.value, abs=0.003)
    assert found.standard_error == pytest.approx(auc_interval(scores).standard_error, rel=0.06)


def test_the_variance_of_three_resamples_is_that_of_many_on_average() -> None:
    scores = normal(np.random.default_rng(3), 1, 20)
    few = [
        auc_interval(scores, method="bootstrap", resamples=3, confidence_level=0.3, seed=seed)
        for seed in range(400)
    ]
    many = auc_interval(scores, method="bootstrap", resamples=4000)
    variance = np.mean([each.standard_error**2 for each in few])
    assert variance == pytest.approx(many.standard_error**2, rel=0.15)


TRUTH = {mu: float(norm.cdf(mu / math.sqrt(2))) for mu in (-1.0, 0.0, 1.0, 2.5)}


@parametrize("mu", TRUTH, slow_but=[-1.0, 0.0])
@parametrize(("method", "runs"), [("delong", 1000), ("bootstrap", 80)], slow_but=[("delong", 1000)])
def test_approximate_limits_hold_about_as_often_as_said(mu: float, method: str, runs: int) -> None:
    rng, held = np.random.default_rng(5), 0
    for _ in range(runs):
        found = auc_interval(normal(rng, mu, 200), method=method, resamples=200)
        held += found.low <= TRUTH[mu] <= found.high
    # The bootstrap's percentiles are a little short, which 80 runs do not see. Near 1 DeLong's
    # limits, with one record more, hold more often.
    reach = 3.5 * math.sqrt(0.95 * 0.05 / runs)
    assert held / runs >= 0.95 - reach
    assert held / runs <= 0.95 + reach + 0.01 * (mu == 2.5)


@pytest.mark.parametrize("mu", TRUTH)
@parametrize("sizes", [(2, 2), (5, 40), (60, 60)], slow_but=[(5, 40)])
def test_chernoffs_limits_hold_at_every_sample_size(mu: float, sizes: tuple[int, int]) -> None:
    rng, runs, false = np.random.default_rng(6), 400, 0
    for _ in range(runs):
        found = auc_interval(normal(rng, mu, *sizes), method="chernoff")
        false += not found.low <= TRUTH[mu] <= found.high
    assert false <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


@pytest.mark.parametrize("masses", [(0.02, 0.98), (0.5, 0.5)])
def test_chernoffs_limits_hold_for_laws_with_ties(masses: tuple[float, float]) -> None:
    # Members say 1 mostly, non-members 0 mostly; area 1 / 2 + (p - q) / 2.
    rng, runs, n, false = np.random.default_rng(7), 400, 30, 0
    truth = 0.5 + (masses[1] - masses[0]) / 2
    for _ in range(runs):
        scores = of(rng.choice(2, n, p=masses), rng.choice(2, n, p=masses[::-1]))
        found = auc_interval(scores, method="chernoff")
        false += not found.low <= truth <= found.high
    assert false <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


@pytest.mark.parametrize(("n", "m"), [(40, 40), (1000, 15)])
def test_chernoffs_limits_solve_their_equation(n: int, m: int) -> None:
    found = auc_interval(normal(np.random.default_rng(8), 1, n, m), method="chernoff")
    k, value = min(n, m), found.value

    def excess(area: float) -> float:
        kl = value * math.log(value / area) + (1 - value) * math.log((1 - value) / (1 - area))
        return k * kl - math.log(2 / 0.05)

    assert found.low == pytest.approx(brentq(excess, 1e-9, value), rel=1e-9)
    assert found.high == pytest.approx(brentq(excess, value, 1 - 1e-12), rel=1e-9)
    assert not found.is_approximate
    assert found.note == "holds at every sample size"


@pytest.mark.parametrize("method", ["delong", "bootstrap"])
@pytest.mark.parametrize(("n", "m"), [(2, 2), (20, 300), (500, 500)])
def test_separated_samples_are_not_certainty(method: str, n: int, m: int) -> None:
    apart = auc_interval(of(np.arange(n) + 5.0, -np.arange(m)), method=method)
    assert (apart.value, apart.standard_error, apart.high) == (1, 0, 1)
    assert apart.low == pytest.approx(0.025 ** (1 / min(n, m)), rel=1e-9)
    assert apart.method == "chernoff"
    assert not apart.is_approximate
    assert "no spread among these records, which says nothing about others" in apart.note
    reversed_ = auc_interval(of(-np.arange(n), np.arange(m) + 5.0), method=method)
    assert (reversed_.value, reversed_.low) == (0, 0)
    assert reversed_.high == pytest.approx(1 - apart.low, rel=1e-9)
    assert reversed_.note == apart.note
    assert apart.note.startswith("the classes are separated in this sample")


@pytest.mark.parametrize("method", ["delong", "bootstrap"])
def test_scores_without_spread_are_not_certainty(method: str) -> None:
    same = auc_interval(of(np.ones(50), np.ones(40)), method=method)
    assert (same.value, same.standard_error, same.method) == (0.5, 0, "chernoff")
    assert same.low < 0.4
    assert same.high > 0.6
    assert same.note.startswith("there is no spread")
    one = auc_interval(of([1.0], [0.0, 2.0, 3.0]), method=method)
    assert math.isnan(one.standard_error)
    assert one.method == "chernoff"
    assert one.low < 0.01
    assert one.high > 0.95
    assert one.note.startswith("a class has a single record")


def test_a_bound_still_warns_of_reversed_scores() -> None:
    rng = np.random.default_rng(10)
    turned = lower_bound(normal(rng, -2, 300), delta=0.0, method="dkw")
    assert any("look reversed: AUC 0.0" in warning for warning in turned.warnings)
    right = lower_bound(normal(rng, 2, 300), delta=0.0, method="dkw")
    assert not any("reversed" in warning for warning in right.warnings)


@pytest.mark.parametrize("level", [0, 1, math.nan])
def test_an_illegal_confidence_is_named(level: float) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level must be in \(0, 1\), got"):
        auc_interval(of([1.0, 2.0], [0.0, 1.5]), confidence_level=level)


def test_illegal_options_are_named() -> None:
    scores = of([1.0, 2.0], [0.0, 1.5])
    names = ", ".join(repr(name) for name in AUC_METHODS)
    with pytest.raises(ValueError, match=rf"^method must be one of {names}, got 'hanley'"):
        auc_interval(scores, method="hanley")
    with pytest.raises(
        ValueError, match=r"^resamples must be a whole number of at least 40, got 3"
    ):
        auc_interval(scores, method="bootstrap", resamples=39)
    with pytest.raises(ValueError, match=r"^seed must be"):
        auc_interval(scores, method="bootstrap", seed=-1)
