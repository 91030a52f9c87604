"""TPR at an FPR: each convention against the software that uses it, the interval by simulation."""

import math
import re
from fractions import Fraction
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import interp1d
from scipy.stats import beta, binom, multinomial, norm
from sklearn.metrics import roc_curve

from dpviz.audit import AttackCurve, AttackScores
from dpviz.audit.roc.tpr_at_fpr import CONVENTIONS, tpr_at_fpr, tpr_interval, tpr_table
from tests.audit.oracles import tied_losses
from tests.slow import parametrize

fprs = st.sampled_from([0.0, 0.001, 0.04, 0.1, 0.25, 0.3, 0.5, 2 / 3, 0.75, 0.99, 1.0])


def two_hundred() -> AttackScores:
    rng = np.random.default_rng(0)
    member = rng.normal(1, 1, 200)
    return AttackScores(member=member, nonmember=rng.normal(0, 1, 200))


def of(member: list[float], nonmember: list[float]) -> AttackScores:
    return AttackScores(member=member, nonmember=nonmember)


def roc(scores: AttackScores, *, drop: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    labels = np.r_[np.ones(scores.n_members), np.zeros(scores.n_nonmembers)]
    pooled = np.r_[scores.member, scores.nonmember]
    fpr, tpr, thresholds = roc_curve(labels, pooled, drop_intermediate=drop)
    return fpr, tpr, thresholds


def test_five_conventions_read_four_numbers_off_one_sample() -> None:
    # The truth is Phi(1 - 2.3263) = 0.092.
    found = {each.convention: each.value for each in tpr_table(two_hundred(), 0.01)}
    assert found == pytest.approx(
        {
            "last_vertex": 0.055,
            "strict": 0.025,
            "interpolated": 0.055,
            "through_thresholds": 0.055,
            "hull": 0.068,
        },
        rel=1e-12,
    )


def test_ties_at_the_top_set_the_conventions_far_apart() -> None:
    # Of 1000 each: 20 non-members and 500 members tied at 1, below 3 members at 2.
    scores = of([2.0] * 3 + [1.0] * 500 + [0.0] * 497, [1.0] * 20 + [0.0] * 980)
    for convention in ("last_vertex", "strict"):
        assert tpr_at_fpr(scores, 0.001, convention=convention).value == 0.003
    mixed = 0.003 + 0.5 * 0.001 / 0.02
    for convention in ("interpolated", "through_thresholds", "hull"):
        found = tpr_at_fpr(scores, 0.001, convention=convention)
        assert found.value == pytest.approx(mixed, rel=1e-12)
        assert found.between is not None
        assert [point.false_positives for point in found.between] == [0, 20]
        assert [point.true_positives for point in found.between] == [3, 503]


def test_without_a_finite_threshold_above_there_is_nothing_to_interpolate() -> None:
    scores = of([1.0] * 500 + [0.0] * 500, [1.0] * 20 + [0.0] * 980)
    found = tpr_at_fpr(scores, 0.001, convention="through_thresholds")
    assert math.isnan(found.value)
    assert math.isnan(found.realised_fpr)
    assert found.reason == "needs a place between the highest score and infinity"
    assert (found.false_positives, found.true_positives, found.between) == (None, None, None)
    assert tpr_at_fpr(scores, 0.001, convention="interpolated").value == pytest.approx(0.025)
    assert tpr_at_fpr(scores, 0.02, convention="through_thresholds").value == 0.5


@given(member=tied_losses, nonmember=tied_losses, fpr=fprs)
def test_vertices_and_interpolation_are_those_of_scikit_learn_and_numpy(
    member: list[float], nonmember: list[float], fpr: float
) -> None:
    scores = of(member, nonmember)
    x, y, _ = roc(scores, drop=False)
    assert tpr_at_fpr(scores, fpr).value == y[x <= fpr][-1]
    interpolated = tpr_at_fpr(scores, fpr, convention="interpolated").value
    assert interpolated == pytest.approx(np.interp(fpr, x, y), abs=1e-12)
    strict = tpr_at_fpr(scores, fpr, convention="strict")
    if fpr == 0:
        assert math.isnan(strict.value)
        assert strict.reason == "no threshold has an FPR below 0"
    else:
        assert strict.value == y[x < fpr][-1]


@given(member=tied_losses, nonmember=tied_losses, fpr=fprs)
def test_through_thresholds_is_two_interpolations_by_scipy(
    member: list[float], nonmember: list[float], fpr: float
) -> None:
    scores = of(member, nonmember)
    x, y, thresholds = roc(scores, drop=True)
    with np.errstate(invalid="ignore"):
        expected = interp1d(thresholds, y)(interp1d(x, thresholds)(fpr))
    found = tpr_at_fpr(scores, fpr, convention="through_thresholds").value
    if 0 < fpr < x[1]:
        # The threshold at infinity would give nan, or the rate of nobody at an FPR that is not 0.
        assert math.isnan(found)
        assert not 0 < expected <= 1
    else:
        assert found == pytest.approx(float(expected), abs=1e-9)


@given(member=tied_losses, nonmember=tied_losses, fpr=fprs)
def test_the_hull_is_the_best_mixture_of_any_two_thresholds(
    member: list[float], nonmember: list[float], fpr: float
) -> None:
    curve = AttackCurve.from_scores(of(member, nonmember))
    n, m, wanted = curve.n_members, curve.n_nonmembers, Fraction(fpr)
    vertices = [
        (Fraction(x, m), Fraction(y, n))
        for x, y in zip(curve.false_positives.tolist(), curve.true_positives.tolist(), strict=True)
    ]
    best = max(y for x, y in vertices if float(x) <= fpr)
    for x1, y1 in vertices:
        for x2, y2 in vertices:
            if x1 <= wanted < x2:
                best = max(best, y1 + (y2 - y1) * (wanted - x1) / (x2 - x1))
    found = tpr_at_fpr(curve, fpr, convention="hull")
    assert found.value == pytest.approx(float(best), abs=1e-12)


def test_the_hull_of_a_large_sample_is_that_of_scipy() -> None:
    from scipy.spatial import ConvexHull

    rng = np.random.default_rng(3)
    curve = AttackCurve.from_scores(
        AttackScores(member=rng.normal(0.7, 1, 20_000), nonmember=rng.normal(0, 1, 30_000))
    )
    hull = ConvexHull(np.column_stack([curve.fpr, curve.tpr]))
    on_top = hull.equations[hull.equations[:, 1] > 1e-12]
    for fpr in (1e-5, 1e-3, 0.01, 0.1, 0.37, 0.9):
        # Every facet's line is above the hull, one touches it.
        expected = np.min(-(on_top[:, 0] * fpr + on_top[:, 2]) / on_top[:, 1])
        found = tpr_at_fpr(curve, fpr, convention="hull").value
        assert found == pytest.approx(expected, abs=1e-9)


@given(member=tied_losses, nonmember=tied_losses, fpr=fprs)
def test_what_was_read_off_is_said(member: list[float], nonmember: list[float], fpr: float) -> None:
    scores = of(member, nonmember)
    values = {}
    for found in tpr_table(scores, fpr):
        assert found.requested == fpr
        assert (found.n_members, found.n_nonmembers) == (len(member), len(nonmember))
        assert bool(found.reason) == math.isnan(found.value)
        if found.false_positives is not None and found.true_positives is not None:
            assert found.between is None
            assert found.value == found.true_positives / len(member)
            assert found.realised_fpr == found.false_positives / len(nonmember) <= fpr
        elif found.between is not None:
            left, right = found.between
            share = (fpr - left.fpr) / (right.fpr - left.fpr)
            assert 0 < share < 1
            assert found.value == pytest.approx(left.tpr + share * (right.tpr - left.tpr))
            assert found.realised_fpr == fpr
        if not found.reason:
            values[found.convention] = found.value
    rising = ["strict", "last_vertex", "interpolated", "hull"]
    ordered = [values[name] for name in rising if name in values]
    assert np.all(np.diff(ordered) >= -1e-12)


def test_a_notebook_shows_the_table_with_a_row_for_each_convention() -> None:
    shown = ElementTree.fromstring(tpr_table(two_hundred(), 0.01)._repr_html_())
    rows = [[cell.text for cell in row] for row in shown.iter("tr")][1:]
    assert [row[:2] for row in rows] == [
        *(["last_vertex", "5.5 %"], ["strict", "2.5 %"], ["interpolated", "5.5 %"]),
        *(["through_thresholds", "5.5 %"], ["hull", "6.8 %"]),
    ]
    # Limits are rounded outwards, and not far.
    low, high = tpr_interval(two_hundred(), 0.01)
    caption = shown.findtext("caption", "")
    fpr, *limits = [float(number) / 100 for number in re.findall(r"[\d.]+(?= %)", caption)]
    assert fpr == 0.01
    assert low - 1e-4 <= limits[0] <= low < high <= limits[1] <= high + 1e-3


def test_the_table_has_every_convention_in_order_with_one_interval() -> None:
    table = tpr_table(two_hundred(), 0.1, confidence_level=0.9)
    assert [each.convention for each in table] == list(CONVENTIONS)
    assert len({each.interval for each in table}) == 1
    assert {each.confidence_level for each in table} == {0.9}
    for each in table:
        alone = tpr_at_fpr(two_hundred(), 0.1, convention=each.convention, confidence_level=0.9)
        assert alone == each


def test_every_convention_says_what_it_means_and_who_uses_it() -> None:
    for convention in CONVENTIONS.values():
        assert convention.meaning
        assert convention.used_by


def interval_by_definition(scores: AttackScores, fpr: float, level: float) -> tuple[float, float]:
    """Every rank tried, with tails of scipy.stats and raw scores."""
    n, m = scores.n_members, scores.n_nonmembers
    ranked = np.sort(scores.nonmember)[::-1]
    low, high = 0.0, 1.0
    for j in range(1, m + 1):
        if binom.cdf(j - 1, m, fpr) <= level / 2:
            above = int(np.sum(scores.member > ranked[j - 1]))
            low = float(beta.ppf(level / 2, above, n - above + 1)) if above else 0.0
    for j in range(m, 0, -1):
        if binom.sf(j - 1, m, fpr) <= level / 2:
            upto = int(np.sum(scores.member >= ranked[j - 1]))
            high = float(beta.isf(level / 2, upto + 1, n - upto)) if upto < n else 1.0
    return low, high


@given(member=tied_losses, nonmember=tied_losses, fpr=fprs, level=st.sampled_from([0.05, 0.5]))
def test_the_interval_is_the_best_that_ranks_allow(
    member: list[float], nonmember: list[float], fpr: float, level: float
) -> None:
    scores = of(member, nonmember)
    found = tpr_interval(scores, fpr, confidence_level=1 - level)
    expected = interval_by_definition(scores, fpr, level)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def splits(total: int, parts: int) -> list[tuple[int, ...]]:
    """All ways to split a number into so many parts, in order."""
    if parts == 1:
        return [(total,)]
    return [(i, *rest) for i in range(total + 1) for rest in splits(total - i, parts - 1)]


def miss_probability(n: int, m: int, fpr: float, level: float, steps: dict[float, float]) -> float:
    """Of a curve that rises by `steps` at places in (0, 1), over all possible counts."""
    places = sorted(steps)
    gaps = np.diff([0.0, *places, 1.0])
    shares = [steps[place] for place in places]
    truth = sum(share for place, share in steps.items() if place < fpr)
    missed = 0.0
    for others in splits(m, len(gaps)):
        nonmember = np.repeat(-np.arange(0.0, len(gaps)) - 0.5, others)
        chance = multinomial.pmf(others, m, gaps)
        for counts in splits(n, len(shares)):
            member = np.repeat(-np.arange(1.0, len(shares) + 1), counts)
            scores = AttackScores(member=member, nonmember=nonmember)
            low, high = tpr_interval(scores, fpr, confidence_level=1 - level)
            if not low - 1e-12 <= truth <= high + 1e-12:
                missed += chance * multinomial.pmf(counts, n, shares)
    return float(missed)


@pytest.mark.slow
@parametrize("level", [0.1, 0.2, 0.5], slow_but=[0.2])
@parametrize("sizes", [(6, 6), (3, 9), (9, 3)], slow_but=[(3, 9), (9, 3)])
def test_no_curve_of_two_steps_is_missed_more_often_than_stated(
    sizes: tuple[int, int], level: float
) -> None:
    rng = np.random.default_rng(sizes[0])
    found = []
    for _ in range(12):
        places, share = rng.uniform(0, 1, 2), float(rng.choice([0.0, 0.02, 1.0, rng.uniform()]))
        steps = dict(zip(places.tolist(), (share, 1 - share), strict=True))
        found.append(miss_probability(*sizes, 0.5, level, steps))
    assert max(found) <= level + 1e-12


def test_the_level_is_used_up_where_the_curve_is_flat_or_steep() -> None:
    # 10 or more and 2 or fewer of 12, at 1/2: each .019. The level is twice that, and a little.
    tail = float(binom.cdf(2, 12, 0.5))
    flat = {1e-9: 0.5, 1 - 1e-9: 0.5}
    assert miss_probability(12, 12, 0.5, 2.001 * tail, flat) == pytest.approx(2 * tail, rel=1e-6)
    for step in (0.5 - 1e-9, 0.5 + 1e-9):  # only one of the two limits can miss it
        found = miss_probability(12, 12, 0.5, 2.001 * tail, {step: 1.0})
        assert found == pytest.approx(tail, rel=1e-3)
    both = {0.5 - 1e-9: 0.5, 0.5 + 1e-9: 0.5}
    assert miss_probability(12, 12, 0.5, 2.001 * tail, both) == pytest.approx(2 * tail, rel=1e-3)


def missed(intervals: list[tuple[float, float]], truths: tuple[float, ...]) -> int:
    return sum(not all(low <= truth <= high for truth in truths) for low, high in intervals)


def most_allowed(runs: int) -> float:
    return 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


@parametrize("n", [200, 1000], slow_but=[200])
@parametrize("fpr", [0.01, 0.1], slow_but=[0.1])
@pytest.mark.parametrize("mu", [1.0, 0.0, -1.0], ids=["leak", "null", "reversed"])
def test_the_interval_holds_the_true_tpr_at_the_true_fpr(n: int, fpr: float, mu: float) -> None:
    rng, runs = np.random.default_rng(n), 400
    intervals = [
        tpr_interval(AttackScores(member=rng.normal(mu, 1, n), nonmember=rng.normal(0, 1, n)), fpr)
        for _ in range(runs)
    ]
    assert missed(intervals, (float(norm.sf(norm.isf(fpr) - mu)),)) <= most_allowed(runs)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(30, 300), (300, 30), (400, 400)])
