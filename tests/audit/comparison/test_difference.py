"""Differences of two attacks: against formulas written out, and what they promise under the null.

Coverage and level over more runs and sizes: `benchmarks/comparison.py`.
"""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, kurtosis, norm, t

from dpviz import AttackScores, BinnedScores, audit

RUNS = 120


def two_attacks(
    seed: int, n: int, m: int, *, leaks: tuple[float, float], shared_by: float = 0.6
) -> tuple[AttackScores, AttackScores]:
    """Scores of the same records by two attacks with correlated noise; normal, members shifted."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=n + m)
    pair = []
    for leak in leaks:
        own = math.sqrt(1 - shared_by**2) * rng.normal(size=n + m)
        scores = shared_by * shared + own
        pair.append(AttackScores(member=scores[:n] + leak, nonmember=scores[n:]))
    return pair[0], pair[1]


def true_tpr(leak: float, fpr: float) -> float:
    return float(norm.sf(norm.isf(fpr) - leak))


@pytest.mark.parametrize(
    ("n", "m", "leaks"),
    # In the last few members differ much: their kurtosis leaves 3.2 of 9 degrees of freedom.
    [(23, 31, (1.0, 0.3)), (5, 400, (1.0, 0.3)), (200, 2, (1.0, 0.3)), (10, 10, (2.0, 0.5))],
)
def test_the_standard_error_is_that_of_delong_and_the_quantile_that_of_satterthwaite(
    n: int, m: int, leaks: tuple[float, float]
) -> None:
    """Written out from the definition, record by record."""
    one, other = two_attacks(0, n, m, leaks=leaks)
    members, nonmembers = [], []
    for scores in (one, other):
        wins = (scores.member[:, None] > scores.nonmember) + 0.5 * (
            scores.member[:, None] == scores.nonmember
        )
        members.append(wins.mean(axis=1))
        nonmembers.append(wins.mean(axis=0))
    s10, s01 = np.cov(members), np.cov(nonmembers)
    parts = [(s[0, 0] + s[1, 1] - 2 * s[0, 1]) / k for s, k in ((s10, n), (s01, m))]
    freedoms = [
        min(k - 1, 2 * k / (kurtosis(np.subtract(*each), fisher=False) - (k - 3) / (k - 1)))
        for each, k in ((members, n), (nonmembers, m))
    ]
    freedom = sum(parts) ** 2 / sum(
        part**2 / own for part, own in zip(parts, freedoms, strict=True)
    )
    error = np.sqrt(sum(parts))
    value = members[0].mean() - members[1].mean()
    found = audit.auc_difference(one, other, paired=True)
    assert found.value == pytest.approx(value)
    assert found.high == pytest.approx(min(1.0, value + t.isf(0.025, freedom) * error))
    assert found.low == pytest.approx(max(-1.0, value - t.isf(0.025, freedom) * error))
    assert found.p_value == pytest.approx(2 * t.sf(abs(value) / error, freedom))


@pytest.mark.parametrize(("n", "m"), [(6, 400), (400, 6)])
def test_few_records_of_one_class_are_not_taken_for_many(n: int, m: int) -> None:
    """Limits of a large sample would miss the truth in 9 % of the runs here."""
    missed = 0
    for seed in range(600):
        one, other = two_attacks(seed, n, m, leaks=(1.0, 1.0))
        missed += audit.auc_difference(one, other, paired=True).sign != 0
    assert 0 < missed <= 40  # P(Bin(600, 0.05) > 40) = 0.03


@pytest.mark.parametrize(("n", "m"), [(10, 400), (400, 10)])
def test_records_that_both_attacks_place_alike_are_no_evidence_of_a_spread(n: int, m: int) -> None:
    """Of 10 records 5 have another score: with 9 degrees of freedom 21.4 % are missed here."""
    missed, runs = 0, 1500
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        scores = [rng.normal(1, 1, n), rng.normal(0, 1, m)]
        others = [
            np.where(np.arange(x.size) % 2, x, rng.normal(x.size == n, 1, x.size)) for x in scores
        ]
        pair = [AttackScores(member=a, nonmember=b) for a, b in (scores, others)]
        found = audit.auc_difference(*pair, confidence_level=0.8, paired=True)
        missed += found.sign != 0
    assert 0.15 < missed / runs <= 0.2 + 2 * math.sqrt(0.16 / runs)


@pytest.mark.parametrize(("n", "m"), [(1, 500), (500, 1)])
def test_of_a_single_record_no_spread_is_known(n: int, m: int) -> None:
    one, other = two_attacks(0, n, m, leaks=(3.0, 0.0))
    found = audit.auc_difference(one, other, paired=True)
    assert (found.low, found.high, found.sign) == (-1.0, 1.0, 0)
    assert found.p_value == pytest.approx(min(1.0, 2 * math.exp(-(found.value**2) / 2)))
    assert found.note == "holds at every sample size"


def test_the_levels_hold_where_both_attacks_are_equally_good() -> None:
    """The null: at most 5 % of the tests find a difference, and AUC's test finds about as many."""
    found = np.zeros(3)
    for seed in range(RUNS):
        one, other = two_attacks(seed, 150, 200, leaks=(0.8, 0.8))
        found += [
            audit.auc_difference(one, other, paired=True).sign != 0,
            audit.tpr_difference(one, other, 0.1, paired=True).sign != 0,
            audit.auc_difference(one, other).sign != 0,
        ]
    assert 0 < found[0] <= 13  # of 120: P(Bin(120, 0.05) > 13) = 0.004
    assert max(found[1:]) <= 2


