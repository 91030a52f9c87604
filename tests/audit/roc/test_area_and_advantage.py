"""Area and advantage: every pair and threshold by hand, and how often their limits hold."""

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import gammaln
from scipy.stats import beta, binom, norm, t

from dpviz.audit import AttackCurve, AttackScores, BinnedScores, lower_bound
from dpviz.audit.roc.area_and_advantage import AUC_METHODS, advantage, auc_interval
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
    # The sum of squares of n + 1 placements, over n (n - 1).
    variances = [each.var(ddof=1) / (each.size - 2) for each in (of_members, of_nonmembers)]
    freedom = sum(variances) ** 2 / (variances[0] ** 2 / 29 + variances[1] ** 2 / 69)
    quantile = t(freedom).ppf(0.95)
    for limit in (found.low, found.high):
        # Wilson's limits have a variance in proportion to x (1 - x).
        spread = sum(variances) * limit * (1 - limit) / (found.value * (1 - found.value))
        assert abs(limit - found.value) == pytest.approx(quantile * math.sqrt(spread), rel=1e-9)
    assert found.low < found.value < found.high
    assert found.is_approximate
    assert found.note.startswith("approximate")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "runs"), [(0.8, 1500), pytest.param(0.95, 4000, marks=pytest.mark.slow)]
)
@parametrize("sizes", [(7, 400), (400, 7)], slow_but=[(7, 400)])
def test_limits_of_a_few_records_beside_many_miss_no_more_than_they_may(
    sizes: tuple[int, int], level: float, runs: int
) -> None:
    rng, missed = np.random.default_rng(0), 0
    for _ in range(runs):
        found = auc_interval(normal(rng, 0, *sizes), confidence_level=level)
        missed += not found.low <= 0.5 <= found.high
    assert missed <= (1 - level) * runs


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
    assert auc_interval(scores, method="bootstrap", n_resamples=1000) == by_bootstrap
    assert auc_interval(scores, method="bootstrap", rng=1).low != by_bootstrap.low


def test_resampled_areas_of_tied_scores_have_the_mean_of_the_sample() -> None:
    rng = np.random.default_rng(2)
    scores = of(rng.integers(0, 4, 90) + rng.integers(0, 2, 90), rng.integers(0, 4, 70))
    found = auc_interval(scores, method="bootstrap", n_resamples=4000, confidence_level=0.5)
    assert (found.low + found.high) / 2 == pytest.approx(found.value, abs=0.003)
    assert found.standard_error == pytest.approx(auc_interval(scores).standard_error, rel=0.06)


def test_the_variance_of_four_resamples_is_that_of_many_on_average() -> None:
    scores = normal(np.random.default_rng(3), 1, 20)
    few = [
        auc_interval(scores, method="bootstrap", n_resamples=4, confidence_level=0.5, rng=seed)
        for seed in range(400)
    ]
    many = auc_interval(scores, method="bootstrap", n_resamples=4000)
    variance = np.mean([each.standard_error**2 for each in few])
    assert variance == pytest.approx(many.standard_error**2, rel=0.15)


TRUTH = {mu: float(norm.cdf(mu / math.sqrt(2))) for mu in (-1.0, 0.0, 1.0, 2.5)}


@pytest.mark.slow
@parametrize("mu", TRUTH, slow_but=[-1.0, 0.0])
@parametrize(("method", "runs"), [("delong", 1000), ("bootstrap", 80)], slow_but=[("delong", 1000)])
def test_approximate_limits_hold_about_as_often_as_said(mu: float, method: str, runs: int) -> None:
    rng, held = np.random.default_rng(5), 0
    for _ in range(runs):
        found = auc_interval(normal(rng, mu, 200), method=method, n_resamples=200)
        held += found.low <= TRUTH[mu] <= found.high
    # The bootstrap's percentiles are a little short, which 80 runs do not see. Near 1 DeLong's
    # limits, with one record more, hold more often.
    reach = 3.5 * math.sqrt(0.95 * 0.05 / runs)
    assert held / runs >= 0.95 - reach
    assert held / runs <= 0.95 + reach + 0.01 * (mu == 2.5)


@pytest.mark.slow
@pytest.mark.parametrize("mu", TRUTH)
@parametrize("sizes", [(2, 2), (5, 40), (60, 60)], slow_but=[(5, 40)])
def test_chernoffs_limits_hold_at_every_sample_size(mu: float, sizes: tuple[int, int]) -> None:
    rng, runs, false = np.random.default_rng(6), 400, 0
    for _ in range(runs):
        found = auc_interval(normal(rng, mu, *sizes), method="chernoff")
        false += not found.low <= TRUTH[mu] <= found.high
    assert false <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


@pytest.mark.slow
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
    assert "these records have no spread, although other records may have one" in apart.note
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
    assert same.note.startswith("these records have no spread")
    one = auc_interval(of([1.0], [0.0, 2.0, 3.0]), method=method)
    assert math.isnan(one.standard_error)
    assert one.method == "chernoff"
    assert one.low < 0.01
    assert one.high > 0.95
    assert one.note.startswith("a class has a single record")