@pytest.mark.parametrize("fpr", [0.02, 0.05, 0.1])
def test_of_tied_laws_it_holds_the_tpr_without_the_tie_and_with_its_share(
    sizes: tuple[int, int], fpr: float
) -> None:
    # 0.05 of the non-members above, 0.25 at the next value; members 0.4 and 0.3.
    nonmember, member = np.array([0.7, 0.25, 0.05]), np.array([0.3, 0.3, 0.4])
    rng, runs, values = np.random.default_rng(sizes[0]), 400, np.arange(3.0)
    intervals = [
        tpr_interval(
            AttackScores(
                member=rng.choice(values, sizes[0], p=member),
                nonmember=rng.choice(values, sizes[1], p=nonmember),
            ),
            fpr,
        )
        for _ in range(runs)
    ]
    x, y = np.array([0, 0.05, 0.3, 1]), np.array([0, 0.4, 0.7, 1])
    truths = (float(y[x <= fpr][-1]), float(np.interp(fpr, x, y)))
    assert missed(intervals, truths) <= most_allowed(runs)


def test_too_few_nonmembers_say_nothing_about_a_small_fpr() -> None:
    rng = np.random.default_rng(1)
    few = AttackScores(member=rng.normal(9, 1, 1000), nonmember=rng.normal(0, 1, 300))
    # (1 - 0.01)^300 > 0.025: no non-member's score need have an FPR as low as 0.01.
    assert tpr_interval(few, 0.01)[0] == 0
    enough = AttackScores(member=few.member, nonmember=rng.normal(0, 1, 450))
    assert tpr_interval(enough, 0.01)[0] > 0.99
    one = of([1.0], [0.0])
    assert tpr_interval(one, 0.5) == (0, 1)


