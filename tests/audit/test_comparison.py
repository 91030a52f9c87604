"""Attacks compared: formulas written out, a dense grid of FPRs, and what limits promise.

Coverage and level over more runs and sizes: `benchmarks/comparison.py`.
"""

import math
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, kurtosis, norm, t

from dpviz import AttackScores, BinnedScores, audit
from dpviz.audit import AttackCurve
from dpviz.audit.comparison import Stretch


def curves(*leaks: tuple[float, float]) -> list[AttackCurve]:
    """Normal scores; members have a mean and a spread."""
    rng = np.random.default_rng(0)
    return [
        AttackCurve.from_scores(
            AttackScores(member=rng.normal(mean, spread, 300), nonmember=rng.normal(size=300))
        )
        for mean, spread in leaks
    ]


def test_every_stretch_has_the_lowest_hull() -> None:
    given = curves((1.0, 1.0), (1.0, 2.0), (0.7, 0.5))
    stretches = audit.comparison.lowest_curves(given)
    assert len(stretches) > 1
    assert (stretches[0].start, stretches[-1].end) == (0.0, 1.0)
    grid = np.linspace(0, 1, 5001)[1:-1]
    heights = np.array(
        [np.interp(grid, c.fpr[c.hull_indices], c.fnr[c.hull_indices]) for c in given]
    )
    for before, after in pairwise(stretches):
        assert before.end == after.start
    for each in stretches:
        inside = (grid > each.start) & (grid < each.end)
        assert each.lowest is not None
        assert heights[each.lowest, inside] == pytest.approx(heights[:, inside].min(axis=0))


def test_equal_curves_have_no_lowest() -> None:
    one = curves((1.0, 1.0))[0]
    assert audit.comparison.lowest_curves([one, one]) == (Stretch(start=0.0, end=1.0, lowest=None),)
    assert audit.comparison.lowest_curves([*curves((0.0, 1.0)), one])[-1].lowest == 1


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
    a, b = (audit.roc.tpr_interval(each, 0.2, confidence_level=0.95) for each in (one, other))
    assert (found.low, found.high) == pytest.approx((a[0] - b[1], a[1] - b[0]), rel=1e-12)