def test_the_limits_cover_the_true_difference() -> None:
    missed = np.zeros(3)
    tpr = true_tpr(1.2, 0.1) - true_tpr(0.4, 0.1)
    auc = norm.cdf(1.2 / np.sqrt(2)) - norm.cdf(0.4 / np.sqrt(2))
    for seed in range(RUNS):
        one, other = two_attacks(seed, 100, 150, leaks=(1.2, 0.4))
        areas = audit.auc_difference(one, other, paired=True)
        rates = [audit.tpr_difference(one, other, 0.1, paired=paired) for paired in (True, False)]
        missed += [not areas.low <= auc <= areas.high, *(not r.low <= tpr <= r.high for r in rates)]
        assert rates[0].value == rates[1].value
    assert missed[0] <= 13
    assert missed[1:].tolist() == [0, 0]  # conservative at 95 %


def test_pairs_of_attacks_that_agree_tell_more_than_separate_samples() -> None:
    one, other = two_attacks(3, 400, 600, leaks=(1.5, 0.5), shared_by=0.9)
    for difference in (
        lambda **how: audit.auc_difference(one, other, **how),
        lambda **how: audit.tpr_difference(one, other, 0.2, **how),
    ):
        paired, apart = difference(paired=True), difference()
        assert apart.low < paired.low < paired.value < paired.high < apart.high
        assert paired.sign == 1
    assert difference(paired=True).only_first is not None
    assert apart.only_first is None


def test_the_other_way_round_the_difference_has_the_other_sign() -> None:
    one, other = two_attacks(4, 60, 80, leaks=(1.5, 0.0))
    for paired in (True, False):
        forth = audit.tpr_difference(one, other, 0.2, paired=paired)
        back = audit.tpr_difference(other, one, 0.2, paired=paired)
        assert (back.value, back.low, back.high) == (-forth.value, -forth.high, -forth.low)
        area, turned = (
            audit.auc_difference(*pair, paired=paired)
            for pair in ((one, other), (one.reversed(), other.reversed()))
        )
        # Reversed scores: 1 - AUC of both.
        assert (turned.value, turned.low) == pytest.approx((-area.value, -area.high))


def test_without_spread_the_p_value_and_the_limits_are_those_of_hoeffding() -> None:
    ahead = AttackScores(member=np.arange(10) + 10, nonmember=np.arange(10))
    found = audit.auc_difference(ahead, ahead.reversed(), paired=True)
    assert (found.value, found.high, found.sign) == (1.0, 1.0, 1)
    assert found.low == pytest.approx(1 - math.sqrt(2 * math.log(40) / 10))
    assert found.p_value == pytest.approx(2 * math.exp(-5))
    apart, tied = (AttackScores(member=np.full(10, x), nonmember=np.zeros(10)) for x in (1.0, 0.0))
    half = audit.auc_difference(apart, tied, paired=True)
    assert (half.value, half.p_value) == pytest.approx((0.5, 2 * math.exp(-10 * 0.5**2 / 2)))


