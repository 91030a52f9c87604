"""The attack curve against scikit-learn, its drawing, and rates at common thresholds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, precision_score, roc_curve

from dpviz import read_sample
from dpviz.audit import AttackCurve, AttackScores
from dpviz.audit.roc.curve import DRAWING_ERROR, ThresholdCounts, bend_indices
from dpviz.audit.scores.base import SortedSample
from dpviz.checks import FloatArray
from dpviz.data.samples import SAMPLES
from tests.audit.oracles import gaussian_losses, tied_losses

MARKS = (1e-3, 1e-2, 1e-1)
Points = tuple[FloatArray, FloatArray]


def curve_of(member: list[float], nonmember: list[float]) -> AttackCurve:
    return AttackCurve.from_scores(AttackScores(member=member, nonmember=nonmember))


@given(member=tied_losses, nonmember=tied_losses)
def test_counts_are_those_of_scikit_learn(member: list[float], nonmember: list[float]) -> None:
    curve = curve_of(member, nonmember)
    labels = np.r_[np.ones(len(member)), np.zeros(len(nonmember))]
    fpr, tpr, thresholds = roc_curve(labels, member + nonmember, drop_intermediate=False)
    np.testing.assert_array_equal(curve.thresholds, thresholds)
    np.testing.assert_array_equal(curve.false_positives, np.rint(fpr * len(nonmember)))
    np.testing.assert_array_equal(curve.true_positives, np.rint(tpr * len(member)))
    np.testing.assert_array_equal(curve.fpr, fpr)
    np.testing.assert_array_equal(curve.tpr, tpr)


@given(member=tied_losses, nonmember=tied_losses, fpr=st.floats(0, 1))
def test_the_threshold_of_an_fpr_does_not_exceed_it(
    member: list[float], nonmember: list[float], fpr: float
) -> None:
    point = curve_of(member, nonmember).at_fpr(fpr)
    candidates = []
    for threshold in [math.inf, *member, *nonmember]:
        accused = sum(score >= threshold for score in nonmember)
        caught = sum(score >= threshold for score in member)
        if accused / len(nonmember) <= fpr:
            candidates.append((accused, caught))
    assert (point.false_positives, point.true_positives) == max(candidates)
    assert sum(score >= point.threshold for score in nonmember) == point.false_positives
    assert sum(score >= point.threshold for score in member) == point.true_positives


@given(member=tied_losses, nonmember=tied_losses, threshold=st.floats(-6, 6))
def test_any_threshold_is_counted(
    member: list[float], nonmember: list[float], threshold: float
) -> None:
    point = curve_of(member, nonmember).at_threshold(threshold)
    assert point.false_positives == sum(score >= threshold for score in nonmember)
    assert point.true_positives == sum(score >= threshold for score in member)


def test_ties_are_never_broken() -> None:
    curve = curve_of([1.0, 1.0, 1.0], [1.0, 1.0])
    assert curve.thresholds.tolist() == [math.inf, 1.0]
    assert curve.at_fpr(0.5).true_positives == 0
    assert curve.at_fpr(0.999).threshold == math.inf
    assert (curve.at_fpr(1.0).true_positives, curve.at_fpr(1.0).false_positives) == (3, 2)


@given(member=tied_losses, nonmember=tied_losses)
def test_best_advantage_is_the_largest(member: list[float], nonmember: list[float]) -> None:
    best = curve_of(member, nonmember).best_advantage()
    labels = np.r_[np.ones(len(member)), np.zeros(len(nonmember))]
    fpr, tpr, _ = roc_curve(labels, member + nonmember)
    assert best.tpr - best.fpr == pytest.approx(np.max(tpr - fpr), abs=1e-15)


def test_ppv_at_a_prior_is_a_count_of_accused_people() -> None:
    # 3 of 4 members and 1 of 5 others are accused: FPR .2 and FNR .25.
    point = curve_of([5, 5, 5, 0], [5, 0, 0, 0, 0]).at_threshold(5)
    assert (point.fpr, point.fnr, point.tpr, point.tnr) == (0.2, 0.25, 0.75, 0.8)
    # Of 1000 people 100 are members: 75 of them and 180 others are accused.
    assert point.ppv(prior=0.1) == pytest.approx(75 / 255, rel=1e-14)
    assert math.isnan(curve_of([1], [1]).at_fpr(0.0).ppv(prior=0.1))


def test_rates_at_the_prior_of_the_sample_are_those_of_scikit_learn() -> None:
    """400 members of 1000 records; at another prior, of 1000 people of whom 100 are members."""
    rng = np.random.default_rng(3)
    member, nonmember = rng.normal(1, 1, 400), rng.normal(0, 1, 600)
    point = curve_of(member.tolist(), nonmember.tolist()).at_fpr(0.2)
    labels = np.r_[np.ones(400), np.zeros(600)]
    flagged = np.r_[member, nonmember] >= point.threshold
    assert point.accuracy(prior=0.4) == pytest.approx(accuracy_score(labels, flagged), rel=1e-12)
    assert point.f1(prior=0.4) == pytest.approx(f1_score(labels, flagged), rel=1e-12)
    negative = precision_score(1 - labels, ~flagged)
    assert point.npv(prior=0.4) == pytest.approx(negative, rel=1e-12)
    right, missed = 900 * point.tnr, 100 * point.fnr
    assert point.npv(prior=0.1) == pytest.approx(right / (right + missed), rel=1e-12)
    assert point.accuracy(prior=0.1) == pytest.approx((100 * point.tpr + right) / 1000, rel=1e-12)
    assert math.isnan(curve_of([1], [1]).at_fpr(1.0).npv(prior=0.1))
    for rate in (point.npv, point.accuracy, point.f1):
        with pytest.raises(ValueError, match=r"prior must be in \(0, 1\), got 1.0"):
            rate(prior=1.0)


BIG = {
    "leak": gaussian_losses(1, member=(0, 1, 50_000), nonmember=(1, 1, 50_000)),
    "none": gaussian_losses(2, member=(0, 1, 50_000), nonmember=(0, 1, 50_000)),
    "reversed": gaussian_losses(3, member=(1, 1, 50_000), nonmember=(0, 1, 50_000)),
    "apart": gaussian_losses(4, member=(0, 1, 50_000), nonmember=(4, 1, 50_000)),
    "tied": AttackScores(
        member=np.round(np.random.default_rng(5).normal(1, 1, 50_000), 2),
        nonmember=np.round(np.random.default_rng(6).normal(0, 1, 50_000), 2),
    ),
}


@pytest.mark.parametrize("name", BIG)
def test_drawing_is_short_true_and_near(name: str) -> None:
    curve = AttackCurve.from_scores(BIG[name])
    drawn = curve.draw(at=MARKS)
    assert len(drawn) <= 512
    real = set(zip(curve.fpr.tolist(), curve.fnr.tolist(), strict=True))
    assert {(x, y) for x, y in drawn.tolist()} <= real
    assert drawn[0].tolist() == [0, 1]
    assert drawn[-1].tolist() == [1, 0]
    for fpr in MARKS:
        point = curve.at_fpr(fpr)
        assert [point.fpr, point.fnr] in drawn.tolist()
    assert largest_error(curve, drawn) < 1e-3


@pytest.mark.parametrize("name", SAMPLES)
def test_a_drawing_of_a_sample_is_near_its_curve_and_its_ppv(name: str) -> None:
    """PPV at a prior of 1/2, from an FPR of 0.05 % on; 512 vertices cannot be nearer to TPR."""
    curve = AttackCurve.from_scores(read_sample(name))
    drawn = curve.draw(at=MARKS)
    assert len(drawn) <= 512
    assert largest_error(curve, drawn) < 3e-3
    assert largest_error_of_ppv(curve, drawn) < 1e-2


def largest_error_of_ppv(curve: AttackCurve, drawn: FloatArray) -> float:
    """How far TPR / (TPR + FPR) of the drawing is from that of the curve, from FPR 5e-4 on."""
    fpr = beside(curve.fpr)
    fpr = fpr[fpr >= 5e-4]
    exact, seen = 1 - np.interp(fpr, curve.fpr, curve.fnr), 1 - np.interp(fpr, *drawn.T)
    return float(np.abs(exact / (exact + fpr) - seen / (seen + fpr)).max())


def largest_error(curve: AttackCurve, drawn: FloatArray) -> float:
    """How far the drawn FNR at any FPR, and FPR at any FNR, is from that of the curve."""
    (x, y), (fpr, fnr) = drawn.T, (curve.fpr, curve.fnr)
    one_way = furthest((fpr, fnr), (x, y))
    return max(one_way, furthest((fnr[::-1], fpr[::-1]), (y[::-1], x[::-1])))


def furthest(exact: Points, drawn: Points) -> float:
    """The largest difference; both are straight between the places of `exact`."""
    places = beside(exact[0])
    return float(np.abs(np.interp(places, *exact) - np.interp(places, *drawn)).max())


def beside(places: FloatArray) -> FloatArray:
    """Just before and just behind each place, where a staircase may jump."""
    places = np.unique(places)
    return (np.outer([1e-3, 0.999], np.diff(places)) + places[:-1]).ravel()


@settings(max_examples=2)
@given(shapes=st.tuples(*[st.floats(1, 2)] * 4), seed=st.integers(0, 99))
def test_a_drawing_is_near_at_any_fpr_and_at_any_fnr(shapes: list[float], seed: int) -> None:
    """Of 10^5 records of each class; distributions that are further apart take more vertices."""
    assert error_of_drawing(shapes, 100_000, seed) < 1e-3


@pytest.mark.slow
@settings(max_examples=5)
@given(shapes=st.tuples(*[st.floats(0.5, 4)] * 4), seed=st.integers(0, 99))
def test_a_drawing_of_a_million_records_is_near_whatever_they_are(
    shapes: list[float], seed: int
) -> None:
    assert error_of_drawing(shapes, 1_000_000, seed) < 1e-3


def error_of_drawing(shapes: list[float], n: int, seed: int) -> float:
    """Of a curve of `n` records of each class, from beta distributions."""
    rng = np.random.default_rng(seed)
    scores = AttackScores(member=rng.beta(*shapes[:2], n), nonmember=rng.beta(*shapes[2:], n))
    curve = AttackCurve.from_scores(scores)
    drawn = curve.draw()
    error = largest_error(curve, drawn)
    assert error <= DRAWING_ERROR * (1 + 1e-9) or len(drawn) == 512
    return error


@pytest.mark.parametrize("n", [8, 40, 64])
def test_drawing_keeps_to_the_vertices_it_is_given(n: int) -> None:
    assert len(AttackCurve.from_scores(BIG["leak"]).draw(n)) <= n


def test_points_speak_the_unit_that_came_in() -> None:
    losses = AttackScores.from_losses(member=[0.25, 1.0], nonmember=[2.0, 3.0])
    point = AttackCurve.from_scores(losses).at_fpr(0.0)
    assert (point.threshold, point.original_threshold) == (-1.0, 1.0)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, "0.5", True])
def test_an_illegal_fpr_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"^fpr must be"):
        curve_of([1.0], [0.0]).at_fpr(value)


def test_as_many_vertices_as_are_asked_for_are_all_drawn() -> None:
    """Also those that a picture could not show: here they bend by a part in 10^12."""
    fpr = np.linspace(0, 1, 101)
    tpr = fpr + 1e-12 * fpr * (1 - fpr)
    assert bend_indices(fpr, tpr, n=101, keep=[]).tolist() == list(range(101))
    assert bend_indices(fpr, tpr, n=100, keep=[]).size < 100


COUNTS = ThresholdCounts.of(
    np.array([np.inf, 3.0, 2.0, 1.0, 0.0]),
    members=SortedSample(np.array([1.0, 2.0, 2.0, 3.0])),
    nonmembers=SortedSample(np.array([0.0, 0.5, 1.0, 1.5, 2.0])),
)


def test_records_at_or_above_a_threshold_are_counted() -> None:
    assert COUNTS.true_positives.tolist() == [0, 1, 3, 4, 4]
    assert COUNTS.false_positives.tolist() == [0, 0, 1, 3, 5]
    assert COUNTS.tpr.tolist() == [0, 0.25, 0.75, 1, 1]
    assert COUNTS.fpr.tolist() == [0, 0, 0.2, 0.6, 1]
    assert COUNTS.fnr.tolist() == [1, 0.75, 0.25, 0, 0]
    assert COUNTS.tnr.tolist() == [1, 1, 0.8, 0.4, 0]


@pytest.mark.parametrize(
    ("clip", "expected"),
    [
        (None, [True] * 5),
        (0.0, [False, False, True, False, False]),
        (0.19, [False, False, True, False, False]),
        (0.2, [False] * 5),  # strictly inside
    ],
)
def test_a_threshold_survives_a_clip_if_all_four_rates_exceed_it(
    clip: float | None, expected: list[bool]
) -> None:
    assert COUNTS.survives_clip(clip).tolist() == expected


def test_some_thresholds_keep_their_counts() -> None:
    some = COUNTS.select(np.array([2, 3]))
    assert some.thresholds.tolist() == [2, 1]
    assert some.tpr.tolist() == [0.75, 1]
    assert some.n_nonmembers == 5


def test_several_curves_at_common_thresholds_have_the_rates_of_each() -> None:
    other = np.array([0, 2, 2, 3, 4])
    both = ThresholdCounts(
        thresholds=COUNTS.thresholds,
        true_positives=np.stack([COUNTS.true_positives, other], axis=1),
        false_positives=np.stack([COUNTS.false_positives, other + (other > 3)], axis=1),
        n_members=4,
        n_nonmembers=5,
    )
    for ours, theirs in zip(both.rates, COUNTS.rates, strict=True):
        np.testing.assert_array_equal(ours[:, 0], theirs)
    assert both.tnr[:, 1].tolist() == [1, 0.6, 0.6, 0.4, 0]
    np.testing.assert_array_equal(both.survives_clip(0.1)[:, 0], COUNTS.survives_clip(0.1))
    assert both.survives_clip(0.1)[:, 1].tolist() == [False, True, True, True, False]
