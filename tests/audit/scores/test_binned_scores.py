"""Counts on a grid: how it orders numbers, what cells hold, how they merge, what is refused."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from dpviz.audit import (
    AttackCurve,
    AttackScores,
    BinnedScores,
    auc,
    auc_interval,
    epsilon_star,
    goodness_of_fit,
    lower_bound,
    null_distribution,
    permutation_test,
)
from dpviz.audit.epsilon_star.fits import TransformedLosses
from dpviz.audit.roc import tpr_interval
from dpviz.audit.scores.base import Provenance
from dpviz.audit.scores.binned_scores import (
    LARGEST_ON_GRID,
    cell_numbers,
    lower_edges,
    monotone_integers,
    rounded_down_to_float32,
)

LARGEST = float(np.finfo(np.float32).max)
scores_of_one_class = st.lists(
    st.one_of(
        st.floats(-LARGEST, LARGEST),
        st.integers(-8, 8).map(lambda i: 1 + i * 2.0**-12),
        st.integers(-4, 4).map(float),
        st.sampled_from([-0.0, 5e-324, -5e-324, float(np.nextafter(1.0, 0.0)), -LARGEST]),
    ),
    min_size=1,
    max_size=40,
)
some_bits = st.sampled_from([10, 20, 32])


def binned_of(member: list[float], nonmember: list[float], bits: int = 20) -> BinnedScores:
    return BinnedScores.of(AttackScores(member=member, nonmember=nonmember), bits=bits)


def same(one: BinnedScores, other: BinnedScores) -> None:
    assert np.array_equal(one.thresholds, other.thresholds)
    for name in ("member", "nonmember"):
        counts = [getattr(each, f"{name}_counts") for each in (one, other)]
        assert np.array_equal(*counts)
        means = [getattr(each, f"{name}_means") for each in (one, other)]
        np.testing.assert_allclose(*means, rtol=1e-12, atol=1e-300)


@given(member=scores_of_one_class, nonmember=scores_of_one_class, bits=some_bits)
def test_rates_at_edges_are_those_of_the_scores(
    member: list[float], nonmember: list[float], bits: int
) -> None:
    binned = binned_of(member, nonmember, bits)
    curve = AttackCurve.from_scores(binned)
    for i, threshold in enumerate(curve.thresholds):
        assert curve.true_positives[i] == sum(score >= threshold for score in member)
        assert curve.false_positives[i] == sum(score >= threshold for score in nonmember)


@pytest.mark.slow
@given(member=scores_of_one_class, nonmember=scores_of_one_class)
def test_means_are_those_of_each_cell(member: list[float], nonmember: list[float]) -> None:
    binned = binned_of(member, nonmember)
    ends = np.append(binned.thresholds[1:], np.inf)
    for low, high, count, mean in zip(
        binned.thresholds, ends, binned.member_counts, binned.member_means, strict=True
    ):
        inside = [score for score in member if low <= score < high]
        assert count == len(inside)
        expected = low + sum(x - low for x in inside) / count if count else low
        assert mean == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.slow
@given(
    parts=st.lists(st.tuples(scores_of_one_class, scores_of_one_class), min_size=3, max_size=3),
    bits=some_bits,
)
def test_merging_is_counting_at_once_in_any_order(
    parts: list[tuple[list[float], list[float]]], bits: int
) -> None:
    a, b, c = (binned_of(*part, bits) for part in parts)
    members, nonmembers = ([x for part in parts for x in part[i]] for i in (0, 1))
    at_once = binned_of(members, nonmembers, bits)
    same(a.merged(b).merged(c), at_once)
    same(a.merged(b.merged(c)), at_once)
    same(a.merged(b), b.merged(a))


def test_losses_keep_their_direction() -> None:
    losses = AttackScores.from_losses(member=[0.1, 0.2], nonmember=[0.9, 0.15])
    binned = BinnedScores.of(losses)
    assert binned.kind == "loss"
    assert (binned.n_members, binned.n_nonmembers, binned.groups) == (2, 2, ())
    point = AttackCurve.from_scores(binned).at_fpr(0)
    assert (point.true_positives, point.original_threshold) == (1, pytest.approx(0.1, rel=1e-3))
    assert repr(binned) == "BinnedScores(n_members=2, n_nonmembers=2, kind='loss', thresholds=4)"


def test_arrays_are_read_only_and_not_those_of_the_caller() -> None:
    thresholds = np.array([0.0, 1.0])
    binned = BinnedScores(thresholds=thresholds, member_counts=[1, 0], nonmember_counts=[0, 1])
    thresholds[0] = 9
    assert binned.thresholds[0] == 0
    for array in (binned.thresholds, binned.member_counts, binned.nonmember_counts):
        assert not array.flags.writeable


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"thresholds": [1.0, 1.0]}, "thresholds must be ascending"),
        ({"thresholds": [1.0, np.nan]}, "thresholds must be numbers, got 1 NaN"),
        ({"thresholds": [0.0, 1e301]}, r"thresholds must be in \[-1e\+300, 1e\+300\] or inf"),
        ({"thresholds": []}, "thresholds must not be empty"),
        ({"member_counts": [1.5, 1]}, "member_counts must be whole numbers of at least 0, got 1.5"),
        ({"member_counts": [-1, 1]}, "member_counts must be whole numbers of at least 0, got -1"),
        ({"member_counts": [1]}, "member_counts must be of the shape of thresholds"),
        (
            {"nonmember_counts": [0, 0]},
            "nonmember_counts must be counts that sum to at least 1, got 0",
        ),
        (
            {"member_counts": [1, 0], "nonmember_counts": [1, 0]},
            "thresholds must be lower edges of non-empty cells, got 1.0",
        ),
        ({"member_means": [0.5]}, "member_means must be of the shape of thresholds"),
        ({"member_means": [0.5, np.nan]}, "member_means must be numbers, got 1 NaN"),
        (
            {"nonmember_means": [0.5, 0.1]},
            "nonmember_means must be ascending where the count is above 0",
        ),
        ({"kind": "logit"}, "kind must be one of 'loss', 'score', got 'logit'"),
    ],
)
def test_what_is_no_data_set_is_refused(change: dict[str, Any], message: str) -> None:
    legal: dict[str, Any] = {
        "thresholds": [0.0, 1.0],
        "member_counts": [2, 1],
        "nonmember_counts": [1, 3],
    }
    BinnedScores(**legal)
    with pytest.raises(ValueError, match=message):
        BinnedScores(**legal | change)


def test_scores_beyond_float32_and_other_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match="nonmember scores on a float32 grid must be in"):
        binned_of([1.0], [4e38])
    with pytest.raises(ValueError, match="bits must be a whole number from 10 to 32, got 9"):
        binned_of([1.0], [2.0], bits=9)
    losses = BinnedScores.of(AttackScores.from_losses(member=[1.0], nonmember=[2.0]))
    with pytest.raises(
        ValueError, match=r"other\.kind must be 'score', the same as self\.kind, got 'loss'"
    ):
        binned_of([1.0], [2.0]).merged(losses)


def test_a_billion_times_as_many_records_have_the_same_rates() -> None:
    rng = np.random.default_rng(0)
    few = BinnedScores.of(
        AttackScores(member=rng.normal(1, 1, 400), nonmember=rng.normal(size=300))
    )
    many = BinnedScores(
        thresholds=few.thresholds,
        member_counts=few.member_counts * 10**9,
        nonmember_counts=few.nonmember_counts * 10**9,
    )
    assert auc(many) == pytest.approx(auc(few), rel=1e-15)
    curves = [AttackCurve.from_scores(scores) for scores in (few, many)]
    assert (curves[0].tpr == curves[1].tpr).all()
    assert curves[0].hull_indices.tolist() == curves[1].hull_indices.tolist()
    values = [epsilon_star(scores, delta=1e-5).value for scores in (few, many)]
    assert values[0] == values[1]
    # Limits close in with the square root of the number.
    lengths = [
        limits.high - limits.low for limits in (auc_interval(scores) for scores in (few, many))
    ]
    assert lengths[1] == pytest.approx(lengths[0] / 10**4.5, rel=0.02)
    low, high = tpr_interval(many, 0.1)
    assert high - low < 1 / 300  # one record of the few
    assert low <= curves[0].at_fpr(0.1).tpr <= high
    with pytest.raises(ValueError, match="must be fewer than 1000000000 for a bound by ranks"):
        lower_bound(many, delta=1e-5)
    if Version(scipy.__version__) < Version("1.17"):  # whose quantile of so large a Beta is NaN
        with pytest.raises(ValueError, match="trials need SciPy 1"):
            lower_bound(many, delta=1e-5, method="clopper_pearson", threshold=1.0)
    else:
        assert lower_bound(many, delta=1e-5, method="clopper_pearson", threshold=1.0).low > 0


@pytest.mark.parametrize(
    "drawing",
    [
        lambda scores: lower_bound(scores, delta=0.0),
        lambda scores: null_distribution(scores, delta=0.0),
        lambda scores: permutation_test(scores, delta=0.0),
    ],
)
def test_what_cannot_be_drawn_from_so_many_says_so(drawing: Callable[[BinnedScores], Any]) -> None:
    many = BinnedScores(
        thresholds=[0.0, 1.0],
        member_counts=[300_000_000, 400_000_000],
        nonmember_counts=[300_000_000, 200_000_000],
    )
    # TPR 4/7, FPR 2/5.
    assert epsilon_star(many, delta=0.0).value == pytest.approx(math.log(10 / 7))
    assert lower_bound(many, delta=0.0, method="clopper_pearson", threshold=1.0).low > 0.35
    with pytest.raises(ValueError, match=r"scores must be fewer than 1000000000 for .*, got 12"):
        drawing(many)


def test_pairs_of_many_records_are_counted() -> None:
    n = 1_073_000_000
    scores = BinnedScores(
        thresholds=[0.0, 1.0], member_counts=[0, n], nonmember_counts=[n // 4, n - n // 4]
    )
    assert auc(scores) == 0.5 + 0.5 * 0.25


def test_normal_epsilon_star_of_many_losses() -> None:
    rng = np.random.default_rng(4)
    losses = AttackScores.from_losses(
        member=rng.gamma(2, 1, 200_000), nonmember=rng.gamma(2, 1.1, 200_000)
    )
    binned = BinnedScores.of(losses)
    assert binned.thresholds.size < 30_000
    for transform in ("paper", "none"):
        form: dict[str, Any] = {"delta": 1e-5, "method": "normal", "transform": transform}
        found, expected = epsilon_star(binned, **form), epsilon_star(losses, **form)
        assert expected.value > 0.5
        assert found.value == pytest.approx(expected.value, abs=1e-5)


def test_fits_use_the_means_of_cells() -> None:
    scores = AttackScores(member=[1.0, 1.0004, 3.0], nonmember=[1.0001, 5.0])
    sample = TransformedLosses.of(BinnedScores.of(scores, bits=10), "none")
    assert sample.transform.low == -5
    assert sample.transform.high == -1.0001
    assert sample.member.mean_and_sd[0] * (5 - 1.0001) - 5 == pytest.approx(-5.0004 / 3)


def test_mixtures_are_fitted_to_a_sample_that_is_named() -> None:
    rng = np.random.default_rng(2)
    losses = AttackScores.from_losses(
        member=rng.normal(0, 1, 12_000), nonmember=rng.normal(0.5, 1.2, 9000)
    )
    binned = BinnedScores.of(losses)
    form: dict[str, Any] = {"delta": 1e-5, "method": "mixture", "components": 1, "rng": 1}
    found, expected = epsilon_star(binned, **form), epsilon_star(losses, **form)
    assert "fitted to 10000 losses per class drawn at random from the binned ones" in found.notes
    # The same ranks are drawn, of means of cells that are 0.05 % wide.
    assert found.value == pytest.approx(expected.value, rel=1e-4)
    assert epsilon_star(binned, **form) == found


def test_goodness_of_fit_holds_cells_means_out() -> None:
    rng = np.random.default_rng(3)
    normal = AttackScores(member=rng.normal(10, 1, 5000), nonmember=rng.normal(11, 1, 5000))
    found = goodness_of_fit(BinnedScores.of(normal), held_out=500, transform="none")
    expected = goodness_of_fit(normal, held_out=500, transform="none")
    for one, other in ((found.member, expected.member), (found.nonmember, expected.nonmember)):
        assert one is not None
        assert other is not None
        assert one.n_held_out == other.n_held_out == 500
        assert one.distance == pytest.approx(other.distance, abs=0.005)


READ = Provenance(
    source='"a b.csv"',
    loader="CSV",
    understood='column "loss" is the loss',
    n_rows=5,
    n_dropped=1,
    dropped="1 row dropped: no loss in row 3",
)


def test_what_was_understood_is_three_lines() -> None:
    losses = AttackScores.from_losses(member=[0.1, 0.1], nonmember=[0.9, 0.8], provenance=READ)
    assert str(losses) == (
        '"a b.csv" (CSV): column "loss" is the loss\n'
        "low = member (losses): 2 members, 2 non-members\n"
        "1 row dropped: no loss in row 3; 1 of 4 scores repeat an earlier score"
    )
    assert str(BinnedScores.of(losses)) == (
        '"a b.csv" (CSV): column "loss" is the loss\n'
        "low = member (losses): 2 members, 2 non-members; rounded down to 3 thresholds of a "
        "float32 grid, at which rates are exact\n"
        "1 row dropped: no loss in row 3; rounding each score down to one of 3 thresholds makes "
        "ties"
    )


def test_understood_of_arrays_names_what_looks_wrong() -> None:
    rng = np.random.default_rng(1)
    scores = AttackScores(member=rng.normal(-2, 1, 50), nonmember=rng.normal(2, 1, 600))
    source, counts, remarks = str(scores).split("\n")
    assert source == "given as arrays"
    assert counts == "high = member (scores): 50 members, 600 non-members"
    assert remarks.startswith("no row dropped; the classes differ much in size: 50 members, 600 ")
    assert "the scores look reversed: AUC 0.00" in remarks
    assert remarks.endswith(
        "with kind='loss'; if members and non-members are swapped, swap them back"
    )


TINY = float(np.float32(1e-45))
EXTREMES = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    TINY,
    -TINY,
    LARGEST_ON_GRID,
    -LARGEST_ON_GRID,
    1.17549435e-38,
]
numbers = st.one_of(
    st.sampled_from(EXTREMES),
    st.floats(-LARGEST_ON_GRID, LARGEST_ON_GRID),
    st.floats(-10, 10),
    st.floats(-10, 10, width=32),
    # Beside the edges of cells, in float64.
    st.builds(
        lambda cell, way: float(np.nextafter(lower_edges(np.array([cell]))[0], way)),
        st.integers(2**11 + 1, 2**20 - 2**11 - 1),
        st.sampled_from([-np.inf, np.inf]),
    ),
)
any_bits = st.sampled_from([10, 16, 20, 24, 32])


@given(score=numbers, bits=any_bits)
def test_a_score_is_between_the_edges_of_its_cell(score: float, bits: int) -> None:
    cell = cell_numbers(np.array([score]), bits=bits)
    assert lower_edges(cell, bits=bits)[0] <= score
    with np.errstate(invalid="ignore"):
        following = lower_edges(cell.astype(np.int64) + 1, bits=bits)[0]
    assert score < following or score >= LARGEST_ON_GRID


@given(scores=st.lists(numbers, min_size=2, max_size=20), bits=any_bits)
def test_cells_ascend_with_scores(scores: list[float], bits: int) -> None:
    assert (np.diff(cell_numbers(np.sort(scores), bits=bits).astype(np.int64)) >= 0).all()


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_keys_order_as_floats(scores: list[float]) -> None:
    distinct = np.unique(np.array(scores, np.float32))
    assert (np.diff(monotone_integers(distinct).astype(np.int64)) > 0).all()
    assert np.array_equal(lower_edges(monotone_integers(distinct), bits=32), distinct)


@given(st.lists(numbers, min_size=1))
def test_rounding_is_down_and_to_the_next(scores: list[float]) -> None:
    found = rounded_down_to_float32(np.array(scores))
    assert found.dtype == np.float32
    assert (found <= scores).all()
    with np.errstate(over="ignore"):
        above = np.nextafter(found, np.float32(np.inf))
    assert ((above > scores) | (np.array(scores) >= LARGEST_ON_GRID)).all()


def test_the_first_and_the_last_cell_of_numbers() -> None:
    first, last = cell_numbers(np.array([-LARGEST_ON_GRID, LARGEST_ON_GRID]))
    assert lower_edges(np.array([first]))[0] == -LARGEST_ON_GRID
    assert lower_edges(np.array([last]))[0] <= LARGEST_ON_GRID


def test_both_zeros_share_a_cell_that_begins_at_zero() -> None:
    cell = cell_numbers(np.array([0.0, -0.0]))
    assert cell[0] == cell[1]
    assert lower_edges(cell).tolist() == [0.0, 0.0]
    assert cell_numbers(np.array([-TINY]))[0] == cell[0] - 1


def test_known_edges() -> None:
    # 1.0 has 12 zero bits at its end; cells between 1 and 2 are 2**-11 wide.
    assert lower_edges(
        cell_numbers(np.array([1.0, 1.0 + 2**-11 - 2**-40, 1.0 + 2**-11]))
    ).tolist() == [
        1.0,
        1.0,
        1.0 + 2**-11,
    ]


def test_float32_scores_are_not_copied_to_be_rounded() -> None:
    scores = np.array([1.5, -0.0], np.float32)
    assert rounded_down_to_float32(scores) is scores
    cell_numbers(scores)
    assert np.signbit(scores).tolist() == [False, True]


@pytest.mark.parametrize("bits", [10, 20, 32])
def test_edges_are_in_their_own_cell(bits: int) -> None:
    drawn = cell_numbers(np.random.default_rng(1).normal(size=1000), bits=bits)
    assert np.array_equal(cell_numbers(lower_edges(drawn, bits=bits), bits=bits), drawn)