def test_a_bound_still_warns_of_reversed_scores() -> None:
    rng = np.random.default_rng(10)
    turned = lower_bound(normal(rng, -2, 300), delta=0.0)
    assert any("look reversed: AUC 0.0" in warning for warning in turned.warnings)
    right = lower_bound(normal(rng, 2, 300), delta=0.0)
    assert not any("reversed" in warning for warning in right.warnings)


@pytest.mark.parametrize("level", [0, 1, math.nan])
def test_an_illegal_confidence_of_an_area_is_named(level: float) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level must be in \[0.5, 1\), got"):
        auc_interval(of([1.0, 2.0], [0.0, 1.5]), confidence_level=level)


def test_illegal_options_are_named() -> None:
    scores = of([1.0, 2.0], [0.0, 1.5])
    names = ", ".join(repr(name) for name in AUC_METHODS)
    with pytest.raises(ValueError, match=rf"^method must be one of {names}, got 'hanley'"):
        auc_interval(scores, method="hanley")
    with pytest.raises(
        ValueError, match=r"^n_resamples must be a whole number of at least 40, got 3"
    ):
        auc_interval(scores, method="bootstrap", n_resamples=39)
    with pytest.raises(ValueError, match=r"^rng must be"):
        auc_interval(scores, method="bootstrap", rng=-1)


Draw = Callable[[np.random.Generator, int], np.ndarray]


def normal_draw(mu: float) -> Draw:
    return lambda rng, n: rng.normal(mu, 1, n)


def coin(p: float) -> Draw:
    return lambda rng, n: (rng.random(n) < p).astype(float)


LAWS = {
    "gaussian": (normal_draw(1), normal_draw(0), float(2 * norm.cdf(0.5) - 1)),
    "null": (normal_draw(0), normal_draw(0), 0.0),
    "reversed": (normal_draw(-1), normal_draw(0), 0.0),
    "ties": (coin(0.7), coin(0.3), 0.4),
    "apart": (normal_draw(20), normal_draw(0), 1.0),
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


@pytest.mark.parametrize("name", LAWS)
@parametrize("sizes", [(20, 20), (500, 500), (50, 700)], slow_but=[(20, 20)])
def test_limits_hold_the_true_advantage(name: str, sizes: tuple[int, int]) -> None:
    member, nonmember, truth = LAWS[name]
    rng, runs, false = np.random.default_rng(sizes[0]), 400, 0
    for _ in range(runs):
        scores = AttackScores(member=member(rng, sizes[0]), nonmember=nonmember(rng, sizes[1]))
        found = advantage(scores)
        assert 0 <= found.low <= found.value <= found.high <= 1
        false += not found.low <= truth <= found.high
    assert false <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


@pytest.mark.parametrize(("n", "m"), [(900, 2500), (30, 4000)])
@pytest.mark.parametrize("level", [0.05, 0.5])
def test_the_upper_margin_of_unequal_classes_is_a_quantile_of_a_sum(
    n: int, m: int, level: float
) -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(1, 1, n), nonmember=rng.normal(0, 1, m))
    found = advantage(scores, confidence_level=1 - level)
    assert found.confidence_level == 1 - level
    scale = np.array([n, m]) ** -0.5
    drawn = np.maximum(rng.normal(size=(400_000, 2)), 0) @ scale / 2 + 1 / n + 1 / m
    expected = np.quantile(drawn, 1 - level / 2)
    assert found.high - found.value == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("right", [0, 30, 70, 100])
def test_the_upper_limit_of_equal_classes_is_that_of_all_trials(right: int) -> None:
    """`right` of 100 members detected, no non-member: 100 + right of 200 trials are right."""
    found = advantage(AttackScores(member=1.0 * (np.arange(100) < right), nonmember=np.zeros(100)))
    expected = 2 * beta.ppf(0.975, 101 + right, 100 - right) - 1 if right < 100 else 1
    assert found.high == pytest.approx(expected, rel=1e-12)


def test_at_a_low_confidence_the_upper_limit_stays_a_record_above_what_was_measured() -> None:
    """Hoeffding's theorem, on which it rests, is about counts at least 1 below their mean."""
    found = advantage(
        AttackScores(member=1.0 * (np.arange(100) < 99), nonmember=np.zeros(100)),
        confidence_level=0.5,
    )
    assert found.high == 1 > 2 * beta.ppf(0.75, 200, 1) - 1


def tail_of_suprema(margin: float, n: int, m: int) -> float:
    """P(X + Y > margin), tails exp(-2 n x^2) and exp(-2 m y^2) from where these are 1/2."""
    first, second = (math.sqrt(math.log(2) / 2 / size) for size in (n, m))

    def of_y(y: float) -> float:
        return math.exp(-2 * m * y * y) if y >= second else 1.0

    def at(x: float) -> float:
        return 4 * n * x * math.exp(-2 * n * x * x) * of_y(margin - x)

    last = margin - second  # an X beyond it is enough
    if last <= first:
        return 1.0
    between = quad(at, first, last, epsabs=1e-13, epsrel=1e-11)[0]
    return of_y(margin - first) / 2 + between + math.exp(-2 * n * last**2)


