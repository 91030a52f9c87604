"""Rates of counts at thresholds: of one curve, and of several at common thresholds."""

import numpy as np
import pytest

from dpviz.audit.roc.curve import ThresholdCounts
from dpviz.audit.scores.base import SortedSample

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
    assert COUNTS.survive(clip).tolist() == expected


def test_some_thresholds_keep_their_counts() -> None:
    some = COUNTS.some(np.array([2, 3]))
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
    np.testing.assert_array_equal(both.survive(0.1)[:, 0], COUNTS.survive(0.1))
    assert both.survive(0.1)[:, 1].tolist() == [False, True, True, True, False]