def test_the_sign_is_open_unless_all_limits_have_it() -> None:
    for low, high, sign in ((-0.5, 0.0, 0), (0.0, 0.5, 0), (-0.5, -0.1, -1), (0.1, 0.5, 1)):
        found = audit.comparison.Difference(
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
            ValueError, match=rf"confidence_level must be in \[0.5, 1\), got {level!r}$"
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


LEVELS = st.sampled_from([0.5, 0.9, 0.99])
FPRS = st.floats(0, 1)


@st.composite
def attacks(draw: st.DrawFn, least: int = 2, most: int = 2) -> list[AttackScores]:
    """Attacks on the same records."""
    n, m = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    numbers = st.lists(st.integers(0, 6), min_size=n + m, max_size=n + m)
    found = [draw(numbers) for _ in range(draw(st.integers(least, most)))]
    return [AttackScores(member=each[:n], nonmember=each[n:]) for each in found]


def reached(scores: AttackScores, fpr: float) -> float:
    """The lowest FNR at an FPR: of all chords between two thresholds, counted one by one."""
    cuts = [-np.inf, *np.unique([*scores.member, *scores.nonmember]), np.inf]
    points = [((scores.nonmember >= t).mean(), (scores.member < t).mean()) for t in cuts]
    return min(
        max(a[1], b[1]) if a[0] == b[0] else a[1] + (b[1] - a[1]) * (fpr - a[0]) / (b[0] - a[0])
        for a, b in product(points, repeat=2)
        if a[0] <= fpr <= b[0] and (a == b or a[0] < b[0])
    )


@given(given=attacks(least=1, most=4))
def test_the_leader_of_a_stretch_is_nowhere_above_another(given: list[AttackScores]) -> None:
    found = audit.comparison.lowest_curves([audit.AttackCurve.from_scores(each) for each in given])
    ends = [each.end for each in found]
    assert [0.0, *ends] == [*(each.start for each in found), 1.0]
    assert ends == sorted(set(ends))
    for each, share in product(found, (0.001, 0.5, 0.999)):
        fpr = each.start + share * (each.end - each.start)
        heights = [reached(scores, fpr) for scores in given]
        leader = heights if each.lowest is None else [heights[each.lowest]]
        assert leader == pytest.approx([min(heights)] * len(leader), abs=1e-9)


@given(pair=attacks(), fpr=FPRS, level=LEVELS, paired=st.booleans())
def test_a_difference_is_counted_and_has_a_sign(
    pair: list[AttackScores], fpr: float, level: float, paired: bool
) -> None:
    one, other = pair
    asked = {"confidence_level": level, "paired": paired}
    area = audit.auc_difference(one, other, **asked)
    rate = audit.tpr_difference(one, other, fpr, **asked)
    halves = [np.sign(s.member[:, None] - s.nonmember).mean() / 2 for s in pair]
    assert area.value == pytest.approx(halves[0] - halves[1], abs=1e-12)
    for found, mirrored in (
        (area, audit.auc_difference(other, one, **asked)),
        (rate, audit.tpr_difference(other, one, fpr, **asked)),
    ):
        assert -1 <= found.low <= found.value <= found.high <= 1
        turned = [-mirrored.value, -mirrored.high, -mirrored.low]
        assert [found.value, found.low, found.high] == pytest.approx(turned, abs=1e-12)
    if paired:
        assert rate.value * one.n_members == pytest.approx(rate.only_first - rate.only_second)


@given(pair=attacks(), fpr=FPRS, seed=st.integers(0, 99))
def test_the_order_of_the_records_and_the_scale_of_the_scores_are_nothing(
    pair: list[AttackScores], fpr: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    members, others = (rng.permutation(pair[0].n_members), rng.permutation(pair[0].n_nonmembers))
    moved = [
        AttackScores(
            member=np.exp(scale * each.member[members]),
            nonmember=np.exp(scale * each.nonmember[others]),
        )
        for each, scale in zip(pair, (1.0, 2.0), strict=True)
    ]
    assert audit.tpr_difference(*moved, fpr, paired=True) == audit.tpr_difference(
        *pair, fpr, paired=True
    )
    before, after = (audit.auc_difference(*each, paired=True) for each in (pair, moved))
    assert [after.value, after.low, after.high] == pytest.approx(
        [before.value, before.low, before.high], abs=1e-9
    )


@pytest.mark.slow
@given(given=attacks(least=2, most=4), delta=st.sampled_from([0.0, 1e-5, 0.1]))
def test_every_further_attack_is_paid_for(given: list[AttackScores], delta: float) -> None:
    named = {str(i): each for i, each in enumerate(given)}
    asked = {"delta": delta, "method": "rank_exact"}
    lows = {
        k: audit.best_of({n: named[n] for n in [*named][:k]}, **asked)
        for k in range(1, len(named) + 1)
    }
    for fewer, more in combinations(lows.values(), 2):
        for name, bound in fewer.bounds.items():
            assert more.bounds[name].low <= bound.low + 1e-12
    for k, found in lows.items():
        assert found.level_of_each == pytest.approx(1 - 0.05 / k)
        assert found.low == max(each.low for each in found.bounds.values())


K, RUNS_OF_THE_BEST = 8, 60


@pytest.mark.slow
def test_the_best_of_eight_attacks_stays_at_its_level_when_nothing_leaks() -> None:
    """At 80 % confidence; the largest of eight that are not paid for fails more often.

    Methods and levels in use, over more runs: `benchmarks/comparison.py`.
    """
    rng = np.random.default_rng(7)
    best = naive = 0
    for _ in range(RUNS_OF_THE_BEST):
        attacks = {
            str(i): AttackScores(member=rng.normal(size=20), nonmember=rng.normal(size=20))
            for i in range(K)
        }
        best += certifies(attacks)
        naive += any(certifies({name: scores}) for name, scores in attacks.items())
    assert best <= 12  # of 60, 20 %
    assert naive > 12


def certifies(attacks: dict[str, AttackScores]) -> bool:
    found = audit.best_of(attacks, delta=0.0, confidence_level=0.8, method="one_run")
    return found.low > 0


def test_each_bound_has_its_share_of_the_error_and_the_largest_counts() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(size=200)
    attacks = {
        name: AttackScores(member=noise[:100] + leak, nonmember=noise[100:])
        for name, leak in (("weak", 0.5), ("strong", 3.0), ("none", 0.0))
    }
    found = audit.best_of(attacks, delta=1e-5, confidence_level=0.94)
    assert found.level_of_each == pytest.approx(0.98)
    for name, scores in attacks.items():
        alone = audit.lower_bound(scores, delta=1e-5, confidence_level=found.level_of_each)
        assert found.bounds[name] == alone
    assert (found.name, found.low) == ("strong", max(b.low for b in found.bounds.values()))
    one = audit.best_of({"strong": attacks["strong"]}, delta=1e-5)
    assert one.level_of_each == 0.95


def test_no_attack_is_refused() -> None:
    with pytest.raises(ValueError, match="attacks must have at least one attack, got none"):
        audit.best_of({}, delta=1e-5)


def test_the_joint_confidence_is_the_one_that_is_refused() -> None:
    scores = AttackScores(member=[1.0], nonmember=[0.0])
    with pytest.raises(ValueError, match=r"confidence_level must be in \[0.5, 1\), got 1\.5"):
        audit.best_of({"one": scores, "other": scores}, delta=0.0, confidence_level=1.5)