@pytest.mark.parametrize("level", [0.05, 0.5])
def test_beyond_ten_million_records_the_lower_margin_is_that_of_two_suprema(level: float) -> None:
    n, m = 12_000_000, 15_000_000
    scores = BinnedScores(
        thresholds=[0, 1],
        member_counts=[n // 3, 2 * n // 3],
        nonmember_counts=[2 * m // 3, m // 3],
    )
    found = advantage(scores, confidence_level=1 - level)
    expected = brentq(lambda margin: tail_of_suprema(margin, n, m) - level / 2, 2e-4, 2e-3)
    assert found.value - found.low == pytest.approx(expected, abs=2e-9)


def bound_by_reflection(advantage: float, reached: float, n: int, m: int) -> float:
    """The sum of the notes, n < m, over the numbers of members above and non-members below all."""
    total = 0.0
    for above in range(n + 1):
        for below in range(m + 1):
            g, r, s = reached - below / m, n - above, m - below
            d = (2 * g * n * m + n - m) / (n + m)
            log_start = gammaln([r + 1, s + 1]).sum() - gammaln([r + d + 1, s - d + 1]).sum()
            is_reached = d < 1 - 1e-12 or above >= n * reached - 1e-9
            bound = 1.0 if is_reached else math.exp(log_start - d * math.log(m / n))
            total += binom.pmf(above, n, advantage) * binom.pmf(below, m, advantage) * bound
    return total


@pytest.mark.parametrize(
    ("n", "m", "level"), [(3, 5, 0.5), (4, 50, 0.5), (20, 30, 0.5), (20, 30, 0.05)]
)
def test_the_lower_limit_is_where_the_smaller_of_both_bounds_is_the_level(
    n: int, m: int, level: float
) -> None:
    scores = AttackScores(
        member=1.0 * (np.arange(n) >= n // 4), nonmember=1.0 * (np.arange(m) < m // 10)
    )
    found = advantage(scores, confidence_level=1 - level)

    def least(of: float) -> float:
        return min(
            tail_of_suprema(found.value - of, n, m),
            bound_by_reflection(of, found.value, n, m),
        )

    assert least(found.low - 1e-8) <= level / 2 <= least(found.low + 1e-8)


def share_of_orders(n: int, m: int, above: int, below: int, reached: float) -> float:
    """Share of orders in which TPR - FPR is `reached` or more, by all of them.

    So many of n members are above, and so many of m non-members below the records in any order.
    """
    of_members, of_nonmembers = n - above, m - below
    hits = []
    for places in combinations(range(of_members + of_nonmembers), of_members):
        is_member = np.isin(np.arange(of_members + of_nonmembers), places)
        path = above / n + np.cumsum(np.where(is_member, 1 / n, -1 / m))
        hits.append(max(above / n, *path, below / m) >= reached - 1e-9)
    return float(np.mean(hits))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 4), (3, 5), (6, 2), (1, 9)])
def test_the_lower_limit_holds_in_the_worst_case(n: int, m: int) -> None:
    """A member is above all non-members with the true advantage's probability; all orders."""
    differences = {i / n - j / m for i in range(n + 1) for j in range(m + 1) if i / n > j / m}
    for reached in differences:
        i, j = next((i, j) for i in range(n + 1) for j in range(m + 1) if i / n - j / m == reached)
        member, nonmember = 1.0 * (np.arange(n) < i), 1.0 * (np.arange(m) < j)
        low = advantage(AttackScores(member=member, nonmember=nonmember), confidence_level=0.7).low
        chance = sum(
            binom.pmf(k, n, low) * binom.pmf(b, m, low) * share_of_orders(n, m, k, b, reached)
            for k in range(n + 1)
            for b in range(m + 1)
        )
        assert chance <= 0.15 + 1e-8 or low == 0
        if n == m and low > 0:
            assert chance == pytest.approx(0.15, abs=1e-6)


@pytest.mark.parametrize(("n", "m"), [(900, 2500), (400, 400), (30, 4000)])
@pytest.mark.parametrize(("mu", "share"), [(1, 1.0), (4, 0.8)])
def test_the_lower_margin_is_at_most_a_quantile_of_suprema(
    n: int, m: int, mu: float, share: float
) -> None:
    rng = np.random.default_rng(0)
    found = advantage(AttackScores(member=rng.normal(mu, 1, n), nonmember=rng.normal(0, 1, m)))
    # P(X > x) = exp(-2 x^2), and x at least where that is 1/2.
    waits = np.maximum(rng.exponential(size=(400_000, 2)), math.log(2))
    margin = np.quantile(np.sqrt(waits / 2) @ np.array([n, m]) ** -0.5, 0.975)
    assert found.value - found.low <= 1.01 * share * margin


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


@pytest.mark.parametrize("level", [0, 1, -1, 1.5, math.nan, "0.9"])
def test_an_illegal_confidence_of_an_advantage_is_named(level: float) -> None:
    with pytest.raises(ValueError, match=rf"^confidence_level must be.* got {level!r}"):
        advantage(AttackScores(member=[1.0, 2.0], nonmember=[0.0]), confidence_level=level)