def test_at_the_ends_of_the_fpr() -> None:
    scores = two_hundred()
    above_all = np.mean(scores.member > scores.nonmember.max())
    assert tpr_at_fpr(scores, 0.0).value == above_all
    assert tpr_at_fpr(scores, 0.0).interval[0] == 0
    for convention in ("last_vertex", "interpolated", "through_thresholds", "hull"):
        found = tpr_at_fpr(scores, 1.0, convention=convention)
        assert (found.value, found.realised_fpr, found.true_positives) == (1, 1, 200)
    assert tpr_at_fpr(scores, 1.0).interval[1] == 1


def test_a_curve_and_its_scores_say_the_same() -> None:
    scores = two_hundred()
    curve = AttackCurve.from_scores(scores)
    assert tpr_table(curve, 0.05) == tpr_table(scores, 0.05)


@pytest.mark.parametrize("fpr", [-0.1, 1.1, math.nan, "0.5"])
def test_an_illegal_fpr_is_named(fpr: float) -> None:
    for function in (tpr_at_fpr, tpr_table, tpr_interval):
        with pytest.raises(ValueError, match=r"^fpr must be"):
            function(two_hundred(), fpr)


def test_illegal_choices_are_named() -> None:
    with pytest.raises(ValueError, match=r"^convention must be one of 'last_vertex', .*, got 'x'"):
        tpr_at_fpr(two_hundred(), 0.1, convention="x")
    with pytest.raises(ValueError, match=r"^confidence_level must be in \[0.5, 1\), got 1"):
        tpr_at_fpr(two_hundred(), 0.1, confidence_level=1)
    with pytest.raises(ValueError, match=r"^confidence_level must be in \[0.5, 1\), got 1.5"):
        tpr_interval(two_hundred(), 0.1, confidence_level=1.5)


def test_counts_belong_to_a_threshold_and_not_between_two() -> None:
    scores = AttackScores(member=[3, 2, 1, 0], nonmember=[2.5, 1.5, 0.5, -1])
    at = tpr_at_fpr(scores, 0.25)
    assert (at.false_positives, at.true_positives) == (1, 2)
    between = tpr_at_fpr(scores, 0.3, convention="interpolated")
    assert (between.false_positives, between.true_positives) == (None, None)
    assert at.confidence_level == 0.95
    assert at.interval == tpr_at_fpr(scores, 0.25, confidence_level=0.95).interval