def test_without_pairs_each_area_has_a_limit_at_half_the_level_and_the_weaker_note() -> None:
    one, other = two_attacks(1, 60, 90, leaks=(1.0, 0.5))
    found = audit.auc_difference(one, other, confidence_level=0.9)
    a, b = (audit.auc_interval(each, confidence_level=0.95) for each in (one, other))
    assert (found.low, found.high) == pytest.approx((a.low - b.high, a.high - b.low), rel=1e-12)
    apart = AttackScores(member=np.arange(50) + 50.0, nonmember=np.arange(40) * 1.0)
    assert audit.auc_difference(apart, apart).note == "holds at every sample size"
    for pair in ((apart, one), (one, apart)):
        assert audit.auc_difference(*pair).note.startswith("approximate")


def test_without_pairs_each_tpr_has_limits_at_half_the_level() -> None:
    one, other = two_attacks(1, 60, 90, leaks=(1.0, 0.5))
    found = audit.tpr_difference(one, other, 0.2, confidence_level=0.9)
    a, b = (audit.tpr_interval(each, 0.2, confidence_level=0.95) for each in (one, other))
    assert (found.low, found.high) == pytest.approx((a[0] - b[1], a[1] - b[0]), rel=1e-12)


def test_the_sign_is_open_unless_all_limits_have_it() -> None:
    for low, high, sign in ((-0.5, 0.0, 0), (0.0, 0.5, 0), (-0.5, -0.1, -1), (0.1, 0.5, 1)):
        found = audit.Difference(
            value=0.1,
            low=low,
            high=high,
            confidence_level=0.95,
            paired=False,
            p_value=None,
            note="",
        )
        assert found.sign == sign


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(
    "difference",
    [
        audit.auc_difference,
        lambda one, other, **given: audit.tpr_difference(one, other, 0.1, **given),
    ],
)
def test_the_confidence_is_kept_and_below_one(difference: Any, paired: bool) -> None:
    one, other = two_attacks(5, 9, 9, leaks=(1.0, 0.0))
    found = difference(one, other, confidence_level=0.9, paired=paired)
    assert (found.paired, found.confidence_level) == (paired, pytest.approx(0.9))
    assert found.note.startswith("approximate") == (difference is audit.auc_difference)
    for level in (1.0, 1.5):
        with pytest.raises(
            ValueError, match=rf"confidence_level must be in \(0, 1\), got {level!r}$"
        ):
            difference(one, one, confidence_level=level, paired=paired)


def test_an_attack_against_itself_shows_nothing() -> None:
    one, _ = two_attacks(5, 50, 50, leaks=(1.0, 0.0))
    area = audit.auc_difference(one, one, paired=True)
    assert (area.value, area.p_value, area.sign) == (0.0, 1.0, 0)
    assert area.high == pytest.approx(np.sqrt(2 * np.log(2 / 0.05) / 50))  # Hoeffding's
    rates = audit.tpr_difference(one, one, 0.1, paired=True)
    assert (rates.only_first, rates.only_second, rates.sign) == (0, 0, 0)


def test_tied_members_are_caught_at_their_threshold() -> None:
    """Answers 1 and 0: at an FPR of 0.5 the true threshold is between "1 is caught" and "all"."""
    member, nonmember = np.repeat([1.0, 0.0], [307, 193]), np.repeat([1.0, 0.0], [157, 343])
    scores = AttackScores(member=member, nonmember=nonmember)
    found = audit.tpr_difference(scores, scores, 0.5, paired=True)
    # 193 of 500 members are caught by the second alone, none by the first; 1/4 of a limit's level.
    most = beta.ppf(1 - 0.05 / 8, 193 + 1, 500 - 193)
    assert (found.low, found.high) == pytest.approx((-most, most))


def test_attacks_of_other_records_are_refused_in_a_paired_test() -> None:
    one, other = (two_attacks(6, n, m, leaks=(1.0, 0.0))[0] for n, m in ((20, 30), (20, 31)))
    message = "scores must be of the same records for a paired test, got 30 and 31 non-members"
    with pytest.raises(ValueError, match=message):
        audit.auc_difference(one, other, paired=True)
    with pytest.raises(ValueError, match=message):
        audit.tpr_difference(one, other, 0.1, paired=True)
    binned = BinnedScores(thresholds=[0, 1], member_counts=[1, 1], nonmember_counts=[1, 1])
    with pytest.raises(ValueError, match="must be AttackScores for a paired test"):
        audit.auc_difference(binned, binned, paired=True)
    assert audit.auc_difference(binned, binned).sign == 0
    with pytest.raises(ValueError, match=r"fpr must be in \[0, 1\], got 2"):
        audit.tpr_difference(one, one, 2.0)
